// What is told of the times of some visits, whoever shows them: a table of `show`, a page.
#pragma once

#include <cstddef>
#include <string>

#include "analysis/compare/comparison.hpp"

namespace invar::analysis {

struct ObservedTimes {
  std::string time{kWholeName};  // which one of the operation
  std::size_t launches = 0;
  std::size_t observations = 0;
  // Over the launches' medians; of a single launch over its visits.
  TimeEstimate median = {};
  // Over all observations together.
  double mean_ns = 0;
  double min_ns = 0;
  double q1_ns = 0;
  double q3_ns = 0;
  double p95_ns = 0;
  double p99_ns = 0;
  double max_ns = 0;
};

}  // namespace invar::analysis
