#include "launch/process/files.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "base/crc32c.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/text.hpp"

namespace invar::launch {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kScratchBeginning = "invar-launch-";

struct Known {
  std::string stamp;
  std::string checksum;
};
struct Memory {
  std::mutex mutex;
  std::map<std::string, Known> files;
};
Memory& memory() {
  static Memory instance;
  return instance;
}

[[noreturn]] void cannot(const char* what, const fs::path& path, int reason) {
  throw base::UserError(path.string(), std::string("cannot ") + what + ": " + std::strerror(reason),
                        "free the place or choose another one with INVAR_HOME");
}

// Directories whose owner is gone: nobody holds their lock.
void remove_leftovers(const fs::path& parent) {
  std::error_code error;
  for (fs::directory_iterator entry(parent, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (!name.starts_with(kScratchBeginning)) continue;
    struct stat info {};
    if (lstat(entry->path().c_str(), &info) != 0 || !S_ISDIR(info.st_mode) ||
        info.st_uid != geteuid() || std::time(nullptr) - info.st_mtime < 60) {
      continue;
    }
    const int lock = open((entry->path() / "lock").c_str(), O_RDWR | O_CLOEXEC);
    if (lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) != 0) {
      close(lock);
      continue;
    }
    std::error_code ignored;
    fs::remove_all(entry->path(), ignored);
    if (lock >= 0) close(lock);
  }
}

}  // namespace

void make_directories(const fs::path& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) cannot("make the directory", path, error.value());
}

void write_atomically(const fs::path& path, std::string_view content) {
  make_directories(path.parent_path());
  const fs::path unfinished = path.string() + "." + std::to_string(getpid()) + ".new";
  const int error =
      base::write_whole_file(path, content, unfinished, base::IfThere::kReplace, false);
  if (error != 0) cannot("write", path, error);
}

std::string stamp(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return {};
  return std::to_string(info.st_dev) + ":" + std::to_string(info.st_ino) + ":" +
         std::to_string(info.st_size) + ":" + std::to_string(info.st_mtim.tv_sec) + "." +
         std::to_string(info.st_mtim.tv_nsec);
}

std::string file_checksum(const std::string& path) {
  const std::string now = stamp(path);
  if (now.empty()) return "missing";
  Memory& known = memory();
  {
    const std::lock_guard guard(known.mutex);
    const auto found = known.files.find(path);
    if (found != known.files.end() && found->second.stamp == now) return found->second.checksum;
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) return "missing";
  std::vector<char> block(1 << 20);
  std::uint32_t crc = 0;
  std::uint64_t bytes = 0;
  while (file) {
    file.read(block.data(), static_cast<std::streamsize>(block.size()));
    const auto count = static_cast<std::size_t>(file.gcount());
    crc = base::crc32c(std::string_view(block.data(), count), crc);
    bytes += count;
  }
  if (file.bad()) return "missing";
  std::string checksum = base::crc_text(crc) + "-" + std::to_string(bytes);
  remember_checksum(path, now, checksum);
  return checksum;
}

void remember_checksum(const std::string& path, const std::string& stamp,
                       const std::string& checksum) {
  Memory& known = memory();
  const std::lock_guard guard(known.mutex);
  known.files[path] = {stamp, checksum};
}

FileLock::FileLock(const fs::path& path, std::string_view waiting) {
  make_directories(path.parent_path());
  descriptor_ = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (descriptor_ < 0) cannot("write", path, errno);
  if (flock(descriptor_, LOCK_EX | LOCK_NB) == 0) return;
  std::fprintf(stderr, "%.*s\n", static_cast<int>(waiting.size()), waiting.data());
  while (flock(descriptor_, LOCK_EX) != 0) {
    if (errno == EINTR) continue;
    const int reason = errno;
    close(descriptor_);
    cannot("lock", path, reason);
  }
}

FileLock::FileLock(const fs::path& path)
    : descriptor_(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644)) {
  if (descriptor_ < 0 || flock(descriptor_, LOCK_EX | LOCK_NB) == 0) return;
  close(descriptor_);
  descriptor_ = -1;
}

FileLock::~FileLock() {
  if (descriptor_ >= 0) close(descriptor_);
}

ScratchDir::ScratchDir() {
  const char* temporary = std::getenv("TMPDIR");
  // Open MPI appends some 60 bytes, and the path of a socket has at most 107.
  std::string parent = temporary != nullptr ? temporary : "";
  if (parent.empty() || parent.size() > 24 || access(parent.c_str(), W_OK | X_OK) != 0) {
    parent = "/tmp";
  }
  static const bool cleaned = (remove_leftovers(parent), true);
  static_cast<void>(cleaned);
  std::string name = parent + "/" + std::string(kScratchBeginning) + "XXXXXX";
  if (mkdtemp(name.data()) == nullptr) cannot("make a directory in", parent, errno);
  path_ = name;
  lock_ = open((path_ / "lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (lock_ >= 0) flock(lock_, LOCK_EX | LOCK_NB);
}

ScratchDir::ScratchDir(ScratchDir&& other) noexcept
    : path_(std::exchange(other.path_, {})), lock_(std::exchange(other.lock_, -1)) {}

ScratchDir& ScratchDir::operator=(ScratchDir&& other) noexcept {
  if (this != &other) {
    remove();
    path_ = std::exchange(other.path_, {});
    lock_ = std::exchange(other.lock_, -1);
  }
  return *this;
}

void ScratchDir::remove() noexcept {
  if (path_.empty()) return;
  std::error_code ignored;
  fs::remove_all(path_, ignored);
  if (lock_ >= 0) close(lock_);
  path_.clear();
  lock_ = -1;
}

ScratchDir::~ScratchDir() { remove(); }

}  // namespace invar::launch
