#include "clock/mesh/tracking.hpp"
#include "base/units.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

namespace invar::clock {
namespace {

using base::kPsPerS;

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

double StatedClock::sigma_ps(std::int64_t local_ps) const {
  const double variance_ps2 = later(state, local_ps, wander).offset_variance_ps2;
  return std::sqrt(std::max(0.0, variance_ps2) + constant_sigma_ps * constant_sigma_ps);
}

Tracker::Tracker(const ClockState& start, const TrackingRules& rules)
    : rules_(rules), guessed_wander_(rules.wander) {
  epochs_.push_back(
      {.predicted = start, .filtered = start, .wander = rules.wander, .noise = rules.noise});
}

ClockState Tracker::predict(std::int64_t local_ps) const {
  return later(state(), local_ps, rules_.wander);
}

Epoch Tracker::next(const Measurement& measurement) const {
  Epoch epoch;
  epoch.measured = measurement;
  epoch.predicted = predict(measurement.at_ps);
  epoch.wander = rules_.wander;
  epoch.noise = rules_.noise;
  const ClockState& p = epoch.predicted;
  epoch.innovation_ps = static_cast<double>(measurement.offset_ps - p.model.offset_ps);
  if (rules_.looks > 0) {
    restart(epoch);
    return epoch;
  }
  const double variance = std::max(rules_.noise * rules_.noise * measurement.variance_ps2, 1.0);
  const double total = p.offset_variance_ps2 + variance;
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
    epoch.accepted = epoch.restarted = true;
    f.model.offset_ps = measurement.offset_ps;
    f.covariance_ps = 0;
    f.offset_variance_ps2 = variance;
  }
  return epoch;
}

// Without a filter.
void Tracker::restart(Epoch& epoch) const {
  const Measurement& now = epoch.measured;
  const Model& last = state().model;
  epoch.filtered = {.model = {now.at_ps, now.offset_ps, last.skew},
                    .offset_variance_ps2 = now.variance_ps2};
  if (rules_.looks > 1 && now.at_ps > last.at_ps) {
    epoch.filtered.model.skew = static_cast<double>(now.offset_ps - last.offset_ps) /
                                static_cast<double>(now.at_ps - last.at_ps);
  }
}

bool Tracker::update(const Measurement& measurement) {
  if (epochs_.empty()) throw std::logic_error("a tracker needs a first synchronisation");
  if (measurement.at_ps < state().model.at_ps) {
    throw std::invalid_argument("clock measurements must come in the order of time");
  }
  epochs_.push_back(next(measurement));
  const bool accepted = epochs_.back().accepted;
  refused_ = accepted ? 0 : refused_ + 1;
  if (rules_.looks == 0 && rules_.wander > 0 && (rules_.fit_wander || rules_.fit_noise)) {
    // While little is known of the clock, a refused look may as well say that it wanders more.
    constexpr std::size_t kLittle = 3;
    constexpr std::size_t kMuch = 30;
    const std::size_t count = epochs_.size();
    if (count >= fit_at_ || (!accepted && count >= kLittle && count < kMuch)) fit();
  }
  return epochs_.back().accepted;
}

// The wander and the noise, their variances expected after the measurements so far, over a grid;
// then all epochs again with them. What is known before: log-normal around the guesses, with a
// factor of 4 for the wander and of 16 for the noise as standard deviations. Expected, not most
// probable ones: a handful of epochs cannot tell much, and what is taken for too small makes the
// gate refuse what is right. At 6, 9, 13, ... epochs, so that the cost stays linear.
void Tracker::fit() {
  constexpr int kWanders = 11;  // 1e-10 times powers of 2
  constexpr int kNoises = 9;    // 4 times powers of 1/4
  constexpr double kWanderOctaves = 2;
  constexpr double kNoiseOctaves = 4;
  struct Candidate {
    double wander, noise, cost;  // -2 log probability
  };
  fit_at_ = epochs_.size() * 3 / 2;
  const auto square = [](double x) { return x * x; };
  TrackingRules rules = rules_;
  rules.fit_wander = rules.fit_noise = false;
  std::vector<Candidate> candidates;
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < (rules_.fit_wander ? kWanders : 1); ++i) {
    for (int j = 0; j < (rules_.fit_noise ? kNoises : 1); ++j) {
      if (rules_.fit_wander) rules.wander = std::ldexp(1e-10, i);
      if (rules_.fit_noise) rules.noise = std::ldexp(4.0, -2 * j);
      const double cost = Tracker(epochs_.front().filtered, rules).replay(epochs_) +
                          square(std::log2(rules.wander / guessed_wander_) / kWanderOctaves) +
                          square(std::log2(rules.noise) / kNoiseOctaves);
      candidates.push_back({rules.wander, rules.noise, cost});
      least = std::min(least, cost);
    }
  }
  double sum = 0;
  double wander = 0;
  double noise = 0;
  for (const Candidate& candidate : candidates) {
    const double weight = std::exp((least - candidate.cost) / 2);
    sum += weight;
    wander += weight * square(candidate.wander);
    noise += weight * square(candidate.noise);
  }
  rules.wander = std::sqrt(wander / sum);
  rules.noise = std::sqrt(noise / sum);
  Tracker again(epochs_.front().filtered, rules);
  again.replay(epochs_);
  again.rules_.fit_wander = rules_.fit_wander;
  again.rules_.fit_noise = rules_.fit_noise;
  again.fit_at_ = fit_at_;
  again.guessed_wander_ = guessed_wander_;
  *this = std::move(again);
}

