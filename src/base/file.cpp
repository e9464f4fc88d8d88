#include "base/file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace invar::base {
namespace {

int write_and_sync(const std::filesystem::path& path, std::string_view text, bool durable) {
  const Descriptor file(create_anew(path));
  if (file.number() < 0) return errno;
  if (const int error = write_all(file.number(), text); error != 0) return error;
  return durable && ::fsync(file.number()) != 0 ? errno : 0;
}

int sync_directory(const std::filesystem::path& dir) {
  const Descriptor open_dir(::open(dir.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // Some file systems cannot sync a directory; the rename has happened all the same.
  return open_dir.number() < 0 || ::fsync(open_dir.number()) == 0 || errno == EINVAL ? 0 : errno;
}

}  // namespace

Descriptor::~Descriptor() {
  if (number_ >= 0) ::close(number_);
}

std::filesystem::path absolute_name(const std::filesystem::path& directory) {
  std::filesystem::path name = std::filesystem::absolute(directory).lexically_normal();
  return name.has_filename() ? name : name.parent_path();
}

int create_anew(const std::filesystem::path& path) {
  ::unlink(path.c_str());
  return ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
}

int write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

int write_whole_file(const std::filesystem::path& path, std::string_view text,
                     const std::filesystem::path& beside, IfThere if_there, bool durable) {
  int error = write_and_sync(beside, text, durable);
  if (error == 0) {
    // A link fails where the name is taken; a rename takes it.
    const bool named = if_there == IfThere::kRefuse ? ::link(beside.c_str(), path.c_str()) == 0
                                                    : ::rename(beside.c_str(), path.c_str()) == 0;
    if (!named) error = errno;
  }
  if (error != 0 || if_there == IfThere::kRefuse) ::unlink(beside.c_str());
  if (error != 0 || !durable) return error;
  const std::filesystem::path parent = path.parent_path();
  return sync_directory(parent.empty() ? "." : parent);
}

}  // namespace invar::base
