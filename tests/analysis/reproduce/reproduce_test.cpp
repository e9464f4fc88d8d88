#include "analysis/reproduce/reproduce.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "analysis/reproduce/reproduce_campaigns.hpp"
#include "analysis/reproduce/reproduce_values.hpp"
#include "analysis/suite_data.hpp"
#include "design/campaign/campaign.hpp"
#include "golden.hpp"

namespace invar::analysis {
namespace {

using stats::Verdict;
using testing::AllOf;
using testing::Contains;
using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Optional;

record::Cell reproduced_cell(const char* operation) {
  return {.operation = operation, .size_bytes = 8, .datatype = "byte"};
}

// Two arms, one cell an entry of `times_ns`: [repeat] -> (first arm, second arm).
using Pairs = std::vector<std::pair<double, double>>;

MethodRepeats method(const std::string& name, Taken taken, const std::vector<Pairs>& cells) {
  MethodRepeats all{.name = name, .taken = taken};
  for (std::size_t repeat = 0; repeat < cells.front().size(); ++repeat) {
    RepeatValues& values = all.repeats.emplace_back();
    values.machine_s = 20.0 + static_cast<double>(repeat);
    for (const Pairs& one : cells) {
      const auto& [a, b] = one[repeat];
      values.values.push_back({{.time_ns = a}, {.time_ns = b, .ratio = b / a}});
    }
  }
  return all;
}

ReproduceInput input(std::vector<MethodRepeats> methods) {
  ReproduceInput made{
      .cells = {reproduced_cell("bcast"), reproduced_cell("reduce"), reproduced_cell("scan")},
      .arms = {{.label = "openmpi"}, {.label = "mpich"}},
      .methods = std::move(methods)};
  made.cells.resize(made.methods.front().repeats.front().values.size());
  return made;
}

TEST(Reproduce, SpreadIsLargestLessLeastOverLeast) {
  // Times 100..110 and 200..210: 10 % and 5 %; ratios 2, 210/110, 200/105.
  const Reproduced result =
      reproduce(input({method("invar", Taken::kAnswer, {{{100, 200}, {110, 210}, {105, 200}}})}));
  const ReproducedMethod& ours = result.methods.front();
  ASSERT_EQ(ours.cells.size(), 2U) << "a row an arm and cell";
  EXPECT_NEAR(ours.cells[0].time->spread, 0.10, 1e-12);
  EXPECT_NEAR(ours.cells[1].time->spread, 0.05, 1e-12);
  EXPECT_EQ(ours.cells[1].time->least, 200);
  EXPECT_EQ(ours.cells[1].time->largest, 210);
  EXPECT_FALSE(ours.cells[0].ratio) << "the first arm is what ratios are to";
  EXPECT_NEAR(ours.cells[1].ratio->spread, 2 / (200 / 105.0) - 1, 1e-12);
  EXPECT_NEAR(ours.times->median, 0.075, 1e-12) << "of two spreads";
  EXPECT_NEAR(ours.times->worst, 0.10, 1e-12);
  EXPECT_EQ(ours.times->worst_cell, 0U);
  EXPECT_EQ(ours.ratios->count, 1U);
  EXPECT_THAT(ours.machine_s, ElementsAre(20, 21, 22));
}

// Figure 12: a box of what was reported over the least of it; of a method, over all its cells.
TEST(Reproduce, BoxesAreOfTheNormalisedValues) {
  const Reproduced result =
      reproduce(input({method("invar", Taken::kAnswer, {{{100, 200}, {110, 210}, {105, 200}}})}));
  const ReproducedMethod& ours = result.methods.front();
  const stats::TukeyBox& box = ours.cells[0].time->box;  // 1, 1.05, 1.1
  EXPECT_NEAR(box.low, 1, 1e-12);
  EXPECT_NEAR(box.first_quartile, 1.025, 1e-12);
  EXPECT_NEAR(box.median, 1.05, 1e-12);
  EXPECT_NEAR(box.third_quartile, 1.075, 1e-12);
  EXPECT_NEAR(box.high, 1.1, 1e-12);
  // 1, 1, 1, 1.05, 1.05, 1.1
  EXPECT_NEAR(ours.times->box.median, 1.025, 1e-12);
  EXPECT_NEAR(ours.times->box.third_quartile, 1.05, 1e-12);
}

TEST(Reproduce, NormalisedValuesAreOverTheLeastOfThem) {
  EXPECT_THAT(normalised({110.0, std::nullopt, 100.0}),
              ElementsAre(Optional(DoubleNear(1.1, 1e-12)), std::nullopt, Optional(1.0)));
  EXPECT_THAT(normalised({std::nullopt}), ElementsAre(std::nullopt));
}

TEST(Reproduce, WinnerChangesOnlyWhereBothSidesAreBeyondMinEffect) {
  const Reproduced result =
      reproduce(input({method("invar", Taken::kAnswer, {{{100, 110}, {100, 110}}}),
                       method("osu", Taken::kOneRun, {{{100, 103}, {100, 97}}}),
                       method("imb", Taken::kOneRun, {{{100, 103}, {100, 99}}})}));
  EXPECT_EQ(result.methods[0].winners_changed, 0U);
  EXPECT_EQ(result.methods[1].winners_changed, 1U);
  EXPECT_EQ(result.methods[2].winners_changed, 0U) << "1 % makes no winner";
  EXPECT_EQ(result.methods[1].comparisons, 1U);
}

TEST(Reproduce, VerdictsThatContradictAndThoseThatAgreeAreCounted) {
  MethodRepeats ours =
      method("invar", Taken::kAnswer, {{{1, 2}, {1, 2}}, {{1, 2}, {1, 2}}, {{1, 2}, {1, 2}}});
  const auto say = [&](std::size_t in, Verdict first, Verdict second) {
    ours.repeats[0].values[in][1].verdict = first;
    ours.repeats[1].values[in][1].verdict = second;
  };
  say(0, Verdict::kFaster, Verdict::kFaster);
  say(1, Verdict::kFaster, Verdict::kSlower);
  say(2, Verdict::kUndecided, Verdict::kUndecided);
  const Reproduced result = reproduce(input({ours}));
  EXPECT_THAT(result.methods[0].judged, Optional(3U));
  EXPECT_EQ(result.methods[0].opposite_verdicts, 1U);
  EXPECT_EQ(result.methods[0].decided_alike, 1U) << "undecided twice is not decided";
  EXPECT_THAT(result.sentence, HasSubstr("contradict each other in 1 comparison"));
}

TEST(Reproduce, WithoutVerdictsNoneAreCounted) {
  const Reproduced result = reproduce(input({method("invar", Taken::kAnswer, {{{1, 2}, {1, 2}}})}));
  EXPECT_FALSE(result.methods[0].judged);
}

TEST(Reproduce, ACellWithoutAValueIsNamedAndLeftOutOfTheLine) {
  MethodRepeats ours =
      method("invar", Taken::kAnswer,
             {{{100, 100}, {101, 101}, {102, 102}}, {{100, 100}, {900, 150}, {102, 102}}});
  ours.repeats[1].values[1][0] = {.missing = "it failed"};
  ours.repeats[1].values[1][1].ratio.reset();
  const Reproduced result = reproduce(input({ours}));
  const ReproducedMethod& method = result.methods[0];
  EXPECT_EQ(method.cells[2].time->repeats, 2U);
  EXPECT_NEAR(method.cells[2].time->spread, 0.02, 1e-12) << "of the two that there are";
  EXPECT_EQ(method.times->count, 3U) << "a spread of fewer repeats is not on a par with the others";
  EXPECT_EQ(method.comparisons, 1U);
  EXPECT_THAT(result.warnings, ElementsAre(HasSubstr("reduce, 8 B, 2 ranks, of openmpi (2 of 3: it "
                                                     "failed)")));
}

TEST(Reproduce, OneValueHasNoSpread) {
  MethodRepeats ours = method("invar", Taken::kAnswer, {{{100, 100}, {120, 120}}});
  ours.repeats[1].values[0][0] = {};
  const Reproduced result = reproduce(input({ours}));
  EXPECT_FALSE(result.methods[0].cells[0].time);
  EXPECT_TRUE(result.methods[0].cells[1].time);
}

TEST(Reproduce, ATimeOfZeroIsNone) {
  MethodRepeats ours = method("invar", Taken::kAnswer, {{{0, 5}, {1, 5}, {2, 5}}});
  EXPECT_EQ(reproduce(input({ours})).methods[0].cells[0].time->repeats, 2U);
}

TEST(Reproduce, NeedsTwoRepeatsAndAsManyOfEachMethod) {
  EXPECT_THROW((void)reproduce(input({method("invar", Taken::kAnswer, {{{1, 2}}})})),
               std::invalid_argument);
  EXPECT_THROW((void)reproduce(input({method("invar", Taken::kAnswer, {{{1, 2}, {1, 2}}}),
                                      method("osu", Taken::kOneRun, {{{1, 2}, {1, 2}, {1, 2}}})})),
               std::invalid_argument);
}

TEST(Reproduce, SentenceSaysOursAndBothNumbersOfEverySuite) {
  const Reproduced result =
      reproduce(input({method("invar", Taken::kAnswer, {{{100, 100}, {102, 102}}}),
                       method("osu", Taken::kOneRun, {{{100, 100}, {150, 150}}}),
                       method("osu", Taken::kSameTime, {{{100, 100}, {120, 120}}})}));
  EXPECT_EQ(result.sentence,
            "Between 2 repeats invar's times differ by 2 % in the median cell, its ratios by 0 %; "
            "the times that one run reports: osu's by 50 % (same time: 20 %).");
}

// Finished campaigns of bcast at 8 B.

store::Data campaign(suite_data::Plan plan, const std::string& dir, std::uint64_t seed,
                     const std::function<void(design::Campaign&)>& change = {}) {
  store::Data data = suite_data::data(plan);
  data.dir = dir;
  data.sessions = {"2026-11-22.00000000"};
  design::Campaign campaign{.name = dir, .seed = seed};
  campaign.cells = {{.operations = {"bcast"}, .sizes_bytes = {8}}};
  for (const std::string& label : plan.arms) {
    campaign.arms.push_back({.label = label, .library = label});
  }
  if (change) change(campaign);
  data.campaign_toml = design::campaign_toml(campaign);
  for (store::Group& group : data.groups) group.seconds = 2;
  return data;
}

suite_data::Plan two_arms(double slower_ns) {
  suite_data::Plan plan;
  plan.arms = {"openmpi", "mpich"};
  plan.launches = 4;
  plan.time_ns = [=](const record::Cell& cell, std::size_t arm, std::uint32_t launch,
                     std::uint32_t) {
    const double luck_ns = cell.scheme == record::kOwnScheme ? 0.0 : 100.0 * (launch - 1);
    // Without any luck of launches there is no test.
    return 500.0 + slower_ns + luck_ns + (arm == 0 ? 0.0 : 250.0 + 0.1 * launch);
  };
  return plan;
}

TEST(ReproducedCampaigns, OneRunIsTheFirstLaunchAndTheSameTimeTheirMean) {
  const Study study(campaign(two_arms(0), "a", 1));
  const PresetValues values(study);
  const SuiteValues suite = suite_values(values, *design::find_preset("osu"), study.data().cells);
  EXPECT_NEAR(*suite.one_run.values[0][0].time_ns, 500, 0.5);
  EXPECT_NEAR(*suite.same_time.values[0][0].time_ns, 650, 0.5) << "500, 600, 700, 800";
  EXPECT_NEAR(*suite.one_run.values[0][1].ratio, 1.5, 2e-3);
  EXPECT_NEAR(*suite.same_time.values[0][1].ratio, 900.0 / 650, 2e-3);
  EXPECT_EQ(suite.one_run.machine_s, 8) << "four groups of 2 s";
}

TEST(ReproducedCampaigns, OursIsWhatCompareSays) {
  const Study study(campaign(two_arms(0), "a", 1));
  const RepeatValues ours = own_values(study, study.data().cells);
  ASSERT_EQ(ours.values.size(), 1U) << "visits of suites are no cells";
  EXPECT_NEAR(*ours.values[0][0].time_ns, 500, 0.5);
  EXPECT_NEAR(*ours.values[0][1].ratio, 1.5, 2e-3);
  EXPECT_EQ(ours.values[0][1].verdict, Verdict::kFaster) << "about the first arm";
}

TEST(ReproducedCampaigns, WithOneArmThereAreTimesAndNoRatios) {
  suite_data::Plan plan;
  ReproducedCampaigns campaigns;
  campaigns.add_own(Study(campaign(plan, "a", 1)), {"osu"});
  campaigns.add_own(Study(campaign(plan, "b", 2)), {"osu"});
  const Reproduced result = campaigns.result({});
  EXPECT_TRUE(result.methods[0].times);
  EXPECT_FALSE(result.methods[0].ratios);
  EXPECT_EQ(result.methods[0].comparisons, 0U);
}

TEST(ReproducedCampaigns, PresetsThatTheDataGiveJoinAndOthersDoNot) {
  ReproducedCampaigns campaigns;
  campaigns.add_own(Study(campaign(two_arms(0), "a", 1)), {"osu", "mpptest", "reprompi"});
  campaigns.add_own(Study(campaign(two_arms(50), "b", 2)), {"osu", "mpptest", "reprompi"});
  const Reproduced result = campaigns.result({});
  std::vector<std::string> names;
  for (const ReproducedMethod& method : result.methods) {
    names.push_back(method_text(method.name, method.taken));
    EXPECT_EQ(method.shares_time, method.name != "invar");
  }
  EXPECT_THAT(names, ElementsAre("invar", "osu, one run", "osu, same time", "reprompi, one run",
                                 "reprompi, same time"));
  EXPECT_NEAR(result.methods[0].cells[0].time->spread, 0.1, 1e-3);
  EXPECT_EQ(result.arms[0].launches, 8U) << "of both";
  EXPECT_THAT(test::faults_of([&] { (void)campaigns.result({"mpptest"}); }),
              ElementsAre(HasSubstr("--presets: mpptest: not measured its way")));
}

TEST(ReproducedCampaigns, ASuiteWithACampaignOfItsOwnAndNoNumberIsNamed) {
  suite_data::Plan nothing = two_arms(0);
  nothing.schemes = {};
  ReproducedCampaigns campaigns;
  for (const char* dir : {"1", "2"}) {
    campaigns.add_own(Study(campaign(two_arms(0), std::string(dir) + "/invar", 1)), {});
    campaigns.add_suite(Study(campaign(two_arms(0), std::string(dir) + "/osu", 1)), "osu");
    campaigns.add_suite(Study(campaign(nothing, std::string(dir) + "/mpptest", 1)), "mpptest");
  }
  const Reproduced result = campaigns.result({});
  EXPECT_EQ(result.methods.size(), 3U) << "ours, and both numbers of osu";
  EXPECT_FALSE(result.methods[1].shares_time);
  EXPECT_THAT(result.warnings,
              ElementsAre("mpptest has no number of any cell: not measured its way"));
}

TEST(ReproducedCampaigns, SeedAndNameMayDiffer) {
  EXPECT_THAT(campaign_differences(head_of(Study(campaign(two_arms(0), "a", 1))),
                                   head_of(Study(campaign(two_arms(0), "b", 2)))),
              IsEmpty());
}

// Another home of Invar, or a version that has not kept its engine.
TEST(ReproducedCampaigns, EnginesAreComparedByWhatTheyAreAndNotByWhereTheyAre) {
  const auto with_engine = [](const char* name, const char* file, const char* checksum) {
    store::Data data = campaign(two_arms(0), name, 1);
    if (checksum != nullptr) data.arms[1].checksums[file] = checksum;
    return data;
  };
  const auto differences = [](const store::Data& a, const store::Data& b) {
    return campaign_differences(head_of(Study(a)), head_of(Study(b)));
  };
  const store::Data mine = with_engine("a", "/home/me/mpich/invar-engine", "1234abcd-9");
  EXPECT_THAT(differences(mine, with_engine("b", "/home/you/mpich/invar-engine", "1234abcd-9")),
              IsEmpty());
  EXPECT_THAT(differences(mine, with_engine("b", "", nullptr)), IsEmpty());
  EXPECT_THAT(differences(mine, with_engine("b", "/home/me/mpich/invar-engine", "5678abcd-9")),
              ElementsAre("arm 'mpich': the engine 1234abcd-9 against 5678abcd-9"));
}

TEST(ReproducedCampaigns, DifferentCampaignsAreRefusedWithAllDifferences) {
  ReproducedCampaigns campaigns;
  campaigns.add_own(Study(campaign(two_arms(0), "a", 1)), {});
  store::Data other = campaign(two_arms(0), "b", 2, [](design::Campaign& changed) {
    changed.rounds = 7;
    changed.analysis.alpha = 0.01;
    changed.engine.levels["sync"] = {"barrier"};
  });
  other.arms[1].library_version = "mpich 2";
  other.arms[1].checksums["libmpi.so"] = "1234abcd";
  other.scope = "4 ranks, 1 host";
  campaigns.add_own(Study(other), {});
  const std::string start = "b: is another campaign than a: ";
  EXPECT_THAT(
      test::faults_of([&] { (void)campaigns.result({}); }),
      testing::UnorderedElementsAre(start + "[design] rounds is 10 against 7",
                                    start + "[analysis] alpha is 0.05 against 0.01",
                                    start + "[engine] sync is \"round-time\" against \"barrier\"",
                                    start + "arm 'mpich': version mpich 1 against mpich 2",
                                    start + "arm 'mpich': libmpi.so none against 1234abcd",
                                    start + "it ran on 2 ranks, 1 host against 4 ranks, 1 host"));
}

TEST(ReproducedCampaigns, OtherCellsAreADifferenceEvenIfTheCampaignAsksForTheSame) {
  suite_data::Plan plan = two_arms(0);
  const store::Data first = campaign(plan, "a", 1);
  plan.operations = {"reduce"};
  const std::vector<std::string> found =
      campaign_differences(head_of(Study(first)), head_of(Study(campaign(plan, "b", 2))));
  EXPECT_THAT(found, Contains(HasSubstr("it lacks bcast")));
  EXPECT_THAT(found, Contains(HasSubstr("only it has reduce")));
}

TEST(ReproducedCampaigns, UnfinishedDamagedAndFailedOnesAreNamed) {
  ReproducedCampaigns campaigns;
  store::Data unfinished = campaign(two_arms(0), "a", 1);
  unfinished.ended = false;
  campaigns.add_own(Study(unfinished), {});
  store::Data damaged = campaign(two_arms(0), "b", 2);
  damaged.damage.push_back({.place = "launches/0001-openmpi", .what = "a bad checksum"});
  damaged.damaged_groups = {1};
  damaged.failed_groups.push_back({.group = 5, .seconds = 3});
  campaigns.add_own(Study(damaged), {});
  const Reproduced result = campaigns.result({});
  EXPECT_EQ(result.health.unfinished, 1U);
  EXPECT_EQ(result.health.damaged, 1U);
  EXPECT_TRUE(result.health.measurement_failed());
  EXPECT_THAT(result.warnings, Contains("a is unfinished"));
  EXPECT_THAT(result.warnings, Contains(HasSubstr("b is damaged (a bad checksum)")));
  EXPECT_THAT(result.warnings, Contains("b: 1 launch group failed"));
  EXPECT_THAT(result.methods[0].machine_s, ElementsAre(8, 11)) << "failed groups took time, too";
}

// What is said of two repeats with such canaries; 0: without.
std::vector<Warning> warnings_of(std::int64_t first_ns, std::int64_t second_ns) {
  ReproducedCampaigns campaigns;
  for (const std::int64_t canary_ns : {first_ns, second_ns}) {
    store::Data data = campaign(two_arms(0), std::to_string(canary_ns), 1);
    for (store::Group& group : data.groups) {
      for (store::Launch& launch : group.launches) {
        for (store::Visit& visit : launch.visits) {
          visit.line.canary_ps.clear();
          if (canary_ns > 0) visit.line.canary_ps = {1000 * canary_ns};
        }
      }
    }
    campaigns.add_own(Study(data), {});
  }
  return campaigns.result({}).warnings;
}

TEST(ReproducedCampaigns, ACanaryThatMovedIsTold) {
  EXPECT_THAT(warnings_of(270, 330),
              Contains(AllOf(HasSubstr("the machine was not the same in all repeats"),
                             HasSubstr("took 0.270 us in one and 0.330 us in another (medians)"))));
  EXPECT_THAT(warnings_of(330, 270), Contains(HasSubstr("took 0.270 us in one and 0.330 us")));
  EXPECT_THAT(warnings_of(270, 320), IsEmpty()) << "less than a fifth";
  EXPECT_THAT(warnings_of(270, 0), IsEmpty()) << "nothing to hold it against";
}

// The first `slow_groups` of twelve launch groups are in a slow regime, in which the second arm is
// no slower.
store::Data in_regimes(const std::string& dir, std::uint32_t slow_groups,
                       std::optional<base::CanaryBand> written = {}) {
  suite_data::Plan plan = two_arms(0);
  plan.launches = 12;
  plan.time_ns = [=](const record::Cell&, std::size_t arm, std::uint32_t launch, std::uint32_t) {
    return (launch <= slow_groups ? 1500.0 : (arm == 0 ? 500.0 : 750.0)) + 0.1 * launch;
  };
  store::Data data =
      campaign(plan, dir, 1, [&](design::Campaign& changed) { changed.analysis.regime = written; });
  for (store::Group& group : data.groups) {
    for (store::Launch& launch : group.launches) {
      for (store::Visit& visit : launch.visits) {
        const std::int64_t canary_ns = group.group <= slow_groups ? 500 : 130;
        visit.line.canary_ps = {1000 * (canary_ns + (group.group + visit.line.block) % 5)};
      }
    }
  }
  return data;
}

Reproduced reproduced(const std::vector<store::Data>& all) {
  ReproducedCampaigns campaigns;
  for (const store::Data& data : all) campaigns.add_own(Study(data), {});
  return campaigns.result({});
}

const auto kApart = HasSubstr("the campaigns do not speak of one regime of the machine");

// The second one, by itself, would speak of its fast groups.
TEST(ReproducedCampaigns, TheRegimeOfTheFirstIsThatOfAllThatHaveIt) {
  const base::CanaryBand slow{.low_ns = 400, .high_ns = 700};
  const Reproduced result = reproduced({in_regimes("a", 6, slow), in_regimes("b", 6)});
  EXPECT_THAT(result.warnings, testing::Not(Contains(kApart)));
  EXPECT_LT(result.methods[0].cells[1].ratio->spread, 0.01);
  EXPECT_NEAR(result.methods[0].cells[1].ratio->least, 1, 0.01);
}

TEST(ReproducedCampaigns, ThoseOfAnotherRegimeAreNamed) {
  const base::CanaryBand slow{.low_ns = 400, .high_ns = 700};
  const base::CanaryBand fast{.low_ns = 100, .high_ns = 200};
  const Reproduced named = reproduced({in_regimes("a", 6, slow), in_regimes("b", 6, fast)});
  EXPECT_THAT(named.warnings,
              Contains(HasSubstr("(a at 400ns:700ns, b at 100ns:200ns): their ratios differ by "
                                 "that as well")));
  EXPECT_GT(named.methods[0].cells[1].ratio->spread, 0.4);
  // Two of twelve groups are too few for an answer of that regime alone.
  EXPECT_THAT(reproduced({in_regimes("a", 6, slow), in_regimes("b", 2)}).warnings,
              Contains(kApart));
}

TEST(ReproducedCampaigns, ARepeatWithoutAnyGroupHasNoValues) {
  ReproducedCampaigns campaigns;
  campaigns.add_own(Study(campaign(two_arms(0), "a", 1)), {});
  store::Data empty = campaign(two_arms(0), "b", 2);
  empty.groups.clear();
  campaigns.add_own(Study(empty), {});
  const Reproduced result = campaigns.result({});
  EXPECT_FALSE(result.methods[0].times);
  EXPECT_THAT(result.warnings, Contains(HasSubstr("no launch group is complete")));
}

}  // namespace
}  // namespace invar::analysis
