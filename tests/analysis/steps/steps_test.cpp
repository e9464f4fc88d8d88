// Steps and bends of planted curves, in tables and in words. That fresh groups alone judge chosen
// sizes is in tests/driver/sizes/sizes_test.cpp.
#include "analysis/steps/steps.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "analysis/planted.hpp"
#include "analysis/steps/size_choices.hpp"
#include "analysis/study/rules.hpp"
#include "analysis/study/study.hpp"
#include "store/synthetic.hpp"
#include "store/test_dir.hpp"

namespace invar::analysis {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

using SizeTime = std::function<double(std::size_t arm, double size_bytes)>;

constexpr std::uint64_t kSizes[] = {256, 384, 512, 640, 768, 896, 1024, 1152, 1280, 1536};

double smooth_ns(std::size_t /*arm*/, double size_bytes) { return 1000 + size_bytes; }
// 30 % behind 800 B, in the second arm alone.
double step_ns(std::size_t arm, double size_bytes) {
  return smooth_ns(arm, size_bytes) * (arm == 1 && size_bytes > 800 ? 1.3 : 1.0);
}
double bend_ns(std::size_t arm, double size_bytes) {
  return smooth_ns(arm, size_bytes) + (size_bytes > 896 ? 4 * (size_bytes - 896) : 0.0);
}

synthetic::Options curve_of(const SizeTime& time_ns, std::uint32_t groups = 8) {
  synthetic::Options options{.groups = groups, .rounds = 2, .repetitions = 5};
  options.cells.clear();
  for (const std::uint64_t size_bytes : kSizes) {
    record::Cell cell = synthetic::default_cells().front();
    cell.id = static_cast<std::uint32_t>(options.cells.size());
    cell.size_bytes = size_bytes;
    options.cells.push_back(cell);
  }
  options.cell_sd = 0.004;
  options.noise_sd = 0.001;
  options.median_ns = [time_ns](std::size_t arm, std::size_t cell) {
    return time_ns(arm, static_cast<double>(kSizes[cell]));
  };
  return options;
}

class WrittenSizes : public testing::Test {
 protected:
  Study study_of(const synthetic::Options& options) {
    synthetic::write(scratch_ / "c", options);
    return Study(store::read_campaign_dir(scratch_ / "c"));
  }

