// files.csv: what was written into a directory, so that a file that somebody has changed since is
// known by its name, and a directory that was moved was not edited.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace invar::tuning {

inline constexpr const char* kWriteTunedAnew =
    "put it back as it was, or take it away together with table.csv: then all are written anew";

struct WrittenFiles {
  std::string dir = {};  // where, absolute: some of the files have its path in them
  // What they were made from, where that lies elsewhere: a folder, absolute.
  std::string from = {};
  std::map<std::string, std::string> checksums = {};  // by name: base::crc_text() of their CRC-32C
  bool operator==(const WrittenFiles&) const = default;
};

// As the file has it: what, name, text.
std::string written_text(const WrittenFiles& written);
// The reverse. Throws UserError with every fault, each with its line; `remedy`: how its owner
// writes all of the files anew.
WrittenFiles parse_written(std::string_view text, const std::string& place,
                           const std::string& remedy = kWriteTunedAnew);

// The checksum of a file with this text.
std::string checksum_of_text(std::string_view text);

struct FileChange {
  std::string name = {};
  bool gone = false;  // else it has another text
  bool operator==(const FileChange&) const = default;
};

// What differs, by name. `read`: the text of a file; none: it is not there. What was not written
// is not asked for.
std::vector<FileChange> changes_since(
    const WrittenFiles& written,
    const std::function<std::optional<std::string>(const std::string& name)>& read);

}  // namespace invar::tuning
