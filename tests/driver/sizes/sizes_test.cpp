// Sizes that are chosen between launch groups: what is added, who judges, and what a driver that
// was killed makes of it.
#include "driver/sizes/sizes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "analysis/compare/compare.hpp"
#include "analysis/questions/show.hpp"
#include "analysis/steps/size_choices.hpp"
#include "analysis/steps/steps.hpp"
#include "analysis/study/lack.hpp"
#include "analysis/study/study.hpp"
#include "base/error.hpp"
#include "design/factors/sizes.hpp"
#include "driver/decide/added_cells.hpp"
#include "driver/decide/groups.hpp"
#include "driver/decide/plans.hpp"
#include "driver/sizes/driven_campaign.hpp"
#include "store/synthetic.hpp"
#include "store/test_dir.hpp"

namespace invar::driver {
namespace {

namespace fs = std::filesystem;
using analysis::SizePhase;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

using ArmTime = std::function<double(const std::string& arm, const record::Cell& cell)>;

// A step of 40 % behind 43 B, in both arms.
double stepped_ns(const std::string& /*arm*/, const record::Cell& cell) {
  const auto size = static_cast<double>(*cell.size_bytes);
  return (1000 + 2 * size) * (size > 43 ? 1.4 : 1.0);
}

// A campaign without processes.
struct SizeCampaign {
  std::string operation = "bcast";
  std::string adaptive = "{ adaptive = [16, 64], tolerance = \"5%\", separation = 8 }";
  std::string launches = "3";
  ArmTime time_ns = stepped_ns;
  double noise = 0.003;     // of a cell in a launch
  double group_luck = 0.1;  // of all launches of a group
  std::vector<record::OperationInfo> operations = {
      {.name = "bcast", .datatypes = {{.name = "byte"}}, .times = {{.name = "whole"}}}};
  std::optional<double> budget_s = {};
  double group_s = 0;  // that each takes, for the budget
  // When so many groups are finished; none: they follow each other.
  std::function<double(std::size_t groups)> elapsed_s = {};

  [[nodiscard]] std::string toml() const {
    std::string text =
        "schema = 1\nname = \"sizes\"\nseed = 3\n\n[design]\nlaunches = " + launches +
        "\nrounds = 2\nrepetitions = 5\n\n[[cells]]\noperation = \"" + operation +
        "\"\nranks = 2\nsize = " + adaptive + "\n";
    for (const char* arm : {"alpha", "beta"}) {
      text += "\n[[arm]]\nlibrary = \"" + std::string(arm) + "\"\nlabel = \"" + arm + "\"\n";
    }
    return text;
  }

  [[nodiscard]] Prepared prepared() const {
    Prepared prepared;
    prepared.place = "race";
    prepared.campaign = design::read_campaign(toml(), "c.toml");
    // Where time passes the budget ends the campaign, too.
    if (elapsed_s) prepared.campaign.budget_s = budget_s;
    prepared.ranks = 2;
    for (const std::uint64_t size_bytes :
         design::first_sizes(prepared.campaign.cells.front().adaptive.front(), 1)) {
      record::Cell cell{.operation = operation, .size_bytes = size_bytes};
      cell.id = static_cast<std::uint32_t>(prepared.cells.cells.size());
      cell.datatype = "byte";
      prepared.cells.cells.push_back(cell);
      prepared.cells.arms.push_back({0, 1});
    }
    prepared.cells.operations.resize(2);
    for (auto& of_arm : prepared.cells.operations) {
      for (const record::OperationInfo& info : operations) of_arm.emplace(info.name, info);
    }
    return prepared;
  }

  [[nodiscard]] synthetic::Options written() const {
    synthetic::Options options{.cells = prepared().cells.cells, .rounds = 2, .repetitions = 5};
    options.cell_sd = noise;
    options.group_sd = group_luck;
    // Ticks of ranks are nanoseconds.
    options.clock =
        "clock,ticks,raw_ns,bracket_ticks,ticks_per_s,half_width_per_s\ntsc,0,0,10,1e9,0\n";
    options.noise_sd = 0.001;
    options.launch_sd = 0.01;
    options.operations = operations;
    options.toml = toml();
    return options;
  }

