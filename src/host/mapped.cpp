#include "host/mapped.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <set>

#include "base/text.hpp"

namespace invar::host {

bool is_transport_library(std::string_view file_name) {
  if (file_name.find(".so") == std::string_view::npos) return false;
  static constexpr std::array<std::string_view, 31> kBeginnings{
      "libmpi",     "libopen-rte", "libopen-pal", "libpmix", "libprrte", "mca_",      "libucp",
      "libuct",     "libucs",      "libucm",      "libucc",  "libucx",   "libfabric", "libpsm",
      "libibverbs", "librdmacm",   "libmlx",      "libefa",  "libhcoll", "libsharp",  "libxpmem",
      "libknem",    "libcxi",      "libportals",  "libugni", "libpmi",   "libtcp-fi", "libverbs-",
      "libshm-fi",  "libmvapich",  "libsimgrid"};
  return std::any_of(kBeginnings.begin(), kBeginnings.end(),
                     [&](std::string_view start) { return file_name.starts_with(start); });
}

std::vector<std::string> transport_libraries(std::string_view maps) {
  std::set<std::string> found;
  for (const std::string_view line : base::split(maps, '\n')) {
    const std::size_t slash = line.find('/');
    if (slash == std::string_view::npos) continue;
    std::string_view path = line.substr(slash);
    constexpr std::string_view kDeleted = " (deleted)";
    if (path.ends_with(kDeleted)) path.remove_suffix(kDeleted.size());
    if (is_transport_library(path.substr(path.rfind('/') + 1))) found.emplace(path);
  }
  return {found.begin(), found.end()};
}

std::vector<std::string> mapped_libraries() {
  return transport_libraries(base::read_file("/proc/self/maps").value_or(""));
}

int process_id() { return static_cast<int>(getpid()); }

}  // namespace invar::host
