// How two ranks learn a clock model: the steps that jk and the HCA family share.
#pragma once

#include "clock/algorithm.hpp"

namespace invar::clock {

// An offset from one series of ping-pongs.
enum class OffsetBy { kMedian, kBounds };  // Jones and Koenig's, SKaMPI's

struct Learning {
  int fit_points = 1000;
  int exchanges = 100;
  // By bounds a series ends at its first good round trip (SKaMPI's early stop) after so many.
  int least_exchanges = 10;
  OffsetBy offset = OffsetBy::kMedian;
  double duration_s = 0;  // above 0: as many points as fill it, spread over it, at most fit_points
  // Settings of that name, where the algorithm has them.
  static Learning of(const Settings& settings, double share_of_duration);
};

// 10 warm-ups and 100 round trips (paper 002, algorithm 3), at the client; 0 elsewhere.
struct RoundTrip {
  double mean_ps = 0;
  double smallest_ps = 0;
};
RoundTrip measure_round_trip(Link& link, const Pair& pair);
// One fit point. The result is the client's; elsewhere a default one.
Offset measure_offset(Link& link, const Pair& pair, const Learning& learning,
                      const RoundTrip& round_trip);
// How many points fit into the time, by the (sum of the) round trip(s) of one exchange.
int points_in_time(const Learning& learning, double round_trip_ps);
// The client's model against the reference (paper 002, algorithm 4); a default one elsewhere.
Model learn_model(Link& link, const Pair& pair, const Learning& learning);
// The model through an offset measured now by SKaMPI's method (Compute_And_Set_Intercept).
void measure_intercept(Link& link, const Pair& pair, int exchanges, Model& model);

}  // namespace invar::clock
