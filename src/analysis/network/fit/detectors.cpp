#include "analysis/network/fit/detectors.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <utility>

#include "stats/peers/change_detectors.hpp"

namespace invar::analysis {
namespace {

constexpr double kNsPerUs = 1000;

const ModelSeries* series_with(std::span<const ModelSeries> series,
                               const std::function<bool(const SeriesKey&)>& fits) {
  const auto found =
      std::ranges::find_if(series, [&](const ModelSeries& one) { return fits(one.key); });
  return found == series.end() ? nullptr : &*found;
}

const ModelSeries* series_of_kind(std::span<const ModelSeries> series, SeriesKind kind) {
  return series_with(series, [kind](const SeriesKey& key) { return key.kind == kind; });
}

std::map<std::uint64_t, double> times_by_size(const ModelSeries* series) {
  std::map<std::uint64_t, double> times;
  if (series == nullptr) return times;
  for (const SeriesPoint& point : series->points) times[point.size_bytes] = point.mean_ns;
  return times;
}

std::uint64_t seen_bytes(double size) { return static_cast<std::uint64_t>(std::llround(size)); }

// The size behind one that was seen; itself where it is the last.
std::uint64_t next_of(std::span<const double> sizes, double size) {
  const auto above = std::ranges::upper_bound(sizes, size);
  return seen_bytes(above == sizes.end() ? size : *above);
}

DetectorRun netgauge(std::span<const ModelSeries> series) {
  DetectorRun run{.detector = "NetGauge", .of = "gap"};
  const auto single = times_by_size(series_with(series, [](const SeriesKey& key) {
    return key.kind == SeriesKind::kTrain && key.messages == 1;
  }));
  const ModelSeries* longest = nullptr;
  for (const ModelSeries& one : series) {
    if (one.key.kind != SeriesKind::kTrain || one.key.messages < 2 || one.key.delayed) continue;
    if (longest == nullptr || longest->key.messages < one.key.messages) longest = &one;
  }
  if (single.empty() || longest == nullptr) {
    run.missing = "it looks at trains, and none were measured";
    return run;
  }
  const auto trains = times_by_size(longest);
  const auto delayed = times_by_size(series_with(series, [&](const SeriesKey& key) {
    return key.kind == SeriesKind::kTrain && key.delayed && key.messages == longest->key.messages;
  }));
  std::vector<stats::NetgaugeTimes> times;
  std::vector<double> sizes;
  for (const auto& [size_bytes, train_ns] : trains) {
    const auto one = single.find(size_bytes);
    if (one == single.end()) continue;
    stats::NetgaugeTimes row{.size = static_cast<double>(size_bytes),
                             .one_us = one->second / kNsPerUs,
                             .train_us = train_ns / kNsPerUs};
    const auto with_delay = delayed.find(size_bytes);
    if (with_delay != delayed.end()) row.delayed_us = with_delay->second / kNsPerUs;
    times.push_back(row);
    sizes.push_back(row.size);
  }
  run.sizes = times.size();
  for (const double change :
       stats::netgauge_changes(times, {.messages = longest->key.messages}).changes) {
    run.changes.push_back({.from_bytes = seen_bytes(change), .to_bytes = next_of(sizes, change)});
  }
  return run;
}

DetectorRun plogp(std::span<const ModelSeries> series) {
  DetectorRun run{.detector = "PLogP", .of = "overheads and gap"};
  std::map<std::uint64_t, stats::PlogpTimes> by_size;
  for (const auto& [kind, time] :
       {std::pair(SeriesKind::kSend, &stats::PlogpTimes::send_overhead_ns),
        {SeriesKind::kLateReceive, &stats::PlogpTimes::receive_overhead_ns},
        {SeriesKind::kGap, &stats::PlogpTimes::gap_ns}}) {
    for (const auto& [size_bytes, time_ns] : times_by_size(series_of_kind(series, kind))) {
      by_size[size_bytes].*time = time_ns;
    }
  }
  if (by_size.empty()) {
    run.missing = "it looks at overheads and gaps, and none were measured";
    return run;
  }
  std::vector<stats::PlogpMeasured> measured;
  measured.reserve(by_size.size());
  for (const auto& [size_bytes, times] : by_size) {
    measured.push_back({.size = static_cast<double>(size_bytes), .times = times});
  }
  const stats::PlogpResult result = stats::plogp_changes_on(measured, {});
  run.sizes = result.sizes.size();
  for (const stats::PlogpBracket& change : result.changes) {
    run.changes.push_back(
        {.from_bytes = seen_bytes(change.below), .to_bytes = seen_bytes(change.above)});
  }
  return run;
}

DetectorRun looggp(std::span<const ModelSeries> series, SeriesKind kind) {
  DetectorRun run{.detector = "LoOgGP", .of = std::string(info_of(kind).name)};
  const ModelSeries* of = series_of_kind(series, kind);
  if (of == nullptr || of->points.empty()) {
    run.missing = "it looks at " + std::string(info_of(kind).words) + ", which was not measured";
    return run;
  }
  std::vector<double> sizes;
  std::vector<double> times;
  for (const SeriesPoint& point : of->points) {
    sizes.push_back(static_cast<double>(point.size_bytes));
    times.push_back(point.mean_ns);
  }
  run.sizes = sizes.size();
  for (const double candidate : stats::looggp_changes(sizes, times, {}).candidates) {
    run.changes.push_back(
        {.from_bytes = seen_bytes(candidate), .to_bytes = next_of(sizes, candidate)});
  }
  return run;
}

}  // namespace

std::vector<DetectorRun> detector_runs(std::span<const ModelSeries> series) {
  return {netgauge(series), plogp(series), looggp(series, SeriesKind::kSend),
          looggp(series, SeriesKind::kGap), looggp(series, SeriesKind::kRoundTrip)};
}

}  // namespace invar::analysis
