#include "analysis/network/network_platform.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "stats/describe/quantile.hpp"
#include "stats/model/mixture.hpp"

namespace invar::analysis {
namespace {

constexpr std::size_t kMostNoiseParts = 3;
// A standard deviation of logarithms: finer parts would be the clock's steps.
constexpr double kLeastNoiseSd = 0.005;
// Fewer repetitions have no shape.
constexpr std::size_t kLeastForNoise = 50;

struct SelectorOf {
  std::string_view words = {};  // in the library's own name
  std::string_view selector = {};
};
// The first that fits: MVAPICH and Intel MPI are made from MPICH, and say so.
constexpr std::array kSelectors{SelectorOf{.words = "Open MPI", .selector = "ompi"},
                                SelectorOf{.words = "Open RTE", .selector = "ompi"},
                                SelectorOf{.words = "MVAPICH", .selector = "mvapich2"},
                                SelectorOf{.words = "Intel(R) MPI", .selector = "impi"},
                                SelectorOf{.words = "MPICH", .selector = "mpich"}};

// A repetition that is so much longer than its visit's median was interrupted: so many robust
// standard deviations of its piece's, and such a factor.
constexpr double kFarSpreads = 5;
constexpr double kFarFactor = 3;

// The least ratio to the visit's median of what was interrupted, of sizes in the piece.
double far_ratio(const DataSeries& observed, const ByteRange& sizes) {
  std::vector<double> logs;
  for (const SeriesObservation& one : observed.observations) {
    if (!sizes.contains(one.size_bytes)) continue;
    for (const float ratio : one.ratios) {
      if (ratio > 0) logs.push_back(std::log(static_cast<double>(ratio)));
    }
  }
  if (logs.empty()) return kFarFactor;
  const double middle = stats::median_in_place(logs);
  for (double& one : logs) one = std::abs(one - middle);
  const double spread = stats::kSdOfMad * stats::median_in_place(logs);
  return std::max(kFarFactor, std::exp(middle + kFarSpreads * spread));
}

// All sizes together: what interrupts does not know what it interrupts. Messages are shares of what
// was timed: a half of a round trip that was interrupted.
platform::Interruptions interruptions_of(const DataSeries* observed, const ModelSeries& series) {
  if (observed == nullptr) return {};
  std::size_t all = 0;
  std::size_t interrupted = 0;
  double longer_ns = 0;
  for (const ModelPiece& piece : series.pieces) {
    const double far = far_ratio(*observed, piece.sizes);
    for (const SeriesObservation& one : observed->observations) {
      if (!piece.sizes.contains(one.size_bytes)) continue;
      all += one.ratios.size();
      for (const float value : one.ratios) {
        const auto ratio = static_cast<double>(value);
        if (ratio <= far) continue;
        ++interrupted;
        longer_ns += (ratio - 1) * one.median_ns;
      }
    }
  }
  if (interrupted == 0 || all < kLeastForNoise) return {};
  const auto count = static_cast<double>(interrupted);
  return {.share = info_of(series.key.kind).share * count / static_cast<double>(all),
          .duration_ns = longer_ns / count};
}

// Logarithms of repetitions over the line, of sizes in the piece; none that was interrupted.
std::vector<double> logs_around(const DataSeries& observed, const ModelSeries& series,
                                const ByteRange& sizes) {
  std::vector<double> logs;
  const double share = info_of(series.key.kind).share;
  const double far = far_ratio(observed, sizes);
  for (const SeriesObservation& one : observed.observations) {
    if (!sizes.contains(one.size_bytes)) continue;
    const double line_ns = *series.predicted_ns(one.size_bytes);
    if (!(line_ns > 0)) continue;
    const double visit = one.median_ns * share / line_ns;
    for (const float ratio : one.ratios) {
      if (ratio > 0 && static_cast<double>(ratio) <= far) {
        logs.push_back(std::log(visit * static_cast<double>(ratio)));
      }
    }
  }
  return logs;
}

std::vector<platform::NoisePart> noise_of(const DataSeries* observed, const ModelSeries& series,
                                          const ByteRange& sizes) {
  std::vector<platform::NoisePart> parts;
  if (observed == nullptr) return parts;
  const std::vector<double> logs = logs_around(*observed, series, sizes);
  if (logs.size() < kLeastForNoise) return parts;
  for (const stats::MixtureComponent& one :
       stats::best_mixture(logs, kMostNoiseParts, kLeastNoiseSd).components) {
    parts.push_back({.share = one.share, .factor = std::exp(one.mean), .log_sd = one.sd});
  }
  return parts;
}

class PlatformMaker {
 public:
  PlatformMaker(const NetworkModel& model, const NetworkData& data, const PlatformAsked& asked)
      : model_(model), data_(data), asked_(asked) {}

