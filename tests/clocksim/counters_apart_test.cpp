// Two hosts whose counters are of frequencies 5 % apart, two ranks each: what is recorded of a call
// against the true time that only a simulation knows. Ticks become times by each host's own rate
// (local) and by mesh, tracked and smoothed (global), as in a campaign.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "base/random.hpp"
#include "clock/calibration.hpp"
#include "clock/mesh/mesh.hpp"
#include "clocksim/simulation.hpp"
#include "engine/timed/extent.hpp"
#include "engine/timed/uncertainty.hpp"

namespace invar::clocksim {
namespace {

constexpr int kRanksOfTwoHosts = 4;
constexpr std::array<double, 2> kTicksPerPs{2.4e-3, 2.4e-3 * 1.05};  // of the hosts' counters
constexpr int kSeconds = 10;

// A host as an engine on it knows it: a counter, its rate, and a clock that is smoothed afterwards.
class CountingHost {
 public:
  CountingHost(Simulation& simulation, int host) : simulation_(simulation), host_(host) {}

  // The counter's ticks at the picoseconds that the link reads.
  [[nodiscard]] std::int64_t ticks_of(std::int64_t ps) {
    return std::llround(static_cast<double>(ps - clock().at_ps(0)) *
                        kTicksPerPs[static_cast<std::size_t>(host_)]);
  }
  // The link reads the clock behind the counter in picoseconds, which is what rough rates are for.
  [[nodiscard]] std::int64_t ticks(double true_s) {
    return std::llround(static_cast<double>(clock().at_ps(true_s) - clock().at_ps(0)) *
                        kTicksPerPs[static_cast<std::size_t>(host_)]);
  }
  [[nodiscard]] std::int64_t link_ps(std::int64_t ticks) {
    return clock().at_ps(0) +
           std::llround(static_cast<double>(ticks) / kTicksPerPs[static_cast<std::size_t>(host_)]);
  }
  // Against the true time, as against CLOCK_MONOTONIC_RAW.
  [[nodiscard]] clock::Rate rate(double from_s, double to_s) {
    const auto bracket = [&](double at_s) {
      return clock::Bracket{.ticks = ticks(at_s), .raw_ns = std::llround(at_s * 1e9)};
    };
    return clock::rate_between(bracket(from_s), bracket(to_s));
  }

 private:
  HostClock& clock() { return simulation_.clock(2 * host_); }
  Simulation& simulation_;
  int host_;
};

// What GlobalClock makes of a host's ticks: those of the first host's counter.
struct Smoothed {
  struct Reading {
    std::int64_t ticks = 0;
    std::optional<double> sigma_ps = {};
  };
  CountingHost* own = nullptr;
  CountingHost* reference = nullptr;
  const clock::SmoothedClock* clock = nullptr;

