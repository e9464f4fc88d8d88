#include "driver/prepare/core_claims.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <mutex>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "driver/prepare/conditions.hpp"
#include "host/placement.hpp"
#include "launch/start/launcher.hpp"
#include "store/files.hpp"

namespace invar::driver {
namespace {

constexpr mode_t kReadableByAll = 0644;

std::string numbers_text(const std::vector<std::uint32_t>& numbers, std::string_view between) {
  std::vector<std::string> texts;
  for (const std::uint32_t number : numbers) texts.push_back(std::to_string(number));
  return base::join(texts, between);
}

// The process that the kernel says has locked the file; none: it is not one that is seen from here.
std::optional<std::uint64_t> locker_of(const struct stat& file) {
  std::array<char, 64> identity{};
  std::snprintf(identity.data(), identity.size(), "%02x:%02x:%llu", major(file.st_dev),
                minor(file.st_dev), static_cast<unsigned long long>(file.st_ino));
  const std::string locks = base::read_file("/proc/locks").value_or("");
  for (const std::string_view line : base::split(locks, '\n')) {
    // "1: FLOCK  ADVISORY  WRITE 4242 00:1b:117 0 EOF"
    std::vector<std::string_view> words;
    for (const std::string_view word : base::split(line, ' ')) {
      if (!word.empty()) words.push_back(word);
    }
    if (words.size() < 6 || words[1] != "FLOCK" || words[5] != identity.data()) continue;
    const auto pid = base::parse_u64(words[4]);
    return pid && *pid > 0 ? pid : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

// An open file whose lock this process has.
class CoreClaims::File {
 public:
  File(int descriptor, std::filesystem::path path)
      : descriptor_(descriptor), path_(std::move(path)) {}
  ~File() { ::close(descriptor_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  struct Try {
    std::shared_ptr<File> file = {};        // null: somebody else has it
    std::optional<std::uint64_t> pid = {};  // who
  };
  // Throws UserError.
  static Try lock(const std::filesystem::path& path, const std::string& place);
  // Sees to it that the file lasts; locks a new one where it was removed. Who has that else: as
  // above. Throws UserError.
  static Try keep(const std::shared_ptr<File>& file, const std::string& place);

  // It is the one that others find by its name.
  [[nodiscard]] bool is_named() const;
  [[nodiscard]] std::filesystem::path dir() const { return path_.parent_path(); }

 private:
  static int open_or_make(const std::filesystem::path& path, const std::string& place);
  int descriptor_;
  std::filesystem::path path_;
};

bool CoreClaims::File::is_named() const {
  struct stat opened {};
  struct stat named {};
  return ::fstat(descriptor_, &opened) == 0 && ::lstat(path_.c_str(), &named) == 0 &&
         named.st_dev == opened.st_dev && named.st_ino == opened.st_ino;
}

CoreClaims::File::Try CoreClaims::File::keep(const std::shared_ptr<File>& file,
                                             const std::string& place) {
  if (file->is_named()) {
    // Only of one's own file; those of others their owners keep, or it is found removed.
    static_cast<void>(::futimens(file->descriptor_, nullptr));
    return {.file = file};
  }
  Try tried = lock(file->path_, place);
  if (!tried.file) return tried;
  // Campaigns of this process share it: they all have the new one.
  std::swap(file->descriptor_, tried.file->descriptor_);
  return {.file = file};
}

// Not by O_CREAT alone: where a directory is open to all, Linux refuses that for files of others
// (fs.protected_regular).
int CoreClaims::File::open_or_make(const std::filesystem::path& path, const std::string& place) {
  constexpr int kFlags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
  constexpr int kTries = 100;
  int error = 0;
  for (int i = 0; i < kTries; ++i) {
    int file = ::open(path.c_str(), kFlags);
    if (file < 0 && errno == ENOENT) {
      file = ::open(path.c_str(), kFlags | O_CREAT | O_EXCL, kReadableByAll);
      // Whatever the umask is: others must be able to open it.
      if (file >= 0) static_cast<void>(::fchmod(file, kReadableByAll));
    }
    if (file >= 0) return file;
    error = errno;
    // Another process has just made it, or not yet let others read it.
    if (error != EEXIST && error != EACCES) break;
    ::usleep(1000);
  }
  throw base::UserError(
      place, "cores cannot be claimed: " + path.string() + ": " + store::errno_text(error),
      "is it a file that everybody may read? Its owner, or root, may remove it");
}

CoreClaims::File::Try CoreClaims::File::lock(const std::filesystem::path& path,
                                             const std::string& place) {
  constexpr int kTries = 10;
  for (int i = 0; i < kTries; ++i) {
    const int descriptor = open_or_make(path, place);
    auto file = std::make_shared<File>(descriptor, path);
    struct stat opened {};
    if (::fstat(descriptor, &opened) != 0 || !S_ISREG(opened.st_mode)) {
      throw base::UserError(place, "cores cannot be claimed: " + path.string() + " is not a file",
                            "somebody has put it there: its owner, or root, may remove it");
    }
    if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
      if (errno == EWOULDBLOCK || errno == EINTR) return {.pid = locker_of(opened)};
      throw base::UserError(
          place, "cores cannot be claimed: " + path.string() + ": " + store::errno_text(errno));
    }
    // Removed in between, as old files of /tmp are: others would lock a new one.
    if (file->is_named()) return {.file = std::move(file)};
  }
  throw base::UserError(place, "cores cannot be claimed: " + path.string() +
                                   " is removed again "
                                   "and again");
}

std::optional<std::filesystem::path> shared_lock_dir() {
  for (const char* dir : {"/run/lock", "/tmp"}) {
    struct stat found {};
    if (::lstat(dir, &found) != 0 || !S_ISDIR(found.st_mode) || found.st_uid != 0) continue;
    constexpr mode_t kOpenToAll = S_ISVTX | S_IWOTH | S_IXOTH;
    if ((found.st_mode & kOpenToAll) == kOpenToAll) return dir;
  }
  return std::nullopt;
}

// Nobody needs more than milliseconds for it.
std::shared_ptr<CoreClaims::File> CoreClaims::take_turn(const std::filesystem::path& dir,
                                                        const std::string& place) {
  constexpr std::chrono::seconds kLongest(10);
  const auto begin = std::chrono::steady_clock::now();
  const std::filesystem::path path = dir / "invar-cores.lock";
  while (true) {
    File::Try tried = File::lock(path, place);
    if (tried.file) return std::move(tried.file);
    if (std::chrono::steady_clock::now() - begin > kLongest) {
      throw base::UserError(place,
                            "cores cannot be claimed: another process" +
                                (tried.pid ? " (pid " + std::to_string(*tried.pid) + ")" : "") +
                                " has had " + path.string() + " for 10 s",
                            "end it if it hangs, or is stopped");
    }
    ::usleep(2000);
  }
}

std::shared_ptr<const CoreClaims> CoreClaims::take(std::span<const std::uint32_t> cores,
                                                   std::span<const std::uint32_t> others,
                                                   const std::filesystem::path& dir,
                                                   const std::string& place) {
  // A process prepares several campaigns, which it runs one after the other.
  static std::mutex guard;
  static std::map<std::string, std::weak_ptr<File>> known;
  const std::lock_guard lock(guard);
  const std::shared_ptr<File> turn = take_turn(dir, place);
  const auto try_core = [&](std::uint32_t core) -> File::Try {
    const std::filesystem::path path = dir / ("invar-core-" + std::to_string(core) + ".lock");
    std::weak_ptr<File>& mine = known[path.string()];
    if (auto held = mine.lock()) return {.file = std::move(held)};
    File::Try tried = File::lock(path, place);
    mine = tried.file;
    return tried;
  };
  auto claims = std::make_shared<CoreClaims>();
  std::vector<std::uint32_t> taken;
  std::set<std::uint64_t> pids;
  const std::set<std::uint32_t> ascending(cores.begin(), cores.end());
  for (const std::uint32_t core : ascending) {
    File::Try tried = try_core(core);
    if (tried.file) {
      claims->files_.emplace(core, std::move(tried.file));
    } else {
      taken.push_back(core);
      if (tried.pid) pids.insert(*tried.pid);
    }
  }
  if (taken.empty()) return claims;
  // All or nothing, also while it is told what is free.
  std::vector<std::uint32_t> unused;
  for (const std::uint32_t core : std::set<std::uint32_t>(others.begin(), others.end())) {
    const bool wanted = ascending.contains(core);
    if (wanted ? claims->files_.contains(core) : try_core(core).file != nullptr) {
      unused.push_back(core);
    }
  }
  std::string who;
  for (const std::uint64_t pid : pids) who += (who.empty() ? " (pid " : ", ") + std::to_string(pid);
  if (!who.empty()) who += ")";
  std::string remedy = "wait until it has ended";
  if (unused.size() >= ascending.size()) {
    unused.resize(ascending.size());
    remedy +=
        ", or give this one other cores: taskset -c " + numbers_text(unused, ",") + " invar ...";
  }
  throw base::UserError(place,
                        std::string(taken.size() == 1 ? "core " : "cores ") +
                            numbers_text(taken, ", ") + " of this host " +
                            (taken.size() == 1 ? "is" : "are") +
                            " measured on by another campaign" + who,
                        remedy);
}

void CoreClaims::keep(const std::string& place) const {
  for (const auto& [core, file] : files_) {
    const std::shared_ptr<File> turn = file->is_named() ? nullptr : take_turn(file->dir(), place);
    const File::Try kept = File::keep(file, place);
    if (kept.file) continue;
    throw base::UserError(place,
                          "core " + std::to_string(core) +
                              " of this host is measured on by another campaign" +
                              (kept.pid ? " (pid " + std::to_string(*kept.pid) + ")" : "") +
                              ": the file by which it was claimed has been removed",
                          "go on with this one when that has ended: invar run --resume");
  }
}

std::vector<std::uint32_t> CoreClaims::cores() const {
  std::vector<std::uint32_t> all;
  for (const auto& [core, file] : files_) all.push_back(core);
  return all;
}

std::shared_ptr<const CoreClaims> claim_cpus(std::span<const std::uint32_t> cpus,
                                             const std::string& place) {
  const std::optional<std::filesystem::path> dir = shared_lock_dir();
  if (!dir) {
    fmt::print(stderr,
               "invar: neither /run/lock nor /tmp is a directory of root's in which all users may "
               "make files: other campaigns cannot see which cores this one takes\n");
    return nullptr;
  }
  const auto cores_of = [](std::span<const std::uint32_t> some) {
    std::vector<std::uint32_t> cores;
    for (const std::uint32_t cpu : some) cores.push_back(host::core_of(cpu, sysfs_root()));
    return cores;
  };
  return CoreClaims::take(cores_of(cpus), cores_of(launch::core_cpus()), *dir, place);
}

}  // namespace invar::driver
