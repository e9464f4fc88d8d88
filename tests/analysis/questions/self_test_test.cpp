// The self-test against data whose truth is planted, and the method on 600 real A/A groups.
#include "analysis/questions/self_test.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "analysis/planted.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "golden.hpp"
#include "simulations.hpp"
#include "stats/test/binomial.hpp"

namespace invar::analysis {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

// Three cells of 1 us without and with delays of 1, 5 and 20 %.
planted::Plan self_test_plan() {
  planted::Plan plan;
  plan.arms = {"openmpi#1", "openmpi#2"};
  plan.groups = 60;
  plan.rounds = 3;
  plan.cells.clear();
  for (const std::uint64_t size : {8U, 64U, 1024U}) {
    for (const std::uint64_t delay_ns : {0U, 10U, 50U, 200U}) {
      record::Cell cell = planted::cell("allreduce", size);
      cell.delay_ns = delay_ns;
      plan.cells.push_back(cell);
    }
  }
  plan.time_ns = [cells = plan.cells](std::size_t arm, std::size_t cell) {
    return 1000.0 + (arm == 1 ? static_cast<double>(cells[cell].delay_ns) : 0.0);
  };
  return plan;
}

const SelfTestTables& by_turns(const SelfTest& result, std::size_t groups) {
  for (const SelfTestTables& tables : result.tables) {
    if (tables.pairing == Pairing::kTurns && tables.equal.groups == groups) return tables;
  }
  throw std::logic_error("no such tables");
}

TEST(SelfTest, QuietMachine_NoFalseVerdictsAndDelaysAreFound) {
  const SelfTest result = self_test(planted::study(planted::data(self_test_plan()), Rules{}));
  EXPECT_THAT(result.problems, IsEmpty());
  EXPECT_THAT(result.sentence, HasSubstr("Nothing seen against Invar's verdicts"))
      << "12 tables prove little";
  ASSERT_EQ(result.cells.size(), 3U);
  EXPECT_NEAR(result.effects.at(1), 0.05, 0.003);
  const SelfTestTables& tables = by_turns(result, 5);
  EXPECT_EQ(tables.equal.tables, 12U);
  EXPECT_EQ(tables.equal.cells, 36U);
  EXPECT_GE(tables.power.at(1).found.value(), 0.95);
  EXPECT_GE(tables.power.at(2).found.value(), 0.95);
  EXPECT_LT(tables.power.at(0).found.value(), tables.power.at(1).found.value());
}

// Both kinds of pairs know which visits are equal and which are delayed.
TEST(SelfTest, InsideALaunch_TheArmThatPlantsNothingIsTheEqualOne) {
  const SelfTest result = self_test(planted::study(planted::data(self_test_plan()), Rules{}));
  std::size_t kinds = 0;
  for (const SelfTestTables& tables : result.tables) {
    if (tables.pairing != Pairing::kRounds) continue;
    ++kinds;
    EXPECT_TRUE(tables.equal.holds());
    EXPECT_GE(tables.power.at(2).found.value(), 0.95);
  }
  EXPECT_EQ(kinds, 4U) << "tables of 5, 8, 12 and 30 groups";
}

// A race without turns compares medians of launches, and so does its self-test.
TEST(SelfTest, OfLaunches_IsJudgedByTheDifferencesThatARaceWouldTake) {
  Rules rules;
  rules.pairing = Pairing::kLaunches;
  const SelfTest result = self_test(planted::study(planted::data(self_test_plan()), rules));
  std::size_t kinds = 0;
  for (const SelfTestTables& tables : result.tables) {
    EXPECT_NE(tables.pairing, Pairing::kTurns);
    kinds += tables.pairing == Pairing::kLaunches ? 1U : 0U;
  }
  EXPECT_EQ(kinds, 4U);
  const SelfTest turns = self_test(planted::study(planted::data(self_test_plan()), Rules{}));
  EXPECT_NE(result.tables[0].equal.uncorrected_share, turns.tables[0].equal.uncorrected_share);
}

// As the pilot group of cells that were then timed in batches.
TEST(SelfTest, ManyTables_SayThatVerdictsHoldAndWhatTheyWouldHaveShown) {
  planted::Plan plan = self_test_plan();
  plan.groups = 300;
  const SelfTest result = self_test(planted::study(planted::data(plan), Rules{}));
  EXPECT_THAT(result.sentence, HasSubstr("Invar's verdicts hold on this machine"));
  EXPECT_THAT(result.sentence, HasSubstr("of the tables wrong would have shown, 5 % are allowed"));
}

TEST(SelfTest, GroupWithoutAVisit_IsLeftOutAndItsCellsStay) {
  store::Data data = planted::data(self_test_plan());
  for (store::Launch& launch : data.groups[0].launches) {
    std::erase_if(launch.visits, [](const store::Visit& visit) { return visit.line.cell == 2; });
  }
  const SelfTest result = self_test(planted::study(data, Rules{}));
  EXPECT_EQ(result.groups, 59U);
  EXPECT_THAT(result.warnings, testing::Contains(HasSubstr("1 launch group without all visits")));
  EXPECT_EQ(result.cells.size(), 3U);
  // Where many groups lack it, the cell is left out.
  for (std::size_t group = 0; group < 30; ++group) {
    for (store::Launch& launch : data.groups[group].launches) {
      std::erase_if(launch.visits, [](const store::Visit& visit) { return visit.line.cell == 2; });
    }
  }
  const SelfTest fewer = self_test(planted::study(data, Rules{}));
  EXPECT_EQ(fewer.groups, 60U);
  EXPECT_EQ(fewer.cells.size(), 2U);
}

TEST(SelfTest, CellWithAMissingBlock_IsNamedAndOthersKeepTheirPlace) {
  store::Data data = planted::data(self_test_plan());
  // All blocks of a group lose their second arm at the first family's smallest delay.
  for (store::Visit& visit : data.groups[3].launches[1].visits) {
    if (visit.line.cell == 1) visit.line.block += 1000;
  }
  const SelfTest result = self_test(planted::study(data, Rules{}));
  EXPECT_THAT(result.warnings, testing::Contains(HasSubstr("1 cell")));
  const SelfTestTables& tables = by_turns(result, 5);
  ASSERT_EQ(tables.power.at(2).found_by_cell.size(), 3U);
  EXPECT_FALSE(tables.power.at(2).found_by_cell[0]);
  EXPECT_GE(tables.power.at(2).found_by_cell[1].value(), 0.95);
}

TEST(SelfTest, ArmsThatAreNotEqual_TheMethodDoesNotHold) {
  planted::Plan plan = self_test_plan();
  plan.time_ns = [](std::size_t arm, std::size_t) { return arm == 1 ? 1050.0 : 1000.0; };
  const SelfTest result = self_test(planted::study(planted::data(plan), Rules{}));
  ASSERT_FALSE(result.problems.empty());
  EXPECT_THAT(result.problems.front(), HasSubstr("have a false verdict"));
  EXPECT_THAT(result.sentence, HasSubstr("do not hold"));
}

TEST(SelfTest, NoiseThatHidesADelayOfAFifth_IsAProblem) {
  planted::Plan plan = self_test_plan();
  plan.visit_sd = 1;
  plan.launch_sd = 1;
  const SelfTest result = self_test(planted::study(planted::data(plan), Rules{}));
  ASSERT_FALSE(result.problems.empty());
  EXPECT_THAT(result.problems.back(), HasSubstr("is found in only"));
}

TEST(SelfTest, DelaysThatTookLongerThanTheyShould_AreAProblem) {
  store::Data data = planted::data(self_test_plan());
  data.groups[7].launches[1].delay_check = 1.3;
  const SelfTest result = self_test(planted::study(data, Rules{}));
  ASSERT_EQ(result.problems.size(), 1U);
  EXPECT_THAT(result.problems.front(), HasSubstr("1.30 times"));
}

TEST(SelfTest, DelaysBelowTheClocksStepAreNotTestable) {
  planted::Plan plan = self_test_plan();
  plan.step_ns = 2000;
  plan.noise_sd = 0;
  plan.visit_sd = plan.launch_sd = plan.group_sd = 0;
  plan.time_ns = [](std::size_t, std::size_t) { return 2000.0; };
  const SelfTest result = self_test(planted::study(planted::data(plan), Rules{}));
  EXPECT_FALSE(result.cells.front().testable.front());
  EXPECT_EQ(by_turns(result, 5).power.front().found, std::nullopt);
}

TEST(SelfTest, TooFewGroups_NoJudgement) {
  planted::Plan plan = self_test_plan();
  plan.groups = 4;
  const SelfTest result = self_test(planted::study(planted::data(plan), Rules{}));
  EXPECT_THAT(result.tables, IsEmpty());
  EXPECT_THAT(result.sentence, HasSubstr("too few"));
}

// Every third group and the second half of every tenth are three times as slow, so that a delay is
// a third of its effect there. `canaries`: whether they show it.
planted::Plan alternating_plan(std::uint64_t seed, bool canaries) {
  planted::Plan plan = self_test_plan();
  plan.seed = seed;
  plan.rounds = 6;
  plan.repetitions = 4;
  plan.warm_up = 0;
  const auto half = static_cast<std::uint32_t>(plan.rounds * plan.cells.size() / 2);
  const auto slow = [half](std::uint32_t group, std::uint32_t block) {
    return (group / 4 % 3 == 1) != (group % 10 == 0 && block >= half);
  };
  plan.time_ns = [](std::size_t, std::size_t) { return 1000.0; };
  plan.visit_ns = [slow, cells = plan.cells](std::uint32_t group, std::uint32_t block,
                                             std::size_t arm, std::size_t cell) {
    const double delay_ns = arm == 1 ? static_cast<double>(cells[cell].delay_ns) : 0.0;
    return (slow(group, block) ? 3000.0 : 1000.0) + delay_ns;
  };
  plan.block_canary_ns = [slow, canaries](std::uint32_t group, std::uint32_t block) {
    return (canaries && slow(group, block) ? 500.0 : 130.0) * (1 + 0.01 * ((group + block) % 5));
  };
  return plan;
}

TEST(SelfTest, RegimesThatAlternate_VerdictsHoldAndNoLessIsFoundThanOverEverything) {
  constexpr std::uint64_t kSeeds = test::simulations(8);
  std::size_t tables = 0;
  std::size_t wrong = 0;
  double found = 0;
  double found_over_everything = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const store::Data data = planted::data(alternating_plan(seed, true));
    const SelfTest result = self_test(planted::study(data, Rules{}));
    EXPECT_LT(result.groups, 50U) << "slow groups are not in it";
    EXPECT_GT(result.groups, 30U);
    EXPECT_NEAR(result.effects.at(1), 0.05, 0.01) << "of the reference regime's times";
    const SelfTestTables& split = by_turns(result, 5);
    tables += split.equal.tables;
    wrong += split.equal.tables_wrong;
    found += split.power.at(1).found.value();
    const store::Data mixed = planted::data(alternating_plan(seed, false));
    found_over_everything +=
        by_turns(self_test(planted::study(mixed, Rules{})), 5).power.at(1).found.value();
  }
  if (test::kSanitized) return;
  EXPECT_GE(tables, 7 * kSeeds);
  EXPECT_LE(wrong, stats::binomial_limit(tables, 0.05, 0.01));
  EXPECT_GE(found, 0.9 * kSeeds);
  EXPECT_GE(found, found_over_everything);
}

