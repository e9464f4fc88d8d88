// Small files of /proc and /sys.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace invar::host {

// Content without white space around it; nothing if the file cannot be read.
std::optional<std::string> read_line(const std::string& path);
std::optional<std::uint64_t> read_number(const std::string& path);
// Target of a symbolic link.
std::optional<std::string> read_link(const std::string& path);
// Names in a directory, sorted; none if it cannot be read.
std::vector<std::string> list_directory(const std::string& path);
// "key: value" or "key value" of a text with one pair a line (first match), trimmed.
std::optional<std::string> value_of(std::string_view text, std::string_view key);

}  // namespace invar::host
