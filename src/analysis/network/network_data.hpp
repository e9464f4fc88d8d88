// What was measured of messages between two ranks, as plain numbers: series over sizes, by launch
// group. All that a network's model is made of, whether a campaign of ours or somebody else's
// calibration measured it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analysis/answer/answer.hpp"
#include "analysis/network/series.hpp"
#include "analysis/study/taken_visits.hpp"

namespace invar::analysis {

class Study;

// At most this share of what was measured at a size may be lost for being 0 or less. Those that are
// left are the longer ones, whose mean says too much.
inline constexpr double kMostLostShare = 0.05;

// One visit: the repetitions that count of one size, one after the other. Of every time the cost of
// reading the clock is taken away already.
struct SeriesObservation {
  std::uint64_t size_bytes = 0;
  std::uint32_t group = 0;  // launch group; of imported data a stretch of time
  double median_ns = 0;     // grouped, > 0
  double mean_ns = 0;
  double variance_ns2 = 0;  // between repetitions; 0 of a single one
  std::uint64_t repetitions = 1;
  double start_s = 0;      // on one axis of time over everything
  double lateness_ns = 0;  // by which the receiver came late: what it was, not what was asked for
  double delay_ns = 0;     // between two messages of a train
  // The single ones, ascending, each over the median: how they spread.
  std::vector<float> ratios = {};
};

struct DataSeries {
  SeriesKey key = {};
  std::vector<SeriesObservation> observations = {};  // as they were measured
};

// A call's time in one visit.
struct CostObservation {
  std::uint32_t group = 0;
  double median_ns = 0;
};

struct DataCost {
  std::string operation = {};  // CostInfo::operation
  std::vector<CostObservation> observations = {};
};

// All pairs of a pattern exchange messages at once, in both directions: one visit.
struct SharedObservation {
  std::uint64_t size_bytes = 0;
  std::uint32_t group = 0;
  std::size_t pairs = 0;
  // Messages of a call that share what a simulator lets them share: inside a host all of them,
  // between hosts those that leave the host which most leave.
  std::size_t flows = 0;
  double median_ns = 0;  // of the whole call, > 0
};

struct NetworkData {
  std::string arm = {};
  std::string place = {};               // what tells it from the arm's others; empty: it has one
  std::vector<DataSeries> series = {};  // by key
  std::vector<DataCost> costs = {};     // in the order of all_costs()
  std::vector<SharedObservation> shared = {};  // none: not measured
  std::set<std::uint64_t> held_out = {};       // sizes that no fit sees
  std::optional<double> reading_ns = {};  // of the clock: what was taken away; none: nothing was
  double step_ns = 0;                     // of the clock
  bool launches = true;                   // false: its groups are stretches of time
  bool inside_host = false;               // both ranks are on one host
  // Thresholds that the analyst wrote: they win. None: they are looked for.
  std::optional<std::uint64_t> detached_bytes = {};
  std::optional<std::uint64_t> async_bytes = {};
  std::size_t groups = 0;              // that have something
  std::vector<Warning> warnings = {};  // of making it

  // Null: it has none, or no observation of it.
  [[nodiscard]] const DataSeries* find(const SeriesKey& key) const;
};

// One for every arm, and in it for every place that has round trips: the levels of all factors
// but those that tell its series apart.
std::vector<NetworkData> network_data(const Study& study, const TakenVisits& takes = {});

}  // namespace invar::analysis
