#include "analysis/network/network_import.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "stats/describe/moments.hpp"
#include "stats/describe/quantile.hpp"

namespace invar::analysis {
namespace {

constexpr double kNsPerS = 1e9;

// A call of any kind.
struct ImportedTime {
  std::uint64_t size_bytes = 0;
  double start_s = 0;
  double time_ns = 0;
};

std::vector<ImportedTime> imported(const std::vector<platform::CalibrationCall>& calls) {
  std::vector<ImportedTime> times;
  times.reserve(calls.size());
  for (const platform::CalibrationCall& call : calls) {
    times.push_back({.size_bytes = call.size_bytes,
                     .start_s = call.start_s,
                     .time_ns = call.duration_s * kNsPerS});
  }
  return times;
}

std::vector<ImportedTime> imported(
    const std::vector<platform::CalibrationExchange>& exchanges,
    double (*seconds)(const platform::CalibrationExchange& exchange)) {
  std::vector<ImportedTime> times;
  times.reserve(exchanges.size());
  for (const platform::CalibrationExchange& one : exchanges) {
    times.push_back(
        {.size_bytes = one.size_bytes, .start_s = one.start_s, .time_ns = seconds(one) * kNsPerS});
  }
  return times;
}

// Consecutive calls of a size, whose repetitions they are. None: shorter than reading the clock.
std::optional<SeriesObservation> visit_of(std::span<const ImportedTime> calls, double reading_ns) {
  std::vector<double> times_ns;
  for (const ImportedTime& call : calls) times_ns.push_back(call.time_ns - reading_ns);
  SeriesObservation visit{.size_bytes = calls.front().size_bytes,
                          .median_ns = stats::median(times_ns),
                          .mean_ns = stats::mean(times_ns),
                          .variance_ns2 = stats::variance(times_ns).value_or(0),
                          .repetitions = times_ns.size(),
                          .start_s = calls.front().start_s};
  if (!(visit.median_ns > 0)) return std::nullopt;
  std::ranges::sort(times_ns);
  for (const double time_ns : times_ns) {
    visit.ratios.push_back(static_cast<float>(time_ns / visit.median_ns));
  }
  return visit;
}

std::vector<SeriesObservation> visits_of(std::span<const ImportedTime> calls, double reading_ns) {
  std::vector<SeriesObservation> visits;
  for (std::size_t begin = 0; begin < calls.size();) {
    std::size_t end = begin + 1;
    while (end < calls.size() && calls[end].size_bytes == calls[begin].size_bytes) ++end;
    if (auto visit = visit_of(calls.subspan(begin, end - begin), reading_ns)) {
      visits.push_back(std::move(*visit));
    }
    begin = end;
  }
  return visits;
}

// Stretches of different files are different ones: nothing was measured at the same time.
class Stretches {
 public:
  void number(std::vector<SeriesObservation>& visits) {
    for (std::size_t i = 0; i < visits.size(); ++i) {
      visits[i].group = static_cast<std::uint32_t>(first_ + i * kStretches / visits.size());
    }
    first_ += kStretches;
  }

 private:
  std::size_t first_ = 1;
};

// The middle one of each run of kHeldOutOfImport sizes, ascending. Never the smallest or the
// largest size.
std::set<std::uint64_t> held_out_of(const std::vector<SeriesObservation>& visits) {
  std::set<std::uint64_t> sizes;
  for (const SeriesObservation& visit : visits) sizes.insert(visit.size_bytes);
  std::set<std::uint64_t> held_out;
  std::size_t at = 0;
  for (const std::uint64_t size : sizes) {
    const bool inner = at > 0 && at + 1 < sizes.size();
    if (inner && at % kHeldOutOfImport == kHeldOutOfImport / 2) held_out.insert(size);
    ++at;
  }
  return held_out;
}

void add_cost(const std::vector<ImportedTime>& calls, const std::string& operation,
              double reading_ns, NetworkData& data) {
  if (calls.empty()) return;
  DataCost cost{.operation = operation};
  for (std::size_t stretch = 0; stretch < kStretches; ++stretch) {
    std::vector<double> times_ns;
    for (std::size_t i = 0; i < calls.size(); ++i) {
      if (i * kStretches / calls.size() == stretch) {
        times_ns.push_back(calls[i].time_ns - reading_ns);
      }
    }
    if (times_ns.empty()) continue;
    const double median_ns = stats::median_in_place(times_ns);
    if (median_ns > 0) {
      cost.observations.push_back(
          {.group = static_cast<std::uint32_t>(stretch + 1), .median_ns = median_ns});
    }
  }
  data.costs.push_back(std::move(cost));
}

}  // namespace

NetworkData network_data(const platform::Calibration& calibration) {
  NetworkData data{.arm = calibration.prefix, .launches = false, .groups = kStretches};
  double reading_ns = 0;
  if (calibration.wtime_s) {
    reading_ns = *calibration.wtime_s * kNsPerS;
    data.reading_ns = reading_ns;
    data.costs.push_back(
        {.operation = "wtime", .observations = {{.group = 1, .median_ns = reading_ns}}});
  }
  Stretches stretches;
  const auto add = [&](SeriesKind kind, const std::vector<ImportedTime>& calls,
                       double intervals = 1) {
    std::vector<SeriesObservation> visits = visits_of(calls, intervals * reading_ns);
    if (visits.empty()) return;
    stretches.number(visits);
    data.series.push_back({.key = {.kind = kind}, .observations = std::move(visits)});
  };
  // Both calls were timed apart, each with a reading in its time.
  constexpr double kCallsOfExchange = 2;
  add(SeriesKind::kRoundTrip,
      imported(calibration.ping_pong,
               [](const platform::CalibrationExchange& exchange) {
                 return exchange.send_s + exchange.receive_s;
               }),
      kCallsOfExchange);
  add(SeriesKind::kSend,
      imported(calibration.ping_pong,
               [](const platform::CalibrationExchange& exchange) { return exchange.send_s; }));
  add(SeriesKind::kIsend, imported(calibration.isend));
  add(SeriesKind::kLateReceive, imported(calibration.receive));
  if (!data.series.empty()) data.held_out = held_out_of(data.series.front().observations);
  add_cost(imported(calibration.test), "test", reading_ns, data);
  add_cost(imported(calibration.iprobe), "iprobe", reading_ns, data);
  return data;
}

void take_breaks(const platform::Calibration& calibration, NetworkData& data,
                 ModelOptions& options) {
  for (const platform::CalibrationBreak& one : calibration.breaks) {
    // A break lies between the sizes up to it and those above.
    options.breaks_bytes.push_back(static_cast<double>(one.first_bytes) - 1);
    if (one.name == "Asynchronous") data.async_bytes = one.first_bytes;
    if (one.name == "Detached") data.detached_bytes = one.first_bytes;
  }
}

Network network_of_calibration(const std::string& folder) {
  const platform::Calibration calibration = platform::read_calibration(folder);
  NetworkData data = network_data(calibration);
  ModelOptions options;
  take_breaks(calibration, data, options);
  return network_of(data, options, "SimGrid's calibration " + calibration.prefix);
}

}  // namespace invar::analysis
