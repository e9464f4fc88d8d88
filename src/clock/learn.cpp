#include "clock/learn.hpp"

#include <algorithm>
#include <cmath>

namespace invar::clock {

Learning Learning::of(const Settings& settings, double share_of_duration) {
  return {.fit_points = settings.count("fit-points"),
          .exchanges = settings.count("exchanges"),
          .least_exchanges = settings.count("least-exchanges"),
          .offset = settings.on("offset-by-bounds") ? OffsetBy::kBounds : OffsetBy::kMedian,
          .duration_s = settings["duration"] * share_of_duration};
}

RoundTrip measure_round_trip(Link& link, const Pair& pair) {
  constexpr int kWarmUps = 10;
  constexpr int kRoundTrips = 100;
  std::vector<PingPong> series;
  link.exchange(pair, {.count = kWarmUps}, series);
  link.exchange(pair, {.count = kRoundTrips}, series);
  if (!link.holds(pair.client)) return {};
  std::int64_t smallest = series[0].round_trip_ps();
  for (const PingPong& p : series) smallest = std::min(smallest, p.round_trip_ps());
  return {mean_round_trip_ps(series), static_cast<double>(smallest)};
}

Offset measure_offset(Link& link, const Pair& pair, const Learning& learning,
                      const RoundTrip& round_trip) {
  std::vector<PingPong> series;
  Policy policy{.count = learning.exchanges};
  if (learning.offset == OffsetBy::kBounds) {
    policy.least = std::min(learning.least_exchanges, learning.exchanges);
    policy.good_enough_ps = 1.1 * round_trip.smallest_ps;
  }
  link.exchange(pair, policy, series);
  if (!link.holds(pair.client)) return {};
  return learning.offset == OffsetBy::kBounds ? bounded_offset(series)
                                              : median_offset(series, round_trip.mean_ps);
}

int points_in_time(const Learning& learning, double round_trip_ps) {
  if (learning.duration_s <= 0) return learning.fit_points;
  const double point_ps = std::max(round_trip_ps, 1.0) * learning.exchanges;
  return std::max(2, static_cast<int>(std::min<double>(learning.fit_points,
                                                       learning.duration_s * 1e12 / point_ps)));
}

Model learn_model(Link& link, const Pair& pair, const Learning& learning) {
  const bool client = link.holds(pair.client);
  const RoundTrip round_trip = measure_round_trip(link, pair);
  // Only now: a client whose reference is still busy with its own has waited until here.
  const std::int64_t begin_ps = client ? link.now_ps(pair.client) : 0;
  int points = client ? points_in_time(learning, round_trip.mean_ps) : 0;
  if (learning.duration_s > 0) {
    const int told = send(link, pair.client, pair.reference, points);
    if (!client) points = told;
  } else {
    points = learning.fit_points;
  }
  std::vector<Offset> offsets;
  for (int i = 0; i < points; ++i) {
    if (client && learning.duration_s > 0) {
      // The time base line decides the slope, not the number of points: these are spread over it.
      const double share = static_cast<double>(i) / points;
      link.wait_until(pair.client, begin_ps + std::llround(share * learning.duration_s * 1e12));
    }
    const Offset offset = measure_offset(link, pair, learning, round_trip);
    if (client) offsets.push_back(offset);
  }
  return client ? least_squares(offsets) : Model{};
}

void measure_intercept(Link& link, const Pair& pair, int exchanges, Model& model) {
  std::vector<PingPong> series;
  link.exchange(pair, {.count = exchanges}, series);
  if (!link.holds(pair.client)) return;
  const Offset offset = bounded_offset(series);
  model = {offset.at_ps, offset.offset_ps, model.skew};
}

}  // namespace invar::clock
