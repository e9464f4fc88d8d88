#include "clock/algorithm.hpp"

namespace invar::clock {
namespace {

constexpr Parameter kSkampiParameters[] = {
    {"exchanges", 100, 1, 1e6, "ping-pongs a pair, at most"},
    {"least-exchanges", 10, 1, 1e6, "ping-pongs before a good one may end the series",
     Values::kWhole, "good-enough-us"},
    {"good-enough-us", 0, 0, 1e6, "a round trip below it ends the series; 0: none does",
     Values::kAny},
};

// Rank 0 with one rank after the other; offsets only.
void run_skampi(Link& link, const Settings& settings, PerRank<Model>& models) {
  const Policy policy{.count = settings.count("exchanges"),
                      .least = settings.count("least-exchanges"),
                      .good_enough_ps = settings["good-enough-us"] * 1e6};
  std::vector<PingPong> series;
  for_each_client(link, [&](const Pair& pair) {
    link.exchange(pair, policy, series);
    if (!link.holds(pair.client)) return;
    const Offset offset = bounded_offset(series);
    models[pair.client] = {offset.at_ps, offset.offset_ps, 0};
  });
}

}  // namespace

const Algorithm kSkampi{.name = "skampi",
                        .source = "Worsch, Reussner, Augustin, Euro PVM/MPI 2002",
                        .summary = "offsets by causal bounds, rank 0 with each, O(p); no skew",
                        .parameters = kSkampiParameters,
                        .between_leaders = false,
                        .run = run_skampi,
                        .one_after_the_other = true};

}  // namespace invar::clock
