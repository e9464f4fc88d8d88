#include <cmath>

#include "clock/learn.hpp"

namespace invar::clock {
namespace {

constexpr Parameter kJkParameters[] = {
    {"fit-points", 1000, 2, 1e6, "offsets a rank that the line goes through (N_FITPTS)"},
    {"exchanges", 100, 1, 1e5, "ping-pongs an offset, by bounds at most (N_EXCHANGES)"},
    {"offset-by-bounds", 0, 0, 1, "1: offsets by SKaMPI's bounds instead of the median"},
    {"least-exchanges", 10, 1, 1e5, "by bounds: ping-pongs before a good one ends an offset",
     Values::kWhole, "offset-by-bounds"},
    {"duration", 0, 0, 3600, "seconds to fill with at most fit-points points; 0: all points",
     Values::kAny},
};

// Rank 0 with one rank after the other, again for every fit point: each has the whole time as base
// line.
void run_jk(Link& link, const Settings& settings, PerRank<Model>& models) {
  const Learning learning = Learning::of(settings, 1);
  PerRank<RoundTrip> round_trips(link);
  PerRank<double> means(link);
  for_each_client(link, [&](const Pair& pair) {
    const RoundTrip round_trip = measure_round_trip(link, pair);
    if (!link.holds(pair.client)) return;
    round_trips[pair.client] = round_trip;
    means[pair.client] = round_trip.mean_ps;
  });
  std::vector<double> sum(means.data(), means.data() + (link.last() - link.first()));
  link.reduce(Reduction::kSum, sum, 1);
  const int points = points_in_time(learning, sum[0]);
  PerRank<std::vector<Offset>> offsets(link);
  const std::int64_t begin_ps = link.holds(0) ? link.now_ps(0) : 0;
  for (int i = 0; i < points; ++i) {
    if (link.holds(0)) {
      const double share = static_cast<double>(i) / points;
      link.wait_until(0, begin_ps + std::llround(share * learning.duration_s * 1e12));
    }
    for_each_client(link, [&](const Pair& pair) {
      const RoundTrip round_trip = link.holds(pair.client) ? round_trips[pair.client] : RoundTrip{};
      const Offset offset = measure_offset(link, pair, learning, round_trip);
      if (link.holds(pair.client)) offsets[pair.client].push_back(offset);
    });
  }
  for (int rank = std::max(1, link.first()); rank < link.last(); ++rank) {
    models[rank] = least_squares(offsets[rank]);
  }
}

}  // namespace

const Algorithm kJk{.name = "jk",
                    .source = "Jones, Koenig, Concurrency and Computation 25(6), 2012",
                    .summary = "lines through median offsets, rank 0 with each in turn, O(p)",
                    .parameters = kJkParameters,
                    .between_leaders = false,
                    .run = run_jk,
                    .one_after_the_other = true};

}  // namespace invar::clock
