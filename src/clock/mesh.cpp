#include "clock/mesh.hpp"

#include <algorithm>
#include <cmath>

#include "clock/tree.hpp"

namespace invar::clock {
namespace {

constexpr Parameter kParameters[] = {
    {"duration", 0.5, 0, 3600, "seconds over which the bursts are spread"},
    {"burst", 20, 2, 1000, "ping-pongs a burst"},
    {"duty", 0.1, 0.001, 1, "share of the time that bursts take, at most"},
    {"cycles", 10, 1, 10000, "times that the graph is gone through, at least"},
    {"most-cycles", 40, 1, 10000, "the same, at most"},
    {"matchings", 0, 0, 1000,
     "partners a rank; 0: as many as the duty allows, 2 ceil(log2 p) to 64"},
    {"sigma-ns", 12, 0.01, 1e6, "noise of a burst without excess"},
    {"scatter", 1, 0, 1, "matchings from all over the circle, not neighbouring ones"},
    {"spread", 1, 0, 1, "bursts spread over the time"},
    {"alternate", 1, 0, 1, "the initiator alternates"},
    {"noise", 1, 0, 1, "the noise of a burst without excess is estimated; sigma-ns is the least"},
    {"excess", 1, 0, 1, "weights by the excess of the causal bounds"},
    {"bias", 1, 0, 1, "paths have constant biases of unknown sign (asymmetry)"},
    {"huber", 1, 0, 1, "Huber's weights for paths whose bias is large"},
    {"deskew", 1, 0, 1, "the skew is taken out of the bounds"},
    {"carry-floors", 1, 0, 1, "tracking knows the paths' floors from the start"},
    {"gate", 4, 0, 1000, "sigmas from which tracking refuses a measurement; 0: none"},
    {"wander", 1e-9, 0, 1, "random walk of the skew, after one second"},
};

constexpr double kPsPerS = 1e12;

}  // namespace

Mesh::Mesh(Link& link, const Settings& settings)
    : link_(link), settings_(settings), schedule_(link.ranks(), 1, true), nodes_(link) {}

// More partners average out what is constant on a path; more cycles what is noise. At least
// `cycles`, then as many partners as the duty allows, then cycles again.
void Mesh::choose_partners(double round_trip_s) {
  constexpr int kMostPartners = 64;  // a rank's memory is constant
  const double burst_s = settings_["burst"] * std::max(round_trip_s, 1e-9);
  const double bursts = settings_["duty"] * settings_["duration"] / burst_s;
  int matchings = settings_.count("matchings");
  if (matchings == 0) {
    const int least = Schedule(link_.ranks(), 0, true).matchings();
    matchings = std::clamp(static_cast<int>(std::min(1e6, bursts / settings_["cycles"])), least,
                           std::max(least, kMostPartners));
  }
  schedule_ = Schedule(link_.ranks(), matchings, settings_.on("scatter"));
  cycles_ =
      static_cast<int>(std::clamp(bursts / std::max(1, schedule_.matchings()), settings_["cycles"],
                                  std::max(settings_["cycles"], settings_["most-cycles"])));
  for (int rank = link_.first(); rank < link_.last(); ++rank) {
    for (int k = 0; k < schedule_.matchings(); ++k) {
      nodes_[rank].edges.push_back({.partner = schedule_.partner(rank, k)});
    }
    nodes_[rank].partners.resize(nodes_[rank].edges.size());
  }
}

std::size_t Mesh::memory_bytes(int rank) const {
  std::size_t bytes = nodes_[rank].edges.size() * (sizeof(Edge) + sizeof(Deviation));
  for (const Edge& edge : nodes_[rank].edges) {
    bytes += edge.seen.size() * (sizeof(Seen) + sizeof(char));
  }
  return bytes;
}

bool Mesh::lower_initiates(int cycle, int k) const {
  return !settings_.on("alternate") || (cycle + k) % 2 == 0;
}

// Offsets to within a round trip, in a tree: a common time for the schedule, and small numbers for
// everything after.
void Mesh::find_rough_clocks() {
  const Tree tree(link_.ranks());
  PerRank<Model> models(link_);
  PerRank<double> trips(link_);
  std::vector<PingPong> series;
  tree.upwards(link_, [&](const Pair& pair) {
    link_.exchange(pair, {.count = 10}, series);
    if (!link_.holds(pair.client)) return;
    const Offset offset = smallest_trip_offset(series);
    models[pair.client] = {offset.at_ps, offset.offset_ps, 0};
    const auto best = std::min_element(series.begin(), series.end(), [](auto& a, auto& b) {
      return a.round_trip_ps() < b.round_trip_ps();
    });
    trips[pair.client] = static_cast<double>(best->round_trip_ps()) / kPsPerS;
  });
  tree.compose(link_, models);
  for (int rank = link_.first(); rank < link_.last(); ++rank) {
    nodes_[rank].rough_ps = models[rank].offset_ps;
  }
  const double round_trip_s = largest(link_, trips);
  choose_partners(round_trip_s);
  for (int k = 0; k < schedule_.matchings(); ++k) {
    const auto index = static_cast<std::size_t>(k);
    for_each_pair(
        link_, [&](int rank) { return schedule_.role(rank, k, true); },
        [&](const Pair& pair) {
          const auto tell = [&](int from, int to) {
            const std::int64_t rough =
                clock::send(link_, from, to, link_.holds(from) ? nodes_[from].rough_ps : 0);
            if (link_.holds(to)) nodes_[to].edges[index].partner_rough_ps = rough;
          };
          tell(pair.client, pair.reference);
          tell(pair.reference, pair.client);
        });
  }
}

void Mesh::run_bursts(double duration_s, int cycles) {
  const int matchings = schedule_.matchings();
  const Policy policy{.count = settings_.count("burst")};
  const double slot_ps = duration_s * kPsPerS / std::max(1, matchings * cycles);
  std::int64_t begin_ps = link_.holds(0) ? link_.now_ps(0) : 0;
  link_.broadcast(0, &begin_ps, sizeof begin_ps);
  std::vector<PingPong> series;
  for (int slot = 0; slot < matchings * cycles; ++slot) {
    const int k = slot % matchings;
    const auto index = static_cast<std::size_t>(k);
    const std::int64_t at_ps = begin_ps + std::llround(slot * slot_ps);
    const bool lower = lower_initiates(slot / matchings, k);
    for_each_pair(
        link_, [&](int rank) { return schedule_.role(rank, k, lower); },
        [&](const Pair& pair) {
          for (const int rank : {pair.client, pair.reference}) {
            if (link_.holds(rank)) link_.wait_until(rank, at_ps + nodes_[rank].rough_ps);
          }
          link_.exchange(pair, policy, series);
          if (!link_.holds(pair.client)) return;
          MeshNode& node = nodes_[pair.client];
          Edge& edge = node.edges[index];
          const Burst burst = summarise(series);
          const std::int64_t origin_ps = start_ps_ + node.rough_ps;
          const std::int64_t rough_ps = node.rough_ps - edge.partner_rough_ps;
          edge.seen.push_back({static_cast<double>(burst.lowest_at_ps - origin_ps) / kPsPerS,
                               static_cast<double>(burst.lowest_ps - rough_ps),
                               static_cast<double>(burst.highest_at_ps - origin_ps) / kPsPerS,
                               static_cast<double>(burst.highest_ps - rough_ps),
                               static_cast<double>(burst.count)});
          edge.own.push_back(1);
        });
  }
  share_bursts(cycles);
  std::int64_t end_ps = link_.holds(0) ? link_.now_ps(0) : 0;
  link_.broadcast(0, &end_ps, sizeof end_ps);
  middle_s_ = static_cast<double>(begin_ps + (end_ps - begin_ps) / 2 - start_ps_) / kPsPerS;
  half_s_ = std::max(static_cast<double>(end_ps - begin_ps) / 2 / kPsPerS, 1e-9);
}

// Who initiated a burst tells the partner, so that both ranks of an edge know the same.
void Mesh::share_bursts(int cycles) {
  for (int k = 0; k < schedule_.matchings(); ++k) {
    const auto index = static_cast<std::size_t>(k);
    int by_lower = 0;
    for (int cycle = 0; cycle < cycles; ++cycle) by_lower += lower_initiates(cycle, k) ? 1 : 0;
    for_each_pair(
        link_, [&](int rank) { return schedule_.role(rank, k, true); },
        [&](const Pair& pair) {
          std::vector<Seen> of[2];
          const int ranks[2] = {pair.client, pair.reference};  // lower, higher
          for (const int side : {0, 1}) {
            const auto count = static_cast<std::size_t>(side == 0 ? by_lower : cycles - by_lower);
            of[side].resize(count);
            std::vector<Seen> told =
                link_.holds(ranks[side]) ? nodes_[ranks[side]].edges[index].seen : of[side];
            told.resize(count);
            link_.send(ranks[side], ranks[1 - side], told.data(), of[side].data(),
                       count * sizeof(Seen));
          }
          for (const int side : {0, 1}) {
            if (!link_.holds(ranks[1 - side])) continue;
            Edge& edge = nodes_[ranks[1 - side]].edges[index];
            for (const Seen& seen : of[side]) {
              edge.seen.push_back(seen.mirrored());
              edge.own.push_back(0);
            }
          }
        });
  }
}

void Mesh::tell_partners(PerRank<Deviation>& values) {
  for (int k = 0; k < schedule_.matchings(); ++k) {
    const auto index = static_cast<std::size_t>(k);
    for_each_pair(
        link_, [&](int rank) { return schedule_.role(rank, k, true); },
        [&](const Pair& pair) {
          const auto tell = [&](int from, int to) {
            const Deviation value =
                clock::send(link_, from, to, link_.holds(from) ? values[from] : Deviation{});
            if (link_.holds(to)) nodes_[to].partners[index] = value;
          };
          tell(pair.client, pair.reference);
          tell(pair.reference, pair.client);
        });
  }
}

// Of a burst's causal bounds, with the skew taken out.
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
  const double sigma_ps = std::max(settings_["sigma-ns"] * 1000, noise_ps_);
  std::fill_n(edge.block, 3, 0.0);
  std::fill_n(edge.rhs, 2, 0.0);
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
    // The biases are those of the start, and still in the clocks that tracking corrects.
    const double residual =
        offset_ps - (own.at(u) - partner.at(u)) - (offsets_only ? edge.bias_ps : 0);
    const double weight = 1 / variance;
    const double lever = offsets_only ? 0 : u;
    edge.block[0] += weight;
    edge.block[1] += weight * lever;
    edge.block[2] += weight * (offsets_only ? 1 : lever * lever);
    edge.rhs[0] += weight * residual;
    edge.rhs[1] += weight * residual * lever;
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

// How far the paths' mean residuals are spread beyond their noise: the smallest tau for which
// |mean|/sqrt(tau^2 + 1/weight) has the median of a normal distribution. Medians of a rank's paths,
// so that a bad path does not count, averaged over ranks; all candidates in one reduction.
void Mesh::find_biases() {
  constexpr std::size_t kCandidates = 40;  // 0, then 100 ps times powers of 1.4: to 50 us
  constexpr double kMadToSigma = 1.4826;
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

PerRank<Deviation> Mesh::conjugate_gradients() {
  constexpr int kMostSteps = 300;
  // The norm counts squared sigmas. Beyond that precision there is only rounding, along which the
  // singular direction (all clocks together) would grow without end.
  constexpr double kEnough = 1e-8;
  PerRank<Deviation> solution(link_);
  PerRank<Deviation> residual(link_);
  PerRank<Deviation> scaled(link_);
  PerRank<Deviation> direction(link_);
  PerRank<Deviation> image(link_);
  const auto each = [&](auto&& body) {
    for (int rank = link_.first(); rank < link_.last(); ++rank) body(rank);
  };
  const auto dot = [&](const PerRank<Deviation>& a, const PerRank<Deviation>& b) {
    std::vector<double> sums;
    each([&](int rank) {
      sums.push_back(a[rank].offset_ps * b[rank].offset_ps + a[rank].growth_ps * b[rank].growth_ps);
    });
    link_.reduce(Reduction::kSum, sums, 1);
    return sums[0];
  };
  // Preconditioner: each rank's own 2 x 2 block.
  const auto precondition = [&](int rank) {
    double block[3] = {0, 0, 0};
    for (const Edge& edge : nodes_[rank].edges) {
      for (int i = 0; i < 3; ++i) block[i] += edge.block[i];
    }
    const double determinant = block[0] * block[2] - block[1] * block[1];
    const Deviation& r = residual[rank];
    scaled[rank] = determinant > 1e-12 * block[0] * block[2]
                       ? Deviation{(block[2] * r.offset_ps - block[1] * r.growth_ps) / determinant,
                                   (block[0] * r.growth_ps - block[1] * r.offset_ps) / determinant}
                       : Deviation{block[0] > 0 ? r.offset_ps / block[0] : 0, 0};
  };
  each([&](int rank) {
    for (const Edge& edge : nodes_[rank].edges) {
      residual[rank].offset_ps += edge.rhs[0];
      residual[rank].growth_ps += edge.rhs[1];
    }
    precondition(rank);
    direction[rank] = scaled[rank];
  });
  double norm = dot(residual, scaled);
  // The deviations of the partners are not needed while correcting them: their place is used.
  for (int step = 0; step < kMostSteps && norm > kEnough; ++step, ++steps_) {
    tell_partners(direction);
    each([&](int rank) {
      image[rank] = {};
      const MeshNode& node = nodes_[rank];
      for (std::size_t k = 0; k < node.edges.size(); ++k) {
        const Edge& edge = node.edges[k];
        if (edge.partner < 0) continue;
        const double offset = direction[rank].offset_ps - node.partners[k].offset_ps;
        const double growth = direction[rank].growth_ps - node.partners[k].growth_ps;
        image[rank].offset_ps += edge.block[0] * offset + edge.block[1] * growth;
        image[rank].growth_ps += edge.block[1] * offset + edge.block[2] * growth;
      }
    });
    const double curvature = dot(direction, image);
    if (!(curvature > 0)) break;
    const double length = norm / curvature;
    each([&](int rank) {
      solution[rank].offset_ps += length * direction[rank].offset_ps;
      solution[rank].growth_ps += length * direction[rank].growth_ps;
      residual[rank].offset_ps -= length * image[rank].offset_ps;
      residual[rank].growth_ps -= length * image[rank].growth_ps;
      precondition(rank);
    });
    const double next = dot(residual, scaled);
    const double keep = next / norm;
    norm = next;
    each([&](int rank) {
      direction[rank].offset_ps = scaled[rank].offset_ps + keep * direction[rank].offset_ps;
      direction[rank].growth_ps = scaled[rank].growth_ps + keep * direction[rank].growth_ps;
    });
  }
  return solution;
}

// Weighted least squares for all ranks, again with weights and times from the solution before.
void Mesh::solve(int passes, bool offsets_only) {
  constexpr int kRobustPasses = 4;
  steps_ = 0;
  for (int pass = 0; pass < passes; ++pass) {
    if (offsets_only) {
      weigh_all(false, true);
    } else if (pass == 0) {
      weigh_all(true, false);
    } else {
      // First as if paths had no biases: with small sigmas Huber's weights look for the middle of
      // the paths, which no bad ones move. Biases are estimated around that.
      if (pass < kRobustPasses || !settings_.on("bias")) {
        weigh_all(false, false);
        find_noise();
      } else {
        find_biases();
      }
      weigh_all(false, false);
    }
    const PerRank<Deviation> correction = conjugate_gradients();
    // Only differences are determined: rank 0's clock is the reference.
    Deviation gauge = link_.holds(0) ? correction[0] : Deviation{};
    link_.broadcast(0, &gauge, sizeof gauge);
    for (int rank = link_.first(); rank < link_.last(); ++rank) {
      nodes_[rank].deviation.offset_ps += correction[rank].offset_ps - gauge.offset_ps;
      nodes_[rank].deviation.growth_ps += correction[rank].growth_ps - gauge.growth_ps;
    }
  }
}

// A rank's variance is about the inverse of its own block plus rank 0's: in a well connected graph
// the way between them adds little. Scaled by what the residuals really were.
void Mesh::find_variances(bool offsets_only) {
  weigh_all(false, offsets_only);
  struct Inverse {
    double v[3] = {0, 0, 0};
    double noise = 0;  // variance of the offset without biases
    double bias = 0;   // and of what they add
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
      // Of the edge's mean residual, because only that is left in the normal equations.
      squares += edge.block[0] > 0 ? edge.rhs[0] * edge.rhs[0] / edge.block[0] : 0;
      count += 1;
      weights += edge.weight;
    }
    const double determinant = block[0] * block[2] - block[1] * block[1];
    if (determinant > 0) {
      inverses[rank] = {{block[2] / determinant, -block[1] / determinant, block[0] / determinant},
                        1 / weights,
                        bias_sigma_ps_ * bias_sigma_ps_ / count};
    }
    sums.push_back(squares);
    sums.push_back(count);
  }
  link_.reduce(Reduction::kSum, sums, 2);
  // Every edge was counted at both ends; p - 1 offsets were fitted.
  const double freedom = sums[1] / 2 - (link_.ranks() - 1);
  // A few residuals say little about their variance: the nominal one counts as so many more.
  constexpr double kNominal = 4;
  const double unit = (sums[0] / 2 + kNominal) / (std::max(0.0, freedom) + kNominal);
  Inverse first = link_.holds(0) ? inverses[0] : Inverse{};
  link_.broadcast(0, &first, sizeof first);
  for (int rank = link_.first(); rank < link_.last(); ++rank) {
    for (int i = 0; i < 3; ++i) {
      nodes_[rank].variance[i] = rank == 0 ? 0 : unit * (inverses[rank].v[i] + first.v[i]);
    }
    if (rank == 0) continue;
    // Tracking keeps the start's biases: they do not become smaller by more measurements, so they
    // are no part of what it starts from.
    nodes_[rank].variance[0] = unit * (inverses[rank].noise + first.noise);
    if (!offsets_only) nodes_[rank].bias_variance = inverses[rank].bias + first.bias;
  }
}

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
                                   .constant_sigma_ps = std::sqrt(node.bias_variance)});
  }
}

void Mesh::track() {
  for (int rank = link_.first(); rank < link_.last(); ++rank) {
    for (Edge& edge : nodes_[rank].edges) {
      edge.seen.clear();
      edge.own.clear();
    }
  }
  constexpr int kCycles = 2;  // either rank of an edge initiates once
  run_bursts(0, kCycles);
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

void run(Link& link, const Settings& settings, PerRank<Model>& models) {
  Mesh mesh(link, settings);
  mesh.synchronise();
  for (int rank = link.first(); rank < link.last(); ++rank) {
    models[rank] = mesh.tracker(rank).state().model;
  }
}

}  // namespace

const Algorithm kMesh{
    .name = "mesh",
    .source = "Invar, docs/clocks.md",
    .summary = "least squares over a graph of pairs, bursts spread over the time, O(log p)",
    .parameters = kParameters,
    .between_leaders = true,
    .run = run};

}  // namespace invar::clock
