#include "clock/learn.hpp"
#include "clock/tree.hpp"

namespace invar::clock {
namespace {

constexpr Parameter kHca3Parameters[] = {
    {"fit-points", 1000, 2, 1e6, "offsets a pair that the line goes through (N_FITPTS)"},
    {"exchanges", 100, 1, 1e5, "ping-pongs an offset, by bounds at most (N_EXCHANGES)"},
    {"offset-by-bounds", 0, 0, 1, "1: offsets by SKaMPI's bounds instead of the median"},
    {"least-exchanges", 10, 1, 1e5, "by bounds: ping-pongs before a good one ends an offset",
     Values::kWhole, "offset-by-bounds"},
    {"recompute-intercept", 0, 0, 1, "1: the intercept by SKaMPI's method, not from the line"},
    {"intercept-exchanges", 100, 1, 1e6, "ping-pongs of an intercept", Values::kWhole,
     "recompute-intercept"},
    {"duration", 0, 0, 3600, "seconds to fill with at most fit-points points a pair; 0: all points",
     Values::kAny},
};
constexpr Parameter kH2hcaParameters[] = {
    {"fit-points", 500, 2, 1e6, "offsets a pair that the line goes through (N_FITPTS)"},
    {"exchanges", 100, 1, 1e5, "ping-pongs an offset, by bounds at most (N_EXCHANGES)"},
    {"offset-by-bounds", 1, 0, 1, "1: offsets by SKaMPI's bounds instead of the median"},
    {"least-exchanges", 10, 1, 1e5, "by bounds: ping-pongs before a good one ends an offset",
     Values::kWhole, "offset-by-bounds"},
    {"recompute-intercept", 0, 0, 1, "1: the intercept by SKaMPI's method, not from the line"},
    {"intercept-exchanges", 100, 1, 1e6, "ping-pongs of an intercept", Values::kWhole,
     "recompute-intercept"},
    {"duration", 0, 0, 3600, "seconds to fill with at most fit-points points a pair; 0: all points",
     Values::kAny},
};

// From the root down: a client learns from a reference that has global time already. The reference
// gives its model instead of global time stamps; by equation (1) that is the same line.
void run_hca3(Link& link, const Settings& settings, PerRank<Model>& models) {
  const Tree tree(link.ranks());
  const Learning learning = Learning::of(settings, 1.0 / std::max(1, tree.rounds()));
  tree.downwards(link, [&](const Pair& pair) {
    Model model = learn_model(link, pair, learning);
    if (settings.on("recompute-intercept")) {
      measure_intercept(link, pair, settings.count("intercept-exchanges"), model);
    }
    const Model reference = send(link, pair.reference, pair.client,
                                 link.holds(pair.reference) ? models[pair.reference] : Model{});
    if (link.holds(pair.client)) models[pair.client] = merge(model, reference);
  });
}

}  // namespace

const Algorithm kHca3{.name = "hca3",
                      .source = "Hunold, Carpen-Amarie, IEEE Cluster 2018",
                      .summary = "models in a tree from the root down, O(log p)",
                      .parameters = kHca3Parameters,
                      .between_leaders = false,
                      .run = run_hca3};
const Algorithm kH2hca{.name = "h2hca",
                       .source = "Hunold, Carpen-Amarie, IEEE Cluster 2018",
                       .summary = "hca3 between the leaders of hosts, whose ranks share the model",
                       .parameters = kH2hcaParameters,
                       .between_leaders = true,
                       .run = run_hca3};

}  // namespace invar::clock
