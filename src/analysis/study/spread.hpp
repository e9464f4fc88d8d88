// How much times differ: between launches, between the visits of a launch, between the repetitions
// of a visit. Standard deviations of logs, in which 0.05 means about 5 %.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "analysis/study/pairs.hpp"

namespace invar::analysis {

// Standard deviation of the logs of the launches' medians. None for a single launch, or where a
// median is 0.
std::optional<double> sd_between_launches(const CellVisits& visits);

// Standard deviation of the logs of the visits' medians inside launches, pooled over launches. None
// where no launch has two visits, or where a median is 0.
std::optional<double> sd_between_visits(const CellVisits& visits);

// What the repetitions of visits look like, each visit by itself.
struct VisitShape {
  std::size_t visits = 0;
  // What the typical visit has: the median over visits of the modes that each one proves at 5 %
  // (stats::count_modes). Between two numbers the larger one.
  std::size_t modes = 1;
  // Share of the visits with more than one mode: at most 5 % if there is one in truth.
  double several = 0;
  // Standard deviation of the logs of repetitions within visits, pooled. None where a time is 0, or
  // where every visit has a single repetition.
  std::optional<double> sd_repetitions = {};

  // At most a quarter of the visits show more than one: chance and an interruption now and then
  // give more to few visits, a second mode of some weight to nearly all.
  [[nodiscard]] bool one_mode() const { return visits > 0 && modes == 1 && several <= 0.25; }
};

// Reads the observations again; `global` as in Summaries.
VisitShape visit_shape(const CellVisits& visits, bool global);

}  // namespace invar::analysis
