#include "clock/tracking.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace invar::clock {
namespace {

constexpr double kPsPerS = 1e12;

double seconds(std::int64_t span_ps) { return static_cast<double>(span_ps) / kPsPerS; }

// The state some time later; `wander`: see TrackingRules. Offsets in ps, so a skew of 1 is 1e12
// ps/s.
ClockState later(const ClockState& from, std::int64_t local_ps, double wander) {
  const auto span_ps = static_cast<double>(local_ps - from.model.at_ps);
  const double span_s = std::abs(span_ps) / kPsPerS;
  const double q = wander * wander;  // per second
  ClockState to = from;
  to.model = from.model.moved_to(local_ps);
  to.offset_variance_ps2 = from.offset_variance_ps2 + 2 * span_ps * from.covariance_ps +
                           span_ps * span_ps * (from.skew_variance + q * span_s / 3);
  to.covariance_ps = from.covariance_ps + span_ps * (from.skew_variance + q * span_s / 2);
  to.skew_variance = from.skew_variance + q * span_s;
  return to;
}

}  // namespace

double ClockState::sigma_ps(std::int64_t local_ps) const {
  return std::sqrt(std::max(0.0, later(*this, local_ps, 0).offset_variance_ps2));
}

Tracker::Tracker(const ClockState& start, const TrackingRules& rules) : rules_(rules) {
  epochs_.push_back({.predicted = start, .filtered = start});
}

ClockState Tracker::predict(std::int64_t local_ps) const {
  return later(state(), local_ps, rules_.wander);
}

bool Tracker::update(std::int64_t local_ps, std::int64_t offset_ps, double variance_ps2) {
  if (epochs_.empty()) throw std::logic_error("a tracker needs a first synchronisation");
  if (local_ps < state().model.at_ps) {
    throw std::invalid_argument("clock measurements must come in the order of time");
  }
  Epoch epoch;
  epoch.predicted = predict(local_ps);
  const ClockState& p = epoch.predicted;
  epoch.innovation_ps = static_cast<double>(offset_ps - p.model.offset_ps);
  const double total = p.offset_variance_ps2 + std::max(variance_ps2, 1.0);
  epoch.innovation_sigma_ps = std::sqrt(total);
  epoch.accepted =
      rules_.gate <= 0 || std::abs(epoch.innovation_ps) <= rules_.gate * epoch.innovation_sigma_ps;
  double offset_gain = p.offset_variance_ps2 / total;
  double skew_gain = p.covariance_ps / total;
  epoch.filtered = p;
  if (!epoch.accepted && ++refused_ < rules_.believe_after) {
    offset_gain = skew_gain = 0;
  } else if (!epoch.accepted) {
    // So many in a row are no outliers: the offset starts anew, with what the jump leaves open.
    epoch.accepted = true;
    offset_gain = 1;
    skew_gain = 0;
    refused_ = 0;
    epoch.filtered.covariance_ps = 0;
    epoch.filtered.offset_variance_ps2 = variance_ps2;
  } else {
    refused_ = 0;
    epoch.filtered.offset_variance_ps2 = (1 - offset_gain) * p.offset_variance_ps2;
    epoch.filtered.covariance_ps = (1 - offset_gain) * p.covariance_ps;
    epoch.filtered.skew_variance = p.skew_variance - skew_gain * p.covariance_ps;
  }
  epoch.filtered.model.offset_ps += std::llround(offset_gain * epoch.innovation_ps);
  epoch.filtered.model.skew += skew_gain * epoch.innovation_ps;
  const bool accepted = epoch.accepted;
  epochs_.push_back(epoch);
  return accepted;
}

