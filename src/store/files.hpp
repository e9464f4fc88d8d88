// Files so written that a kill, a full disk or a read-only directory never leaves half of one under
// its name, and files mapped for reading.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace invar::store {

// What is in a directory; nothing where it is none. Throws base::UserError where it cannot be read
// now: that says nothing of what is in it.
std::filesystem::directory_iterator entries_of(const std::filesystem::path& dir);

// "No space left on device" and the like.
std::string errno_text(int error);

// Now, UTC: "2026-11-21T08:30:12Z".
std::string utc_time_text();

// Writes the whole file or leaves the old one: temporary file in the same directory, fsync, rename,
// fsync of the directory. Throws CommandError (kIncomplete) with the reason.
void write_file(const std::filesystem::path& path, std::string_view text);

// Throws as write_file does if not even some 64 KiB can be written into `dir`; nothing stays there.
void check_room(const std::filesystem::path& dir);

// Temporary files that a killed write_file left in `dir`.
bool is_left_over(const std::filesystem::path& file);

// Appends by one call of write(2); `durable` waits until it is on the disk. If not everything could
// be written the file is cut back to its old length. The file must exist. Throws CommandError
// (kIncomplete) with the reason.
void append_to_file(const std::filesystem::path& path, std::string_view text, bool durable);

// Puts everything on the disk that was written to the file system of `dir`, by whomever. Throws as
// write_file does.
void sync_file_system(const std::filesystem::path& dir);

// Asks the kernel to put the file's bytes on the disk. Throws as write_file does.
void sync_file(const std::filesystem::path& path);

void make_directories(const std::filesystem::path& dir);
void move_path(const std::filesystem::path& from, const std::filesystem::path& to);

// A file's bytes, read-only, as long as the object lives.
class MappedFile {
 public:
  // Nothing if there is no such file, or something else than a file (errno in `error`); links are
  // not followed, pipes not waited for. Throws UserError if this user may not read it, or the
  // machine cannot at the moment: that is not the file's fault, and no damage.
  static std::optional<MappedFile> open(const std::filesystem::path& path, int& error);

  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&&) = delete;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }
  [[nodiscard]] std::string_view text() const;

 private:
  explicit MappedFile(std::span<const std::byte> bytes) : bytes_(bytes) {}
  std::span<const std::byte> bytes_ = {};
};

// The file's text, or nothing (no such file, unreadable). Throws UserError like MappedFile::open.
std::optional<std::string> read_text(const std::filesystem::path& path);

}  // namespace invar::store
