#include "store/files.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <ctime>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "base/file.hpp"

namespace invar::store {
namespace {

constexpr std::string_view kLeftOver = ".tmp-";

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& what, int error) {
  const char* remedy = error == ENOSPC || error == EDQUOT ? "free space, then resume the campaign"
                                                          : "mend that, then resume the campaign";
  throw base::CommandError(
      base::Exit::kIncomplete,
      {{.place = path.string(), .what = what + ": " + errno_text(error), .remedy = remedy}});
}

// Not there, or something else than a file: that is about the data. Anything else (no memory, no
// descriptor, a server that does not answer) is about this moment and this machine.
bool says_what_is_there(int error) {
  return error == ENOENT || error == ENOTDIR || error == ELOOP || error == ENXIO ||
         error == ENAMETOOLONG;
}

[[noreturn]] void refuse_for_now(const std::filesystem::path& path, int error) {
  throw base::UserError(path.string(), "cannot be read: " + errno_text(error),
                        "nothing was changed; try again when that is mended");
}

}  // namespace

std::string errno_text(int error) { return std::generic_category().message(error); }

std::filesystem::directory_iterator entries_of(const std::filesystem::path& dir) {
  std::error_code error;
  std::filesystem::directory_iterator entries(dir, error);
  if (error && !says_what_is_there(error.value())) refuse_for_now(dir, error.value());
  return entries;
}

std::string utc_time_text() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::array<char, 32> text{};
  const std::size_t length = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return {text.data(), length};
}

void write_file(const std::filesystem::path& path, std::string_view text) {
  const std::filesystem::path temporary =
      path.parent_path() /
      (std::string(kLeftOver) + std::to_string(::getpid()) + '-' + path.filename().string());
  const int error = base::write_whole_file(path, text, temporary, base::IfThere::kReplace, true);
  if (error != 0) fail(path, "cannot be written", error);
}

void check_room(const std::filesystem::path& dir) {
  const std::filesystem::path probe =
      dir / (std::string(kLeftOver) + std::to_string(::getpid()) + "-room");
  int error = 0;
  {
    const base::Descriptor file(base::create_anew(probe));
    if (file.number() < 0) fail(dir, "cannot be written", errno);
    error = base::write_all(file.number(), std::string(std::size_t{64} << 10U, ' '));
    if (error == 0 && ::fdatasync(file.number()) != 0) error = errno;
  }
  ::unlink(probe.c_str());
  if (error != 0) fail(dir, "cannot be written", error);
}

bool is_left_over(const std::filesystem::path& file) {
  return file.filename().string().starts_with(kLeftOver);
}

void append_to_file(const std::filesystem::path& path, std::string_view text, bool durable) {
  const base::Descriptor file(::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW));
  struct stat before {};
  if (file.number() < 0 || ::fstat(file.number(), &before) != 0) {
    fail(path, "cannot be written", errno);
  }
  int error = base::write_all(file.number(), text);
  if (error == 0 && durable && ::fdatasync(file.number()) != 0) error = errno;
  if (error == 0) return;
  std::string what = "cannot be written";
  if (::ftruncate(file.number(), before.st_size) != 0) what += " (and not be cut back)";
  fail(path, what, error);
}

void sync_file_system(const std::filesystem::path& dir) {
  const base::Descriptor file(::open(dir.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (file.number() < 0 || ::syncfs(file.number()) != 0) {
    fail(dir, "cannot be put on the disk", errno);
  }
}

void sync_file(const std::filesystem::path& path) {
  const base::Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.number() < 0 || ::fdatasync(file.number()) != 0) {
    fail(path, "cannot be put on the disk", errno);
  }
}

void make_directories(const std::filesystem::path& dir) {
  std::error_code error;
  std::filesystem::create_directories(dir, error);
  if (error) fail(dir, "cannot be made", error.value());
}

void move_path(const std::filesystem::path& from, const std::filesystem::path& to) {
  if (::rename(from.c_str(), to.c_str()) != 0) {
    fail(from, "cannot be moved to " + to.string(), errno);
  }
}

std::optional<MappedFile> MappedFile::open(const std::filesystem::path& path, int& error) {
  // A pipe would be waited for, and a link leads out of the directory.
  const base::Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat status {};
  if (file.number() < 0 || ::fstat(file.number(), &status) != 0) {
    error = errno;
    if (error == EACCES || error == EPERM) {
      throw base::UserError(path.string(), "cannot be read: " + errno_text(error),
                            "ask its owner for permission");
    }
    if (!says_what_is_there(error)) refuse_for_now(path, error);
    return std::nullopt;
  }
  if (!S_ISREG(status.st_mode)) {
    error = S_ISDIR(status.st_mode) ? EISDIR : EINVAL;
    return std::nullopt;
  }
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size == 0) return MappedFile(std::span<const std::byte>());
  // Everything will be read at once, in order: populated, or each page would fault.
  void* memory = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, file.number(), 0);
  if (memory == MAP_FAILED) refuse_for_now(path, errno);
  return MappedFile({static_cast<const std::byte*>(memory), size});
}

MappedFile::MappedFile(MappedFile&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}

MappedFile::~MappedFile() {
  if (bytes_.empty()) return;
  ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());  // NOLINT
}

std::string_view MappedFile::text() const {
  return {reinterpret_cast<const char*>(bytes_.data()), bytes_.size()};
}

std::optional<std::string> read_text(const std::filesystem::path& path) {
  int error = 0;
  const auto file = MappedFile::open(path, error);
  if (!file) return std::nullopt;
  return std::string(file->text());
}

}  // namespace invar::store
