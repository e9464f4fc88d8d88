// A leader's clock against the reference over time: a Kalman filter forwards while measuring,
// a smoother backwards afterwards, and interpolation of recorded ticks.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "clock/model.hpp"

namespace invar::clock {

// A model with the variance of its two numbers at model.at_ps.
struct ClockState {
  Model model = {};
  double offset_variance_ps2 = 0;
  double covariance_ps = 0;  // of offset (ps) and skew
  double skew_variance = 0;

  // Standard deviation of the reference time that the model gives at a local time, in ps.
  [[nodiscard]] double sigma_ps(std::int64_t local_ps) const;
};

// A normal error stays within so many standard deviations in 95 % of all cases.
inline constexpr double kHalfWidthSigmas = 1.959964;

// A clock with what is known of its error, some time after a synchronisation.
struct StatedClock {
  ClockState state = {};
  double wander = 0;             // as in TrackingRules
  double constant_sigma_ps = 0;  // as in TrackingRules

  // Standard deviation of the reference time that state.model gives at a local time, in ps: of the
  // state, of the walk since, and of what no measurement shows.
  [[nodiscard]] double sigma_ps(std::int64_t local_ps) const;
  // Half the length of the interval around that time, in ps, that should hold the truth in 95 %.
  [[nodiscard]] double half_width_ps(std::int64_t local_ps) const {
    return kHalfWidthSigmas * sigma_ps(local_ps);
  }
};

struct TrackingRules {
  double wander = 1e-9;          // random walk of the skew: standard deviation after one second
  double gate = 4;               // sigmas; 0: none
  int believe_after = 3;         // so many refused in a row are believed: the clock itself changed
  double constant_sigma_ps = 0;  // of an error that no measurement shows: asymmetric paths
  double noise = 1;              // of measurements' standard deviations, in what they say
  bool fit_wander = true;        // from the measurements, once there are enough
  bool fit_noise = true;         // the same
  // What each part is worth (docs/clocks.md):
  int looks = 0;       // 0: all; 1: the newest, with the first skew; 2: the line through two
  bool smooth = true;  // false: what was known at each epoch
  bool cubic = true;   // between two epochs; false: a line
};

// An offset (local - reference) at a local time.
struct Measurement {
  std::int64_t at_ps = 0;
  std::int64_t offset_ps = 0;
  double variance_ps2 = 0;
};

// One synchronisation of the tracking: what was predicted and what was made of it. The first epoch
// is the start, without a measurement.
struct Epoch {
  Measurement measured = {};
  ClockState predicted = {};
  ClockState filtered = {};
  double innovation_ps = 0;
  double innovation_sigma_ps = 0;
  bool accepted = true;
  bool restarted = false;  // after several refused ones the clock itself was taken to have jumped
  // As known when the innovation was judged (TrackingRules).
  double wander = 0;
  double noise = 1;
};

// Two states, offset and skew; the skew does a random walk (Galleani and Tavella, Metrologia 40,
// 2003, without white phase noise, which is in the measurements here).
class Tracker {
 public:
  Tracker() = default;
  Tracker(const ClockState& start, const TrackingRules& rules);

  [[nodiscard]] ClockState predict(std::int64_t local_ps) const;
  // Not before the last one, else std::invalid_argument. Returns if it passed the gate.
  bool update(const Measurement& measurement);

  [[nodiscard]] const ClockState& state() const { return epochs_.back().filtered; }
  // The same with what it says of its error.
  [[nodiscard]] StatedClock stated() const {
    return {state(), rules_.wander, rules_.constant_sigma_ps};
  }
  [[nodiscard]] std::span<const Epoch> epochs() const { return epochs_; }
  [[nodiscard]] const TrackingRules& rules() const { return rules_; }

 private:
  TrackingRules rules_ = {};
  Epoch next(const Measurement& measurement) const;
  void restart(Epoch& epoch) const;
  void fit();
  double replay(std::span<const Epoch> epochs);
  std::vector<Epoch> epochs_ = {};
  int refused_ = 0;
  std::size_t fit_at_ = 6;
  double guessed_wander_ = 0;
};

// All epochs seen together (Rauch, Tung and Striebel 1965), and between two epochs the expected
// path of an integrated random walk with known ends, a cubic. Never extrapolates: a tick before the
// first or after the last epoch has no time.
class SmoothedClock {
 public:
  SmoothedClock(std::span<const Epoch> epochs, const TrackingRules& rules);

  struct Reading {
    std::int64_t reference_ps = 0;
    double sigma_ps = 0;
  };
  [[nodiscard]] std::optional<Reading> at(std::int64_t local_ps) const;
  [[nodiscard]] std::span<const ClockState> states() const { return states_; }

 private:
  // All refused epochs up to `last`: the clock jumped somewhere among them.
  void mark_jump(std::span<const Epoch> epochs, std::size_t last);

  std::vector<ClockState> states_;
  std::vector<double> jumps_ps_;  // somewhere between a state and the one before it
  TrackingRules rules_;
};

}  // namespace invar::clock