  store::TestDir scratch_ = {};
};

TEST_F(WrittenSizes, StepLiesBetweenTheTwoSizesAroundIt) {
  const Steps steps = find_steps(study_of(curve_of(step_ns)));
  ASSERT_THAT(steps.curves, SizeIs(2));
  EXPECT_EQ(steps.curves[1].label, "beta");
  EXPECT_THAT(steps.curves[1].points, SizeIs(std::size(kSizes)));
  EXPECT_EQ(steps.curves[1].place.size_bytes, std::nullopt);
  ASSERT_THAT(steps.steps, SizeIs(1));
  const Step& step = steps.steps.front();
  EXPECT_EQ(step.curve, 1U);
  EXPECT_EQ(step.low_bytes, 768U);
  EXPECT_EQ(step.high_bytes, 896U);
  EXPECT_FALSE(step.closest) << "nobody measured 800 B";
  EXPECT_EQ(step.protocol, "") << "nobody asked its senders";
  EXPECT_NEAR(step.height, 1.3, 0.03);
  EXPECT_LT(step.low, step.height);
  EXPECT_GT(step.high, step.height);
  EXPECT_LT(step.p_adjusted, 0.01);
  EXPECT_THAT(steps.bends, IsEmpty()) << "where it jumps it does not bend";
}

// The second arm's step is as large as its times are rounded.
TEST_F(WrittenSizes, StepsAreNotLookedForInWhatProgramsPrint) {
  synthetic::write(scratch_ / "c", curve_of(step_ns));
  store::Data data = store::read_campaign_dir(scratch_ / "c");
  const auto print_as = [&data](std::uint32_t arm) {
    for (store::Group& group : data.groups) {
      for (store::Launch& launch : group.launches) {
        if (launch.arm != arm) continue;
        for (std::uint32_t cell = 0; cell < data.cells.size(); ++cell) {
          launch.printed_step_ns[cell] = 500;
        }
        for (store::Visit& visit : launch.visits) visit.program = true;
      }
    }
  };
  print_as(1);
  const Steps some = find_steps(Study(data));
  EXPECT_THAT(some.steps, IsEmpty());
  EXPECT_THAT(some.bends, IsEmpty());
  ASSERT_THAT(some.curves, SizeIs(2));
  EXPECT_TRUE(some.curves[0].judged);
  EXPECT_FALSE(some.curves[1].judged);
  ASSERT_THAT(some.warnings, SizeIs(1));
  EXPECT_THAT(some.warnings[0].text, EndsWith("which is rounded: beta"));
  print_as(0);
  const Steps none = find_steps(Study(data));
  EXPECT_EQ(steps_text(none), "not judged: programs print rounded times");
  EXPECT_THAT(none.warnings, IsEmpty());
}

TEST_F(WrittenSizes, SmoothCurvesHaveNeither) {
  const Steps steps = find_steps(study_of(curve_of(smooth_ns)));
  EXPECT_THAT(steps.steps, IsEmpty());
  EXPECT_EQ(steps_text(steps), "none found");
  ASSERT_THAT(steps.curves, SizeIs(2));
  EXPECT_TRUE(steps.curves[0].judged);
  EXPECT_THAT(steps.bends, IsEmpty());
  EXPECT_THAT(steps.warnings, IsEmpty());
}

// Three groups whose times vary by half: a jump of six times is no "none found".
TEST_F(WrittenSizes, WhereNoStepWouldBeSeenNoneIsNotSaid) {
  synthetic::Options options = curve_of(
      [](std::size_t arm, double size_bytes) {
        return smooth_ns(arm, size_bytes) * (size_bytes > 800 ? 6 : 1);
      },
      3);
  options.cell_sd = 0.7;
  const Steps steps = find_steps(study_of(options));
  EXPECT_THAT(steps.steps, IsEmpty());
  ASSERT_THAT(steps.curves, SizeIs(2));
  EXPECT_FALSE(steps.curves[0].judged);
  EXPECT_TRUE(steps.curves[0].too_wide);
  EXPECT_EQ(steps_text(steps), "not judged: times vary too much to show a step of 20 %");
  EXPECT_EQ(steps_tables(steps).at(0).missing, steps_text(steps));
  Steps mixed = steps;
  mixed.mixed_regimes = 2;
  EXPECT_EQ(steps_text(mixed),
            "not judged: the machine was in 2 regimes, and times vary too much to show a step of "
            "20 %");
}

TEST_F(WrittenSizes, BendIsNoStepAndIsToldOnce) {
  const Steps steps = find_steps(study_of(curve_of(bend_ns)));
  EXPECT_THAT(steps.steps, IsEmpty());
  ASSERT_THAT(steps.bends, SizeIs(2)) << "of each arm one";
  EXPECT_EQ(steps.bends[0].low_bytes, 768U);
  EXPECT_EQ(steps.bends[0].high_bytes, 1024U);
  EXPECT_NEAR(steps.bends[0].slope_below_ns, 1, 0.3);
  EXPECT_NEAR(steps.bends[0].slope_above_ns, 5, 0.5);
}

TEST_F(WrittenSizes, OneGroupIsNoEvidenceForAStepNorAgainstOne) {
  const Steps steps = find_steps(study_of(curve_of(step_ns, 1)));
  EXPECT_THAT(steps.steps, IsEmpty());
  ASSERT_THAT(steps.curves, SizeIs(2));
  EXPECT_FALSE(steps.curves[1].judged);
  EXPECT_EQ(steps_text(steps), "not judged: there is one launch group");
  EXPECT_EQ(steps_tables(steps).at(0).missing, "not judged: there is one launch group");
}

TEST_F(WrittenSizes, OfRanksWithoutCoresOfTheirOwnAreNotJudged) {
  synthetic::Options options = curve_of(step_ns);
  options.oversubscribed = true;
  const Steps steps = find_steps(study_of(options));
  EXPECT_THAT(steps.steps, IsEmpty());
  EXPECT_THAT(steps.curves, SizeIs(2)) << "behaviour";
  EXPECT_EQ(steps_text(steps), "not judged: more ranks than cores (oversubscribed)");
}

// Every interval of three sizes is at an end of its curve.
TEST_F(WrittenSizes, TooFewToJudgeAreNotCalledSmooth) {
  synthetic::Options options = curve_of(smooth_ns);
  options.cells.resize(3);
  const Steps steps = find_steps(study_of(options));
  ASSERT_THAT(steps.curves, SizeIs(2));
  EXPECT_FALSE(steps.curves[0].judged);
  EXPECT_THAT(steps_text(steps), HasSubstr("not judged: too few sizes"));
}

TEST_F(WrittenSizes, FewerThanThreeAreNoCurve) {
  const Steps steps = find_steps(study_of({}));
  EXPECT_THAT(steps.curves, IsEmpty());
  EXPECT_EQ(steps_text(steps), "no curve was measured");
}

// A batch hides what a call's start costs: the time of a call falls where batches begin.
TEST_F(WrittenSizes, BorderOfBatchesIsNoStepAndSaysSo) {
  synthetic::Options options = curve_of([](std::size_t arm, double size_bytes) {
    return smooth_ns(arm, size_bytes) * (size_bytes < 700 ? 0.7 : 1.0);
  });
  record::Plan plan = synthetic::make_plan(options);
  for (record::PlanRow& row : plan.rows) row.calls = kSizes[row.cell] < 700 ? 3 : 1;
  store::CampaignDir dir = synthetic::create(scratch_ / "c", options, plan);
  for (std::uint32_t group = 1; group <= options.groups; ++group) {
    synthetic::write_group(dir, options, plan, group);
  }
  dir.end();
  store::Data data = store::read_campaign_dir(scratch_ / "c");
  const auto expect_said = [&] {
    const Steps steps = find_steps(Study(data));
    EXPECT_THAT(steps.steps, IsEmpty());
    ASSERT_THAT(steps.warnings, SizeIs(1));
    EXPECT_THAT(steps.warnings[0].text, HasSubstr("between 640 B and 768 B of allreduce"));
    EXPECT_THAT(steps.warnings[0].text, HasSubstr("which is not a step of the curve"));
  };
  expect_said();
  // Sizes are chosen on either side alone: nothing that was found lies across.
  data.decided = {
      {.decision = std::string(kSizesDecision),
       .fields = size_choice_text({.phase = SizePhase::kJudge, .places = {{.cell = 0}}})}};
  expect_said();
}

TEST_F(WrittenSizes, CellThatFailedLeavesItsArmsCurve) {
  synthetic::Options options = curve_of(step_ns);
  options.end = false;
  synthetic::write(scratch_ / "c", options);
  {
    std::vector<std::string> notes;
    store::CampaignDir dir = store::CampaignDir::resume(scratch_ / "c", notes);
    dir.fail_cell(4, "beta", "wrong result");
    dir.end();
  }
  const Steps steps = find_steps(Study(store::read_campaign_dir(scratch_ / "c")));
  EXPECT_THAT(steps.curves.at(0).points, SizeIs(std::size(kSizes)));
  EXPECT_THAT(steps.curves.at(1).points, SizeIs(std::size(kSizes) - 1));
  ASSERT_THAT(steps.steps, SizeIs(1));
  EXPECT_EQ(steps.steps[0].low_bytes, 640U);
}

// Both are of one curve, each with what was found in it and a tolerance of its own.
TEST_F(WrittenSizes, RangesOfChosenSizesBesideEachOtherAreBothJudged) {
  synthetic::write(scratch_ / "c", curve_of([](std::size_t arm, double size_bytes) {
                     return step_ns(arm, size_bytes) * (arm == 1 && size_bytes > 400 ? 1.2 : 1.0);
                   }));
  store::Data data = store::read_campaign_dir(scratch_ / "c");
  const auto found_with = [&](double tolerance) {
    const SizeChoice choice{
        .phase = SizePhase::kJudge,
        .places = {{.cell = 0, .tolerance = tolerance}, {.cell = 4}},
        .jumps = {{.cell = 0, .arm = "beta", .low_bytes = 384, .high_bytes = 512},
                  {.cell = 4, .arm = "beta", .low_bytes = 768, .high_bytes = 896}}};
    data.decided = {{.decision = std::string(kSizesDecision), .fields = size_choice_text(choice)}};
    std::vector<std::uint64_t> below;
    for (const Step& step : find_steps(Study(data)).steps) below.push_back(step.low_bytes);
    return below;
  };
  EXPECT_THAT(found_with(0.05), ElementsAre(384, 768));
  EXPECT_THAT(found_with(0.25), ElementsAre(768));
}

// Choosing cut it, and saw it in neither part: while the machine was in another regime, say.
TEST_F(WrittenSizes, JumpWithSizesBetweenItsEndsIsJudgedInItsParts) {
  synthetic::write(scratch_ / "c", curve_of(step_ns));
  store::Data data = store::read_campaign_dir(scratch_ / "c");
  const SizeChoice choice{
      .phase = SizePhase::kJudge,
      .places = {{.cell = 0}},
      .jumps = {{.cell = 0, .arm = "beta", .low_bytes = 640, .high_bytes = 1024},
                {.cell = 0, .arm = "beta", .low_bytes = 768, .high_bytes = 896}}};
  data.decided = {{.decision = std::string(kSizesDecision), .fields = size_choice_text(choice)}};
  const Steps steps = find_steps(Study(data));
  ASSERT_THAT(steps.steps, SizeIs(1));
  EXPECT_EQ(steps.steps[0].low_bytes, 768U);
  EXPECT_EQ(steps.steps[0].high_bytes, 896U);
}

// The second arm doubles behind 800 B in the fast regime, and hardly grows in the slow one, in
// which everything takes five times as long. Groups 1 to 8 are fast, 9 to 14 slow.
store::Data curve_in_two_regimes() {
  planted::Plan plan;
  plan.cells.clear();
  for (const std::uint64_t size : kSizes) plan.cells.push_back(planted::cell("allreduce", size));
  const auto is_fast = [](std::uint32_t group) { return group <= 8; };
  plan.groups = 14;
  plan.group_sd = 0.01;
  plan.visit_ns = [is_fast](std::uint32_t group, std::uint32_t, std::size_t arm, std::size_t cell) {
    const auto size = static_cast<double>(kSizes[cell]);
    const double above = arm == 1 && size > 800 ? (is_fast(group) ? 2.0 : 1.1) : 1.0;
    return smooth_ns(arm, size) * above * (is_fast(group) ? 1.0 : 5.0);
  };
  plan.canary_ns = [is_fast](std::uint32_t group) {
    return (is_fast(group) ? 130.0 : 500.0) * (1 + 0.01 * (group % 5));
  };
  return planted::data(plan);
}

TEST(StepsOfRegimes, AreOfTheRegimeThatAnswersSpeakOf) {
  const store::Data data = curve_in_two_regimes();
  const Steps steps = find_steps(planted::study(data));
  ASSERT_THAT(steps.steps, SizeIs(1));
  EXPECT_EQ(steps.steps[0].low_bytes, 768U);
  EXPECT_NEAR(steps.steps[0].height, 2.0, 0.05) << "and no mean over both regimes";
  EXPECT_LT(steps.steps[0].high / steps.steps[0].low, 1.1);
  const std::vector<CurvePoint>& points = steps.curves.at(1).points;
  EXPECT_NEAR(points.back().time.median_ns / points.front().time.median_ns,
              2.0 * smooth_ns(1, 1536) / smooth_ns(1, 256), 0.1);
  EXPECT_THAT(steps.regime, AllOf(StartsWith("canary 0.13"), HasSubstr(" us (57 % of visits)")));
  EXPECT_EQ(steps_tables(steps)[0].title, "Steps, " + steps.regime);
}

TEST(StepsOfRegimes, FollowTheOneThatIsAskedFor) {
  const store::Data data = curve_in_two_regimes();
  const Steps slow =
      find_steps(planted::study(data).in_regime(base::CanaryBand{.low_ns = 400, .high_ns = 600}));
  ASSERT_THAT(slow.steps, SizeIs(1));
  EXPECT_NEAR(slow.steps[0].height, 1.1, 0.02);
  EXPECT_THAT(slow.regime, HasSubstr("us (43 % of visits)"));
}

// Neighbouring sizes are compared with each other: a local time beside a global one is not a step.
TEST(StepsRules, AllSizesHaveOneKindOfRunTime) {
  design::Campaign campaign;
  campaign.cells = {{.operations = {"bcast"}, .sizes_bytes = {8, 64}}};
  EXPECT_FALSE(make_rules(campaign, {}).one_runtime());
  campaign.cells.front().adaptive = {design::AdaptiveSizes()};
  EXPECT_TRUE(make_rules(campaign, {}).one_runtime());
  campaign.cells.front().adaptive.clear();
  campaign.analysis.question = design::Question::kP2p;
  EXPECT_TRUE(make_rules(campaign, {}).one_runtime());
}

// Made by hand, for the words.
Steps two_curves() {
  Steps steps;
  for (const char* label : {"openmpi", "mpich"}) {
    Curve& curve = steps.curves.emplace_back();
    curve.place = {.operation = "pingpong"};
    curve.label = label;
    curve.judged = true;
    curve.points = {
        {.size_bytes = 4080, .time = {.median_ns = 900}},
        {.size_bytes = 4081,
         .time = {.median_ns = 1200, .interval_ns = stats::Interval{1180, 1220, 0.95}}}};
  }
  steps.steps = {{.curve = 0,
                  .low_bytes = 4080,
                  .high_bytes = 4081,
                  .height = 1.31,
                  .low = 1.28,
                  .high = 1.35,
                  .p_adjusted = 1e-6,
                  .protocol = "eager -> rendezvous",
                  .closest = true},
                 {.curve = 1,
                  .low_bytes = 16384,
                  .high_bytes = 16385,
                  .height = 1.12,
                  .low = 1.08,
                  .high = 1.17,
                  .closest = true}};
  steps.bends = {{.curve = 1,
                  .low_bytes = 64,
                  .high_bytes = 128,
                  .slope_below_ns = 0.1,
                  .slope_above_ns = 0.4}};
  return steps;
}

// What the table has is not said once more below it.
TEST(StepsText, IsOnlyThereWhereNoTableIs) {
  Answer answer;
  add_steps_remark(answer, two_curves());
  EXPECT_THAT(answer.remarks, IsEmpty());
  Steps none = two_curves();
  none.steps.clear();
  EXPECT_EQ(steps_text(none), "none found");
  add_steps_remark(answer, none);
  EXPECT_THAT(answer.remarks, SizeIs(1));
}

// Between two sizes that were written nobody knows where the step is. Times may also fall.
TEST(StepsText, TellsWhatIsKnownToAByteFromTheRestAndUpFromDown) {
  Steps steps = two_curves();
  steps.steps[1] = {.curve = 1,
                    .low_bytes = 256,
                    .high_bytes = 512,
                    .height = 0.662,
                    .low = 0.653,
                    .high = 0.671,
                    .protocol = "unclear"};
  EXPECT_EQ(step_words(steps.steps[1]), " (down to 0.66 times)");
  steps.steps[0].protocol = "same protocol";
  EXPECT_THAT(step_words(steps.steps[0]), EndsWith(" times, same protocol)"));
  steps.steps.push_back({.low_bytes = 64, .high_bytes = 68, .closest = true, .element_bytes = 4});
  const TidyTable table = steps_tables(steps).front();
  const auto told = [&](std::size_t row, const char* column) {
    return std::get<std::string>(table.rows.at(row).at(column_index(table, column)).content);
  };
  EXPECT_EQ(told(0, "known"), "to a byte");
  EXPECT_EQ(told(0, "direction"), "up");
  EXPECT_EQ(told(0, "protocol"), "same protocol");
  EXPECT_EQ(told(1, "known"), "between measured sizes");
  EXPECT_EQ(told(1, "direction"), "down");
  EXPECT_EQ(told(1, "protocol"), "unclear");
  EXPECT_EQ(told(2, "known"), "to an element of 4 B");
}

TEST(StepsTables, HaveTheColumnsThatFiguresDraw) {
  const std::vector<TidyTable> tables = steps_tables(two_curves());
  ASSERT_THAT(tables, SizeIs(3));
  EXPECT_EQ(tables[0].id, "steps");
  EXPECT_EQ(tables[1].id, "bends");
  EXPECT_EQ(tables[2].id, "curves");
  ASSERT_THAT(tables[0].rows, SizeIs(2));
  const auto value = [&](const TidyTable& table, std::size_t row, const char* column) {
    return table.rows.at(row).at(column_index(table, column)).content;
  };
  EXPECT_EQ(std::get<std::string>(value(tables[0], 0, "between")), "4080 B and 4081 B");
  EXPECT_EQ(std::get<double>(value(tables[0], 0, "height")), 1.31);
  EXPECT_EQ(std::get<std::string>(value(tables[0], 0, "protocol")), "eager -> rendezvous");
  EXPECT_EQ(std::get<std::string>(value(tables[0], 1, "protocol")), "not asked");
  EXPECT_EQ(tables[0].missing, "");
  EXPECT_THAT(tables[2].rows, SizeIs(4));
  EXPECT_EQ(std::get<double>(value(tables[2], 1, "low_ns")), 1180);
  EXPECT_THAT(tables[2].shown, IsEmpty()) << "a terminal has rows of every size already";
}

TEST(StepsTables, WithoutStepsSayWhyAndShowNothing) {
  Steps none = two_curves();
  none.steps.clear();
  none.bends.clear();
  const std::vector<TidyTable> tables = steps_tables(none);
  EXPECT_THAT(*tables[0].missing, HasSubstr("no curve was found to jump"));
  EXPECT_THAT(tables[0].shown, IsEmpty());
  EXPECT_THAT(tables[1].shown, IsEmpty());
}

TEST(StepsInOtherTables, KeepTheRowsOnBothSidesOfThem) {
  const Steps steps = two_curves();
  TidyTable cells{.columns = {{.name = "cell", .kind = Kind::kCell}},
                  .shown = {{.column = "cell"}}};
  TidyTable groups{.columns = {{.name = "operation"},
                               {.name = "size_bytes", .kind = Kind::kBytes},
                               {.name = "time_ns", .kind = Kind::kTime}},
                   .shown = {{.column = "time_ns"}}};
  for (const std::uint64_t size_bytes : {8U, 4080U, 4081U, 16384U, 16385U}) {
    record::Cell cell = steps.curves.front().place;
    cell.size_bytes = size_bytes;
    cells.rows.push_back({cell});
    groups.rows.push_back({"pingpong", size_bytes, 1.0});
  }
  groups.rows.push_back({"stream", 4080, 1.0});
  Answer answer{.tables = {cells, groups}};
  answer.tables[0].weights = {2, 0, 0, 0, 1};
  keep_rows_at_steps(answer, steps);
  EXPECT_THAT(answer.tables[0].weights, ElementsAre(2, 100, 100, 100, 101));
  EXPECT_THAT(answer.tables[1].weights, ElementsAre(0, 100, 100, 100, 100, 0));
}

TEST_F(WrittenSizes, AnswersOfOtherCampaignsHaveNoStepsBehindThem) {
  Answer answer;
  add_steps(answer, study_of(curve_of(step_ns)));
  EXPECT_THAT(answer.tables, IsEmpty());
  EXPECT_THAT(answer.remarks, IsEmpty());
}

}  // namespace
}  // namespace invar::analysis
