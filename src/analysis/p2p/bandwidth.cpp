#include "analysis/p2p/bandwidth.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "analysis/study/times.hpp"

namespace invar::analysis {
namespace {

const LaunchVisits* launch_of(const CellVisits& visits, std::uint32_t group) {
  const auto found = std::ranges::find(visits.launches, group, &LaunchVisits::group);
  return found == visits.launches.end() ? nullptr : &*found;
}

// Rows of one curve, ascending by size, without empty messages.
using RateCurve = std::vector<const RateRow*>;

std::uint64_t message_bytes(const RateRow* row) { return *row->cell.size_bytes; }

bool less_bandwidth(const RateRow* a, const RateRow* b) {
  return a->bandwidth_gb_s->value < b->bandwidth_gb_s->value;
}

// Those of one operation, by their windows.
std::vector<RateCurve> curves_of(std::span<const RateRow> rows, const std::string& arm,
                                 std::size_t place, std::string_view operation) {
  std::map<std::uint32_t, RateCurve> by_window;
  for (const RateRow& row : rows) {
    const bool here = row.arm == arm && row.place == place && row.cell.operation == operation;
    if (here && row.bandwidth_gb_s && !goes_back(row.cell)) {
      by_window[row.cell.window].push_back(&row);
    }
  }
  // A curve goes on with longer messages of smaller windows.
  std::vector<RateCurve> curves;
  for (auto& [window, curve] : by_window) {
    std::ranges::stable_sort(curve, {}, message_bytes);
    const std::uint64_t longest_bytes = message_bytes(curve.back());
    RateCurve whole = curve;
    if (!curves.empty()) {
      std::ranges::copy_if(curves.back(), std::back_inserter(whole),
                           [&](const RateRow* row) { return message_bytes(row) > longest_bytes; });
    }
    curves.push_back(std::move(whole));
  }
  // The largest window comes first, because the first of equal rates is taken. Rates are equal
  // where two curves go on alike.
  std::ranges::reverse(curves);
  return curves;
}

// The first one with the largest rate of all.
const RateCurve& best_curve(const std::vector<RateCurve>& curves) {
  return *std::ranges::max_element(curves, [](const RateCurve& a, const RateCurve& b) {
    return less_bandwidth(*std::ranges::max_element(a, less_bandwidth),
                          *std::ranges::max_element(b, less_bandwidth));
  });
}

// The most that a cell of the operation has; none: there is none.
std::optional<Rate> most_messages(std::span<const RateRow> rows, const std::string& arm,
                                  std::size_t place, std::string_view operation) {
  std::optional<Rate> most;
  for (const RateRow& row : rows) {
    const bool here = row.arm == arm && row.place == place && row.cell.operation == operation;
    if (!here || !row.messages_per_s || goes_back(row.cell)) continue;
    if (!most || most->value < row.messages_per_s->value) most = row.messages_per_s;
  }
  return most;
}

// Beyond their intervals.
bool is_above(const Rate& one, const Rate& other) {
  return one.interval && other.interval && one.interval->low > other.interval->high;
}

// Beyond its interval, where it has one.
bool surely_below(const Rate& rate, double gb_s) {
  return (rate.interval ? rate.interval->high : rate.value) < gb_s;
}

// Sizes above that of half the rate where it is lost again: in a row below it, and some surely.
std::vector<SizeRange> lost_sizes(const RateCurve& curve, double from_bytes, double half_gb_s) {
  std::vector<SizeRange> lost;
  auto row = std::ranges::find_if(curve, [&](const RateRow* one) {
    return static_cast<double>(message_bytes(one)) >= from_bytes;
  });
  const auto is_below = [&](const RateRow* one) { return one->bandwidth_gb_s->value < half_gb_s; };
  while (true) {
    row = std::find_if(row, curve.end(), is_below);
    if (row == curve.end()) return lost;
    const auto end = std::find_if_not(row, curve.end(), is_below);
    const bool surely = std::any_of(row, end, [&](const RateRow* one) {
      return surely_below(*one->bandwidth_gb_s, half_gb_s);
    });
    if (surely)
      lost.push_back({message_bytes(*row), message_bytes(*std::prev(end)), end == curve.end()});
    row = end;
  }
}

// Half-rate sizes of single launch groups, of those that have all points of the curve. None where
// the smallest size of some group has half already: how far below it that lies nobody knows, and
// the others alone would be too sure.
std::optional<std::vector<double>> half_sizes(const MeasuredMessages& measured, std::uint32_t arm,
                                              const RateCurve& curve) {
  std::set<std::uint32_t> groups;
  std::vector<const CellVisits*> visits;
  for (const RateRow* row : curve) {
    visits.push_back(&measured.visits(row->index, arm));
    for (const LaunchVisits& launch : visits.back()->launches) groups.insert(launch.group);
  }
  std::vector<double> sizes;
  for (const std::uint32_t group : groups) {
    std::vector<RatePoint> points;
    for (std::size_t i = 0; i < curve.size(); ++i) {
      const LaunchVisits* launch = launch_of(*visits[i], group);
      if (launch == nullptr || !(launch->median_ns > 0)) break;
      // Rates of one curve differ in size, window and time alone.
      const auto size_bytes = static_cast<double>(*curve[i]->cell.size_bytes);
      points.push_back({size_bytes, size_bytes * curve[i]->cell.window / launch->median_ns});
    }
    if (points.size() != curve.size()) continue;
    const std::optional<HalfSize> half = half_rate_size(points);
    if (half && half->or_less) return std::nullopt;
    if (half) sizes.push_back(half->bytes);
  }
  return sizes;
}

}  // namespace

std::vector<RateRow> rate_rows(const MeasuredMessages& measured) {
  std::vector<RateRow> rows;
  for (std::uint32_t arm = 0; arm < measured.data.arms.size(); ++arm) {
    for (const std::uint32_t i : record::reading_order(measured.data.cells)) {
      const record::Cell& cell = measured.data.cells[i];
      const std::optional<std::size_t> place = measured.places.of(i);
      if (!place || !without_queues(cell).same_levels(cell)) continue;
      const CellVisits& visits = measured.visits(i, arm);
      const std::optional<TimeEstimate> time = time_estimate(visits, measured.confidence);
      if (!time) continue;
      const record::OperationInfo info = measured.data.operation(arm, cell.operation);
      RateRow row{.arm = measured.data.arms[arm].label,
                  .cell = cell,
                  .index = i,
                  .place = *place,
                  .time_name = visits.time_name(),
                  .time = *time};
      // In times of overheads nothing need come.
      const double bytes = info.overheads ? 0 : bytes_of_call(cell, info);
      const auto messages =
          info.overheads ? 0.0 : static_cast<double>(messages_of_call(cell, info));
      if (bytes > 0) row.bandwidth_gb_s = bandwidth_gb_s(*time, bytes);
      // A copy in memory is the limit of what messages can do, and none.
      if (messages > 0 && !info.copies) row.messages_per_s = messages_per_s(*time, messages);
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

std::optional<HalfSize> half_rate_size(std::span<const RatePoint> ascending) {
  if (ascending.size() < 2) return std::nullopt;
  const double half = std::ranges::max(ascending, {}, &RatePoint::rate).rate / 2;
  const auto reached = std::ranges::find_if(
      ascending, [half](const RatePoint& point) { return point.rate >= half; });
  if (reached == ascending.begin()) {
    const double least_bytes = ascending.front().size_bytes;
    return HalfSize{
        .bytes = least_bytes, .low_bytes = least_bytes, .high_bytes = least_bytes, .or_less = true};
  }
  const RatePoint& below = *std::prev(reached);
  const double share = std::log(half / below.rate) / std::log(reached->rate / below.rate);
  return HalfSize{
      .bytes = below.size_bytes * std::pow(reached->size_bytes / below.size_bytes, share),
      .low_bytes = below.size_bytes,
      .high_bytes = reached->size_bytes};
}

PlaceRates rates_of_place(const MeasuredMessages& measured, std::uint32_t arm, std::size_t place,
                          std::span<const RateRow> rows) {
  const std::string& label = measured.data.arms[arm].label;
  PlaceRates found;
  std::vector<RateCurve> curves = curves_of(rows, label, place, kStream);
  found.ping_pongs = curves.empty();
  if (found.ping_pongs) curves = curves_of(rows, label, place, kPingPong);
  found.messages_per_s = most_messages(rows, label, place, found.ping_pongs ? kPingPong : kStream);
  if (curves.empty()) return found;
  const RateCurve& curve = best_curve(curves);
  const RateRow& most = **std::ranges::max_element(curve, less_bandwidth);
  found.bandwidth_gb_s = most.bandwidth_gb_s;
  found.bandwidth_bytes = message_bytes(&most);
  found.window = curve.front()->cell.window;
  found.longest_gb_s = curve.back()->bandwidth_gb_s;
  found.longest_bytes = message_bytes(curve.back());
  found.grows = curve.size() > 1 && curve.back() == &most &&
                is_above(*most.bandwidth_gb_s, *curve[curve.size() - 2]->bandwidth_gb_s);
  std::vector<RatePoint> points;
  for (const RateRow* row : curve) {
    points.push_back({static_cast<double>(message_bytes(row)), row->bandwidth_gb_s->value});
  }
  found.half = half_rate_size(points);
  if (!found.half) return found;
  found.half->lost = lost_sizes(curve, found.half->high_bytes, most.bandwidth_gb_s->value / 2);
  if (found.half->or_less) return found;
  const std::optional<std::vector<double>> sizes = half_sizes(measured, arm, curve);
  if (!sizes) return found;
  // Between two sizes nobody has looked: a narrower interval would be that of the straight line.
  const std::optional<stats::Interval> of_groups =
      log_interval_around(found.half->bytes, *sizes, measured.confidence);
  stats::Interval interval{.low = found.half->low_bytes,
                           .high = found.half->high_bytes,
                           .confidence = measured.confidence};
  if (of_groups) {
    interval.low = std::min(interval.low, of_groups->low);
    interval.high = std::max(interval.high, of_groups->high);
  }
  found.half->interval = interval;
  return found;
}

}  // namespace invar::analysis
