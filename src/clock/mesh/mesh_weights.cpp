// mesh: what a burst, a path and a solution are worth: the normal equations and their variances.
#include "base/units.hpp"
#include "clock/mesh/mesh.hpp"

#include <algorithm>
#include <cmath>

namespace invar::clock {
namespace {

using base::kPsPerS;

constexpr double kMadToSigma = 1.4826;  // of normal values

}  // namespace

// The width of a burst's causal bounds, with the skew taken out.
double Mesh::width_ps(const MeshNode& node, std::size_t k, const Seen& seen) const {
  const double skew_ps_per_s =
      settings_.on("deskew") ? (node.deviation.growth_ps - node.partners[k].growth_ps) / half_s_
                             : 0;
  return seen.high_ps - seen.low_ps - skew_ps_per_s * (seen.high_at_s - seen.low_at_s);
}

// The normal equations of one edge, for a correction of both ranks' deviations.
void Mesh::weigh(const MeshNode& node, std::size_t k, Edge& edge, bool plain,
                 bool offsets_only) const {
  const Deviation& own = node.deviation;
  const Deviation& partner = node.partners[k];
  const auto width = [&](const Seen& seen) { return width_ps(node, k, seen); };
  if (!offsets_only || !settings_.on("carry-floors") || edge.floor_ps < 0) {
    std::vector<double> widths;
    for (const Seen& seen : edge.seen) widths.push_back(width(seen));
    const auto place = widths.begin() + static_cast<std::ptrdiff_t>(widths.size() / 50);
    std::nth_element(widths.begin(), place, widths.end());
    edge.floor_ps = *place;  // 2nd percentile: one lucky mistake must not set it
  }
  // The biases are those of the start, and still in the clocks that tracking corrects.
  const bool carried = offsets_only && settings_.on("carry-biases");
  const double sigma_ps = std::max(settings_["sigma-ns"] * 1000, noise_ps_);
  std::fill_n(edge.block, 3, 0.0);
  std::fill_n(edge.rhs, 2, 0.0);
  edge.sigmas.clear();
  std::vector<double> weights;
  for (std::size_t i = 0; i < edge.seen.size(); ++i) {
    const Seen& seen = edge.seen[i];
    const double at_s = (seen.low_at_s + seen.high_at_s) / 2;
    const double offset_ps = (seen.low_ps + seen.high_ps) / 2;  // at at_s, with any skew
    // From the initiator's clock to the reference's time.
    const Deviation& clock = edge.own[i] != 0 ? own : partner;
    const double u0 = (at_s - middle_s_) / half_s_;
    const double u = u0 - clock.at(u0) / kPsPerS / half_s_;
    const double excess = settings_.on("excess") ? std::max(0.0, width(seen) - edge.floor_ps) : 0;
    const double variance = sigma_ps * sigma_ps * (1 + 10 / seen.count) + excess * excess / 4;
    const double residual = offset_ps - (own.at(u) - partner.at(u)) - (carried ? edge.bias_ps : 0);
    const double weight = 1 / variance;
    edge.sigmas.push_back(residual);
    weights.push_back(weight);
    const double lever = offsets_only ? 0 : u;
    edge.block[0] += weight;
    edge.block[1] += weight * lever;
    edge.block[2] += weight * (offsets_only ? 1 : lever * lever);
    edge.rhs[0] += weight * residual;
    edge.rhs[1] += weight * residual * lever;
  }
  for (std::size_t i = 0; i < weights.size(); ++i) {
    edge.sigmas[i] = (edge.sigmas[i] - edge.rhs[0] / edge.block[0]) * std::sqrt(weights[i]);
  }
  if (plain) return;
  const double plain_weight = edge.block[0];
  const double tau2 = offsets_only ? 0 : bias_sigma_ps_ * bias_sigma_ps_;
  const double sigmas = std::abs(edge.rhs[0] / edge.block[0]) / std::sqrt(tau2 + 1 / edge.block[0]);
  if (tau2 > 0) {
    // The path has an offset of its own with variance tau^2: a random effect, whose marginal
    // information is B - g v v' with v = B (1, 0)', g = tau^2/(1 + tau^2 B00) (Searle, Casella and
    // McCulloch 1992, section 6). Without it, weights that change in time would turn biases into
    // skews.
    const double g = tau2 / (1 + tau2 * edge.block[0]);
    const double v0 = edge.block[0];
    const double v1 = edge.block[1];
    const double r0 = edge.rhs[0];
    edge.block[0] -= g * v0 * v0;
    edge.block[1] -= g * v0 * v1;
    edge.block[2] -= g * v1 * v1;
    edge.rhs[0] -= g * v0 * r0;
    edge.rhs[1] -= g * v1 * r0;
  }
  constexpr double kHuber = 1.345;  // 95 % efficient for normal errors (Huber 1981)
  edge.weight = plain_weight;
  if (settings_.on("huber") && sigmas > kHuber) {
    edge.weight *= kHuber / sigmas;
    for (double& value : edge.block) value *= kHuber / sigmas;
    for (double& value : edge.rhs) value *= kHuber / sigmas;
  }
}

void Mesh::weigh_all(bool plain, bool offsets_only) {
  PerRank<Deviation> told(link_);
  for (int rank = link_.first(); rank < link_.last(); ++rank) told[rank] = nodes_[rank].deviation;
  tell_partners(told);
  for (int rank = link_.first(); rank < link_.last(); ++rank) {
    MeshNode& node = nodes_[rank];
    for (std::size_t k = 0; k < node.edges.size(); ++k) {
      Edge& edge = node.edges[k];
      if (edge.partner >= 0) weigh(node, k, edge, plain, offsets_only);
    }
  }
}

// A lower quartile of what bursts have as excess: noise that even undisturbed ones have. Averaged
// over ranks, so that weights depend on the network, not on a rank's luck.
void Mesh::find_noise() {
  std::vector<double> sums;  // quartile
  std::vector<double> all;
  for (int rank = link_.first(); rank < link_.last(); ++rank) {
    all.clear();
    const MeshNode& node = nodes_[rank];
    for (std::size_t k = 0; k < node.edges.size(); ++k) {
      const Edge& edge = node.edges[k];
      for (const Seen& seen : edge.seen) all.push_back(width_ps(node, k, seen) - edge.floor_ps);
    }
    const auto place = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 4);
    if (!all.empty()) std::nth_element(all.begin(), place, all.end());
    sums.push_back(all.empty() ? 0 : *place);
  }
  link_.reduce(Reduction::kSum, sums, 1);
  noise_ps_ = settings_.on("noise") ? sums[0] / link_.ranks() : 0;
}