  [[nodiscard]] store::CampaignDir begin(const fs::path& dir) const {
    const Prepared campaign = prepared();
    design::Counters counters;
    const record::Plan plan = design::plan_groups(campaign.campaign, campaign.cells,
                                                  campaign.campaign.launches.min, counters);
    return store::CampaignDir::create(dir, toml(), plan, synthetic::arm_records(written()),
                                      {.scope = "2 ranks, 1 host", .cpus = {0, 1}});
  }

  void measure(store::CampaignDir& dir, std::uint32_t group) const {
    const record::Plan& plan = plan_of(dir.state(), group);
    synthetic::Options options = written();
    options.cells = plan.cells;
    options.arms = driven::arms_of_group(plan, group);
    options.median_ns = [&](std::size_t arm, std::size_t cell) {
      return time_ns(options.arms[arm], options.cells[cell]);
    };
    synthetic::write_group(dir, options, plan, group);
  }

  // Up to its end, or to so many groups.
  void drive(store::CampaignDir& dir, std::size_t most_groups = 1000) const {
    driven::drive(
        dir, prepared(), {.budget_s = budget_s, .group_s = group_s, .elapsed_s = elapsed_s},
        [&](std::uint32_t group) { measure(dir, group); }, most_groups);
  }
};

class ChosenSizes : public testing::Test {
 protected:
  store::Data run(const SizeCampaign& campaign) {
    store::CampaignDir dir = campaign.begin(scratch_ / "c");
    campaign.drive(dir);
    return store::read_campaign_dir(scratch_ / "c");
  }

  void expect_the_same_from_everywhere(const SizeCampaign& campaign);

