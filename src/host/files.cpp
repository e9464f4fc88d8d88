#include "host/files.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>

#include "base/text.hpp"

namespace invar::host {

std::optional<std::string> read_line(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return std::nullopt;
  const std::optional<std::string> content = base::read_file(path);
  if (!content) return std::nullopt;
  return std::string(base::trim(*content));
}

std::optional<std::uint64_t> read_number(const std::string& path) {
  const std::optional<std::string> text = read_line(path);
  return text ? base::parse_u64(*text) : std::nullopt;
}

std::optional<std::string> read_link(const std::string& path) {
  std::error_code error;
  const std::filesystem::path target = std::filesystem::read_symlink(path, error);
  if (error) return std::nullopt;
  return target.string();
}

std::vector<std::string> list_directory(const std::string& path) {
  std::vector<std::string> names;
  std::error_code error;
  std::filesystem::directory_iterator entry(path, error);
  const std::filesystem::directory_iterator end;
  while (!error && entry != end) {
    names.push_back(entry->path().filename().string());
    entry.increment(error);
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::optional<std::string> value_of(std::string_view text, std::string_view key) {
  for (const std::string_view line : base::split(text, '\n')) {
    if (!line.starts_with(key)) continue;
    std::string_view rest = line.substr(key.size());
    // "MemTotal" must not match "MemTotalX: 1".
    if (rest.empty() || (rest[0] != ':' && rest[0] != ' ' && rest[0] != '\t')) continue;
    rest = base::trim(rest);
    if (rest.starts_with(':')) rest = base::trim(rest.substr(1));
    return std::string(rest);
  }
  return std::nullopt;
}

}  // namespace invar::host
