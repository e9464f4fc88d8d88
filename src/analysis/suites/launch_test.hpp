// Two arms, one value a launch, and a test between them: section 5.2 of Hunold and Carpen-Amarie,
// "Reproducible MPI benchmarking is still not as easy as you think" (IEEE TPDS 27, 2016). Nothing
// is paired and nothing corrected.
#pragma once

#include <string>
#include <string_view>

#include "analysis/compare/comparison.hpp"
#include "analysis/study/pairs.hpp"

namespace invar::analysis {

// Fills ratio, p and verdict by rules.test. Faster or slower where p <= alpha, else undecided;
// there is no "equivalent" in these methods. The ratio is that of Hodges and Lehmann's shift of the
// logs, which belongs to Wilcoxon's test; with Welch's t test that of the means, and the times are
// means then. Intervals are two-sided, whatever the test's direction is.
void judge_launches(ComparedCell& row, const CellVisits& a, const CellVisits& b,
                    const Rules& rules);

// "Wilcoxon's rank-sum test over launches, one-sided (the first arm takes less time)"
std::string launch_test_words(const Comparison& comparison);

// "two-sided", "less", "greater"
std::string_view alternative_name(stats::Alternative alternative);

// The same for a sentence: "preset reprompi" where a preset was asked for.
std::string launch_test_name(const Comparison& comparison);

// How the numbers of a comparison by such a test are read.
// `estimates`: what its times are (EstimateWords).
std::string launch_test_reading(const Comparison& comparison, const std::string& estimates);

}  // namespace invar::analysis
