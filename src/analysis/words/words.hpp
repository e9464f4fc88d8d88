// Small words that answers are made of.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/text.hpp"

namespace invar::analysis {

// "2 %", "0.5 %", "12 %", "0.04 %": two significant digits, without trailing zeros.
std::string percent_text(double share);

// "1.3 times", "1.04 to 3.2 times": of factors that are at least 1. Not empty.
std::string times_words(std::span<const double> times);

// "1.02", "0.50", "12": times, for a sentence.
std::string ratio_words(double ratio);

// What a repetition's time is: "from the first start to the last end" of all ranks (global
// run-time), or "of the rank that took longest" (local).
std::string runtime_words(bool global_runtime);
// The same where it is local in some cells, of these texts, and global in the others: "from the
// first start to the last end, but of the rank that took longest in allreduce 8 B".
std::string runtime_words(bool global_runtime, std::span<const std::string> local_cells);
// The same of times that were measured, printed by foreign programs, or both: "..., or as the
// programs printed them".
std::string runtime_words(bool global_runtime, std::span<const std::string> local_cells,
                          bool measured, bool printed);

// "0.05": the shortest text of six digits.
std::string number_text(double number);

// "a", "a and b", "a, b and c".
std::string list_text(std::span<const std::string> items, const char* last = " and ");

using base::count_text;

}  // namespace invar::analysis
