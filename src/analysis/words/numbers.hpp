// Numbers as people read them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/compare/comparison.hpp"
#include "stats/decide/verdict.hpp"
#include "stats/types.hpp"

namespace invar::analysis {

// An estimate and its interval, to be aligned in two columns: "0.51 us" and "[0.50, 0.52]".
struct EstimateText {
  std::string estimate = {};
  std::string interval = {};  // empty where there is none, "-" where it says nothing
};

// Its ends are more than a hundred times apart: of one launch, or few, it answers nothing.
// One with a sign on both sides is that of a difference, and never so.
bool says_nothing(const stats::Interval& interval);

// Three significant digits, interval in the unit and with the decimals of the estimate.
EstimateText time_text(const TimeEstimate& time);

// "1.30" and "[1.27, 1.33]"; three decimals where the interval is narrower than 0.02,
// three significant digits below 0.1: "0.00341".
EstimateText ratio_text(double ratio, const std::optional<stats::Interval>& interval);

// "<1e-9", "3e-6", ".0004", ".04", ".5", "1".
std::string p_text(double p);

// A verdict as machines read it: "faster", "equivalent", ...; a gate has "pass" and "fail".
std::string verdict_name(stats::Verdict verdict);

// "openmpi faster", "equivalent", "undecided", "no verdict".
std::string verdict_text(const ComparedCell& row);

// "*", "**", "***" at .05, .01, .001, else nothing.
std::string asterisks_text(double p);

// A standard deviation of logs as people think of it: "1.8 %", from 100 % on "factor 2.4".
std::string log_sd_text(const std::optional<double>& sd);

}  // namespace invar::analysis
