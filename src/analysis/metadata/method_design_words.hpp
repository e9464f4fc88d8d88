// The part of method_words that tells what was planned and what the data really hold; used by
// method_words only.
#pragma once

#include <string>
#include <vector>

#include "analysis/metadata/method_analysis_words.hpp"
#include "analysis/metadata/method_words.hpp"

namespace invar::analysis {

// The cells whose visits count: measured as the campaign says, or, where nothing was measured that
// way, as another suite does it.
std::vector<record::Cell> counted_cells(const MethodSource& source);

// Launches, visits, repetitions, and what of them is left out.
std::string design_words(const MethodSource& source, Citations& cite);

}  // namespace invar::analysis
