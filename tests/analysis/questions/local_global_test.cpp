#include "analysis/questions/local_global.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "analysis/planted.hpp"
#include "base/error.hpp"

namespace invar::analysis {
namespace {

using testing::Contains;
using testing::HasSubstr;

record::Cell local_global_cell(const std::string& sync, std::uint64_t size_bytes) {
  record::Cell cell = planted::cell("allreduce", size_bytes);
  cell.sync = sync;
  return cell;
}

// Ranks leave a barrier 300 ns apart, which global run-time contains and local does not.
store::Data skewed(planted::Plan plan, std::int64_t skew_ps = 300'000) {
  plan.arms = {"mpich"};
  plan.cells = {local_global_cell("barrier", 8), local_global_cell("window", 8)};
  store::Data data = planted::data(plan);
  auto records = std::make_shared<planted::Records>();
  for (store::Group& group : data.groups) {
    for (store::Launch& launch : group.launches) {
      for (store::Visit& visit : launch.visits) {
        std::vector<record::Timing>& own =
            records->emplace_back(visit.records.begin(), visit.records.end());
        for (record::Timing& timing : own) {
          const bool barrier = visit.line.cell == 0;
          timing.start_skew_ps = barrier ? skew_ps : 5000;
          if (barrier) timing.global_ps += skew_ps;
        }
        visit.records = own;
      }
    }
  }
  data.mapped = std::make_shared<std::pair<std::shared_ptr<const void>, std::shared_ptr<void>>>(
      data.mapped, records);
  return data;
}

TEST(LocalGlobal, SkewOfABarrierIsInTheGlobalRunTimeOnly) {
  // A real clock has a step, and with it a variance that is not 0.
  planted::Plan plan;
  plan.step_ns = 1;
  const LocalGlobal answer = local_global(planted::study(skewed(plan), Rules{}));
  ASSERT_EQ(answer.rows.size(), 2U);
  EXPECT_EQ(answer.rows[0].arm, "mpich");
  EXPECT_NEAR(*answer.rows[0].compared.ratio, 1.3, 0.05);
  EXPECT_EQ(answer.rows[0].compared.verdict, stats::Verdict::kFaster) << "local is shorter";
  EXPECT_DOUBLE_EQ(answer.rows[0].skew->median_ns, 300);
  EXPECT_EQ(answer.rows[0].compared.launches, 8U);
  EXPECT_DOUBLE_EQ(*answer.rows[1].compared.ratio, 1);
  EXPECT_DOUBLE_EQ(answer.rows[1].skew->median_ns, 5);
  EXPECT_EQ(answer.sentence,
            "Global run-time is 1.28 times the local one after barrier (start skew 0.300 us); both "
            "are equivalent within 2 % after window; the synchronisations differ by a factor of up "
            "to 1.00 in local run-time, there of 1.28 in global run-time: 2 ranks, 1 host, shared "
            "memory, this session.");
}

TEST(LocalGlobal, SynchronisationsAreComparedInsideLaunches) {
  // Launches that differ by a factor of three, and only half of them have the second cell: medians
  // over launches would call the synchronisations different.
  planted::Plan plan;
  plan.group_sd = 1;
  store::Data data = skewed(plan, 0);
  for (store::Group& group : data.groups) {
    if (group.group % 2 == 0) continue;
    std::erase_if(group.launches.front().visits,
                  [](const store::Visit& visit) { return visit.line.cell == 1; });
  }
  const LocalGlobal answer = local_global(planted::study(data, Rules{}));
  const double unpaired =
      answer.rows[1].compared.time_a->median_ns / answer.rows[0].compared.time_a->median_ns;
  EXPECT_GT(std::abs(std::log(unpaired)), 0.3);
  EXPECT_NEAR(*answer.rows[1].local_to_first, 1, 0.01);
  EXPECT_DOUBLE_EQ(*answer.rows[0].global_to_first, 1);
}

TEST(LocalGlobal, EqualRunTimesAreEquivalent) {
  planted::Plan plan;
  plan.step_ns = 1;
  const LocalGlobal answer = local_global(planted::study(skewed(plan, 0), Rules{}));
  EXPECT_THAT(answer.sentence,
              HasSubstr("Global and local run-time are equivalent within 2 % after barrier and "
                        "window"));
}

TEST(LocalGlobal, OneLaunchGroupYieldsNoVerdict) {
  planted::Plan plan;
  plan.step_ns = 1;
  plan.groups = 1;
  const std::string sentence = local_global(planted::study(skewed(plan), Rules{})).sentence;
  EXPECT_THAT(sentence, testing::StartsWith("One launch group yields no verdict; in it global "
                                            "run-time is 1.31 times after barrier and 1.00 times "
                                            "after window the local one; "));
  EXPECT_THAT(sentence, HasSubstr("this launch only"));
}

TEST(LocalGlobal, WithoutGlobalTimesThereIsNothingToShow) {
  planted::Plan plan;
  plan.skip_global = true;
  EXPECT_THROW(local_global(planted::study(planted::data(plan), Rules{})), base::CommandError);
}

TEST(LocalGlobal, SomeWithoutGlobalTimesAreTold) {
  planted::Plan plan;
  plan.flags = [](std::size_t, std::size_t, std::uint32_t i) {
    return i == 5 ? std::uint16_t{record::kGlobalInvalid} : std::uint16_t{0};
  };
  EXPECT_THAT(local_global(planted::study(planted::data(plan), Rules{})).warnings,
              Contains(HasSubstr("without a valid global time: in the local run-times only")));
}

// Global times are what this question is about: they are taken where `auto` would take local ones.
TEST(LocalGlobal, GlobalTimesWhoseErrorNobodyStatesAreDoubtful) {
  const std::string words = "clocks were synchronised by an algorithm that states no error";
  const auto warnings = [](std::uint16_t flags) {
    planted::Plan plan;
    plan.flags = [flags](std::size_t, std::size_t, std::uint32_t) { return flags; };
    return local_global(planted::study(skewed(plan), Rules{})).warnings;
  };
  EXPECT_THAT(warnings(0), testing::Not(Contains(HasSubstr(words))));
  EXPECT_THAT(warnings(record::kErrorUnstated),
              Contains(Warning(words + ", so that nobody knows how far global times are off: "
                                       "'mpich'",
                               Gravity::kDoubt)));
}

TEST(LocalGlobal, GlobalTimesThatMayBeFarOffAreDoubtful) {
  const auto warnings = [](std::uint32_t uncertainty_ps) {
    const store::Data data = skewed({});
    for (const store::Group& group : data.groups) {
      for (const store::Visit& visit : group.launches.front().visits) {
        if (visit.line.cell != 1) continue;
        // The records are the test's own.
        for (const record::Timing& timing : visit.records) {
          const_cast<record::Timing&>(timing).uncertainty_ps = uncertainty_ps;
        }
      }
    }
    return local_global(planted::study(data, Rules{})).warnings;
  };
  const std::string words = "global times may be off by more than 2 % of them";
  EXPECT_THAT(warnings(150'000), testing::Not(Contains(HasSubstr(words)))) << "0.2 us are allowed";
  EXPECT_THAT(
      warnings(300'000),
      Contains(testing::AllOf(
          testing::Field(&Warning::gravity, Gravity::kDoubt),
          testing::Field(&Warning::text, testing::AllOf(HasSubstr(words), HasSubstr("window"),
                                                        testing::Not(HasSubstr("barrier")))))));
}

// Every second block is in a slow regime, in which a barrier's ranks leave no further apart.
TEST(LocalGlobal, ANamedRegimeIsWhatTheAnswerSpeaksOf) {
  planted::Plan plan;
  plan.step_ns = 1;
  plan.rounds = 8;
  plan.block_canary_ns = [](std::uint32_t, std::uint32_t block) {
    return block % 4 < 2 ? 130.0 : 500.0;
  };
  plan.slower = [](std::uint32_t, std::uint32_t block, std::size_t) {
    return block % 4 < 2 ? 1.0 : 3.0;
  };
  const store::Data data = skewed(plan);
  const Rules named{.regime = base::CanaryBand{.low_ns = 400, .high_ns = 700}};
  const LocalGlobal answer = local_global(planted::study(data, named));
  EXPECT_NEAR(*answer.rows[0].compared.ratio, 1.1, 0.02);
  EXPECT_THAT(answer.scope, HasSubstr("canary 0.500 us (50 % of visits)"));
  const LocalGlobal mixed = local_global(planted::study(data, Rules{}));
  EXPECT_GT(*mixed.rows[0].compared.ratio, 1.12);
  EXPECT_THAT(mixed.scope, testing::Not(HasSubstr("canary")));
  const Rules nowhere{.regime = base::CanaryBand{.low_ns = 1, .high_ns = 2}};
  const auto lack = local_global_lack(planted::study(data, nowhere));
  ASSERT_TRUE(lack);
  EXPECT_THAT(lack->text(), HasSubstr("no visit is in the reference regime 1ns:2ns"));
}

TEST(LocalGlobal, ANamedRegimeWithTooFewBlocksIsRefused) {
  planted::Plan plan;
  plan.rounds = 8;
  plan.block_canary_ns = [](std::uint32_t, std::uint32_t block) {
    return block < 2 ? 500.0 : 130.0;
  };
  const Rules named{.regime = base::CanaryBand{.low_ns = 400, .high_ns = 700}};
  EXPECT_THROW(local_global(planted::study(skewed(plan), named)), base::UserError);
}

TEST(LocalGlobal, EveryArmHasItsRows) {
  const LocalGlobal answer = local_global(planted::study(planted::data({}), Rules{}));
  ASSERT_EQ(answer.rows.size(), 6U);
  EXPECT_EQ(answer.rows[2].arm, "openmpi");
  EXPECT_EQ(answer.rows[3].arm, "mpich");
  EXPECT_EQ(answer.arms.size(), 2U);
}

}  // namespace
}  // namespace invar::analysis