  platform::PlatformModel make() {
    platform::PlatformModel made;
    made.half_round_trip = lines(SeriesKind::kRoundTrip, nullptr);
    made.send = lines(SeriesKind::kSend, &model_.detached);
    made.isend = lines(SeriesKind::kIsend, nullptr);
    made.receive = lines(SeriesKind::kLateReceive, &model_.async);
    faults_.throw_if_any();
    if (asked_.noise) {
      const ModelSeries& series = *model_.find(SeriesKind::kRoundTrip);
      made.interruptions = interruptions_of(data_.find(series.key), series);
    }
    made.detached_bytes = bytes_of(model_.detached);
    made.async_bytes = bytes_of(model_.async);
    made.latency_ns = latency_ns();
    made.pair_bandwidth_gb_s = pair_bandwidth_gb_s();
    if (model_.shared.most_gb_s) made.shared_bandwidth_gb_s = model_.shared.most_gb_s->value;
    made.pairs_are =
        model_.inside_host ? platform::PairsAre::kInsideHost : platform::PairsAre::kBetweenHosts;
    made.wtime_ns = cost("wtime");
    made.test_ns = cost("test");
    made.iprobe_ns = cost("iprobe");
    made.selector = asked_.selector;
    platform::check_model(made, model_.arm);
    return made;
  }

 private:
  // `up_to`: pieces that begin beyond it are none of these. What is not measured is a fault.
  std::vector<platform::Line> lines(SeriesKind kind, const Threshold* up_to) {
    const SeriesInfo& info = info_of(kind);
    const ModelSeries* series = model_.find(kind);
    if (series == nullptr || series->pieces.empty()) {
      faults_.add(model_.arm.empty() ? "network" : model_.arm,
                  std::string(info.words) + " was not measured, and a simulator needs it",
                  "invar network ARM measures it (operation = \"" + std::string(info.operation) +
                      "\"): it " + std::string(info.use));
      return {};
    }
    std::vector<platform::Line> made;
    for (std::size_t i = 0; i < series->pieces.size(); ++i) {
      const ModelPiece& piece = series->pieces[i];
      if (up_to != nullptr && up_to->beyond(piece.sizes.from_bytes)) break;
      platform::Line line{.from_bytes = i == 0 ? 0 : behind_bytes(*series, i - 1),
                          .intercept_ns = piece.intercept_ns.value,
                          .slope_ns = piece.slope_ns.value};
      if (asked_.noise) line.noise = noise_of(data_.find(series->key), *series, piece.sizes);
      made.push_back(std::move(line));
    }
    // A series without a size: nothing that a simulator asks for.
    if (made.empty()) made.emplace_back();
    return made;
  }

  // What the analyst wrote, who knows better than the sizes that happened to be measured.
  static double behind_bytes(const ModelSeries& series, std::size_t at) {
    const auto last_bytes = static_cast<double>(series.pieces[at].sizes.to_bytes);
    return at < series.breaks.size() ? series.breaks[at].written_bytes.value_or(last_bytes)
                                     : last_bytes;
  }

  static std::optional<std::uint64_t> bytes_of(const Threshold& threshold) {
    if (!threshold.known || !threshold.first_bytes) return std::nullopt;
    return threshold.last_bytes ? *threshold.last_bytes + 1 : 0;
  }

  [[nodiscard]] double latency_ns() const {
    for (const Parameter& one : model_.joint.parameters) {
      // PLogP's L is another number: half a round trip less g.
      const bool is_latency = one.model == "LogGP" && one.name == "L" &&
                              one.state == ParameterState::kIdentified && one.estimate;
      if (is_latency && one.estimate->value > 0) return one.estimate->value;
    }
    return model_.find(SeriesKind::kRoundTrip)->points.front().mean_ns;
  }

  [[nodiscard]] double pair_bandwidth_gb_s() const {
    double most = 0;
    for (const SeriesPoint& point : model_.find(SeriesKind::kRoundTrip)->points) {
      most = std::max(most, static_cast<double>(point.size_bytes) / point.mean_ns);
    }
    return most;
  }

  [[nodiscard]] std::optional<double> cost(std::string_view operation) const {
    const auto found = std::ranges::find(model_.costs, operation, &CallCost::operation);
    if (found == model_.costs.end()) return std::nullopt;
    return found->time_ns.value;
  }

  const NetworkModel& model_;
  const NetworkData& data_;
  const PlatformAsked& asked_;
  base::Faults faults_ = {};
};

}  // namespace

std::string selector_of(std::string_view library_version) {
  for (const SelectorOf& one : kSelectors) {
    if (library_version.find(one.words) != std::string_view::npos) {
      return std::string(one.selector);
    }
  }
  return {};
}

platform::PlatformModel platform_model(const NetworkModel& model, const NetworkData& data,
                                       const PlatformAsked& asked) {
  return PlatformMaker(model, data, asked).make();
}

}  // namespace invar::analysis
