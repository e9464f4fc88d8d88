#include "clock/mesh/mesh.hpp"
#include "base/units.hpp"

#include <cmath>

namespace invar::clock {
namespace {

constexpr Parameter kMeshParameters[] = {
    {"duration", 0.5, 0, 3600, "seconds over which the bursts are spread", Values::kAny},
    {"burst", 20, 2, 1000, "ping-pongs a burst"},
    {"duty", 0.1, 0.001, 1, "share of the time that bursts take, at most", Values::kAny},
    {"cycles", 10, 1, 10000, "times that the graph is gone through, at least"},
    {"most-cycles", 0, 0, 10000, "the same, at most; 0: 640 bursts a rank, or 40 cycles"},
    {"matchings", 0, 0, 1000,
     "partners a rank; 0: as many as the duty allows, 2 ceil(log2 p) to 64"},
    {"sigma-ns", 12, 0.01, 1e6, "noise of a burst without excess", Values::kAny},
    {"scatter", 1, 0, 1, "matchings from all over the circle, not neighbouring ones"},
    {"spread", 1, 0, 1, "bursts spread over the time"},
    {"alternate", 1, 0, 1, "the initiator alternates"},
    {"noise", 1, 0, 1, "the noise of a burst without excess is estimated; sigma-ns is the least"},
    {"excess", 1, 0, 1, "weights by the excess of the causal bounds"},
    {"bias", 1, 0, 1, "paths have constant biases of unknown sign (asymmetry)"},
    {"asymmetry", 0.015, 0, 1,
     "of a path's shortest round trip, what its directions differ by, unless many paths tell it",
     Values::kAny},
    {"huber", 1, 0, 1, "Huber's weights for paths whose bias is large"},
    {"deskew", 1, 0, 1, "the skew is taken out of the bounds"},
    {"carry-floors",
     1,
     0,
     1,
     "tracking knows the paths' floors from the start",
     Values::kWhole,
     {},
     true},
    {"carry-biases",
     1,
     0,
     1,
     "tracking knows the paths' biases from the start",
     Values::kWhole,
     {},
     true},
    {"looks",
     0,
     0,
     2,
     "that tracking uses; 0: all (Kalman); 1: the newest, with the first skew; 2: the newest two",
     Values::kWhole,
     {},
     true},
    {"gate",
     4,
     0,
     1000,
     "sigmas from which tracking refuses a measurement; 0: none",
     Values::kAny,
     {},
     true},
    {"wander", 1e-9, 0, 1, "random walk of the skew, after one second", Values::kAny, {}, true},
    {"fit-wander", 1, 0, 1, "wander is only the first guess", Values::kWhole, {}, true},
    {"fit-noise", 1, 0, 1, "how noisy looks are is learned from them", Values::kWhole, {}, true},
    {"smooth", 1, 0, 1, "recorded ticks use looks before and after them", Values::kWhole, {}, true},
    {"cubic",
     1,
     0,
     1,
     "recorded ticks between two looks by a cubic, not a line",
     Values::kWhole,
     {},
     true},
};

using base::kPsPerS;

}  // namespace

Mesh::Mesh(Link& link, const Settings& settings)
    : link_(link), settings_(settings), schedule_(link.ranks(), 1, true), nodes_(link) {}

void Mesh::synchronise() {
  const double duration_s = settings_["duration"];
  find_rough_clocks();
  start_ps_ = link_.holds(0) ? link_.now_ps(0) : 0;
  link_.broadcast(0, &start_ps_, sizeof start_ps_);
  run_bursts(settings_.on("spread") ? duration_s : 0, cycles_);
  constexpr int kPasses = 7;
  if (schedule_.matchings() > 0) {
    solve(kPasses, false);
    find_variances(false);
  }
  for (int rank = link_.first(); rank < link_.last(); ++rank) {
    MeshNode& node = nodes_[rank];
    const double per_ps = 1 / (half_s_ * kPsPerS);
    const double growth = node.deviation.growth_ps * per_ps;
    const std::int64_t offset_ps = node.rough_ps + std::llround(node.deviation.offset_ps);
    ClockState state;
    state.model = {start_ps_ + std::llround(middle_s_ * kPsPerS) + offset_ps, offset_ps,
                   growth / (1 + growth)};
    state.offset_variance_ps2 = node.variance[0];
    state.covariance_ps = node.variance[1] * per_ps;
    state.skew_variance = node.variance[2] * per_ps * per_ps;
    node.tracker = Tracker(state, {.wander = rank == 0 ? 0 : settings_["wander"],
                                   .gate = settings_["gate"],
                                   .constant_sigma_ps = std::sqrt(node.bias_variance),
                                   .fit_wander = settings_.on("fit-wander"),
                                   .fit_noise = settings_.on("fit-noise"),
                                   .looks = settings_.count("looks"),
                                   .smooth = settings_.on("smooth"),
                                   .cubic = settings_.on("cubic")});
  }
}

void Mesh::track() {
  for (int rank = link_.first(); rank < link_.last(); ++rank) {
    for (Edge& edge : nodes_[rank].edges) {
      edge.seen.clear();
      edge.own.clear();
    }
  }
  run_bursts(0, track_cycles_);
  const std::int64_t middle_ps = start_ps_ + std::llround(middle_s_ * kPsPerS);
  PerRank<ClockState> predicted(link_);
  PerRank<double> before(link_);
  for (int rank = link_.first(); rank < link_.last(); ++rank) {
    MeshNode& node = nodes_[rank];
    const std::int64_t local_ps = node.tracker.state().model.to_local_ps(middle_ps);
    predicted[rank] = node.tracker.predict(local_ps);
    const Model& model = predicted[rank].model;
    before[rank] = static_cast<double>(model.offset_ps - node.rough_ps);
    node.deviation = {before[rank], model.skew / (1 - model.skew) * half_s_ * kPsPerS};
  }
  if (schedule_.matchings() > 0) {
    constexpr int kPasses = 2;
    solve(kPasses, true);
    find_variances(true);
  }
  for (int rank = link_.first(); rank < link_.last(); ++rank) {
    MeshNode& node = nodes_[rank];
    const Model& model = predicted[rank].model;
    node.tracker.update({model.at_ps,
                         model.offset_ps + std::llround(node.deviation.offset_ps - before[rank]),
                         node.variance[0]});
  }
}

namespace {

void run_mesh(Link& link, const Settings& settings, PerRank<StatedClock>& clocks) {
  Mesh mesh(link, settings);
  mesh.synchronise();
  for (int rank = link.first(); rank < link.last(); ++rank) {
    clocks[rank] = mesh.tracker(rank).stated();
  }
}

}  // namespace

const Algorithm kMesh{
    .name = "mesh",
    .source = "Invar, docs/clocks.md",
    .summary = "least squares over a graph of pairs, bursts spread over the time, O(log p)",
    .parameters = kMeshParameters,
    .between_leaders = true,
    .run_stating = run_mesh};

}  // namespace invar::clock
