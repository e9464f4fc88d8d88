// Files that must be whole or not there at all, and what tells that a file has changed.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace invar::launch {

// Writes beside `path` and renames. Throws UserError that says why it cannot.
void write_atomically(const std::filesystem::path& path, std::string_view content);
void make_directories(const std::filesystem::path& path);

// Device, inode, size and time of change: differs whenever a file was replaced or written. Follows
// symbolic links; empty if there is no such file.
std::string stamp(const std::string& path);

// "CRC-32C-size", for example "89abcdef-123456"; "missing" if it cannot be read. A file whose
// stamp has not changed since this process (or remember_checksum) saw it is not read again.
std::string file_checksum(const std::string& path);
void remember_checksum(const std::string& path, const std::string& stamp,
                       const std::string& checksum);

// Exclusive among processes of this host; waits. Gone with the process, however it ends.
class FileLock {
 public:
  // `waiting` is told on stderr if another process holds it.
  FileLock(const std::filesystem::path& path, std::string_view waiting);
  // Does not wait, and does not throw: false if it is held or cannot be.
  explicit FileLock(const std::filesystem::path& path);
  explicit operator bool() const { return descriptor_ >= 0; }
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;
  ~FileLock();

 private:
  int descriptor_ = -1;
};

// A directory with a short name ($TMPDIR or /tmp: paths of sockets are limited to 107 bytes) that
// is removed with its content at the end. Leftovers of processes that were killed are removed when
// the next one is made.
class ScratchDir {
 public:
  ScratchDir();
  ScratchDir(ScratchDir&& other) noexcept;
  ScratchDir& operator=(ScratchDir&& other) noexcept;
  ScratchDir(const ScratchDir&) = delete;
  ScratchDir& operator=(const ScratchDir&) = delete;
  ~ScratchDir();
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  void remove() noexcept;

 private:
  std::filesystem::path path_ = {};
  int lock_ = -1;  // held as long as the directory is in use
};

}  // namespace invar::launch
