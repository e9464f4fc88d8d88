#include "clock/tracking.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

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

Epoch Tracker::next(const Measurement& measurement) const {
  Epoch epoch;
  epoch.measured = measurement;
  epoch.predicted = predict(measurement.at_ps);
  const ClockState& p = epoch.predicted;
  epoch.innovation_ps = static_cast<double>(measurement.offset_ps - p.model.offset_ps);
  const double total = p.offset_variance_ps2 + std::max(measurement.variance_ps2, 1.0);
  epoch.innovation_sigma_ps = std::sqrt(total);
  epoch.accepted =
      rules_.gate <= 0 || std::abs(epoch.innovation_ps) <= rules_.gate * epoch.innovation_sigma_ps;
  epoch.filtered = p;
  ClockState& f = epoch.filtered;
  if (epoch.accepted) {
    const double offset_gain = p.offset_variance_ps2 / total;
    const double skew_gain = p.covariance_ps / total;
    f.model.offset_ps += std::llround(offset_gain * epoch.innovation_ps);
    f.model.skew += skew_gain * epoch.innovation_ps;
    f.offset_variance_ps2 -= offset_gain * p.offset_variance_ps2;
    f.covariance_ps -= offset_gain * p.covariance_ps;
    f.skew_variance -= skew_gain * p.covariance_ps;
  } else if (refused_ + 1 >= rules_.believe_after) {
    // So many in a row are no outliers: the offset starts anew from what was measured.
    epoch.accepted = true;
    f.model.offset_ps = measurement.offset_ps;
    f.covariance_ps = 0;
    f.offset_variance_ps2 = measurement.variance_ps2;
  }
  return epoch;
}

bool Tracker::update(const Measurement& measurement) {
  if (epochs_.empty()) throw std::logic_error("a tracker needs a first synchronisation");
  if (measurement.at_ps < state().model.at_ps) {
    throw std::invalid_argument("clock measurements must come in the order of time");
  }
  epochs_.push_back(next(measurement));
  refused_ = epochs_.back().accepted ? 0 : refused_ + 1;
  const bool accepted = epochs_.back().accepted;
  if (rules_.fit_wander && rules_.wander > 0 && epochs_.size() >= choose_at_) choose_wander();
  return accepted;
}

// The wander under which the measurements so far are most likely, from a grid of factors of 2
// around a start value that is a guess about oscillators; then all epochs again with it. At 6, 9,
// 13, ... epochs, so that the cost stays linear.
void Tracker::choose_wander() {
  choose_at_ = epochs_.size() * 3 / 2;
  double best = std::numeric_limits<double>::infinity();
  Tracker best_tracker = *this;
  constexpr int kCandidates = 11;
  for (int doublings = 0; doublings < kCandidates; ++doublings) {
    const double wander = std::ldexp(1e-10, doublings);
    TrackingRules rules = rules_;
    rules.wander = wander;
    rules.fit_wander = false;
    Tracker tracker(epochs_.front().filtered, rules);
    double cost = 0;  // -2 log likelihood; an outlier counts as one at the gate
    for (std::size_t i = 1; i < epochs_.size(); ++i) {
      tracker.update(epochs_[i].measured);
      const Epoch& epoch = tracker.epochs_.back();
      const double sigmas = std::abs(epoch.innovation_ps) / epoch.innovation_sigma_ps;
      const double capped = rules.gate > 0 ? std::min(sigmas, rules.gate) : sigmas;
      cost += capped * capped + 2 * std::log(epoch.innovation_sigma_ps);
    }
    if (cost < best) {
      best = cost;
      best_tracker = std::move(tracker);
    }
  }
  best_tracker.rules_.fit_wander = true;
  best_tracker.choose_at_ = choose_at_;
  *this = std::move(best_tracker);
}

SmoothedClock::SmoothedClock(std::span<const Epoch> epochs, const TrackingRules& rules)
    : rules_(rules) {
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
  const double constant = rules_.constant_sigma_ps * rules_.constant_sigma_ps;
  if (after->model.at_ps == local_ps) {
    return Reading{local_ps - after->model.offset_ps,
                   std::sqrt(std::max(0.0, after->offset_variance_ps2) + constant)};
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
  const double free =
      rules_.wander * kPsPerS * std::sqrt(h_s * h_s * h_s * s * s * s * r * r * r / 3);
  return Reading{local_ps - left.model.offset_ps - std::llround(correction),
                 std::sqrt(ends * ends + free * free + constant)};
}

}  // namespace invar::clock
