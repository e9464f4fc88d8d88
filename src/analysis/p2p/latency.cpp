#include "analysis/p2p/latency.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>

#include "analysis/p2p/directions.hpp"
#include "analysis/study/times.hpp"
#include "analysis/words/numbers.hpp"

namespace invar::analysis {
namespace {

// The cells of one size.
struct LatencyCells {
  std::optional<std::uint32_t> round_trip = {};
  std::optional<std::uint32_t> there = {};
  std::optional<std::uint32_t> back = {};
};

// Several cells may do. One that the arm has measured comes first, then one of the usual direction,
// then the one that was planned first.
void take_cell(const MeasuredMessages& measured, std::uint32_t arm, std::uint32_t cell,
               std::optional<std::uint32_t>& place) {
  const auto rank = [&](std::uint32_t one) {
    return (measured.visits(one, arm).empty() ? 2 : 0) +
           (goes_back(measured.data.cells[one]) ? 1 : 0);
  };
  if (!place || rank(cell) < rank(*place)) place = cell;
}

std::map<std::uint64_t, LatencyCells> cells_by_size(const MeasuredMessages& measured,
                                                    std::uint32_t arm, std::size_t place) {
  std::map<std::uint64_t, LatencyCells> sizes;
  for (std::uint32_t i = 0; i < measured.data.cells.size(); ++i) {
    const record::Cell& cell = measured.data.cells[i];
    if (!measured.is_in(i, place) || !cell.size_bytes) continue;
    const std::optional<WaitingQueue> waits = waiting_queue(cell);
    if (!waits || waits->queue.kind != record::QueueKind::kNone) continue;
    if (cell.operation == kPingPong) {
      take_cell(measured, arm, i, sizes[*cell.size_bytes].round_trip);
    } else if (cell.operation == kOneWay) {
      LatencyCells& here = sizes[*cell.size_bytes];
      take_cell(measured, arm, i, goes_back(cell) ? here.back : here.there);
    }
  }
  return sizes;
}

bool on_one_clock(const CellVisits& visits) {
  return std::ranges::all_of(visits.launches, [](const LaunchVisits& launch) {
    return std::ranges::all_of(launch.visits, [](const VisitSummary& visit) {
      return visit.source != nullptr && visit.source->one_clock;
    });
  });
}

// What two ranks' readings of one moment may differ by, at most; none: some launch does not say.
// The counter's step is no such bound: that messages cannot tell two counters apart makes them one
// only as far as these messages go.
std::optional<double> apart_ns(const CellVisits& visits) {
  double most_ns = 0;
  for (const LaunchVisits& launch : visits.launches) {
    for (const VisitSummary& visit : launch.visits) {
      if (!visit.source->agree_within_ns) return std::nullopt;
      most_ns = std::max(most_ns, *visit.source->agree_within_ns);
    }
  }
  return most_ns;
}

// "0.012 us [0.005, 0.019]"
std::string difference_text(const GroupEstimate& difference) {
  const EstimateText text =
      time_text({.median_ns = difference.value, .interval_ns = difference.interval});
  return text.estimate + (text.interval.empty() ? "" : " " + text.interval);
}

std::string cannot_be_told(const std::string& why) { return "cannot be told: " + why; }

// Why an arm has nothing of this cell.
std::string why_untold(const MeasuredMessages& measured, std::uint32_t arm, std::uint32_t cell) {
  const auto untold = std::ranges::find_if(
      measured.untold, [&](const UntoldVisits& one) { return one.arm == arm && one.cell == cell; });
  return untold == measured.untold.end() ? "one of both directions has no time" : untold->why;
}

// The same of a row.
struct TestedDirections {
  std::size_t row = 0;
  DirectionsDiffer differ = {};
};

// None: there is nothing to test, and where somebody measured both, the row says why.
std::optional<TestedDirections> directions_of(const MeasuredMessages& measured, std::uint32_t arm,
                                              const LatencyCells& cells, LatencyRow& row) {
  if (row.cell.nodes > 1) {
    row.asymmetry_missing = kUnknowableAsymmetry;
    return std::nullopt;
  }
  if (!cells.there || !cells.back) return std::nullopt;
  const auto untold = [&row](const std::string& why) {
    row.asymmetry_missing = cannot_be_told(why);
    return std::nullopt;
  };
  const CellVisits& there = measured.visits(*cells.there, arm);
  const CellVisits& back = measured.visits(*cells.back, arm);
  if (there.empty() || back.empty()) {
    return untold(why_untold(measured, arm, there.empty() ? *cells.there : *cells.back));
  }
  if (!on_one_clock(there) || !on_one_clock(back)) {
    return untold("its ranks do not read one clock");
  }
  const std::optional<double> of_there_ns = apart_ns(there);
  const std::optional<double> of_back_ns = apart_ns(back);
  if (!of_there_ns || !of_back_ns) {
    return untold("by how much the clocks of its ranks may be apart is not recorded");
  }
  TestedDirections tested{.differ =
                              there_less_back(there, back, std::max(*of_there_ns, *of_back_ns))};
  const std::size_t groups = tested.differ.values.size();
  if (groups == 0) return untold("no round has both directions");
  if (groups == 1) return untold("only one launch group has both directions");
  return tested;
}

// The difference where its whole interval lies beyond what the clocks may be wrong by, on one side.
void tell_asymmetry(const TestedDirections& tested, double confidence, LatencyRow& row) {
  const DirectionsDiffer& differ = tested.differ;
  const GroupEstimate difference = mean_over_groups(differ.values, differ.floor, confidence);
  if (is_told(differ, difference)) {
    row.asymmetry_ns = difference;
    return;
  }
  const auto text = [](double ns) { return time_text({.median_ns = ns}).estimate; };
  row.asymmetry_missing = cannot_be_told(
      "there - back is " + difference_text(difference) + ", not surely more than the " +
      text(differ.limit_ns) + " that its ranks' clocks, which agree up to " +
      text(differ.limit_ns / kOffsetsInDifference) + ", may put into it");
}

}  // namespace

std::vector<LatencyRow> latency_rows(const MeasuredMessages& measured) {
  std::vector<LatencyRow> rows;
  std::vector<TestedDirections> tested;
  const auto time_of = [&](const std::optional<std::uint32_t>& cell, std::uint32_t arm) {
    return cell ? time_estimate(measured.visits(*cell, arm), measured.confidence) : std::nullopt;
  };
  for (std::uint32_t arm = 0; arm < measured.data.arms.size(); ++arm) {
    for (std::size_t place = 0; place < measured.places.count(); ++place) {
      for (const auto& [size_bytes, cells] : cells_by_size(measured, arm, place)) {
        LatencyRow row{.arm = measured.data.arms[arm].label, .place = place};
        row.round_trip = time_of(cells.round_trip, arm);
        row.there = time_of(cells.there, arm);
        row.back = time_of(cells.back, arm);
        if (!row.round_trip && !row.there && !row.back) continue;
        if (row.round_trip) row.half_round_trip = scaled(*row.round_trip, 0.5);
        const std::uint32_t example =
            row.round_trip ? *cells.round_trip : cells.there.value_or(cells.back.value_or(0));
        row.cell = measured.data.cells[example];
        row.cell.family.clear();  // it says what was compared, and nothing of the message
        if (auto directions = directions_of(measured, arm, cells, row)) {
          directions->row = rows.size();
          tested.push_back(std::move(*directions));
        }
        rows.push_back(std::move(row));
      }
    }
  }
  // Bonferroni: of many sizes one would differ by chance.
  const double confidence =
      1 - (1 - measured.confidence) / static_cast<double>(std::max<std::size_t>(1, tested.size()));
  for (const TestedDirections& one : tested) tell_asymmetry(one, confidence, rows[one.row]);
  return rows;
}

}  // namespace invar::analysis
