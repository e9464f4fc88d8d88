// How much of a call's time is hidden behind computation (docs/methods.md, "Overlap"). A plain
// value that a test can construct and any renderer can print.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "analysis/answer/answer.hpp"
#include "analysis/compare/comparison.hpp"
#include "analysis/study/lack.hpp"
#include "analysis/study/study.hpp"
#include "record/cell.hpp"
#include "stats/types.hpp"

namespace invar::analysis {

// A mean over launch groups; of one group the median over its rounds.
struct OverlapEstimate {
  double value = 0;
  // None: a single value, or values without any spread.
  std::optional<stats::Interval> interval = {};
};

// A call, an amount of computation, and both at once, in an arm.
struct OverlapRow {
  std::string arm = {};
  record::Cell call = {};        // without computation
  std::string computation = {};  // "0.5x", "10000ns"
  std::size_t groups = 0;        // launch groups that have all three
  bool this_launch_only = false;
  TimeEstimate call_time = {};
  TimeEstimate compute_time = {};  // measured by itself, not what was asked for
  TimeEstimate both_time = {};
  // Call and computation one after the other, less both at once: below 0 both at once take longer.
  OverlapEstimate hidden_ns = {};
  OverlapEstimate overlap = {};       // of the shorter of both; signed, never cut off
  OverlapEstimate availability = {};  // of the call: what the Sandia benchmark says beyond the knee
  // As other suites would have it from these times: of the call, and of the longer of both, cut off
  // at 0 and, by IMB, at 1.
  OverlapEstimate osu = {};
  OverlapEstimate imb = {};

  // How many times as long as the call the computation took; none: no time is known.
  [[nodiscard]] std::optional<double> multiple() const {
    if (!(call_time.median_ns > 0 && compute_time.median_ns > 0)) return std::nullopt;
    return compute_time.median_ns / call_time.median_ns;
  }
  // Whether the interval has a sign. False without one.
  [[nodiscard]] bool hides() const { return overlap.interval && overlap.interval->low > 0; }
  [[nodiscard]] bool costs() const { return overlap.interval && overlap.interval->high < 0; }
};

// What a call hides at most, over all amounts of computation.
struct OverlapKnee {
  std::string arm = {};
  record::Cell call = {};
  TimeEstimate call_time = {};
  // The longest computation, of those that were measured, up to which both take no more than the
  // call by more than the tolerance, and the shortest one that costs something. None: there is no
  // such one.
  std::optional<double> free_ns = {};
  std::optional<double> costs_ns = {};
  double shortest_ns = 0;  // computation that was measured
  double longest_ns = 0;
  // By the shortest computation with which both take 1.5 times the call: what is hidden there is
  // all of the call that longer computation hides. None: no computation is so long.
  std::string computation = {};
  std::optional<OverlapEstimate> knee_ns = {};
  std::optional<OverlapEstimate> availability = {};  // the Sandia benchmark's
};

struct Overlaps {
  std::string sentence = {};
  std::string scope = {};
  std::vector<ComparedArm> arms = {};
  std::vector<OverlapRow> rows = {};    // by arm, then in the order of the plan
  std::vector<OverlapKnee> knees = {};  // by arm, then by call
  std::vector<Warning> warnings = {};
  Regimes regimes = {};                           // of the machine
  std::optional<ReferenceRegime> reference = {};  // none: nothing splits
  bool reference_named = false;                   // by the campaign; else it is the fastest
  bool global_runtime = false;
  std::vector<std::string> local_cells = {};  // of which it is local nevertheless
  double alpha = 0.05;
  double tolerance = 0.02;      // of free_ns
  std::string no_verdict = {};  // why these are no figures; empty: they are
  std::filesystem::path dir = {};
  Health health = {};
};

// Both take so many times the call beyond the knee (the Sandia benchmark's threshold).
constexpr double kBeyondKnee = 1.5;
bool is_beyond_knee(const OverlapRow& row);

// Throws what overlap_lack() says.
Overlaps overlaps(const Study& study);
// No family has a call, its computation and both; no complete launch group, or no valid repetition.
std::optional<Lack> overlap_lack(const Study& study);

// From rows, scope and no_verdict alone.
std::string overlap_sentence(const Overlaps& found);

Answer answer_of(const Overlaps& found);

}  // namespace invar::analysis