TEST(SelfTest, ARegimeThatNoVisitIsInIsRefused) {
  const Rules named{.regime = base::CanaryBand{.low_ns = 1, .high_ns = 2}};
  const store::Data data = planted::data(self_test_plan());
  const auto faults = test::faults_of([&] { self_test(planted::study(data, named)); });
  EXPECT_THAT(faults.front(), HasSubstr("no visit is in the reference regime 1ns:2ns"));
}

TEST(SelfTest, CampaignWithoutDelaysIsRefused) {
  planted::Plan plan;
  plan.arms = {"openmpi#1", "openmpi#2"};
  const auto faults =
      test::faults_of([&] { self_test(planted::study(planted::data(plan), Rules{})); });
  EXPECT_THAT(faults.front(), HasSubstr("is not a self-test"));
}

// tests/golden/aa_groups: 20 cells, 300 groups, the true d is 0. `slower` is planted into each.
std::vector<KnownCell> real_cells(const std::string& library, double slower) {
  const std::string text = test::golden("aa_groups/" + library + ".csv");
  const std::vector<std::string_view> lines = base::split(text, '\n');
  std::vector<KnownCell> cells(20);
  for (std::size_t i = 1; i < lines.size(); ++i) {
    if (lines[i].empty()) continue;
    const std::vector<std::string_view> fields = base::split(lines[i], ',');
    for (std::size_t cell = 0; cell < cells.size(); ++cell) {
      const double d = base::parse_double(fields.at(cell + 1)).value();
      cells[cell].equal.push_back(d);
      cells[cell].planted.resize(1);
      cells[cell].planted[0].push_back(d - std::log(1 + slower));
      cells[cell].testable = {true};
    }
  }
  return cells;
}

