// `compare --method osu` and the like: what a suite's user would conclude from the numbers that it
// prints. Most suites have no test, so there is a ratio and no verdict.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/compare/comparison.hpp"
#include "analysis/compare/contest.hpp"
#include "analysis/study/lack.hpp"
#include "analysis/suites/preset_values.hpp"

namespace invar::analysis {

// The preset has no value anywhere: why, and how to measure it.
std::optional<Lack> lack_of_reports(const PresetValues& values, const design::Preset& preset);

// Cells of which it has no value in any arm, by reason: an operation that it has no benchmark of is
// no fault of the others.
std::vector<Warning> missing_reports(const PresetValues& values, const design::Preset& preset);

// Its headline in words, of the campaign's operations.
std::string reports_of(const design::Preset& preset, const store::Data& data);

// One value a launch: the preset's headline. Cells and arms as in values.own().
CellTable reported_table(const PresetValues& values, const design::Preset& preset);

// Times: medians over launches of what was reported, and their ratio.
void judge_reported(ComparedCell& row, const CellVisits& a, const CellVisits& b);

// Warns how often single runs would have said the opposite of the printed pairs.
std::vector<Warning> reported_warnings(const Contest& contest, std::span<const Pair> pairs,
                                       const std::string& preset);

// "By osu's numbers, one a run and without a test, mpich takes 1.05 to 1.30 times as long as
// openmpi".
std::string reported_clause(const Comparison& comparison);

}  // namespace invar::analysis