// How far bursts really are from their path's mean, in units of what their weights say: those know
// which burst is better than which, but not by how much all are better than the nominal noise. By
// medians, because single bursts may be anything.
void Mesh::find_scatter() {
  constexpr double kLeast = 0.01;
  std::vector<double> sums;  // squared scales, ranks that have one
  std::vector<double> all;
  for (int rank = link_.first(); rank < link_.last(); ++rank) {
    all.clear();
    const MeshNode& node = nodes_[rank];
    for (const Edge& edge : node.edges) {
      for (const double sigmas : edge.sigmas) all.push_back(std::abs(sigmas));
    }
    const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
    if (!all.empty()) std::nth_element(all.begin(), middle, all.end());
    const double scale = all.empty() ? 0 : kMadToSigma * *middle;
    sums.push_back(scale * scale);
    sums.push_back(all.empty() ? 0 : 1);
  }
  link_.reduce(Reduction::kSum, sums, 2);
  scatter_ = sums[1] > 0 ? std::max(kLeast, sums[0] / sums[1]) : 1;
}

// How far the paths' mean residuals are spread beyond their noise: the smallest tau for which
// |mean|/sqrt(tau^2 + 1/weight) has the median of a normal distribution. Medians of a rank's paths,
// so that a bad path does not count, averaged over ranks; all candidates in one reduction.
void Mesh::find_biases() {
  constexpr std::size_t kCandidates = 40;  // 0, then 100 ps times powers of 1.4: to 50 us
  const auto candidate = [](std::size_t i) { return i == 0 ? 0 : 100 * std::pow(1.4, i - 1); };
  weigh_all(true, false);
  std::vector<double> sums;  // medians for every candidate, then the number of paths
  std::vector<double> scaled;
  for (int rank = link_.first(); rank < link_.last(); ++rank) {
    for (Edge& edge : nodes_[rank].edges) {
      if (edge.partner >= 0) edge.bias_ps = edge.rhs[0] / edge.block[0];
    }
    double paths = 0;
    for (std::size_t i = 0; i < kCandidates; ++i) {
      const double tau = candidate(i);
      scaled.clear();
      for (const Edge& edge : nodes_[rank].edges) {
        if (edge.partner < 0) continue;
        scaled.push_back(std::abs(edge.bias_ps) / std::sqrt(tau * tau + 1 / edge.block[0]));
      }
      const auto middle = scaled.begin() + static_cast<std::ptrdiff_t>(scaled.size() / 2);
      std::nth_element(scaled.begin(), middle, scaled.end());
      sums.push_back(scaled.empty() ? 0 : *middle);
      paths = static_cast<double>(scaled.size());
    }
    sums.push_back(paths);
  }
  link_.reduce(Reduction::kSum, sums, kCandidates + 1);
  const double ranks = link_.ranks();
  const double paths = sums[kCandidates] / 2;
  const double freedom = paths - (ranks - 1);
  bias_sigma_ps_ = 0;
  if (freedom <= 0) return;
  const double scale = kMadToSigma / ranks * std::sqrt(paths / freedom);
  std::size_t i = 0;
  while (i + 1 < kCandidates && scale * sums[i] > 1) ++i;
  bias_sigma_ps_ = candidate(i);
}

