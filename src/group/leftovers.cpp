#include "group/leftovers.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ctime>
#include <filesystem>
#include <system_error>
#include <vector>

namespace invar::group {
namespace {

constexpr std::time_t kOldS = 60;  // a new one may not be locked yet

std::vector<std::string> old_entries(const std::string& folder, const std::string& beginning) {
  std::vector<std::string> found;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    struct stat info {};
    if (!entry->path().filename().string().starts_with(beginning)) continue;
    if (lstat(entry->path().c_str(), &info) != 0 || info.st_uid != geteuid()) continue;
    if (std::time(nullptr) - info.st_mtime >= kOldS) found.push_back(entry->path().string());
  }
  return found;
}

}  // namespace

void remove_leftovers(const std::string& pages, const std::string& folders) {
  for (const std::string& page : old_entries(pages, "invar-")) {
    const int descriptor = open(page.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (descriptor < 0) continue;
    if (flock(descriptor, LOCK_EX | LOCK_NB) == 0) unlink(page.c_str());
    close(descriptor);
  }
  // rmdir leaves alone what is not empty, as those of running launches are.
  for (const std::string& folder : old_entries(folders, "invar-launch-")) rmdir(folder.c_str());
}

}  // namespace invar::group
