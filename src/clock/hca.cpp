#include "clock/learn.hpp"
#include "clock/tree.hpp"

namespace invar::clock {
namespace {

constexpr Parameter kHcaParameters[] = {
    {"fit-points", 1000, 2, 1e6, "offsets a pair that the line goes through (N_FITPTS)"},
    {"exchanges", 100, 1, 1e5, "ping-pongs an offset, by bounds at most (N_EXCHANGES)"},
    {"offset-by-bounds", 0, 0, 1, "1: offsets by SKaMPI's bounds instead of the median"},
    {"least-exchanges", 10, 1, 1e5, "by bounds: ping-pongs before a good one ends an offset",
     Values::kWhole, "offset-by-bounds"},
    {"recompute-intercept", 1, 0, 1, "1: the intercept by SKaMPI's method, not from the line"},
    {"intercept-exchanges", 100, 1, 1e6, "ping-pongs of an intercept", Values::kWhole,
     "recompute-intercept"},
    {"duration", 0, 0, 3600, "seconds to fill with at most fit-points points a pair; 0: all points",
     Values::kAny},
};

// Pairs learn their models in a tree from the leaves up; models are merged by equation (1).
void learn(Link& link, const Settings& settings, bool intercept_in_pairs, PerRank<Model>& models) {
  const Tree tree(link.ranks());
  const Learning learning = Learning::of(settings, 1.0 / std::max(1, tree.rounds()));
  tree.upwards(link, [&](const Pair& pair) {
    Model model = learn_model(link, pair, learning);
    if (intercept_in_pairs) {
      measure_intercept(link, pair, settings.count("intercept-exchanges"), model);
    }
    if (link.holds(pair.client)) models[pair.client] = model;
  });
  tree.compose(link, models);
}

void run_hca(Link& link, const Settings& settings, PerRank<Model>& models) {
  learn(link, settings, false, models);
  if (!settings.on("recompute-intercept")) return;
  for_each_client(link, [&](const Pair& pair) {
    Model model = link.holds(pair.client) ? models[pair.client] : Model{};
    measure_intercept(link, pair, settings.count("intercept-exchanges"), model);
    if (link.holds(pair.client)) models[pair.client] = model;
  });
}

void run_hca2(Link& link, const Settings& settings, PerRank<Model>& models) {
  learn(link, settings, settings.on("recompute-intercept"), models);
}

}  // namespace

const Algorithm kHca{
    .name = "hca",
    .source = "Hunold, Carpen-Amarie, EuroMPI 2015 (first approach)",
    .summary = "slopes in a tree, O(log p), then every intercept against rank 0, O(p)",
    .parameters = kHcaParameters,
    .between_leaders = false,
    .run = run_hca};
const Algorithm kHca2{.name = "hca2",
                      .source = "Hunold, Carpen-Amarie, EuroMPI 2015 (second approach)",
                      .summary = "slopes and intercepts in a tree from the leaves up, O(log p)",
                      .parameters = kHcaParameters,
                      .between_leaders = false,
                      .run = run_hca2};

}  // namespace invar::clock
