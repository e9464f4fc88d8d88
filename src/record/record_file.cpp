#include "record/record_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <span>
#include <stdexcept>

#include "base/crc32c.hpp"
#include "record/launch_spec.hpp"

namespace invar::record {
namespace {

std::runtime_error write_failure(const std::string& path) {
  return std::runtime_error(std::string(kCannotWrite) + path + ": " + std::strerror(errno));
}

}  // namespace

RecordFile::RecordFile(const std::string& path)
    : path_(path),
      descriptor_(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0644)) {
  if (descriptor_ < 0) throw write_failure(path_);
}

RecordFile::~RecordFile() { close(descriptor_); }

void RecordFile::append(const void* bytes, std::size_t size) {
  const auto* from = static_cast<const std::byte*>(bytes);
  crc_ = base::crc32c(std::span(from, size), crc_);
  size_ += size;
  while (size > 0) {
    const ssize_t written = write(descriptor_, from, size);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw write_failure(path_);
    from += written;
    size -= static_cast<std::size_t>(written);
  }
}

void RecordFile::sync() {
  if (fsync(descriptor_) != 0 && errno != EINVAL) throw write_failure(path_);
}

}  // namespace invar::record
