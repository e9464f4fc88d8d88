// Every algorithm against known truth. Times are simulated: nothing here depends on the machine.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "base/error.hpp"
#include "clock/algorithm.hpp"
#include "clock/schedule.hpp"
#include "clock/tree.hpp"
#include "clocksim/accuracy.hpp"

namespace invar::clocksim {
namespace {

clock::Settings settings(const std::string& text) {
  clock::Settings parsed = clock::parse_algorithm(text, "test");
  if (parsed.has("duration") && parsed["duration"] == 0) parsed.set("duration", 0.2);
  return parsed;
}

Trial trial(const Network& network, int ranks, const std::string& algorithm,
            const std::vector<double>& after_s = {0, 20}, std::uint64_t seed = 1) {
  return run_trial({.network = network, .ranks = ranks}, settings(algorithm), after_s, seed);
}

Network noiseless() { return network_named("noiseless", "test"); }
Network quiet() { return network_named("quiet", "test"); }

class EveryAlgorithm : public testing::TestWithParam<const char*> {};

TEST_P(EveryAlgorithm, NoiselessNetworkIsSynchronisedToRounding) {
  // Offsets up to 1000 s between hosts. Skews: of those that estimate one, else none. What is left:
  // skew times half a round trip, a picosecond or so an edge, and what that makes of 20 s.
  const std::string name = GetParam();
  Network network = noiseless();
  if (name == "skampi" || name == "netgauge") network.skew = 0;
  for (const int ranks : {1, 2, 3, 5, 12}) {
    const Trial result = trial(network, ranks, name);
    EXPECT_LT(result.worst_ns[0], 0.1) << ranks << " ranks";
    EXPECT_LT(result.worst_ns[1], 1.0) << ranks << " ranks";
  }
}

TEST_P(EveryAlgorithm, TheSameSeedGivesTheSameClocks) {
  const Network network = network_named("bursty", "test");
  EXPECT_EQ(trial(network, 6, GetParam()).worst_ns, trial(network, 6, GetParam()).worst_ns);
}

TEST_P(EveryAlgorithm, ALateRankChangesLittle) {
  Network network = quiet();
  network.skew = 0;
  network.wander = 0;
  const double on_time = trial(network, 6, GetParam(), {0}).worst_ns[0];
  network.late_rank = 3;
  network.late_s = 0.5;
  EXPECT_LT(trial(network, 6, GetParam(), {0}).worst_ns[0], on_time + 30);
}

INSTANTIATE_TEST_SUITE_P(Clocks, EveryAlgorithm,
                         testing::Values("skampi", "netgauge", "jk", "hca", "hca2", "hca3", "h2hca",
                                         "mesh"),
                         [](const auto& test) { return std::string(test.param); });

TEST(Algorithms, OffsetOnlyMethodsFailWithinSeconds) {
  for (const char* name : {"skampi", "netgauge"}) {
    const Trial result = trial(quiet(), 16, name, {0, 5});
    EXPECT_LT(result.worst_ns[0], 500) << name;
    EXPECT_GT(result.worst_ns[1], 10'000) << name;
  }
}

TEST(Algorithms, TreesTakeLogarithmicTimeAndTheOthersLinear) {
  const auto growth = [](const char* name) {
    return trial(quiet(), 256, name, {0}).seconds / trial(quiet(), 16, name, {0}).seconds;
  };
  for (const char* name : {"netgauge", "hca2:fit-points=10:exchanges=10:duration=0",
                           "mesh:duration=0.05:cycles=10:most-cycles=10"}) {
    EXPECT_LT(growth(name), 3) << name;  // 8 rounds to 4
  }
  EXPECT_GT(growth("skampi"), 10);  // 255 pairs to 15
}

TEST(Algorithms, HostsShareTheLeadersModel) {
  Machine machine{.network = noiseless(), .ranks = 12, .ranks_per_host = 4};
  for (const char* name : {"mesh", "h2hca"}) {
    EXPECT_LT(run_trial(machine, settings(name), {0}, 1).worst_ns[0], 0.1) << name;
  }
}

TEST(Algorithms, UnknownNamesAndValuesAreErrorsWithARemedy) {
  const auto message = [](const char* text) -> std::string {
    try {
      clock::parse_algorithm(text, "--algorithms");
    } catch (const base::UserError& error) {
      std::string all;
      for (const base::Fault& fault : error.faults()) all += fault.text() + "\n";
      return all;
    }
    return "accepted";
  };
  EXPECT_EQ(message("hca4"),
            "--algorithms: no clock synchronisation is called 'hca4'; did you mean 'hca'?\n");
  EXPECT_EQ(message("jk:fitpoints=7:exchanges=0:x"),
            "jk: has no parameter 'fitpoints'; did you mean 'fit-points'?\n"
            "jk: exchanges is 0; it must lie between 1 and 100000\n"
            "--algorithms: 'x' is not a parameter with a number; write name=number, for example "
            "fit-points=500\n");
  EXPECT_EQ(message("hca3:fit-points=2.5:duration=0.5"),
            "hca3: fit-points is 2.5; it must be a whole number\n");
  EXPECT_EQ(settings("hca3:exchanges=10:duration=2").text(), "hca3:exchanges=10:duration=2");
}

TEST(Tree, EveryRankButTheRootIsAClientOnce) {
  for (int ranks = 1; ranks <= 40; ++ranks) {
    const clock::Tree tree(ranks);
    std::vector<int> clients(static_cast<std::size_t>(ranks), 0);
    for (int round = 1; round <= tree.rounds(); ++round) {
      for (int rank = 0; rank < ranks; ++rank) {
        const auto pair = tree.role(rank, round);
        if (!pair) continue;
        const int other = pair->client == rank ? pair->reference : pair->client;
        ASSERT_LT(other, ranks);
        ASSERT_EQ(tree.role(other, round)->client, pair->client);  // both agree
        if (pair->client == rank) ++clients[static_cast<std::size_t>(rank)];
      }
    }
    for (int rank = 0; rank < ranks; ++rank) {
      EXPECT_EQ(clients[static_cast<std::size_t>(rank)], rank == 0 ? 0 : 1);
    }
  }
}

TEST(Schedule, MatchingsArePerfectDistinctAndMutual) {
  for (const bool scattered : {false, true}) {
    for (const int ranks : {2, 3, 4, 5, 12, 31, 32, 100, 1000}) {
      const clock::Schedule schedule(ranks, 0, scattered);
      std::set<std::pair<int, int>> met;
      for (int k = 0; k < schedule.matchings(); ++k) {
        int alone = 0;
        for (int rank = 0; rank < ranks; ++rank) {
          const int partner = schedule.partner(rank, k);
          if (partner < 0) {
            ++alone;
            continue;
          }
          ASSERT_NE(partner, rank);
          ASSERT_EQ(schedule.partner(partner, k), rank);
          EXPECT_TRUE(met.insert({rank, partner}).second) << "a pair meets twice";
        }
        EXPECT_EQ(alone, ranks % 2);
      }
    }
  }
}

}  // namespace
}  // namespace invar::clocksim