SmoothedClock::SmoothedClock(std::span<const Epoch> epochs, const TrackingRules& rules)
    : wander_(rules.wander) {
  for (const Epoch& epoch : epochs) states_.push_back(epoch.filtered);
  for (std::size_t k = states_.size(); k-- > 1;) {
    // x_{k-1} += C (x_k smoothed - x_k predicted), P_{k-1} += C (P_k smoothed - P_k predicted) C'
    // with C = P_{k-1} F' inverse(P_k predicted), F = (1 h; 0 1).
    const ClockState& next = states_[k];
    const ClockState& predicted = epochs[k].predicted;
    ClockState& state = states_[k - 1];
    const auto h = static_cast<double>(next.model.at_ps - state.model.at_ps);
    const double a = predicted.offset_variance_ps2;
    const double b = predicted.covariance_ps;
    const double d = predicted.skew_variance;
    const double determinant = a * d - b * b;
    if (!(determinant > 0)) continue;
    const double f00 = state.offset_variance_ps2 + h * state.covariance_ps;
    const double f01 = state.covariance_ps;
    const double f10 = state.covariance_ps + h * state.skew_variance;
    const double f11 = state.skew_variance;
    const double c00 = (f00 * d - f01 * b) / determinant;
    const double c01 = (f01 * a - f00 * b) / determinant;
    const double c10 = (f10 * d - f11 * b) / determinant;
    const double c11 = (f11 * a - f10 * b) / determinant;
    const auto offset = static_cast<double>(next.model.offset_ps - predicted.model.offset_ps);
    const double skew = next.model.skew - predicted.model.skew;
    state.model.offset_ps += std::llround(c00 * offset + c01 * skew);
    state.model.skew += c10 * offset + c11 * skew;
    const double da = next.offset_variance_ps2 - a;
    const double db = next.covariance_ps - b;
    const double dd = next.skew_variance - d;
    state.offset_variance_ps2 += c00 * (c00 * da + c01 * db) + c01 * (c00 * db + c01 * dd);
    state.covariance_ps += c10 * (c00 * da + c01 * db) + c11 * (c00 * db + c01 * dd);
    state.skew_variance += c10 * (c10 * da + c11 * db) + c11 * (c10 * db + c11 * dd);
  }
}

std::optional<SmoothedClock::Reading> SmoothedClock::at(std::int64_t local_ps) const {
  if (states_.empty() || local_ps < states_.front().model.at_ps ||
      local_ps > states_.back().model.at_ps) {
    return std::nullopt;
  }
  const auto after = std::lower_bound(
      states_.begin(), states_.end(), local_ps,
      [](const ClockState& state, std::int64_t t) { return state.model.at_ps < t; });
  if (after->model.at_ps == local_ps) {
    return Reading{local_ps - after->model.offset_ps,
                   std::sqrt(std::max(0.0, after->offset_variance_ps2))};
  }
  const ClockState& left = *std::prev(after);
  const ClockState& right = *after;
  const auto h = static_cast<double>(right.model.at_ps - left.model.at_ps);
  const double s = static_cast<double>(local_ps - left.model.at_ps) / h;
  const double r = 1 - s;
  // Hermite's cubic through both ends and their skews.
  const double from_right = s * s * (3 - 2 * s);
  const auto rise = static_cast<double>(right.model.offset_ps - left.model.offset_ps);
  const double correction =
      from_right * rise + h * s * r * (r * left.model.skew - s * right.model.skew);
  // The ends' errors belong together: their standard deviations add up at worst. Between them the
  // walk itself is free: q h^3 s^3 r^3 / 3.
  const auto end_sigma = [](const ClockState& state, double offset, double skew) {
    return std::sqrt(std::max(0.0, offset * offset * state.offset_variance_ps2 +
                                       2 * offset * skew * state.covariance_ps +
                                       skew * skew * state.skew_variance));
  };
  const double ends =
      end_sigma(left, 1 - from_right, h * s * r * r) + end_sigma(right, from_right, -h * s * s * r);
  const double h_s = seconds(right.model.at_ps - left.model.at_ps);
  const double free = wander_ * kPsPerS * std::sqrt(h_s * h_s * h_s * s * s * s * r * r * r / 3);
  return Reading{local_ps - left.model.offset_ps - std::llround(correction),
                 std::sqrt(ends * ends + free * free)};
}

}  // namespace invar::clock
