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
namespace {

std::string read_holder(int file) {
  std::array<char, 512> text{};
  const ssize_t length = ::pread(file, text.data(), text.size() - 1, 0);
  return std::string(base::trim({text.data(), static_cast<std::size_t>(length > 0 ? length : 0)}));
}

}  // namespace

std::optional<std::string> Lock::holder(const std::filesystem::path& dir) {
  const int file = ::open((dir / "lock").c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file < 0) return std::nullopt;
  const bool held = ::flock(file, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  const std::string who = read_holder(file);
  ::close(file);
  if (!held) return std::nullopt;
  return who.empty() ? "unknown" : who;
}

Lock Lock::acquire(const std::filesystem::path& dir) {
  const std::filesystem::path path = dir / "lock";
  const int file =
      ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
  if (file < 0 && errno == ELOOP) {
    throw base::UserError(path.string(), "is a link, and nothing is written where it leads",
                          "take it away");
  }
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
    const std::string who = read_holder(file);
    throw base::UserError(
        dir.string(),
        "another driver is at work here" + (who.empty() ? std::string() : " (" + who + ")"),
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