// All measurements again; returns -2 log likelihood, in which an outlier counts as a look as noisy
// as would have brought it to the gate.
double Tracker::replay(std::span<const Epoch> epochs) {
  double cost = 0;
  for (const Epoch& before : epochs.subspan(1)) {
    update(before.measured);
    const Epoch& epoch = epochs_.back();
    const double off_ps = std::abs(epoch.innovation_ps);
    // As at the gate, whatever sigma: else candidates that refuse everything would be the best.
    const bool outlier = rules_.gate > 0 && off_ps > rules_.gate * epoch.innovation_sigma_ps;
    const double sigma_ps = outlier ? off_ps / rules_.gate : epoch.innovation_sigma_ps;
    cost += off_ps * off_ps / (sigma_ps * sigma_ps) + 2 * std::log(sigma_ps);
  }
  return cost;
}

SmoothedClock::SmoothedClock(std::span<const Epoch> epochs, const TrackingRules& rules)
    : rules_(rules) {
  states_.reserve(epochs.size());
  for (const Epoch& epoch : epochs) states_.push_back(epoch.filtered);
  // A clock that has jumped did so at some time after the last measurement that was accepted.
  jumps_ps_.resize(epochs.size(), 0);
  for (std::size_t k = 1; k < epochs.size(); ++k) {
    if (!epochs[k].restarted) continue;
    mark_jump(epochs, k);
  }
  // Nobody knows yet if refused looks at the end are outliers or the start of another time.
  if (epochs.size() > 1 && !epochs.back().accepted) mark_jump(epochs, epochs.size() - 1);
  if (!rules_.smooth || rules_.looks > 0) return;
  for (std::size_t k = states_.size(); k-- > 1;) {
    // What comes after a jump says nothing about what was before.
    if (epochs[k].restarted) continue;
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

void SmoothedClock::mark_jump(std::span<const Epoch> epochs, std::size_t last) {
  for (std::size_t i = last;; --i) {
    jumps_ps_[i] = std::abs(epochs[last].innovation_ps);
    if (i == 0 || epochs[i - 1].accepted) return;
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
  const double jump_ps = jumps_ps_[static_cast<std::size_t>(after - states_.begin())];
  const double constant = rules_.constant_sigma_ps * rules_.constant_sigma_ps + jump_ps * jump_ps;
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
      rules_.cubic ? from_right * rise + h * s * r * (r * left.model.skew - s * right.model.skew)
                   : s * rise;
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
