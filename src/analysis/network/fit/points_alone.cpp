#include "analysis/network/fit/points_alone.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "stats/model/segmented.hpp"

namespace invar::analysis {

std::vector<PLogPRow> plogp_rows(const SolvedJoint& solved) {
  std::map<std::uint64_t, PLogPRow> rows;
  const auto take = [&](auto points, std::optional<ModelEstimate> PLogPRow::*column,
                        const Threshold* up_to) {
    std::map<std::uint64_t, std::vector<double>> resampled;
    for (const JointPoints& one : solved.question().resampled) {
      for (const SeriesPoint& point : one.*points) {
        resampled[point.size_bytes].push_back(point.mean_ns);
      }
    }
    for (const SeriesPoint& point : solved.question().points.*points) {
      if (up_to != nullptr && up_to->beyond(point.size_bytes)) continue;
      PLogPRow& row = rows[point.size_bytes];
      row.size_bytes = point.size_bytes;
      row.*column = solved.estimate(point.mean_ns, resampled[point.size_bytes], point.groups);
    }
  };
  take(&JointPoints::send, &PLogPRow::send_ns, &solved.fit().shape().detached);
  take(&JointPoints::late_receive, &PLogPRow::receive_ns, &solved.fit().shape().async);
  take(&JointPoints::gap, &PLogPRow::gap_ns, nullptr);
  std::vector<PLogPRow> found;
  found.reserve(rows.size());
  for (const auto& [size_bytes, row] : rows) found.push_back(row);
  return found;
}

SubtractedLine by_subtraction(const JointPoints& points, const ByteRange& range) {
  std::map<std::uint64_t, const SeriesPoint*> sends;
  std::map<std::uint64_t, const SeriesPoint*> receives;
  for (const SeriesPoint& point : points.send) sends[point.size_bytes] = &point;
  for (const SeriesPoint& point : points.late_receive) receives[point.size_bytes] = &point;
  std::vector<stats::WeightedPoint> left;
  for (const SeriesPoint& half : points.half_round_trip) {
    if (half.held_out || !range.contains(half.size_bytes)) continue;
    const auto send = sends.find(half.size_bytes);
    const auto receive = receives.find(half.size_bytes);
    if (send == sends.end() || receive == receives.end()) continue;
    left.push_back({.x = static_cast<double>(std::max<std::uint64_t>(half.size_bytes, 1) - 1),
                    .y = half.mean_ns - send->second->mean_ns - receive->second->mean_ns,
                    .variance = half.variance_ns2 + send->second->variance_ns2 +
                                receive->second->variance_ns2});
  }
  // Sizes 0 and 1 are one place of this line.
  if (left.size() > 1 && left[0].x == left[1].x) left.erase(left.begin());
  if (left.size() < stats::kLeastPointsBetweenBreaks) return {};
  const stats::SegmentedFit line =
      stats::fit_with_breaks(left, {}, {.slope_at_least_0 = false, .intercept_at_least_0 = false});
  return {line.pieces.front().intercept, line.pieces.front().slope};
}

}  // namespace invar::analysis
