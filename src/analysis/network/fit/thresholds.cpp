#include "analysis/network/fit/thresholds.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "stats/describe/quantile.hpp"
#include "stats/model/segmented.hpp"

namespace invar::analysis {
namespace {

constexpr double kWaits = 0.5;
// A line needs so many sizes.
constexpr std::size_t kLeastOfLine = 3;
// What is hidden is surely below 0 where it is by so many standard deviations, and by so much of
// the transfer.
constexpr double kSurely = 3;
constexpr double kOverlapShare = 0.05;

constexpr const char* kOverlaps =
    "late receives take longer than what half a round trip leaves beside o_s: the two ends of a "
    "message overlap, and nothing shows whether a receive contains a transfer";
constexpr const char* kNoLateness = "of no send to a late receiver it is known how late that was";
constexpr const char* kNoSizeOfAll =
    "no size whose send does not wait has a round trip, a send and a late receive";
constexpr const char* kNothingHidden =
    "late receives of all sizes take what half a round trip leaves beside o_s: they contain the "
    "transfer, or it takes nothing";

double weight_of(std::span<const GroupWeight> weights, std::uint32_t group) {
  const auto found = std::ranges::lower_bound(weights, group, {}, &GroupWeight::group);
  return found == weights.end() || found->group != group ? 0 : found->weight;
}

// Pairs of a value and how often it counts, above 0. There is at least one.
double weighted_median(std::vector<std::pair<double, double>> values) {
  std::ranges::sort(values);
  double whole = 0;
  for (const auto& [value, weight] : values) whole += weight;
  double below = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    below += values[i].second;
    if (2 * below > whole) return values[i].first;
    if (2 * below == whole && i + 1 < values.size()) {
      return (values[i].first + values[i + 1].first) / 2;
    }
  }
  return values.back().first;
}

struct HiddenFit {
  double squares = 0;
  double line_squares = 0;
};

// Weighted squares around a line, both of whose numbers are at least 0.
double squares_around_line(std::span<const HiddenTime> hidden) {
  std::vector<stats::WeightedPoint> points;
  for (const HiddenTime& one : hidden) {
    points.push_back({.x = static_cast<double>(one.size_bytes),
                      .y = one.hidden_ns,
                      .variance = one.variance_ns2});
  }
  return stats::fit_with_breaks(points, {}, {}).rss;
}

double squares_around_0(std::span<const HiddenTime> hidden) {
  double squares = 0;
  for (const HiddenTime& one : hidden) {
    squares += one.hidden_ns * one.hidden_ns / one.variance_ns2;
  }
  return squares;
}

// The mean of what is hidden, as a share of the transfer, is surely below 0.
bool surely_negative(std::span<const HiddenTime> hidden) {
  double weights = 0;
  double sum = 0;
  for (const HiddenTime& one : hidden) {
    const double variance = one.variance_ns2 / (one.transfer_ns * one.transfer_ns);
    weights += 1 / variance;
    sum += one.hidden_ns / one.transfer_ns / variance;
  }
  const double mean = sum / weights;
  return mean < -kOverlapShare && mean < -kSurely / std::sqrt(weights);
}

}  // namespace

std::vector<WaitingShare> waiting_shares(
    const DataSeries& to_late, std::span<const GroupWeight> weights,
    const std::function<std::optional<double>(std::uint64_t size_bytes)>& in_time_ns) {
  std::map<std::uint64_t, std::vector<std::pair<double, double>>> shares;  // share, weight
  for (const SeriesObservation& one : to_late.observations) {
    const double weight = weight_of(weights, one.group);
    if (!(one.lateness_ns > 0) || !(weight > 0)) continue;
    const double beyond_ns = one.median_ns - in_time_ns(one.size_bytes).value_or(0);
    shares[one.size_bytes].emplace_back(beyond_ns / one.lateness_ns, weight);
  }
  std::vector<WaitingShare> found;
  found.reserve(shares.size());
  for (auto& [size_bytes, values] : shares) {
    found.push_back({.size_bytes = size_bytes, .share = weighted_median(std::move(values))});
  }
  return found;
}

Threshold detached_threshold(std::span<const WaitingShare> shares,
                             std::vector<std::uint64_t>* wrong) {
  if (shares.empty()) return {.why = kNoLateness};
  Threshold found{.known = true};
  const auto waits = [&](std::size_t i) { return shares[i].share > kWaits; };
  std::size_t errors = 0;  // with all sizes above the division
  for (std::size_t i = 0; i < shares.size(); ++i) errors += waits(i) ? 0U : 1U;
  std::size_t best = 0;
  std::size_t fewest = errors;
  double widest = -std::numeric_limits<double>::infinity();
  for (std::size_t at = 0; at <= shares.size(); ++at) {
    if (at > 0) errors = waits(at - 1) ? errors + 1 : errors - 1;
    const double step = at > 0 && at < shares.size() ? shares[at].share - shares[at - 1].share : 0;
    if (errors < fewest || (errors == fewest && step > widest)) {
      best = at;
      fewest = errors;
      widest = step;
    }
  }
  if (best > 0) found.last_bytes = shares[best - 1].size_bytes;
  if (best < shares.size()) found.first_bytes = shares[best].size_bytes;
  if (wrong != nullptr) {
    for (std::size_t i = 0; i < shares.size(); ++i) {
      if (waits(i) != (i >= best)) wrong->push_back(shares[i].size_bytes);
    }
  }
  return found;
}

Threshold async_threshold(std::span<const HiddenTime> hidden, const Threshold& detached) {
  if (hidden.empty()) {
    return {.last_bytes = detached.last_bytes,
            .first_bytes = detached.first_bytes,
            .why = kNoSizeOfAll};
  }
  Threshold found{.first_bytes = detached.first_bytes, .known = true};
  const double log_count = std::log(static_cast<double>(hidden.size()));
  std::size_t best = 0;  // so many hide the transfer
  double least = squares_around_0(hidden);
  for (std::size_t count = kLeastOfLine; count <= hidden.size(); ++count) {
    const bool all = count == hidden.size();
    const double price = (all ? 2 : 3) * log_count;
    const double squares =
        squares_around_line(hidden.first(count)) + squares_around_0(hidden.subspan(count)) + price;
    if (squares >= least) continue;
    least = squares;
    best = count;
  }
  if (best == 0) {
    const bool overlaps = surely_negative(hidden);
    found.why = overlaps ? kOverlaps : kNothingHidden;
    // Where they overlap it is detached, below which nothing says that a receive contains it.
    if (overlaps) {
      found.last_bytes = hidden.back().size_bytes;
    } else {
      found.first_bytes = hidden.front().size_bytes;
    }
    return found;
  }
  found.last_bytes = hidden[best - 1].size_bytes;
  if (best < hidden.size()) found.first_bytes = hidden[best].size_bytes;
  return found;
}

Threshold not_beyond(const Threshold& async, const Threshold& detached) {
  if (!detached.known || !detached.first_bytes) return async;
  if (async.first_bytes && detached.last_bytes && *async.first_bytes < *detached.last_bytes) {
    return async;
  }
  Threshold made = detached;
  made.why = async.why;
  made.known = async.known;
  return made;
}

}  // namespace invar::analysis
