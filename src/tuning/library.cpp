#include "tuning/library.hpp"

#include <algorithm>
#include <charconv>

namespace invar::tuning {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The number at the beginning of `text`, which is cut off; nothing if there is none that fits.
std::optional<int> take_number(std::string_view& text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return {};
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

// ".1" at the beginning of `text`, which is cut off.
std::optional<int> take_part(std::string_view& text) {
  if (text.size() < 2 || text[0] != '.' || !is_digit(text[1])) return {};
  text.remove_prefix(1);
  return take_number(text);
}

}  // namespace

std::optional<Library> find_library(std::string_view family) {
  const auto found = std::ranges::find(kLibraries, family, family_of);
  if (found == kLibraries.end()) return {};
  return *found;
}

std::optional<Version> parse_version(std::string_view text) {
  while (!text.empty()) {
    if (!is_digit(text.front())) {
      text.remove_prefix(1);
      continue;
    }
    const std::optional<int> generation = take_number(text);
    if (!generation) return {};
    const std::optional<int> feature = take_part(text);
    if (!feature) continue;  // a number without a point: a year, a standard
    return Version{
        .generation = *generation, .feature = *feature, .fix = take_part(text).value_or(0)};
  }
  return {};
}

std::string to_string(const Version& version) {
  return std::to_string(version.generation) + '.' + std::to_string(version.feature) + '.' +
         std::to_string(version.fix);
}

}  // namespace invar::tuning
