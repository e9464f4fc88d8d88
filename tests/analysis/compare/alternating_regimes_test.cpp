// A machine whose regimes alternate, with effects of their own, and campaigns that look at their
// results: what is claimed of the reference regime is false in no more tables than alpha, and what
// is there is found.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "analysis/compare/compare.hpp"
#include "analysis/compare/looks.hpp"
#include "analysis/planted.hpp"
#include "simulations.hpp"
#include "stats/decide/sequential.hpp"
#include "stats/test/binomial.hpp"

namespace invar::analysis {
namespace {

using stats::Verdict;
using testing::Contains;
using testing::HasSubstr;

constexpr std::uint32_t kMostGroups = 24;

// Stretches of one to three launch groups, and one group in five in which the regime changes.
class Machine {
 public:
  explicit Machine(std::uint64_t seed) {
    base::Random random(seed);
    bool slow = random.uniform() < 0.5;
    for (std::size_t group = 1; group < slow_.size(); ++group) {
      if (random.uniform() < 0.4) slow = !slow;
      slow_.at(group) = slow;
      changes_.at(group) = random.uniform() < 0.2;
    }
  }

  [[nodiscard]] bool slow(std::uint32_t group, std::uint32_t block, std::uint32_t blocks) const {
    return slow_.at(group) != (changes_.at(group) && 2 * block >= blocks);
  }

 private:
  std::array<bool, kMostGroups + 1> slow_ = {};
  std::array<bool, kMostGroups + 1> changes_ = {};
};

// Four cells; the second arm takes `in_fast` times as long in the fast regime and `in_slow` times
// in the slow one.
store::Data on_the_machine(std::uint64_t seed, double in_fast, double in_slow, bool canaries) {
  planted::Plan plan;
  plan.cells.push_back(planted::cell("allreduce", 65536));
  plan.groups = kMostGroups;
  plan.rounds = 4;
  plan.repetitions = 3;
  plan.warm_up = 0;
  plan.launch_sd = 0.015;
  plan.seed = seed;
  const Machine machine(seed);
  const auto blocks = static_cast<std::uint32_t>(plan.rounds * plan.cells.size());
  plan.slower = [=](std::uint32_t group, std::uint32_t block, std::size_t arm) {
    const bool slow = machine.slow(group, block, blocks);
    return (slow ? 3.0 : 1.0) * (arm == 0 ? 1.0 : (slow ? in_slow : in_fast));
  };
  plan.arm_canary_ns = [=](std::uint32_t group, std::uint32_t block, std::size_t) {
    if (!canaries) return 0.0;
    return (machine.slow(group, block, blocks) ? 500.0 : 130.0) *
           (1 + 0.01 * ((group + block) % 5));
  };
  return planted::data(plan);
}

// The looks that the driver takes: each as soon as groups enough count, or twice as many are there.
void look_as_the_driver(store::Data& data, const Rules& rules) {
  for (std::uint32_t groups = 3; groups <= data.groups.size(); ++groups) {
    if (data.looks.size() == stats::kLooks.size()) return;
    store::Data then = data;
    then.groups.resize(groups);
    const LookGround ground = look_ground(then, rules);
    const std::size_t at = stats::kLooks.at(data.looks.size()).launches;
    if (groups - ground.outside < at && groups < kMostWaiting * at) continue;
    const auto number = static_cast<std::uint32_t>(data.looks.size() + 1);
    data.looks.push_back(planted::look_after(number, groups));
    if (number == 1) data.looks.back().regime = ground.regime;
  }
}

struct Found {
  std::size_t tables = 0;  // about the fast regime
  std::size_t wrong = 0;   // tables with a claim where nothing is
  std::size_t cells = 0;
  std::size_t right = 0;  // cells in which the second arm is found to be slower
};

Found found_in(std::size_t campaigns, double in_fast, double in_slow, bool looks,
               bool canaries = true) {
  Found found;
  for (std::uint64_t seed = 0; seed < campaigns; ++seed) {
    store::Data data = on_the_machine(seed, in_fast, in_slow, canaries);
    const Rules rules{.sequential = looks};
    if (looks) look_as_the_driver(data, rules);
    const Comparison result = compare(planted::study(data, rules));
    // Fewer than three of the first six groups were fast, and nobody waits for a regime for ever;
    // or fewer than five of all of them.
    if (canaries && !result.reference) {
      if (looks) {
        EXPECT_THAT(result.warnings, Contains(HasSubstr("did not tell apart")));
      }
      continue;
    }
    // The slow regime alone came before the first look: of that one the claims are true.
    if (canaries && !result.reference->band.contains(131)) continue;
    bool wrong = false;
    for (const ComparedCell& row : result.cells) {
      if (row.regime) continue;
      ++found.cells;
      found.right += row.verdict == Verdict::kFaster ? 1U : 0U;
      wrong = wrong || row.verdict == Verdict::kFaster || row.verdict == Verdict::kSlower;
    }
    ++found.tables;
    found.wrong += wrong ? 1U : 0U;
  }
  return found;
}

constexpr std::size_t kCampaigns = test::simulations(80);

// Equal in the fast regime, and far from that in the other one, which holds half of the visits.
TEST(AlternatingRegimes, FalseTablesStayWithinAlphaWithAndWithoutLooks) {
  for (const bool looks : {false, true}) {
    const Found found = found_in(kCampaigns, 1.0, 1.3, looks);
    if (!test::kSanitized) {
      EXPECT_GE(found.tables, kCampaigns / 4) << looks;
    }
    EXPECT_LE(found.wrong, stats::binomial_limit(found.tables, 0.05, 0.01)) << looks;
  }
  // The guard must be able to fail: without canaries nobody can tell the regimes apart.
  const Found mixed = found_in(20, 1.0, 1.3, false, false);
  EXPECT_GT(mixed.wrong, stats::binomial_limit(mixed.tables, 0.05, 0.01));
}

TEST(AlternatingRegimes, WhatIsThereIsFoundAndOverEverythingItIsNot) {
  constexpr std::size_t kDifferent = test::simulations(40);
  for (const bool looks : {false, true}) {
    const Found found = found_in(kDifferent, 1.06, 0.9, looks);
    const Found mixed = found_in(kDifferent, 1.06, 0.9, looks, false);
    if (test::kSanitized) continue;
    EXPECT_GE(static_cast<double>(found.right), 0.9 * static_cast<double>(found.cells)) << looks;
    EXPECT_LT(static_cast<double>(mixed.right), 0.2 * static_cast<double>(mixed.cells)) << looks;
  }
}

}  // namespace
}  // namespace invar::analysis