  store::TestDir scratch_ = {};
};

// The sizes that a group has measured, of all arms alike, else a fault.
std::vector<std::uint64_t> sizes_in(const store::Data& data, std::size_t group) {
  std::vector<std::set<std::uint64_t>> of_arms;
  for (const store::Launch& launch : data.groups.at(group).launches) {
    std::set<std::uint64_t>& sizes = of_arms.emplace_back();
    for (const store::Visit& visit : launch.visits) {
      sizes.insert(*data.cells.at(visit.line.cell).size_bytes);
    }
  }
  EXPECT_THAT(of_arms, Each(of_arms.front())) << "group " << group + 1;
  return {of_arms.front().begin(), of_arms.front().end()};
}

std::vector<SizePhase> phases(const store::Data& data) {
  std::vector<SizePhase> all;
  for (const store::DecidedLine& line : data.decided) {
    all.push_back(analysis::last_size_choice(std::span(&line, 1))->phase);
  }
  return all;
}

TEST_F(ChosenSizes, AreAddedWhereTheCurveJumpsAndJudgedByFreshGroups) {
  const store::Data data = run({});
  EXPECT_THAT(data.damage, IsEmpty());
  EXPECT_THAT(phases(data), ElementsAre(SizePhase::kChoose, SizePhase::kJudge));
  ASSERT_THAT(data.groups, SizeIs(9));
  EXPECT_THAT(sizes_in(data, 0), ElementsAre(16, 24, 32, 48, 64));
  EXPECT_THAT(sizes_in(data, 3), ElementsAre(24, 32, 40, 48, 64)) << "two on either side alone";
  EXPECT_THAT(sizes_in(data, 8), ElementsAre(16, 24, 32, 40, 48, 64));
  const auto choice = analysis::last_size_choice(data.decided);
  EXPECT_THAT(choice->jumps,
              testing::UnorderedElementsAre(analysis::ChosenJump{0, "alpha", 40, 48},
                                            analysis::ChosenJump{0, "beta", 40, 48}));
  EXPECT_THAT(choice->places, ElementsAre(analysis::ChosenPlace{0, 0.05}));
  ASSERT_THAT(data.decided[0].added, SizeIs(1));
  EXPECT_THAT(data.decided[0].added[0].arms, ElementsAre("alpha", "beta"));
  EXPECT_EQ(data.decided[0].added[0].cell.size_bytes, 40U);
  EXPECT_THAT(data.decided[0].why, HasSubstr("round 1 of choosing sizes"));
  EXPECT_EQ(store::verify_campaign_dir(scratch_ / "c").status(), base::Exit::kDone);
}

TEST_F(ChosenSizes, HaveStepsAndVerdictsOfFreshGroupsAlone) {
  const analysis::Study study(run({}));
  const analysis::Steps steps = analysis::find_steps(study);
  ASSERT_THAT(steps.curves, SizeIs(2));
  EXPECT_THAT(steps.curves[0].points, SizeIs(6));
  ASSERT_THAT(steps.steps, SizeIs(2)) << "of both arms";
  for (const analysis::Step& step : steps.steps) {
    EXPECT_EQ(step.low_bytes, 40U);
    EXPECT_EQ(step.high_bytes, 48U);
    EXPECT_NEAR(step.height, 1.4, 0.03);
    EXPECT_LT(step.low, step.height);
    EXPECT_GT(step.high, step.height);
    EXPECT_EQ(step.protocol, "");
  }
  const analysis::Comparison answer = analysis::compare(study);
  for (const analysis::ComparedCell& row : answer.cells) {
    if (row.regime) continue;
    EXPECT_EQ(row.launches, 3U) << *row.cell.size_bytes;
  }
  EXPECT_TRUE(std::ranges::any_of(answer.warnings, [](const analysis::Warning& warning) {
    return warning.text.find("launch groups 1 to 6 left out of all cells: the decision 'sizes'") !=
           std::string::npos;
  }));
}

TEST_F(ChosenSizes, OfOneArmAreMeasuredByAll) {
  const store::Data data = run({.time_ns = [](const std::string& arm, const record::Cell& cell) {
    return arm == "beta" ? stepped_ns(arm, cell) : 1000.0 + static_cast<double>(*cell.size_bytes);
  }});
  EXPECT_THAT(sizes_in(data, data.groups.size() - 1), Contains(40U));
  const auto choice = analysis::last_size_choice(data.decided);
  EXPECT_THAT(choice->jumps, ElementsAre(analysis::ChosenJump{0, "beta", 40, 48}));
  const analysis::Steps steps = analysis::find_steps(analysis::Study(data));
  ASSERT_THAT(steps.steps, SizeIs(1));
  EXPECT_EQ(steps.curves.at(steps.steps[0].curve).label, "beta");
}

TEST_F(ChosenSizes, OfASmoothCurveAreThoseItBeganWith) {
  const store::Data data = run({.time_ns = [](const std::string&, const record::Cell& cell) {
    return 1000.0 + 3 * static_cast<double>(*cell.size_bytes);
  }});
  EXPECT_THAT(phases(data), ElementsAre(SizePhase::kJudge));
  EXPECT_THAT(data.groups, SizeIs(6));
  EXPECT_THAT(data.cells, SizeIs(5));
  EXPECT_THAT(analysis::find_steps(analysis::Study(data)).steps, IsEmpty());
}

// From wherever a driver was killed.
void ChosenSizes::expect_the_same_from_everywhere(const SizeCampaign& campaign) {
  fs::remove_all(scratch_ / "c");
  static_cast<void>(run(campaign));
  const std::vector<std::string> lines = driven::manifest_lines(scratch_ / "c");
  const std::vector<std::string> whole = driven::in_force(scratch_ / "c");
  for (std::size_t kept = 4; kept <= lines.size(); ++kept) {
    SCOPED_TRACE(std::to_string(kept) + " lines");
    const fs::path dir = scratch_ / "killed";
    driven::leave_killed(scratch_ / "c", dir, kept);
    std::vector<std::string> notes;
    store::CampaignDir resumed = store::CampaignDir::resume(dir, notes);
    campaign.drive(resumed);
    EXPECT_EQ(driven::in_force(dir), whole);
    EXPECT_THAT(store::read_campaign_dir(dir).damage, IsEmpty());
  }
}

TEST_F(ChosenSizes, AreTheSameFromWhereverADriverWasKilled) {
  expect_the_same_from_everywhere({});
  expect_the_same_from_everywhere({.launches = "1"});
}

TEST_F(ChosenSizes, BeginAfterThreeGroupsHoweverManyArePlanned) {
  const store::Data data = run({.launches = "8"});
  EXPECT_THAT(data.groups, SizeIs(3 + 3 + 8)) << "chosen first, then as many as were asked for";
}

TEST_F(ChosenSizes, TakeThreeGroupsHoweverFewArePlanned) {
  const store::Data data = run({.launches = "1"});
  EXPECT_THAT(phases(data), ElementsAre(SizePhase::kChoose, SizePhase::kChoose, SizePhase::kJudge));
  EXPECT_THAT(data.decided[0].why, HasSubstr("takes 2 groups more"));
  EXPECT_THAT(data.groups, SizeIs(3 + 3 + 1));
}

TEST_F(ChosenSizes, TakeHalfOfTheBudgetAtMost) {
  const SizeCampaign campaign{.launches = "{ min = 3, max = 10 }", .budget_s = 6.0, .group_s = 1};
  const store::Data data = run(campaign);
  EXPECT_THAT(phases(data), ElementsAre(SizePhase::kJudge));
  EXPECT_THAT(data.decided[0].why, HasSubstr("half of the budget is used"));
  // What seemed to jump is judged as it is.
  EXPECT_THAT(analysis::last_size_choice(data.decided)->jumps,
              Contains(analysis::ChosenJump{0, "alpha", 32, 48}));
}

// Who chose judges nothing: the whole budget would end without an answer.
TEST_F(ChosenSizes, AreNoneWhereNoOtherGroupsCouldJudgeThem) {
  const SizeCampaign campaign{.launches = "{ min = 3, max = 5 }", .budget_s = 5.0, .group_s = 1};
  const store::Data data = run(campaign);
  EXPECT_THAT(phases(data), ElementsAre(SizePhase::kGiven));
  EXPECT_THAT(
      data.decided[0].why,
      HasSubstr("the budget of 5.0 s leaves no time for launch groups that would judge them; "
                "one of about 9.0 s would"));
  EXPECT_THAT(data.decided[0].not_judging, IsEmpty());
  EXPECT_TRUE(std::ranges::any_of(data.warnings, [](const store::WarningLine& warning) {
    return warning.text.find("no sizes are chosen") != std::string::npos;
  }));
  // As of a list of sizes: every interval is judged, by all groups.
  const analysis::Steps steps = analysis::find_steps(analysis::Study(data));
  ASSERT_THAT(steps.steps, SizeIs(2));
  EXPECT_EQ(steps.steps[0].low_bytes, 32U);
  EXPECT_EQ(steps.steps[0].high_bytes, 48U);
}

// A round measures a few sizes, a group that judges all of them.
TEST_F(ChosenSizes, LeaveTimeForTheGroupsThatJudgeThem) {
  SizeCampaign campaign{.adaptive = "{ adaptive = [1, 1024], tolerance = \"5%\" }",
                        .launches = "{ min = 3, max = 10 }",
                        .time_ns =
                            [](const std::string&, const record::Cell& cell) {
                              const auto size = static_cast<double>(*cell.size_bytes);
                              return 2e7 * (1 + 0.001 * size) * (size > 43 ? 1.4 : 1.0);
                            },
                        .group_s = 1};
  campaign.budget_s = 40.0;
  store::CampaignDir dir = campaign.begin(scratch_ / "c");
  campaign.drive(dir, 4);
  const store::Data data = store::read_campaign_dir(scratch_ / "c");
  ASSERT_THAT(phases(data), ElementsAre(SizePhase::kJudge));
  EXPECT_THAT(data.decided[0].why, HasSubstr("what is left of the budget is for judging"));
}

TEST_F(ChosenSizes, HaveAsManyJudgingGroupsAsTheBudgetAllows) {
  const SizeCampaign campaign{.launches = "{ min = 3, max = 20 }", .budget_s = 20.0, .group_s = 1};
  store::CampaignDir dir = campaign.begin(scratch_ / "c");
  campaign.drive(dir, 6);
  EXPECT_FALSE(dir.state().planned_groups) << "choosing groups say nothing of what one costs";
  campaign.drive(dir);
  ASSERT_TRUE(dir.state().planned_groups);
  EXPECT_THAT(judging_groups(dir.state()), Not(IsEmpty()));
  EXPECT_EQ(spare_groups(dir.state()), 6U);
  EXPECT_EQ(asked_launches(campaign.prepared(), dir.state()).min, 9U);
}

TEST_F(ChosenSizes, InNoiseAboveTheToleranceAreRefusedWithWhatWouldHelp) {
  const SizeCampaign campaign{.adaptive = "{ adaptive = [16, 64], tolerance = \"1%\" }",
                              .noise = 0.1};
  store::CampaignDir dir = campaign.begin(scratch_ / "c");
  try {
    campaign.drive(dir);
    FAIL() << "nothing can be told";
  } catch (const base::UserError& error) {
    EXPECT_EQ(error.status(), base::Exit::kUsage);
    EXPECT_THAT(error.what(), HasSubstr("the tolerance of 1% (bcast) is below the noise: after 12 "
                                        "groups deviations are known to +-"));
    EXPECT_THAT(error.what(), HasSubstr("write tolerance = \""));
    EXPECT_THAT(error.what(), HasSubstr("or rounds = "));
  }
  EXPECT_EQ(store::verify_campaign_dir(scratch_ / "c").status(), base::Exit::kIncomplete)
      << "what was measured is whole";
}

TEST_F(ChosenSizes, OfACellThatFailsInAnArmAreTheOtherOnes) {
  const SizeCampaign campaign;
  store::CampaignDir dir = campaign.begin(scratch_ / "c");
  campaign.drive(dir, 3);
  dir.fail_cell(2, "alpha", "wrong result");
  campaign.drive(dir);
  const store::Data data = store::read_campaign_dir(scratch_ / "c");
  const auto choice = analysis::last_size_choice(data.decided);
  EXPECT_THAT(choice->jumps, Contains(analysis::ChosenJump{0, "beta", 40, 48}));
  for (const analysis::SizeCandidate& candidate : choice->candidates) {
    EXPECT_TRUE(candidate.arm == "beta" || candidate.middle_bytes != 32);
  }
}

TEST_F(ChosenSizes, OfAPlanThatWasGivenAreNone) {
  const SizeCampaign campaign;
  store::CampaignDir dir = campaign.begin(scratch_ / "c");
  dir.decide(given_sizes(), {});
  campaign.drive(dir);
  EXPECT_THAT(dir.state().groups, SizeIs(3));
  EXPECT_TRUE(sizes_are_chosen(campaign.prepared(), dir.state()));
  EXPECT_FALSE(sizes_are_being_chosen(campaign.prepared(), dir.state()));
}

// Messages between single ranks, and what their senders do whose receivers are late.
SizeCampaign with_messages() {
  const std::vector<record::DatatypeInfo> bytes{{.name = "byte"}};
  record::OperationInfo pingpong{
      .name = "pingpong", .datatypes = bytes, .times = {{.name = "whole"}}};
  pingpong.messages = record::Messages::kMatched;
  record::OperationInfo oneway = pingpong;
  oneway.name = "oneway";
  oneway.messages = record::Messages::kDirected;
  oneway.batches = false;
  oneway.times = {{.name = "whole"}, {.name = "sending", .kind = record::TimeKind::kOwn}};
  return {.operation = "pingpong",
          .time_ns =
              [](const std::string& arm, const record::Cell& cell) {
                if (cell.operation == "pingpong") return stepped_ns(arm, cell);
                // beta sends eagerly up to 43 B, alpha always.
                return arm == "beta" && *cell.size_bytes > 43 ? 205e3 : 1e3;
              },
          // A receiver is as late as it is asked to be, whatever a group's luck is.
          .group_luck = 0.01,
          .operations = {pingpong, oneway}};
}

TEST_F(ChosenSizes, OfMessagesHaveEvidenceOfTheirProtocol) {
  const store::Data data = run(with_messages());
  EXPECT_THAT(phases(data),
              ElementsAre(SizePhase::kChoose, SizePhase::kEvidence, SizePhase::kJudge));
  const auto choice = analysis::last_size_choice(data.decided);
  ASSERT_THAT(choice->evidence, SizeIs(1)) << "one for both arms";
  const record::Cell& low = data.cells.at(choice->evidence[0].low_cell);
  EXPECT_EQ(low.operation, "oneway");
  EXPECT_EQ(low.size_bytes, 40U);
  EXPECT_EQ(low.arrival, "last-late:200000ns:probing");
  ASSERT_THAT(data.groups, SizeIs(3 + 3 + kEvidenceGroups + 3));
  EXPECT_THAT(sizes_in(data, 6), ElementsAre(40, 48)) << "of evidence alone";
  for (const store::Visit& visit : data.groups.back().launches.front().visits) {
    EXPECT_EQ(data.cells.at(visit.line.cell).operation, "pingpong") << "and not again";
  }
  const analysis::Study study(data);
  const analysis::Steps steps = analysis::find_steps(study);
  ASSERT_THAT(steps.steps, SizeIs(2));
  for (const analysis::Step& step : steps.steps) {
    EXPECT_EQ(step.protocol, steps.curves.at(step.curve).label == "beta" ? "eager -> rendezvous"
                                                                         : "same protocol");
  }
  for (const analysis::ComparedCell& row : analysis::compare(study).cells) {
    EXPECT_EQ(row.cell.operation, "pingpong");
  }
}

TEST_F(ChosenSizes, OfMessagesAreTheSameFromWhereverADriverWasKilled) {
  expect_the_same_from_everywhere(with_messages());
}

// A probe group took ten times as long as others.
TEST_F(ChosenSizes, OfMessagesAreProbedByFewRepetitionsOfOneRound) {
  const SizeCampaign campaign = with_messages();
  store::CampaignDir dir = campaign.begin(scratch_ / "c");
  campaign.drive(dir, 7);
  std::size_t rows = 0;
  for (const record::PlanRow& row : plan_of(dir.state(), 7).rows) {
    if (row.group != 7) continue;
    ++rows;
    EXPECT_EQ(row.round, 0U);
    EXPECT_GE(row.repetitions, 10U);
    EXPECT_LE(row.repetitions, 20U);
  }
  EXPECT_EQ(rows, 4U) << "two sizes of two arms";
}

SizeCampaign with_messages_until(std::function<double(std::size_t groups)> elapsed_s) {
  SizeCampaign campaign = with_messages();
  campaign.launches = "{ min = 3, max = 10 }";
  campaign.budget_s = 20.0;
  campaign.group_s = 0.25;
  campaign.elapsed_s = std::move(elapsed_s);
  return campaign;
}

TEST_F(ChosenSizes, OfMessagesAreNotProbedWhereNoGroupCouldJudgeThemThen) {
  const SizeCampaign campaign =
      with_messages_until([](std::size_t groups) { return groups < 6 ? 1.0 : 18.9; });
  const store::Data data = run(campaign);
  EXPECT_THAT(phases(data), ElementsAre(SizePhase::kChoose, SizePhase::kJudge));
  EXPECT_THAT(data.decided.back().why, HasSubstr("no time is left for late receivers"));
  EXPECT_THAT(sizes_in(data, 6), ElementsAre(16, 24, 32, 40, 48, 64));
}

TEST_F(ChosenSizes, OfMessagesAreJudgedWhereProbesTakeTooLong) {
  const SizeCampaign campaign =
      with_messages_until([](std::size_t groups) { return groups < 7 ? 6.0 : 19.4; });
  const store::Data data = run(campaign);
  EXPECT_THAT(phases(data),
              ElementsAre(SizePhase::kChoose, SizePhase::kEvidence, SizePhase::kJudge));
  EXPECT_THAT(data.decided.back().why, HasSubstr("no time is left for more groups"));
  ASSERT_GT(data.groups.size(), 7U);
  EXPECT_THAT(sizes_in(data, 7), ElementsAre(16, 24, 32, 40, 48, 64));
}

// What only probes measured was an answer: 'equivalent' of one-way messages, and exit status 0.
TEST_F(ChosenSizes, ThatNoGroupJudgesYetHaveNoRows) {
  const SizeCampaign campaign = with_messages();
  store::CampaignDir dir = campaign.begin(scratch_ / "c");
  for (const std::size_t groups : {5U, 7U}) {
    SCOPED_TRACE(groups);
    campaign.drive(dir, groups);
    const analysis::Study study(store::read_campaign_dir(scratch_ / "c"));
    const std::optional<analysis::Lack> lack = analysis::show_lack(study);
    ASSERT_TRUE(lack);
    EXPECT_EQ(lack->status, base::Exit::kIncomplete);
    EXPECT_THAT(lack->text(), HasSubstr("no times of pingpong: all complete launch groups chose "
                                        "what to measure, and none judges it"));
    EXPECT_THROW(static_cast<void>(analysis::compare(study)), base::CommandError);
  }
}

TEST_F(ChosenSizes, ThatTheBudgetEndedAreNoAnswerAndSayWhatWouldBeEnough) {
  const SizeCampaign campaign =
      with_messages_until([](std::size_t groups) { return groups < 4 ? 1.0 : 20.4; });
  const analysis::Study study(run(campaign));
  ASSERT_THAT(study.all().groups, SizeIs(4)) << "the first one of a round ended the budget";
  const std::optional<analysis::Lack> lack = analysis::show_lack(study);
  ASSERT_TRUE(lack);
  EXPECT_EQ(lack->status, base::Exit::kMeasurementFailed);
  EXPECT_THAT(lack->text(), HasSubstr("none judges it: the budget of 20 s is over after 20 s"));
  EXPECT_THAT(lack->text(), HasSubstr("none of the 4 complete launch groups judges the sizes that "
                                      "were chosen; a budget of about "));
  EXPECT_EQ(analysis::status_of(study.health()), base::Exit::kMeasurementFailed);
}

TEST_F(ChosenSizes, OfMessagesAskForOneWayMessagesWhenTheyAreSealed) {
  EXPECT_THAT(evidence_operations(with_messages().prepared()), ElementsAre("oneway"));
  EXPECT_THAT(evidence_operations(SizeCampaign().prepared()), IsEmpty());
  SizeCampaign without = with_messages();
  without.operations.pop_back();
  const store::Data data = run(without);
  EXPECT_THAT(phases(data), ElementsAre(SizePhase::kChoose, SizePhase::kJudge))
      << "no engine describes them";
}

TEST(AdaptiveText, SaysThatTheRaceIsFixed) {
  const std::string text = adaptive_text(SizeCampaign().prepared());
  EXPECT_THAT(text, HasSubstr("bcast begins with 5 of at most 200"));
  EXPECT_THAT(text, HasSubstr("--fixed"));
  EXPECT_EQ(adaptive_text(Prepared()), "");
}

TEST(SizesDecision, StandsBeforeThoseThatEndACampaign) {
  const auto all = all_decisions();
  const auto at = [&](std::string_view name) {
    return std::ranges::find(all, name, &Decision::name) - all.begin();
  };
  EXPECT_LT(at(analysis::kSizesDecision), at("looks"));
  EXPECT_LT(at(analysis::kSizesDecision), at("groups"));
  EXPECT_GT(at(analysis::kSizesDecision), at("batches"));
}

}  // namespace
}  // namespace invar::driver
