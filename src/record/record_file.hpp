// Files of a launch as they grow: what the engine and the driver append, with its checksum.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace invar::record {

// An append-only file with the CRC of all that was written. Throws std::runtime_error with the
// system's reason (full disk, ...), beginning with kCannotWrite (launch_spec.hpp).
class RecordFile {
 public:
  explicit RecordFile(const std::string& path);
  RecordFile(const RecordFile&) = delete;
  RecordFile& operator=(const RecordFile&) = delete;
  ~RecordFile();

  void append(const void* bytes, std::size_t size);
  void sync();  // to the disk
  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] std::uint32_t crc() const { return crc_; }

 private:
  std::string path_;
  int descriptor_;
  std::uint64_t size_ = 0;
  std::uint32_t crc_ = 0;
};

}  // namespace invar::record
