// The words of the rules' language, for those who read and write it.
#pragma once

#include <array>
#include <string_view>

#include "design/rules/guideline.hpp"

namespace invar::design {

inline constexpr std::array<std::string_view, 3> kTermSizes{"n", "n/p", "p*n"};  // as TermSize
inline constexpr std::string_view kMonotoneWord = "monotone";
inline constexpr std::string_view kSplitWord = "split";
inline constexpr std::string_view kToleranceWord = "tolerance";

constexpr std::string_view to_string(TermSize size) {
  return kTermSizes[static_cast<std::size_t>(size)];
}

constexpr std::string_view to_string(GuidelineKind kind) {
  constexpr std::array<std::string_view, 3> kWords{"pattern", kMonotoneWord, kSplitWord};
  return kWords[static_cast<std::size_t>(kind)];
}

}  // namespace invar::design
