// `show`: times of one arm and cell, or of any other grouping, without comparing anything.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/answer/answer.hpp"
#include "analysis/answer/health.hpp"
#include "analysis/compare/comparison.hpp"
#include "analysis/compare/observed_times.hpp"
#include "analysis/questions/cell_filter.hpp"
#include "analysis/study/lack.hpp"
#include "analysis/study/study.hpp"

namespace invar::analysis {

struct ShowOptions {
  std::vector<std::string> arms = {};  // labels; empty: all
  // Names of factors (record::factors), "arm", "group", "launch", "round", "regime"; empty: arm and
  // every factor that varies.
  std::vector<std::string> by = {};
  CellFilter cells = {};
  bool all_times = false;  // a row for every time that the operations state
  bool bandwidth = false;  // a column of GB/s
};

// Its `time` is "whole and one way" where it pools them.
struct ShownGroup : ObservedTimes {
  std::vector<std::pair<std::string, std::string>> levels = {};  // in the order of Show::by
  // Bytes that a call moves in the time (moved_bytes()), where all visits move as many.
  std::optional<double> moved = {};
  std::uint64_t visits = 0;
  bool this_launch_only = false;
  // Standard deviations of logs: of the launches' medians, and of the visits' medians inside
  // launches, pooled. None where there is only one, or where a median is 0.
  std::optional<double> sd_launches = {};
  std::optional<double> sd_visits = {};
};

struct Show {
  std::string sentence = {};
  std::string scope = {};
  std::vector<std::string> by = {};
  std::vector<ComparedArm> arms = {};
  std::vector<ShownGroup> groups = {};
  std::vector<Warning> warnings = {};
  Regimes regimes = {};
  std::vector<Perturbation> perturbations = {};
  bool global_runtime = false;
  std::vector<std::string> local_cells = {};  // of which it is local nevertheless
  std::string time = {};   // that was asked for by its name, or "all"; empty: the headline
  bool has_times = false;  // some row is of something else than whole calls
  bool has_bandwidth = false;
  double confidence = 0.95;
  std::filesystem::path dir = {};
  Health health = {};
};

// Throws UserError for unknown arms and factors (with a did-you-mean), and what show_lack() says:
// no complete launch group, no valid repetition. Observations are left out as in a comparison;
// memory is that of the largest group's observations.
Show show(const Study& study, const ShowOptions& options = {});
std::optional<Lack> show_lack(const Study& study);

Answer answer_of(const Show& show);

}  // namespace invar::analysis
