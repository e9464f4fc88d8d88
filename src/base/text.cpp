#include "base/text.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

namespace invar::base {
namespace {

// Optimal string alignment distance: edits that a typing mistake makes, a swap counting once.
std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> cost(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) cost[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) cost[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1,
                             cost[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0U : 1U)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
      }
    }
  }
  return cost[a.size()][b.size()];
}

template <typename T>
std::optional<T> parse_whole(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

std::string_view trim(std::string_view text) {
  const std::string_view space = " \t\r\n";
  const std::size_t first = text.find_first_not_of(space);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(space) - first + 1);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  while (true) {
    const std::size_t end = text.find(separator, begin);
    parts.push_back(text.substr(begin, end - begin));
    if (end == std::string_view::npos) return parts;
    begin = end + 1;
  }
}

std::string join(std::span<const std::string> parts, std::string_view separator) {
  std::string text;
  for (const std::string& part : parts) {
    if (&part != parts.data()) text += separator;
    text += part;
  }
  return text;
}

std::optional<std::uint64_t> parse_u64(std::string_view text) {
  return parse_whole<std::uint64_t>(text);
}

std::string shortest_text(double number) {
  std::array<char, 40> buffer{};
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number);
  return {buffer.data(), end};
}

std::optional<double> parse_double(std::string_view text) {
  const std::optional<double> value = parse_whole<double>(text);
  if (!value || !std::isfinite(*value)) return std::nullopt;
  return value;
}

bool natural_less(std::string_view a, std::string_view b) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  // Digits without leading zeros, taken off.
  const auto number = [&](std::string_view& text) {
    while (text.size() > 1 && text[0] == '0' && is_digit(text[1])) text.remove_prefix(1);
    std::size_t end = 0;
    while (end < text.size() && is_digit(text[end])) ++end;
    const std::string_view digits = text.substr(0, end);
    text.remove_prefix(end);
    return digits;
  };
  std::string_view left = a;
  std::string_view right = b;
  while (!left.empty() && !right.empty()) {
    if (is_digit(left[0]) && is_digit(right[0])) {
      const std::string_view one = number(left);
      const std::string_view other = number(right);
      if (one.size() != other.size()) return one.size() < other.size();
      if (one != other) return one < other;
      continue;
    }
    if (left[0] != right[0]) return left[0] < right[0];
    left.remove_prefix(1);
    right.remove_prefix(1);
  }
  if (left.empty() != right.empty()) return left.empty();
  return a < b;  // "1" and "01"
}

std::optional<std::string> nearest(std::string_view wrong, std::span<const std::string> known) {
  std::optional<std::string> best;
  std::size_t fewest = std::max<std::size_t>(1, wrong.size() / 3) + 1;
  for (const std::string& word : known) {
    const std::size_t count = edits(wrong, word);
    if (count < fewest) {
      fewest = count;
      best = word;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view wrong, std::span<const std::string> known) {
  if (const auto word = nearest(wrong, known)) return "did you mean '" + *word + "'?";
  constexpr std::size_t kMostNamed = 24;
  return known.empty() ? std::string() : "known: " + first_items(known, kMostNamed, ", ");
}

std::string count_text(std::uint64_t count, std::string_view noun) {
  std::string text = std::to_string(count) + " ";
  if (count == 1) return text.append(noun);
  if (noun.ends_with("ry")) return text.append(noun.substr(0, noun.size() - 1)).append("ies");
  return text.append(noun).append(noun.ends_with("ch") ? "es" : "s");
}

std::string first_items(std::span<const std::string> items, std::size_t most,
                        std::string_view separator, std::string_view noun) {
  std::string text = join(items.first(std::min(most, items.size())), separator);
  if (items.size() <= most) return text;
  const std::uint64_t left = items.size() - most;
  return text.append(separator)
      .append(noun.empty() ? std::to_string(left) : count_text(left, noun))
      .append(" more");
}

void ByReason::add(const std::string& reason, std::string what) {
  for (auto& [known, things] : reasons_) {
    if (known != reason) continue;
    if (std::ranges::find(things, what) == things.end()) things.push_back(std::move(what));
    return;
  }
  reasons_.push_back({reason, {std::move(what)}});
}

std::vector<std::string> ByReason::texts() const {
  constexpr std::size_t kNamed = 3;
  std::vector<std::string> all;
  all.reserve(reasons_.size());
  for (const auto& [reason, things] : reasons_) {
    all.push_back(first_items(things, kNamed, ", ") + ": " + reason);
  }
  return all;
}

std::string shell_quoted(std::string_view word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,+@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string_view::npos) {
    return std::string(word);
  }
  std::string quoted = "'";
  for (const char c : word) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

std::optional<std::vector<std::string>> shell_words(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  bool begun = false;
  char quote = '\0';
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char letter = text[i];
    if (letter == '\\' && quote != '\'' && i + 1 < text.size()) {
      word += text[++i];
      begun = true;
    } else if (quote != '\0') {
      if (letter == quote) {
        quote = '\0';
      } else {
        word += letter;
      }
    } else if (letter == '\'' || letter == '"') {
      quote = letter;
      begun = true;
    } else if (letter == ' ' || letter == '\t') {
      if (begun) words.push_back(std::move(word));
      word.clear();
      begun = false;
    } else {
      word += letter;
      begun = true;
    }
  }
  if (quote != '\0') return std::nullopt;
  if (begun) words.push_back(std::move(word));
  return words;
}

std::optional<bool> parse_truth(std::string_view text) {
  std::string word(text);
  for (char& letter : word) {
    letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  }
  for (const char* yes : {"1", "true", "yes", "t", "y", "on", "enabled"}) {
    if (word == yes) return true;
  }
  for (const char* no : {"0", "false", "no", "f", "n", "off", "disabled"}) {
    if (word == no) return false;
  }
  return std::nullopt;
}

CodePoint first_point(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  const std::size_t bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 1;
  if (bytes == 1 || bytes > text.size()) return {lead, 1};
  std::uint32_t value = lead & (0x7FU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return {lead, 1};
    value = value << 6U | (byte(i) & 0x3FU);
  }
  return {value, bytes};
}

std::string without_controls(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const CodePoint point = first_point(text);
    // Both sets of controls; a broken byte from 0x80 on is not text either.
    const bool control = point.value < 0x20 || (point.value >= 0x7F && point.value < 0xA0) ||
                         (point.bytes == 1 && point.value >= 0x80);
    if (control) {
      result += '?';
    } else {
      result += text.substr(0, point.bytes);
    }
    text.remove_prefix(point.bytes);
  }
  return result;
}

std::optional<std::string> read_file(const std::string& path) {
  // A directory can be opened as if it were an empty file.
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return std::nullopt;
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  std::ostringstream content;
  content << file.rdbuf();
  if (file.bad()) return std::nullopt;
  return std::move(content).str();
}

}  // namespace invar::base
