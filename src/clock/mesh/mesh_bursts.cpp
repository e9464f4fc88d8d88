// mesh: who meets whom when, and what the ranks of a pair tell each other.
#include "clock/mesh/mesh.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/units.hpp"
#include "clock/tree.hpp"

namespace invar::clock {
namespace {

using base::kPsPerS;

}  // namespace

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
  // Few partners may be met the more often: what a rank keeps is the same.
  constexpr double kMostBursts = 640;
  const int partners = std::max(1, schedule_.matchings());
  const double most = settings_.on("most-cycles") ? settings_["most-cycles"]
                                                  : std::max(40.0, kMostBursts / partners);
  cycles_ = static_cast<int>(
      std::clamp(bursts / partners, settings_["cycles"], std::max(settings_["cycles"], most)));
  // See lower_initiates; upwards, but not beyond what was allowed.
  constexpr int kFour = 4;
  const int above = (cycles_ + kFour - 1) / kFour * kFour;
  const bool allowed = above <= std::max(most, settings_["cycles"] + kFour - 1);
  cycles_ = allowed ? above : std::max(kFour, cycles_ / kFour * kFour);
  // Either rank of an edge initiates once at least; where bursts are short, more of them cost
  // nothing.
  constexpr double kTrackS = 2e-3;
  constexpr double kMostTrackCycles = 20;
  track_cycles_ =
      2 * static_cast<int>(std::clamp(kTrackS / burst_s / partners / 2, 1.0, kMostTrackCycles / 2));
  for (int rank = link_.first(); rank < link_.last(); ++rank) {
    for (int k = 0; k < schedule_.matchings(); ++k) {
      nodes_[rank].edges.push_back({.partner = schedule_.partner(rank, k)});
    }
    nodes_[rank].partners.resize(nodes_[rank].edges.size());
  }
}

// What the initiator's role costs must look neither like an offset nor like a skew: by turns would
// leave the second, so that they follow Thue and Morse's sequence (01101001...), whose first moment
// is zero as well after every four cycles.
bool Mesh::lower_initiates(int cycle, int k) const {
  return !settings_.on("alternate") || (std::popcount(static_cast<unsigned>(cycle)) + k) % 2 == 0;
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
          // By rough clocks, which have drifted when tracking comes: there, nobody waits.
          for (const int rank : {pair.client, pair.reference}) {
            if (slot_ps > 0 && link_.holds(rank)) {
              link_.wait_until(rank, at_ps + nodes_[rank].rough_ps);
            }
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
  const std::int64_t middle_ps = begin_ps + (end_ps - begin_ps) / 2;
  middle_s_ = static_cast<double>(middle_ps - start_ps_) / kPsPerS;
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

}  // namespace invar::clock
