// mesh: all clocks by weighted least squares over a sparse graph of rank pairs. Bursts of
// ping-pongs between changing pairs are spread over the whole time; every burst gives causal
// bounds, and how much wider they are than that pair's best says what the burst is worth
// (docs/clocks.md).
//
// Every rank holds its own edges only, and the system is solved by conjugate gradients along them:
// memory O(log p) a rank, no rank is special but for the gauge (rank 0's clock is the reference).
#pragma once

#include <cstdint>
#include <vector>

#include "clock/algorithm.hpp"
#include "clock/mesh/tracking.hpp"
#include "clock/schedule.hpp"

namespace invar::clock {

// A burst from the point of view of one of its ranks; times in seconds since the start of the
// synchronisation and differences own - partner's in ps, both against rough clocks.
struct Seen {
  double low_at_s = 0, low_ps = 0;
  double high_at_s = 0, high_ps = 0;
  double count = 0;
  // The same burst seen from the partner.
  [[nodiscard]] Seen mirrored() const { return {high_at_s, -high_ps, low_at_s, -low_ps, count}; }
};

struct Edge {
  int partner = -1;  // -1: this rank has no partner in the matching
  std::int64_t partner_rough_ps = 0;
  std::vector<Seen> seen = {};
  std::vector<char> own = {};   // initiated by this rank: the times are of its clock
  double floor_ps = -1;         // smallest width of the causal bounds here; below 0: unknown
  double bias_ps = 0;           // of this path: what is constant in its residuals
  double block[3] = {0, 0, 0};  // sums of weight x (1, u, u^2), u: time scaled to [-1, 1]
  double rhs[2] = {0, 0};
  double weight = 0;                // of the path as a whole, biases apart
  std::vector<double> sigmas = {};  // bursts' residuals around their mean, in nominal sigmas
};

// Own clock - reference: offset_ps in the middle of the bursts, and its growth in half their time.
struct Deviation {
  double offset_ps = 0;
  double growth_ps = 0;
  [[nodiscard]] double at(double u) const { return offset_ps + growth_ps * u; }
};

// What a rank keeps from the first synchronisation to the last tracking.
struct MeshNode {
  std::int64_t rough_ps = 0;
  std::vector<Edge> edges = {};
  std::vector<Deviation> partners = {};
  Deviation deviation = {};
  double variance[3] = {0, 0, 0};  // offset, covariance, growth (ps^2)
  double bias_variance = 0;        // of the offset, by asymmetric paths (ps^2)
  Tracker tracker = {};
};

class Mesh {
 public:
  Mesh(Link& link, const Settings& settings);

  // The first synchronisation. Collective.
  void synchronise();
  // One more cycle over the graph, in an idle gap: by how much this rank's clock differs from its
  // prediction goes into a Kalman filter. Collective.
  void track();

  // `rank` is one of this process. The tracker's state is the clock to use, its epochs are what is
  // recorded.
  [[nodiscard]] const Tracker& tracker(int rank) const { return nodes_[rank].tracker; }
  // Conjugate gradient steps of the last solution, over all passes.
  [[nodiscard]] int steps() const { return steps_; }

 private:
  void find_rough_clocks();
  void choose_partners(double round_trip_s);
  void run_bursts(double duration_s, int cycles);
  void share_bursts(int cycles);
  void weigh(const MeshNode& node, std::size_t k, Edge& edge, bool plain, bool offsets_only) const;
  void solve(int passes, bool offsets_only);
  void weigh_all(bool plain, bool offsets_only);
  void find_noise();
  void find_scatter();
  void find_biases();
  [[nodiscard]] double width_ps(const MeshNode& node, std::size_t k, const Seen& seen) const;
  PerRank<Deviation> conjugate_gradients();
  void find_variances(bool offsets_only);
  [[nodiscard]] double hidden_bias_variance(double freedom);
  // Every rank's value to its partners: partners[k] is that of the partner in matching k.
  void tell_partners(PerRank<Deviation>& values);
  [[nodiscard]] bool lower_initiates(int cycle, int k) const;

  Link& link_;
  Settings settings_;
  Schedule schedule_;
  PerRank<MeshNode> nodes_;
  std::int64_t start_ps_ = 0;  // rank 0's clock
  double middle_s_ = 0;        // of the last bursts, since start_ps_
  double half_s_ = 1;          // half the time that they took
  int cycles_ = 0;
  int track_cycles_ = 2;
  double noise_ps_ = 0;
  double scatter_ = 1;        // of bursts' residuals: variance in units of the nominal one
  double bias_sigma_ps_ = 0;  // spread of the paths' constant biases, as far as they showed it
  int steps_ = 0;
};

}  // namespace invar::clock
