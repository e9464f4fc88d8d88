// What the fuzz targets share. A target reads its input as the program would read such a file; a
// CommandError is an answer, anything else that is thrown, and any finding of the sanitizers, ends
// the run with the input that did it.
#pragma once

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "record/journal.hpp"

namespace invar::fuzz {

// What parses, written and read again, must be equal.
inline void must_hold(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// Runs it; a fault that is told to the user is fine.
template <typename Action>
void may_be_refused(const Action& action) {
  try {
    action();
  } catch (const base::CommandError& error) {
    for (const base::Fault& fault : error.faults()) {
      must_hold(!fault.text().empty(), "a fault has words");
    }
  }
}

// The lines of a journal or a manifest with checksums that hold, as far as they have any: no
// mutation would get past them otherwise.
inline std::string with_valid_crcs(std::string_view text) {
  constexpr std::string_view kKey = ",\"line_crc\":\"";
  std::string repaired;
  while (!text.empty()) {
    const std::size_t feed = text.find('\n');
    const std::string_view line = text.substr(0, feed);
    const std::size_t key = line.rfind(kKey);
    repaired += key == std::string_view::npos ? std::string(line)
                                              : record::with_line_crc(line.substr(0, key));
    if (feed == std::string_view::npos) break;
    repaired += '\n';
    text.remove_prefix(feed + 1);
  }
  return repaired;
}

// A directory in memory where there is one, for readers of files; one a process.
class Directory {
 public:
  Directory() {
    const bool in_memory = access("/dev/shm", W_OK) == 0;
    std::string path =
        (in_memory ? std::filesystem::path("/dev/shm") : std::filesystem::temp_directory_path()) /
        "invar-fuzz-XXXXXX";
    must_hold(mkdtemp(path.data()) != nullptr, "a temporary directory can be made");
    path_ = path;
  }
  ~Directory() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
  }
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  void put(const std::string& name, std::string_view text) const {
    std::ofstream(path_ / name, std::ios::binary | std::ios::trunc) << text;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace invar::fuzz