// What constant biases of the paths add to nobody's residuals, per path. Loops of the graph show
// them; where there are few loops (two hosts: none), a share of the round trip is assumed.
double Mesh::hidden_bias_variance(double freedom) {
  constexpr double kLoopsThatTell = 8;
  std::vector<double> sums;  // shortest round trips, paths
  for (int rank = link_.first(); rank < link_.last(); ++rank) {
    double floors = 0;
    double count = 0;
    for (const Edge& edge : nodes_[rank].edges) {
      if (edge.partner < 0) continue;
      floors += std::max(0.0, edge.floor_ps);
      count += 1;
    }
    sums.push_back(floors);
    sums.push_back(count);
  }
  link_.reduce(Reduction::kSum, sums, 2);
  const double assumed_ps = sums[1] > 0 ? settings_["asymmetry"] * sums[0] / sums[1] : 0;
  const double share = std::max(0.0, 1 - freedom / kLoopsThatTell);
  return std::max(bias_sigma_ps_ * bias_sigma_ps_, share * assumed_ps * assumed_ps);
}

// A rank's variance is about the inverse of its own block plus rank 0's: in a well connected graph
// the way between them adds little. Scaled by what the residuals really were.
void Mesh::find_variances(bool offsets_only) {
  weigh_all(false, offsets_only);
  // Tracking has too few bursts to say it anew.
  if (!offsets_only) find_scatter();
  struct Inverse {
    double v[3] = {0, 0, 0};
    double noise = 0;  // variance of the offset without biases
    double paths = 0;
  };
  PerRank<Inverse> inverses(link_);
  std::vector<double> sums;  // weighted squares, observations
  for (int rank = link_.first(); rank < link_.last(); ++rank) {
    MeshNode& node = nodes_[rank];
    double block[3] = {0, 0, 0};
    double squares = 0;
    double count = 0;
    double weights = 0;
    for (std::size_t k = 0; k < node.edges.size(); ++k) {
      const Edge& edge = node.edges[k];
      if (edge.partner < 0) continue;
      for (int i = 0; i < 3; ++i) block[i] += edge.block[i];
      // Only the edge's mean residual counts, because nothing else is left in the normal equations.
      squares += edge.block[0] > 0 ? edge.rhs[0] * edge.rhs[0] / edge.block[0] : 0;
      count += 1;
      weights += edge.weight;
    }
    const double determinant = block[0] * block[2] - block[1] * block[1];
    if (determinant > 0) {
      inverses[rank] = {{block[2] / determinant, -block[1] / determinant, block[0] / determinant},
                        1 / weights,
                        count};
    }
    sums.push_back(squares);
    sums.push_back(count);
  }
  link_.reduce(Reduction::kSum, sums, 2);
  // Every edge was counted at both ends; p - 1 offsets were fitted.
  const double freedom = sums[1] / 2 - (link_.ranks() - 1);
  // A few paths say little about their variance: what single bursts say counts as so many more.
  constexpr double kOfBursts = 4;
  const double unit = (sums[0] / 2 + kOfBursts * scatter_) / (std::max(0.0, freedom) + kOfBursts);
  const double bias_variance = hidden_bias_variance(freedom);
  Inverse first = link_.holds(0) ? inverses[0] : Inverse{};
  link_.broadcast(0, &first, sizeof first);
  for (int rank = link_.first(); rank < link_.last(); ++rank) {
    MeshNode& node = nodes_[rank];
    for (int i = 0; i < 3; ++i) {
      node.variance[i] = rank == 0 ? 0 : unit * (inverses[rank].v[i] + first.v[i]);
    }
    if (rank == 0 || inverses[rank].paths == 0) continue;
    // The effective resistance between two nodes of a complete graph is 2/(paths + 1).
    const double bias = bias_variance * (1 / (inverses[rank].paths + 1) + 1 / (first.paths + 1));
    // Biases do not become smaller by more measurements, so what is constant of them is not part of
    // what tracking starts from. Where nothing shows them, nothing shows that they are constant:
    // regimes of a machine change them (docs/clocks.md).
    const double changing = bias_variance > bias_sigma_ps_ * bias_sigma_ps_ ? bias : 0;
    node.variance[0] = unit * (inverses[rank].noise + first.noise) + changing;
    if (offsets_only) continue;
    node.variance[2] += changing;
    node.bias_variance = bias;
  }
}

}  // namespace invar::clock
