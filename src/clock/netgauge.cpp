#include "clock/algorithm.hpp"
#include "clock/tree.hpp"

namespace invar::clock {
namespace {

constexpr Parameter kNetgaugeParameters[] = {
    {"patience", 100, 1, 1e6, "round trips without a better one that end the series"},
    {"exchanges", 100000, 1, 1e7, "ping-pongs a pair, at most"},
};

// Offsets of the smallest round trip in a binomial tree, summed along it.
void run_netgauge(Link& link, const Settings& settings, PerRank<Model>& models) {
  const Policy policy{.count = settings.count("exchanges"),
                      .stop_after_worse = settings.count("patience")};
  const Tree tree(link.ranks());
  std::vector<PingPong> series;
  tree.upwards(link, [&](const Pair& pair) {
    link.exchange(pair, policy, series);
    if (!link.holds(pair.client)) return;
    const Offset offset = smallest_trip_offset(series);
    models[pair.client] = {offset.at_ps, offset.offset_ps, 0};
  });
  tree.compose(link, models);
}

}  // namespace

const Algorithm kNetgauge{
    .name = "netgauge",
    .source = "Hoefler, Schneider, Lumsdaine, IPDPS workshops 2008",
    .summary = "offsets of the smallest round trip, binomial tree, O(log p); no skew",
    .parameters = kNetgaugeParameters,
    .between_leaders = false,
    .run = run_netgauge};

}  // namespace invar::clock
