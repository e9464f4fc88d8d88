// Small things on text that every stage needs.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace invar::base {

std::string_view trim(std::string_view text);
// Views into `text`, which must outlive them: a string that is about to go is refused.
std::vector<std::string_view> split(std::string_view text, char separator);
template <std::same_as<std::string> Temporary>
std::vector<std::string_view> split(Temporary&& text, char separator) = delete;
std::string join(std::span<const std::string> parts, std::string_view separator);

// The whole text is one decimal number, or nothing: "8x", "1e3", "3.9", "-1", "+1" and "" are not.
std::optional<std::uint64_t> parse_u64(std::string_view text);
// The fewest digits that read back as the same number.
std::string shortest_text(double number);
// The whole text is one finite number; no hexadecimal floats, no inf or nan.
std::optional<double> parse_double(std::string_view text);

// An order in which numbers inside of texts count as numbers: "node-2" before "node-10".
bool natural_less(std::string_view a, std::string_view b);

// The known word nearest to `wrong` by edits (insert, delete, replace, swap), if one is near enough
// to be what the user meant.
std::optional<std::string> nearest(std::string_view wrong, std::span<const std::string> known);
// "did you mean 'x'?", or "known: a, b, c" where nothing is near: the first ones, if there are more
// than anybody reads.
std::string did_you_mean(std::string_view wrong, std::span<const std::string> known);

// "1 cell", "6 cells", "2 launches", "3 libraries".
std::string count_text(std::uint64_t count, std::string_view noun);

// "a; b; c; 4 more": the first `most` of the items, and how many there are besides; with a noun
// "4 cells more".
std::string first_items(std::span<const std::string> items, std::size_t most,
                        std::string_view separator, std::string_view noun = {});

// Things that are named together because the same is said of them, in the order in which the
// reasons come.
class ByReason {
 public:
  void add(const std::string& reason, std::string what);
  // "a, b, c, 2 more: too large", one for each reason.
  [[nodiscard]] std::vector<std::string> texts() const;

 private:
  std::vector<std::pair<std::string, std::vector<std::string>>> reasons_ = {};
};

// A word as a shell takes it literally: quoted only where it must be.
std::string shell_quoted(std::string_view word);

// Splits at spaces and tabs; '...' and "..." keep them, a backslash keeps the next character (not
// within '...'). Nothing if a quote is not closed.
std::optional<std::vector<std::string>> shell_words(std::string_view text);

// "1", "true", "Yes", "on", "enabled" and their opposites; nothing for other words.
std::optional<bool> parse_truth(std::string_view text);

// The code point at the beginning of `text` (not empty); a byte of a broken sequence is one by
// itself.
struct CodePoint {
  std::uint32_t value;
  std::size_t bytes;
};
CodePoint first_point(std::string_view text);

// Data of anybody for a terminal: control characters, which could steer it, and bytes that are no
// text become '?'.
std::string without_controls(std::string_view text);

// The whole file, or nothing if it cannot be read.
std::optional<std::string> read_file(const std::string& path);

}  // namespace invar::base
