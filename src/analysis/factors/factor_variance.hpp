// What varies by itself: launches, visits of a launch, repetitions of a visit.
#pragma once

#include <optional>
#include <string>

#include "analysis/factors/factor_table.hpp"
#include "stats/model/variance_analysis.hpp"

namespace invar::analysis {

struct RandomVariance {
  std::optional<stats::RandomUnits> launches = {};  // on the log medians of visits
  stats::FTest launch_ranks = {};
  // Variances of log times, at least 0.
  double launch = 0;
  double visit = 0;       // beyond what the repetitions' scatter does to a visit's median
  double repetition = 0;  // of a single repetition in its visit
};

// Reads the observations again; `global` as in Summaries.
RandomVariance random_variance(const FactorTable& table, bool global, double confidence);

// The variance of log times, at least 0, or why there is none.
struct JointVariance {
  std::optional<double> variance = {};
  std::string missing = {};
};

// From the launch groups that have every combination of the table.
JointVariance joint_variance(const FactorTable& table);

}  // namespace invar::analysis