  [[nodiscard]] std::optional<Reading> reading(std::int64_t ticks) const {
    const auto read = clock->at(own->link_ps(ticks));
    if (!read) return std::nullopt;
    return Reading{reference->ticks_of(read->reference_ps), read->sigma_ps};
  }
};

TEST(CountersApart, LocalAndGlobalTimesAreThoseOfTheRealClock) {
  Network network = network_named("quiet", "test");
  network.offset_s = 1;
  Simulation simulation(network, kRanksOfTwoHosts, 2, 3);
  SimulatedLink link(simulation, true);
  clock::Mesh mesh(link, clock::parse_algorithm("mesh", "test"));
  mesh.synchronise();
  const double begin_s = simulation.latest_s();
  for (int look = 1; look <= kSeconds; ++look) {
    for (int rank = 0; rank < kRanksOfTwoHosts; ++rank) {
      simulation.now_s(rank) = std::max(simulation.now_s(rank), begin_s + look);
    }
    mesh.track();
  }
  std::vector<clock::SmoothedClock> smoothed;
  std::vector<CountingHost> hosts;
  for (int host = 0; host < 2; ++host) {
    smoothed.emplace_back(mesh.tracker(host).epochs(), mesh.tracker(host).rules());
    hosts.emplace_back(simulation, host);
  }
  std::vector<clock::Rate> rates;
  for (CountingHost& host : hosts) rates.push_back(host.rate(begin_s, begin_s + 1));
  const engine::TickScale first_rank{rates[0], hosts[0].ticks(begin_s)};
  const engine::TickScale speaker{rates[1], hosts[1].ticks(begin_s)};
  base::Random random = base::Random::of({17});
  constexpr int kVisits = 300;
  constexpr int kRepetitions = 20;
  int certain = 0;
  for (int visit = 0; visit < kVisits; ++visit) {
    // From 1 us to 1 ms.
    const double call_s = 1e-6 * std::pow(10.0, 3 * random.uniform());
    double at_s = begin_s + 0.01 + random.uniform() * (kSeconds - 0.2);
    for (int repetition = 0; repetition < kRepetitions; ++repetition, at_s += 2 * call_s) {
      double first_s = 1e9, last_s = 0;
      std::int64_t first_ticks = INT64_MAX, last_ticks = INT64_MIN, sigma_ps = 0;
      for (int rank = 0; rank < kRanksOfTwoHosts; ++rank) {
        const auto host = static_cast<std::size_t>(simulation.host(rank));
        const double start_s = at_s + 5e-8 * random.uniform();
        const double end_s = at_s + call_s * (1 + 0.1 * random.uniform());
        const Smoothed global{&hosts[host], &hosts[0], &smoothed[host]};
        const engine::Extent extent = engine::extent_of(
            hosts[host].ticks(start_s), hosts[host].ticks(end_s), rates[host], &global);
        // Two roundings to a tick of 0.4 ns.
        ASSERT_NEAR(static_cast<double>(extent.local_ps), 1e12 * (end_s - start_s),
                    1e-3 * 1e12 * call_s + 900);
        ASSERT_EQ(extent.flags, 0) << "between two looks";
        first_ticks = std::min(first_ticks, extent.begin_ticks);
        last_ticks = std::max(last_ticks, extent.end_ticks);
        sigma_ps = std::max(sigma_ps, extent.sigma_ps);
        first_s = std::min(first_s, start_s);
        last_s = std::max(last_s, end_s);
      }
      const engine::TickScale& scale = engine::scale_of_visit(true, first_rank, speaker);
      const auto whole_ps = static_cast<double>(scale.span_ps(first_ticks, last_ticks));
      const double uncertainty_ps =
          engine::saturated_ps(engine::uncertainty_sigmas(2) * static_cast<double>(sigma_ps) + 450);
      ASSERT_NEAR(whole_ps, 1e12 * (last_s - first_s),
                  1e-3 * 1e12 * call_s + 2 * uncertainty_ps + 1800);
      ASSERT_NEAR(static_cast<double>(scale.since_origin_ps(first_ticks)),
                  1e12 * (first_s - begin_s), 1e-3 * 1e12 * kSeconds);
      certain += uncertainty_ps <= std::max(2e5, 0.02 * whole_ps) ? 1 : 0;
    }
  }
  EXPECT_GE(certain, 0.99 * kVisits * kRepetitions);
}

// A team without rank 0's host reads one counter, so that nothing is modelled.
TEST(CountersApart, TeamOnAnotherHostThanRankZeroHasThatHostsRateAndOrigin) {
  Network network = network_named("quiet", "test");
  network.offset_s = 1;
  Simulation simulation(network, kRanksOfTwoHosts, 2, 3);
  CountingHost first(simulation, 0);
  CountingHost second(simulation, 1);
  const engine::TickScale first_rank{first.rate(0, 1), first.ticks(0)};
  const engine::TickScale speaker{second.rate(0, 1), second.ticks(0)};
  const engine::TickScale& scale = engine::scale_of_visit(false, first_rank, speaker);
  for (const double call_s : {1e-6, 1e-3}) {
    const double start_s = 2;
    const engine::Extent extent =
        engine::extent_of(second.ticks(start_s), second.ticks(start_s + call_s), speaker.rate,
                          static_cast<const Smoothed*>(nullptr));
    EXPECT_EQ(extent.flags, 0);
    const auto whole_ps = static_cast<double>(scale.span_ps(extent.begin_ticks, extent.end_ticks));
    EXPECT_EQ(whole_ps, static_cast<double>(extent.local_ps));
    EXPECT_NEAR(whole_ps, 1e12 * call_s, 1e-3 * 1e12 * call_s + 900) << "and not 5 % more";
    EXPECT_NEAR(static_cast<double>(scale.since_origin_ps(extent.begin_ticks)), 1e12 * start_s,
                1e-3 * 1e12 * start_s);
  }
}

}  // namespace
}  // namespace invar::clocksim
