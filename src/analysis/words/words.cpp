#include "analysis/words/words.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace invar::analysis {

std::string percent_text(double share) {
  const double percent = share * 100;
  std::array<char, 32> buffer{};
  // %g would write 1e+02 for 100.
  std::snprintf(buffer.data(), buffer.size(), std::abs(percent) >= 99.5 ? "%.0f %%" : "%.2g %%",
                percent);
  return buffer.data();
}

std::string ratio_words(double ratio) {
  std::array<char, 32> buffer{};
  std::snprintf(buffer.data(), buffer.size(), ratio >= 9.95 ? "%.0f" : "%.2f", ratio);
  return buffer.data();
}

std::string times_words(std::span<const double> times) {
  const auto words = [](double factor) {
    std::array<char, 32> buffer{};
    const char* format = factor >= 9.95 ? "%.0f" : factor < 1.095 ? "%.2f" : "%.1f";
    std::snprintf(buffer.data(), buffer.size(), format, factor);
    return std::string(buffer.data());
  };
  const auto [least, most] = std::ranges::minmax(times);
  const std::string from = words(least);
  const std::string to = words(most);
  return (from == to ? from : from + " to " + to) + " times";
}

std::string runtime_words(bool global_runtime) {
  return global_runtime ? "from the first start to the last end" : "of the rank that took longest";
}

std::string runtime_words(bool global_runtime, std::span<const std::string> local_cells) {
  if (!global_runtime || local_cells.empty()) return runtime_words(global_runtime);
  return runtime_words(true) + ", but " + runtime_words(false) + " in " + list_text(local_cells);
}

// Programs say one number, and how they come to it nobody knows.
std::string runtime_words(bool global_runtime, std::span<const std::string> local_cells,
                          bool measured, bool printed) {
  std::string printed_words = "as the programs printed them";
  if (!measured && printed) return printed_words;
  const std::string words = runtime_words(global_runtime, local_cells);
  return printed ? words + ", or " + printed_words : words;
}

std::string number_text(double number) {
  std::array<char, 32> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%.6g", number);
  return buffer.data();
}

std::string list_text(std::span<const std::string> items, const char* last) {
  std::string text;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i > 0) text += i + 1 == items.size() ? last : ", ";
    text += items[i];
  }
  return text;
}

}  // namespace invar::analysis
