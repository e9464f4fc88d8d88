// Half a round trip, and beside it what one direction takes where that can be told
// (docs/methods.md, "Latency, bandwidth, queues").
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "analysis/compare/comparison.hpp"
#include "analysis/p2p/message_places.hpp"
#include "record/cell.hpp"

namespace invar::analysis {

// A size in an arm and a place.
struct LatencyRow {
  std::string arm = {};
  record::Cell cell = {};
  std::size_t place = 0;
  std::optional<TimeEstimate> round_trip = {};       // what the rank that starts reads
  std::optional<TimeEstimate> half_round_trip = {};  // the same, halved, and so its interval
  // From the sender's start to the receiver's end.
  std::optional<TimeEstimate> there = {};
  std::optional<TimeEstimate> back = {};
  // There - back, in ns, with an interval that is corrected for all rows that were tested; none
  // where it cannot be told.
  std::optional<GroupEstimate> asymmetry_ns = {};
  // Why there is none: "cannot be known: ..."; empty: there is one, or nobody measured one way.
  std::string asymmetry_missing = {};
};

// By arm, place and size. There - back is told where the whole interval lies beyond what the
// clocks of two ranks may be apart (store::Visit::agree_within_ns), which is in it twice.
std::vector<LatencyRow> latency_rows(const MeasuredMessages& measured);

// Between hosts nothing tells one direction from the other.
inline constexpr std::string_view kUnknowableAsymmetry =
    "cannot be known: the clocks of several hosts are compared by messages on these same paths, "
    "which are taken to last as long there as back";

}  // namespace invar::analysis