TEST(KnownTables, RealGroups_FalseVerdictsStayWithinAlpha) {
  for (const char* library : {"openmpi", "mpich"}) {
    const std::vector<KnownCell> cells = real_cells(library, 0);
    for (const std::size_t groups : {5U, 12U}) {
      const FalseVerdicts judged =
          judge_equal(cells, groups, {}, stats::Correction::kBenjaminiHochberg);
      EXPECT_EQ(judged.tables, 300 / groups);
      EXPECT_TRUE(judged.holds()) << library << ", " << groups;
      EXPECT_LE(judged.cells_wrong, judged.cells / 100) << library;
      // The guard must be able to fail: without a correction it does.
      const FalseVerdicts uncorrected = judge_equal(cells, groups, {}, stats::Correction::kNone);
      EXPECT_FALSE(uncorrected.holds()) << library << ", " << groups;
    }
  }
}

TEST(KnownTables, RealGroups_FivePercentIsFoundWithinTwelveGroups) {
  for (const char* library : {"openmpi", "mpich"}) {
    const std::vector<KnownCell> cells = real_cells(library, 0.05);
    const Power power = judge_planted(cells, 0, 12, {}, stats::Correction::kBenjaminiHochberg);
    EXPECT_EQ(power.tables, 25U);
    EXPECT_GT(power.found.value(), 0.75) << library;
    EXPECT_EQ(power.found_by_cell.size(), 20U);
  }
}

TEST(KnownTables, LimitIsThatOfTheBinomialDistribution) {
  // R: qbinom(0.99, 60, 0.05)
  std::vector<KnownCell> cells(1);
  cells[0].equal.assign(300, 0.0);
  for (std::size_t i = 0; i < 300; ++i) cells[0].equal[i] = i % 2 == 0 ? 0.01 : -0.011;
  EXPECT_EQ(judge_equal(cells, 5, {}, stats::Correction::kNone).tables_limit, 7U);
}

}  // namespace
}  // namespace invar::analysis
