// The levels of the factor `algorithm`: what the library is told to run for a cell. Which
// algorithms a library has is not known here (tuning/algorithm.hpp).
#pragma once

#include <string_view>

#include "record/factors.hpp"

namespace invar::record {

// Nobody is told anything: the arm exactly as its user gave it.
constexpr std::string_view kAsGivenAlgorithm = "default";

// "default", or "algorithm:" with a name and knobs behind it, "algorithm:chain:segment=64".
bool is_algorithm_level(std::string_view text);

// As Factor::level has it. What else a cell can be made to run (mock-ups, reference algorithms, the
// library without its arm's settings) is another operation or another arm, which is said.
LevelText algorithm_level(std::string_view written);

// Calls of it may run one algorithm or another of their library: it is a collective itself, not a
// form of one or several calls in its place.
bool has_algorithms(const OperationInfo& info);

}  // namespace invar::record
