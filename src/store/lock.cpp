#include "store/lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "store/files.hpp"

namespace invar::store {

Lock Lock::acquire(const std::filesystem::path& dir) {
  const std::filesystem::path path = dir / "lock";
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (file < 0) {
    throw base::UserError(dir.string(), "cannot be written: " + errno_text(errno),
                          "choose a directory that you may write");
  }
  Lock lock(file);
  if (::flock(file, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) {
      throw base::UserError(path.string(), "cannot be locked: " + errno_text(errno),
                            "choose a file system that has locks");
    }
    std::array<char, 512> holder{};
    const ssize_t length = ::pread(file, holder.data(), holder.size() - 1, 0);
    const std::string_view who =
        base::trim({holder.data(), static_cast<std::size_t>(length > 0 ? length : 0)});
    throw base::UserError(dir.string(),
                          "another driver is at work here" +
                              (who.empty() ? std::string() : " (" + std::string(who) + ")"),
                          "wait until it has ended");
  }
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  const std::string who =
      "pid " + std::to_string(::getpid()) + " on " + std::string(host.data()) + '\n';
  if (::ftruncate(file, 0) != 0 ||
      ::pwrite(file, who.data(), who.size(), 0) != static_cast<ssize_t>(who.size())) {
    throw base::UserError(path.string(), "cannot be written: " + errno_text(errno),
                          "free space, or choose another directory");
  }
  return lock;
}

Lock::Lock(Lock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

Lock::~Lock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace invar::store
