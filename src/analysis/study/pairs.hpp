// Visit summaries sorted by cell, arm and launch group, and the paired differences between arms.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "analysis/study/rules.hpp"
#include "analysis/study/summaries.hpp"
#include "stats/decide/inference.hpp"

namespace invar::analysis {

// The visits of one arm to one cell in one launch (group).
struct LaunchVisits {
  std::uint32_t group = 0;
  std::vector<VisitSummary> visits = {};  // by block
  double median_ns = 0;                   // median over the visits' medians
};

// LaunchVisits::median_ns of these visits, of which there is one at least.
double median_of_visits(const LaunchVisits& launch);

// Everything that one arm measured in one cell.
struct CellVisits {
  std::vector<LaunchVisits> launches = {};  // by group

  [[nodiscard]] bool empty() const { return launches.empty(); }
  [[nodiscard]] std::size_t observations() const;
  // Over all launches; 1 if everything lies within one step of the clock.
  [[nodiscard]] double effective_count() const;
  [[nodiscard]] double step_ns() const;  // largest of its visits, per call
  // What its visits' time is called; empty if it has none.
  [[nodiscard]] std::string time_name() const;
  // It is the time of single pairs of ranks.
  [[nodiscard]] bool of_pair() const;
  // Median over launches of the launches' medians.
  [[nodiscard]] double typical_ns() const;
  // log of the launches' medians; empty if one of them is 0 (shorter than the clock can tell).
  [[nodiscard]] std::vector<double> log_medians() const;
  // Smallest variance of one launch's log median that the clock's step allows.
  [[nodiscard]] double variance_floor() const;
  // Smallest relative difference that the clock lets us see in the median over everything.
  [[nodiscard]] double resolution() const;
  // By how much, in its log, every time may be off in one direction: what a foreign program prints
  // was rounded by it, who knows how, so that it may lie a step of the last digit away. 0: our
  // clocks' readings average out.
  [[nodiscard]] double rounding() const;
};

// table[cell][arm], indices as in store::Data.
using CellTable = std::vector<std::vector<CellVisits>>;
CellTable sort_visits(std::span<const VisitSummary> visits, std::size_t cells, std::size_t arms);

// Visits of any cells, put together by VisitSummary::group or ::launch, which becomes
// LaunchVisits::group.
CellVisits collect_visits(std::span<const VisitSummary* const> visits,
                          std::uint32_t VisitSummary::*key);

// The same cell and arm in several sessions, as if each were one launch: the mean of the logs of
// its launches' medians is its value. LaunchVisits::group is its number, from 1; those without a
// launch are left out.
CellVisits over_sessions(std::span<const CellVisits* const> sessions);

// log A - log B, paired.
struct PairedDifferences {
  std::vector<double> d = {};                 // one a launch group that has both arms
  std::vector<std::uint32_t> groups = {};     // of d, ascending
  std::vector<double> blocks = {};            // of the only group, where there is just one
  std::vector<std::uint32_t> positions = {};  // of these blocks: block or round
  double variance_floor = 0;
  double resolution = 0;
  // The larger one of both sides: programs that round alike are off alike.
  double rounding = 0;
};

// What two visits of a launch group that belong together have in common: block or round.
std::uint32_t VisitSummary::*position_of(Pairing pairing);

// By turns and by visits: median over the group's blocks of the block's difference; by rounds the
// same, of the visits in the same round. Launches: difference of the two launches' medians (the
// blocks of an only group are then its rounds). Groups without a common block drop out, and so do
// times of 0, which have no ratio. Not for kNone.
PairedDifferences paired_differences(const CellVisits& a, const CellVisits& b, Pairing pairing);

// What a ratio of both sides rests on: the launch groups that both have, by turns, visits and
// rounds only the visits in them that belong together. All of it where nothing is paired, or
// nothing is common.
std::pair<CellVisits, CellVisits> behind_ratio(const CellVisits& a, const CellVisits& b,
                                               Pairing pairing);

// Some visit timed several calls at a time.
bool in_batches(const LaunchVisits& launch);

// One timed calls one by one, the other several at a time: calls in a row hide what their start
// costs, and overlap, so that the times say different things.
bool one_in_batches(const CellVisits& a, const CellVisits& b);

// Refers to `paired`, which is not empty. `hypothesis`: about A / B.
stats::TableTest paired_test(const PairedDifferences& paired,
                             const stats::Hypothesis& hypothesis = {});

}  // namespace invar::analysis
