// Two hosts whose counters are of frequencies 5 % apart, two ranks each: what is recorded of a call
// against the true time that only a simulation knows. Ticks become times by each host's own rate
// (local) and by mesh, tracked and smoothed (global), as in a campaign.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "base/random.hpp"
#include "clock/calibration.hpp"
#include "clock/mesh/mesh.hpp"
#include "clocksim/simulation.hpp"
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
  base::Random random = base::Random::of({17});
  constexpr int kVisits = 300;
  constexpr int kRepetitions = 20;
  int with_global = 0;
  for (int visit = 0; visit < kVisits; ++visit) {
    // From 1 us to 1 ms.
    const double call_s = 1e-6 * std::pow(10.0, 3 * random.uniform());
    double at_s = begin_s + 0.01 + random.uniform() * (kSeconds - 0.2);
    std::vector<std::int64_t> whole_ps;
    std::vector<std::int64_t> uncertainty_ps;
    for (int repetition = 0; repetition < kRepetitions; ++repetition, at_s += 2 * call_s) {
      double first_s = 1e9, last_s = 0, sigma_ps = 0;
      std::int64_t first_ps = INT64_MAX, last_ps = INT64_MIN;
      for (int rank = 0; rank < kRanksOfTwoHosts; ++rank) {
        const auto host = static_cast<std::size_t>(simulation.host(rank));
        const double start_s = at_s + 5e-8 * random.uniform();
        const double end_s = at_s + call_s * (1 + 0.1 * random.uniform());
        const std::int64_t start = hosts[host].ticks(start_s);
        const std::int64_t end = hosts[host].ticks(end_s);
        const double local_ps =
            static_cast<double>(hosts[host].rate(begin_s, begin_s + 1).to_ps(end - start));
        // Two roundings to a tick of 0.4 ns.
        ASSERT_NEAR(local_ps, 1e12 * (end_s - start_s), 1e-3 * 1e12 * call_s + 900);
        const auto begun = smoothed[host].at(hosts[host].link_ps(start));
        const auto ended = smoothed[host].at(hosts[host].link_ps(end));
        ASSERT_TRUE(begun && ended) << "between two looks";
        first_ps = std::min(first_ps, begun->reference_ps);
        last_ps = std::max(last_ps, ended->reference_ps);
        sigma_ps = std::max({sigma_ps, begun->sigma_ps, ended->sigma_ps});
        first_s = std::min(first_s, start_s);
        last_s = std::max(last_s, end_s);
      }
      whole_ps.push_back(last_ps - first_ps);
      uncertainty_ps.push_back(
          engine::saturated_ps(engine::uncertainty_sigmas(2) * sigma_ps + 450));
      ASSERT_NEAR(static_cast<double>(whole_ps.back()), 1e12 * (last_s - first_s),
                  1e-3 * 1e12 * call_s + 2 * static_cast<double>(uncertainty_ps.back()) + 900);
    }
    with_global += engine::too_uncertain(whole_ps, uncertainty_ps) ? 0 : 1;
  }
  EXPECT_GE(with_global, 0.99 * kVisits);
}

}  // namespace
}  // namespace invar::clocksim
