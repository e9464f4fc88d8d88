// The manifest's lines on decisions: what is written is what is read, and what makes no sense is
// said.
#include "store/manifest/manifest.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "record/journal.hpp"
#include "store/version.hpp"

namespace invar::store {
namespace {

using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::string campaign() { return campaign_line(1, "schema = 1\n", {.scope = "2 ranks"}, "today"); }

Manifest manifest_with(const std::vector<std::string>& more) {
  std::vector<std::string> lines{campaign()};
  lines.insert(lines.end(), more.begin(), more.end());
  return read_manifest(lines, "c/manifest.jsonl");
}

std::string manifest_error(const std::string& line) {
  try {
    manifest_with({line});
  } catch (const base::UserError& error) {
    return std::string("user error: ") + error.what();
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(Campaign, PlaceIsReadAsItWasWritten) {
  const Place place{.scope = "2 ranks, 1 host",
                    .cpus = {0, 1},
                    .hosts = {"node1"},
                    .regime_before = base::CanaryBand{.low_ns = 100, .high_ns = 300},
                    .variables = {{{"OMPI_MCA_btl", "tcp,self"}, {"UCX_TLS", "\"sm\""}}}};
  EXPECT_EQ(read_manifest({campaign_line(1, "", place, "today")}, "m").place, place);
  EXPECT_EQ(manifest_with({}).place.regime_before, std::nullopt);
  EXPECT_EQ(manifest_with({}).place.variables, std::nullopt);
}

// Another build may go on with a campaign; earlier versions did not record their commit.
TEST(Session, VersionsThatMeasuredAreReadEachOnce) {
  const std::string now = version_text();
  EXPECT_THAT(manifest_with({}).made_by, testing::ElementsAre(now));
  EXPECT_THAT(manifest_with({session_line(2, "tomorrow")}).made_by, testing::ElementsAre(now));
  EXPECT_EQ(manifest_with({session_line(2, "tomorrow")}).session, "tomorrow");
  const auto line = [](const std::string& fields) {
    return record::with_line_crc(R"({"type":"session","line":2,"time":"t","session":"s")" + fields);
  };
  EXPECT_THAT(manifest_with({line("")}).made_by, testing::ElementsAre(now));
  EXPECT_THAT(manifest_with({line(R"(,"invar":"0.0.9")")}).made_by,
              testing::ElementsAre(now, "0.0.9"));
  EXPECT_THAT(manifest_with({line(R"(,"invar":"9.9","commit":"1a2b")")}).made_by,
              testing::ElementsAre(now, "9.9 (commit 1a2b)"));
}

TEST(Warnings, AreReadAsTheyWereWritten) {
  const WarningLine open(
      LeftOpen{.reason = "the budget of 9 s is over: no more", .undecided = 1, .questions = 3});
  EXPECT_EQ(open.text, "the budget of 9 s is over: no more: 1 of 3 questions is not decided");
  EXPECT_THAT(manifest_with({warning_line(2, "a \"text\""), warning_line(3, open)}).warnings,
              testing::ElementsAre(WarningLine("a \"text\""), open));
}

// Campaigns of earlier versions are sealed: their words must be understood for ever.
TEST(Warnings, WhatEarlierVersionsSaidInWordsIsUnderstood) {
  const auto read = [](const std::string& text) {
    return manifest_with({warning_line(2, text)}).warnings.front();
  };
  const WarningLine looks = read(
      "all looks were taken: 2 of 3 questions are not decided; a new campaign of a fixed number of "
      "launches can have more than 5 launch groups");
  EXPECT_EQ(looks.left_open, (LeftOpen{"all looks were taken", 2, 3}));
  EXPECT_EQ(looks.text, "all looks were taken: 2 of 3 questions are not decided");
  const WarningLine one =
      read("the budget of 9 s is over: no more: 1 of 1 question are not decided");
  EXPECT_EQ(one.left_open, (LeftOpen{"the budget of 9 s is over: no more", 1, 1}));
  for (const char* other :
       {"2 of 3 questions are not decided", ": 2 of 3 questions are not decided",
        "all: some of 3 questions are not decided", "all: 2 of 3 cells are not decided",
        "all:  are not decided", "all looks were taken", ""}) {
    EXPECT_EQ(read(other), WarningLine(other));
  }
}

TEST(Batches, DecisionIsReadAsItWasWritten) {
  const record::Calls calls{{0, 62}, {7, 2}, {4'000'000, 65'536}};
  EXPECT_EQ(manifest_with({batches_line(2, calls, "too short")}).batches, calls);
}

TEST(Batches, DecidedForNoCellIsNotUndecided) {
  EXPECT_EQ(manifest_with({}).batches, std::nullopt);
  EXPECT_EQ(manifest_with({batches_line(2, {}, "none is too short")}).batches, record::Calls());
}

// A later decision is the whole decision, not a change of the earlier one.
TEST(Batches, LastDecisionHolds) {
  EXPECT_EQ(manifest_with({batches_line(2, {{0, 62}, {1, 3}}, ""), batches_line(3, {{1, 9}}, "")})
                .batches,
            (record::Calls{{1, 9}}));
}

TEST(Batches, DecidedAfterTheEndTheCampaignHasNotEnded) {
  EXPECT_TRUE(manifest_with({end_line(2)}).ended);
  const Manifest more = manifest_with({end_line(2), batches_line(3, {{0, 62}}, "")});
  EXPECT_FALSE(more.ended);
  EXPECT_TRUE(more.ended_once);
  EXPECT_FALSE(manifest_with({}).ended_once);
}

TEST(Arms, KeepTheirComponentsInOrder) {
  const ArmRecord arm{.label = "a", .components = {{"pml", "ob1"}, {"btl", "vader"}}};
  const Manifest manifest = manifest_with({arm_line(2, arm)});
  EXPECT_EQ(manifest.arms.at(0).components, arm.components);
  EXPECT_TRUE(manifest_with({arm_line(2, ArmRecord{.label = "a"})}).arms.at(0).components.empty());
}

TEST(Arms, KeepWhatTheirAlgorithmsWereFoundToDo) {
  const ArmRecord arm{.label = "a",
                      .levels = {{.operation = "bcast",
                                  .level = "algorithm:chain",
                                  .ranks = 2,
                                  .ordered_failure = "recv byte 4"},
                                 {.operation = "bcast",
                                  .level = "algorithm:binomial",
                                  .ranks = 4,
                                  .size_bytes = 8,
                                  .problem = "its messages are those of 'default'",
                                  .ran = "messages as of bcast@binomial",
                                  .same_as = "default"}}};
  EXPECT_EQ(manifest_with({arm_line(2, arm)}).arms.at(0).levels, arm.levels);
  EXPECT_TRUE(manifest_with({arm_line(2, ArmRecord{.label = "a"})}).arms.at(0).levels.empty());
}

TEST(Arms, SealWhatTheirOperationsSay) {
  const ArmRecord arm{
      .label = "a",
      .library = "mine",
      .operations = {{.name = "handover",
                      .roles = {{.role = record::Role::kAnswers, .ranks = record::Ranks::kOdd}},
                      .marks = {{.name = "posted"}},
                      .times = {{.name = "posting", .to = "posted"}}}}};
  EXPECT_EQ(manifest_with({arm_line(2, arm)}).arms, std::vector{arm});
}

TEST(Arms, WordOfANewerVersionIsRefusedWithItsLineAndOperation) {
  const ArmRecord arm{.label = "a", .operations = {{.name = "handover"}}};
  std::string line = arm_line(2, arm);
  line.replace(line.find("\"tree\""), 6, "\"wavefront\"");
  EXPECT_THAT(manifest_error(line),
              StartsWith("user error: c/manifest.jsonl:2: arm 'a', operation 'handover': "
                         "'wavefront' is unknown to this version of Invar; made by a newer "
                         "Invar? Then use that one"));
}

TEST(Arms, WithoutDescriptionsAreReadAsBefore) {
  const ArmRecord arm{.label = "a", .library = "openmpi"};
  EXPECT_THAT(arm_line(2, arm), testing::Not(HasSubstr("operations")));
  EXPECT_EQ(manifest_with({arm_line(2, arm)}).arms, std::vector{arm});
}

LookLine a_look(std::uint32_t number) {
  return {.look = number,
          .alpha = 0.005,
          .groups = {1, 3, 4},
          .decided = {{.cell = 0,
                       .arm_a = "a",
                       .arm_b = "b",
                       .verdict = "faster",
                       .ratio = 1.25,
                       .p_adjusted = 1e-6},
                      {.cell = 2, .arm_a = "b", .verdict = "settled"}},
          .open = {1},
          .questions = 3,
          .undecided = 1,
          .rounds = 7,
          .repetitions = {{1, 40}}};
}

TEST(Looks, ALookIsReadAsItWasWritten) {
  EXPECT_EQ(manifest_with({look_line(2, a_look(1))}).looks, std::vector{a_look(1)});
}

TEST(Looks, TwoCellsAndTwoTimesAreNamedWhereTheyDiffer) {
  LookLine look = a_look(1);
  EXPECT_THAT(look_line(2, look), Not(AnyOf(HasSubstr("cell_b"), HasSubstr("time_"))));
  EXPECT_TRUE(look.decided[0].of_arms());
  look.decided[0].cell_b = 5;
  look.decided[0].arm_b = "a";
  look.decided.push_back({.cell = 1,
                          .arm_a = "a",
                          .arm_b = "a",
                          .time_a = "local",
                          .time_b = "global",
                          .verdict = "slower",
                          .ratio = 0.9,
                          .p_adjusted = 0.001});
  EXPECT_THAT(look_line(2, look), HasSubstr(R"({"cell":0,"cell_b":5,"arm_a":"a","arm_b":"a",)"));
  EXPECT_EQ(manifest_with({look_line(2, look)}).looks, std::vector{look});
  EXPECT_FALSE(look.decided[0].of_arms());
  EXPECT_FALSE(look.decided.back().of_arms());
}

TEST(Looks, OneThatIsTakenAgainOverrulesItselfAndWhatFollowed) {
  LookLine again = a_look(1);
  again.groups = {1, 2, 3};
  const Manifest manifest =
      manifest_with({look_line(2, a_look(1)), look_line(3, a_look(2)), look_line(4, again)});
  EXPECT_EQ(manifest.looks, std::vector{again});
}

// A decision of the kind that brings cells, and its plan with one row a cell.
struct Bringing {
  record::Plan plan = {.cells = {{.id = 0, .operation = "bcast", .size_bytes = 8},
                                 {.id = 1, .operation = "bcast", .size_bytes = 16}},
                       .rows = {{.group = 3, .launch = 5, .visit = 9, .cell = 1, .arm = "a"}}};
  DecidedLine decided = {
      .decision = "sizes",
      .why = "bent there",
      .not_judging = {{.groups = {1, 2}, .cells = {0}}, {.cells = {1}, .arms = {"b"}}},
      .added = {{.cell = plan.cells[1], .arms = {"a", "b"}}},
      .planned_groups = 7,
      .fields = R"({"left":[0],"text":",\"csv\":1"})"};

  [[nodiscard]] std::string line() const {
    const std::string file = "plan-2.csv";
    const std::string csv = record::plan_csv(plan);
    return decided_line(2, decided, PlanText{.file = file, .plan = plan, .csv = csv});
  }
};

TEST(Decided, LineIsReadAsItWasWrittenWithItsPlan) {
  const Bringing bringing;
  const Manifest manifest = manifest_with({bringing.line()});
  EXPECT_EQ(manifest.decided, std::vector{bringing.decided});
  EXPECT_EQ(manifest.planned_groups, 7U);
  ASSERT_EQ(manifest.plans.size(), 1U);
  EXPECT_EQ(manifest.plans[0].csv(), record::plan_csv(bringing.plan));
  ASSERT_EQ(manifest.cells().size(), 2U);
  EXPECT_TRUE(manifest.cells()[1].same_levels(bringing.plan.cells[1]));
}

TEST(Decided, LineWithoutAPlanBringsNone) {
  const DecidedLine decided{.decision = "repetitions", .why = "enough"};
  const Manifest manifest = manifest_with({decided_line(2, decided, {})});
  EXPECT_EQ(manifest.decided, std::vector{decided});
  EXPECT_TRUE(manifest.plans.empty());
  EXPECT_EQ(manifest.planned_groups, std::nullopt);
}

TEST(Decided, CellThatItsPlanDoesNotHaveIsToldWithItsNumber) {
  Bringing bringing;
  bringing.decided.added[0].cell.id = 2;
  EXPECT_THAT(manifest_error(bringing.line()), HasSubstr("cell 2 was added by a decision"));
  EXPECT_THAT(manifest_error(decided_line(2, Bringing().decided, {})),
              HasSubstr("cell 1 was added by a decision"));
}

TEST(Decided, GroupsThatChoseDoNotJudgeTheCellsThatTheyChoseFor) {
  const std::vector decided{Bringing().decided};
  EXPECT_FALSE(judges(decided, 1, 0, "a"));
  EXPECT_TRUE(judges(decided, 1, 1, "a")) << "another cell";
  EXPECT_TRUE(judges(decided, 3, 0, "a")) << "another group";
  EXPECT_FALSE(judges({{.not_judging = {{.groups = {4}}}}}, 4, 17, "a")) << "no cell: all of them";
}

TEST(Decided, WhatWasNotChosenInAnArmJudgesInNoGroup) {
  const std::vector decided{Bringing().decided};
  for (const std::uint32_t group : {1U, 3U, 99U}) {
    EXPECT_FALSE(judges(decided, group, 1, "b"));
    EXPECT_TRUE(judges(decided, group, 1, "a")) << "another arm";
  }
  EXPECT_TRUE(judges_nowhere(decided, 1, "b"));
  EXPECT_FALSE(judges_nowhere(decided, 1, "a"));
  EXPECT_FALSE(judges_nowhere(decided, 0, "b")) << "it judges from the third group on";
}

// Otherwise an empty list would take everything from every group.
TEST(Decided, WhatNamesNeitherGroupsNorCellsIsRefused) {
  EXPECT_THAT(
      manifest_error(decided_line(2, {.decision = "splits", .not_judging = {{.arms = {"b"}}}}, {})),
      HasSubstr("'splits' names neither groups nor cells"));
}

// Decisions about all arms are written as they were before there were others.
TEST(Decided, LineNamesArmsOnlyWhereItIsAboutSome) {
  const DecidedLine about_all{.decision = "sizes", .not_judging = {{.groups = {1}, .cells = {0}}}};
  EXPECT_THAT(decided_line(2, about_all, {}),
              HasSubstr(R"("not_judging":[{"groups":[1],"cells":[0]}])"));
  const DecidedLine about_one{.decision = "splits",
                              .not_judging = {{.cells = {3}, .arms = {"openmpi"}}}};
  EXPECT_THAT(decided_line(2, about_one, {}),
              HasSubstr(R"("not_judging":[{"groups":[],"cells":[3],"arms":["openmpi"]}])"));
}

TEST(Batches, LineHasItsChecksum) {
  const std::string line = batches_line(2, {{0, 62}}, "too short");
  EXPECT_THAT(line, StartsWith(R"({"type":"batches","line":2,"time":)"));
  EXPECT_TRUE(record::line_crc_holds(line));
  std::string other = line;
  other.replace(other.find("62"), 2, "63");
  EXPECT_FALSE(record::line_crc_holds(other));
}

TEST(Batches, DamagedValuesAreToldWithTheirLine) {
  const auto line = [](const std::string& rest) {
    return R"({"type":"batches","line":2,)" + rest + "}";
  };
  EXPECT_EQ(manifest_error(line(R"("calls":[{"cell":0,"calls":62}])")), "nothing was thrown");
  for (const std::string rest :
       {R"("why":"")", R"("calls":[{"cell":0}])", R"("calls":[{"calls":62}])",
        R"("calls":[{"cell":0,"calls":"62"}])", R"("calls":[{"cell":null,"calls":62}])",
        R"("calls":[62])", R"("calls":[{"cell":0,"calls":62})"}) {
    const std::string error = manifest_error(line(rest));
    EXPECT_THAT(error, StartsWith("c/manifest.jsonl:2: ")) << rest;
  }
}

TEST(Batches, KindsOfLinesThatAreUnknownAreNotPassedOver) {
  std::string line = batches_line(2, {{0, 62}}, "");
  line.replace(line.find("batches"), 7, "stacks");
  EXPECT_THAT(manifest_error(line),
              HasSubstr("lines of type 'stacks' are unknown to this version"));
}

// The campaign says what its cells are: without that, its data mean nothing.
TEST(Plan, FactorOfANewerVersionIsRefusedWithItsLineAndName) {
  const record::Plan plan{.cells = {{.operation = "bcast", .size_bytes = 8}}};
  std::string line = plan_line(2, "plan.csv", plan, "");
  line.replace(line.find("\"clock\""), 7, "\"firmware\"");
  EXPECT_THAT(manifest_error(line),
              StartsWith("user error: c/manifest.jsonl:2: unknown factor 'firmware'; made by a "
                         "newer Invar? Then use that one"));
}

TEST(Plan, FactorThatCameLaterThanTheCampaignHasItsFrozenLevel) {
  const record::Plan plan{.cells = {{.operation = "bcast", .size_bytes = 8, .arrival = "none"}}};
  std::string line = plan_line(2, "plan.csv", plan, "");
  const auto drop = [&](const std::string& what) { line.erase(line.find(what), what.size()); };
  drop("\"dither_ns\",");
  drop("\"1000\",");
  EXPECT_EQ(manifest_with({line}).plans.at(0).cells.at(0).dither_ns, 1000U);
}

}  // namespace
}  // namespace invar::store
