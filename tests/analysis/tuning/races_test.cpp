// Races judged on planted data: who is faster is known.
#include "analysis/tuning/races.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include "analysis/compare/looks.hpp"
#include "analysis/questions/asked_pairs.hpp"
#include "analysis/tuning/added_races.hpp"
#include "analysis/tuning/planted_races.hpp"
#include "analysis/tuning/race_pairs.hpp"
#include "analysis/tuning/tuned_use.hpp"
#include "store/test_dir.hpp"

namespace invar::analysis {
namespace {

using planted::kDefaultArm;
using planted::kGivenArm;
using planted::kSwitchingArm;
using planted::PlantedRace;
using planted::PlantedRaces;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

PlantedRace race_of(std::uint64_t size_bytes, double given_ns, double default_ns, double chain_ns,
                    double mockup_ns) {
  return {.size_bytes = size_bytes,
          .candidates = {{"default", kGivenArm, given_ns},
                         {"library-default", kDefaultArm, default_ns},
                         {"algorithm:chain", kSwitchingArm, chain_ns},
                         {"mockup:bcast=scatter+allgather", kDefaultArm, mockup_ns}}};
}

// Texts of the winners; "": the arm as given.
std::vector<std::string> winners_of(const TuneRaces& found) {
  std::vector<std::string> texts;
  for (const RacedCell& cell : found.cells) {
    texts.push_back(cell.winner ? cell.candidates[*cell.winner].text : "");
  }
  return texts;
}

const RacedCandidate& candidate_of(const RacedCell& cell, const std::string& text) {
  return *std::ranges::find(cell.candidates, text, &RacedCandidate::text);
}

TEST(Races, FastestOfAFamilyWinsWhateverItsArm) {
  PlantedRaces planted({race_of(8, 3000, 1000, 1300, 1500), race_of(64, 3000, 1000, 700, 1500),
                        race_of(512, 3000, 1000, 1300, 500),
                        race_of(4096, 1000, 1300, 1500, 1700)});
  const TuneRaces found = planted.found();
  EXPECT_THAT(winners_of(found), ElementsAre("library-default", "algorithm:chain",
                                             "mockup:bcast=scatter+allgather", ""));
  EXPECT_NEAR(*found.cells[1].gain(), 1 - 700.0 / 3000, 0.02);
  EXPECT_EQ(candidate_of(found.cells[1], "default").beaten_by, "algorithm:chain");
  EXPECT_EQ(found.cells[1].unbeaten(), 1U);
  EXPECT_THAT(found.table.entries(), SizeIs(3));
  EXPECT_EQ(found.given(), "bad");
}

TEST(Races, ArmsAreComparedAcrossCellsByRounds) {
  PlantedRaces planted({race_of(8, 1000, 1000, 1050, 1000)});
  // Luck of a group that is far larger than the difference: pairing takes it out.
  planted.plan.group_sd = 0.5;
  const TuneRaces found = planted.found();
  EXPECT_TRUE(candidate_of(found.cells[0], "algorithm:chain").beaten);
}

TEST(Races, BetweenEqualsTheArmAsGivenStays) {
  PlantedRaces planted({race_of(8, 1000, 1000, 1000, 1000)});
  planted.plan.repetitions = 5;
  std::size_t wrong = 0;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    planted.plan.seed = seed;
    wrong += winners_of(planted.found()).front().empty() ? 0U : 1U;
  }
  EXPECT_LE(wrong, 2U) << "and the winner would have to gain 2 % by its estimate as well";
}

TEST(Races, WhatBreaksSomewhereWinsNowhere) {
  PlantedRaces planted({race_of(8, 3000, 1000, 500, 1500), race_of(64, 3000, 1000, 500, 1500)});
  store::Data data = planted.data();
  const auto chain =
      std::ranges::find(planted.plan.cells, "algorithm:chain", &record::Cell::algorithm) -
      planted.plan.cells.begin();
  data.failed_cells = {{.cell = static_cast<std::uint32_t>(chain),
                        .arm = "algorithms",
                        .reason = "wrong result (rank 1 on node3): byte 4"}};
  const TuneRaces found = tune_races(planted.study(data));
  EXPECT_THAT(winners_of(found), ElementsAre("library-default", "library-default"));
  EXPECT_THAT(candidate_of(found.cells[1], "algorithm:chain").why, HasSubstr("wrong result"));
  EXPECT_FALSE(candidate_of(found.cells[1], "default").beaten_by == "algorithm:chain");
  EXPECT_EQ(found.health.failed_cells, 0U) << "it costs that candidate, and no measurement";
}

// Mock-ups and reference algorithms run in the arm as given, where no setting of it decides.
TEST(Races, CandidateThatFailsInTheArmAsGivenCostsNoMeasurementEither) {
  PlantedRaces planted({{.size_bytes = 8,
                         .candidates = {{"default", kGivenArm, 3000},
                                        {"mockup:bcast=scatter+allgather", kGivenArm, 1500},
                                        {"library-default", kDefaultArm, 1000},
                                        {"algorithm:chain", kSwitchingArm, 1300}}}});
  store::Data data = planted.data();
  const auto failed_in = [&](const std::string& operation) {
    const auto cell = std::ranges::find(planted.plan.cells, operation, &record::Cell::operation) -
                      planted.plan.cells.begin();
    data.failed_cells = {{.cell = static_cast<std::uint32_t>(cell),
                          .arm = "bad",
                          .reason = "wrong result (rank 1 on node3): byte 4"}};
    return tune_races(planted.study(data)).health.failed_cells;
  };
  EXPECT_EQ(failed_in("bcast=scatter+allgather"), 0U);
  EXPECT_EQ(failed_in("bcast"), 1U) << "nothing can be compared with";
}

TEST(Races, WhatRefusesASizeIsMissingThereAlone) {
  PlantedRaces planted({race_of(8, 3000, 1000, 500, 1500), race_of(64, 3000, 1000, 500, 1500)});
  store::Data data = planted.data();
  const auto chain =
      std::ranges::find(planted.plan.cells, "algorithm:chain", &record::Cell::algorithm) -
      planted.plan.cells.begin();
  data.failed_cells = {{.cell = static_cast<std::uint32_t>(chain),
                        .arm = "algorithms",
                        .reason = "MPI error (rank 1 on node3): MPI_ERR_UNSUPPORTED_OPERATION"}};
  const TuneRaces found = tune_races(planted.study(data));
  EXPECT_THAT(winners_of(found), ElementsAre("library-default", "algorithm:chain"));
  EXPECT_THAT(candidate_of(found.cells[0], "algorithm:chain").why,
              HasSubstr("it failed: MPI error"));
}

TEST(Races, WhoDidNotRaceIsToldWithTheReason) {
  PlantedRaces planted({race_of(8, 3000, 1000, 500, 1500)});
  planted.campaign.races[0].not_raced = {{.is = "algorithm:linear", .why = "it crashes"}};
  const TuneRaces found = planted.found();
  EXPECT_EQ(candidate_of(found.cells[0], "algorithm:linear").why, "it crashes");
  std::vector<std::string> texts;
  for (const Warning& warning : answer_of(found).warnings) texts.push_back(warning.text);
  EXPECT_THAT(texts, Contains(HasSubstr("bcast algorithm:linear: it crashes")));
}

// Tried before anything was timed, and left out of the plan.
TEST(Races, WhatProbesFoundIsTheReasonOfWhoIsMissing) {
  PlantedRaces planted({race_of(8, 3000, 1000, 500, 1500), race_of(64, 3000, 1000, 500, 1500)});
  store::Data data = planted.data();
  for (std::uint32_t cell = 0; cell < data.cells.size(); ++cell) {
    if (data.cells[cell].algorithm == "algorithm:chain") planted::remove_cell(data, 2, cell);
  }
  data.arms[2].levels = {{.operation = "bcast",
                          .level = "algorithm:chain",
                          .ranks = 2,
                          .size_bytes = 8,
                          .same_as = "algorithm:linear"},
                         {.operation = "bcast",
                          .level = "algorithm:chain",
                          .ranks = 4,
                          .problem = "on other numbers of ranks"},
                         {.operation = "bcast",
                          .level = "algorithm:chain",
                          .ranks = 2,
                          .size_bytes = 64,
                          .problem = "rank 0: recv byte 4"}};
  const TuneRaces found = tune_races(planted.study(data));
  EXPECT_EQ(candidate_of(found.cells[0], "algorithm:chain").why,
            "its messages are those of algorithm:linear, which is raced in its place");
  EXPECT_EQ(candidate_of(found.cells[1], "algorithm:chain").why, "rank 0: recv byte 4");
  EXPECT_THAT(winners_of(found), ElementsAre("library-default", "library-default"));
}

// What the driver noted of their cells is told once, behind what matters, and in one line.
TEST(Races, ThoseOfEqualMessagesAreOneRemarkBehindAllOthers) {
  PlantedRaces planted({race_of(8, 3000, 1000, 500, 1500), race_of(64, 3000, 1000, 500, 1500)});
  store::Data data = planted.data();
  const std::string why = "its messages are those of 'algorithm:linear', which is measured";
  for (std::uint32_t cell = 0; cell < data.cells.size(); ++cell) {
    if (data.cells[cell].algorithm != "algorithm:chain") continue;
    planted::remove_cell(data, 2, cell);
    data.warnings.emplace_back("left out: bcast in 'algorithms': " + why);
  }
  data.warnings.emplace_back("left out: bcast in 'algorithms': no such operation");
  for (const std::uint64_t size_bytes : {8U, 64U}) {
    data.arms[2].levels.push_back({.operation = "bcast",
                                   .level = "algorithm:chain",
                                   .ranks = 2,
                                   .size_bytes = size_bytes,
                                   .problem = why,
                                   .same_as = "algorithm:linear"});
  }
  const Answer answer = answer_of(tune_races(planted.study(data)));
  std::size_t about = 0;
  for (const Warning& warning : answer.warnings) {
    about += warning.text.find("messages") != std::string::npos ? 1U : 0U;
  }
  EXPECT_EQ(about, 1U);
  EXPECT_THAT(answer.warnings.back().text,
              testing::StartsWith("1 algorithm did not race at some size where another one sends "
                                  "the same messages, and races for both: bcast algorithm:chain"));
  EXPECT_EQ(answer.warnings.back().gravity, Gravity::kBorne);
  EXPECT_THAT(answer.warnings, Contains(testing::Field(&Warning::text, HasSubstr("no such op"))));
}

TEST(Races, SentenceTellsWhereMostIsGained) {
  PlantedRaces planted({race_of(8, 3000, 1000, 1300, 1500), race_of(64, 1000, 1300, 1500, 1700)});
  EXPECT_THAT(planted.found().sentence,
              testing::MatchesRegex("Something is faster than bad in 1 of 2 cells, most of all in "
                                    "bcast 8 B, 2 ranks: the library's own choice takes 6[67] % "
                                    "less; nothing of it is confirmed yet: 2 ranks, 1 host.*"));
  planted = PlantedRaces({race_of(8, 1000, 1300, 1500, 1700)});
  EXPECT_THAT(planted.found().sentence,
              HasSubstr("Nothing that can be made to run is surely more than 2 % faster than bad"));
}

TEST(Races, TableSaysWhatIsFasterAndByHowMuch) {
  PlantedRaces planted({race_of(8, 3000, 1000, 1300, 1500)});
  const Answer answer = answer_of(planted.found());
  const TidyTable& candidates = *find_table(answer, "candidates");
  EXPECT_THAT(candidates.rows, SizeIs(4));
  const TidyTable& winners = *find_table(answer, "winners");
  ASSERT_THAT(winners.rows, SizeIs(1));
  EXPECT_EQ(std::get<std::string>(winners.rows[0][column_index(winners, "winner")].content),
            "the library's own choice");
  const TidyTable& entries = *find_table(answer, "entries");
  ASSERT_THAT(entries.rows, SizeIs(1));
  EXPECT_EQ(std::get<std::string>(entries.rows[0][column_index(entries, "candidate")].content),
            "library-default");
}

TEST(Races, UnpinnedRanksHaveNoWinner) {
  PlantedRaces planted({race_of(8, 3000, 1000, 1300, 1500)});
  planted.campaign.engine.pinning = "none";
  const TuneRaces found = planted.found();
  EXPECT_THAT(winners_of(found), ElementsAre(""));
  EXPECT_THAT(found.sentence, testing::StartsWith("No verdicts: "));
}

TEST(Races, BeforeTheFirstLookNothingIsSaidToBeFaster) {
  PlantedRaces planted({race_of(8, 3000, 1000, 1300, 1500)});
  planted.campaign.stopping = design::Stopping::kLooks;
  planted.plan.groups = 2;
  const TuneRaces found = planted.found();
  EXPECT_THAT(found.sentence, testing::StartsWith("No verdicts: no look was taken"));
  EXPECT_TRUE(found.table.empty());
}

// Who is beaten is measured no more, and neither is a question about it open.
TEST(Races, BeatenCandidatesAreOutAtTheNextLook) {
  PlantedRaces planted({race_of(8, 3000, 1000, 1001, 2000)});
  planted.campaign.stopping = design::Stopping::kLooks;
  store::Data data = planted.data();
  data.looks = {planted::look_after(1, 3)};
  const Standings standings =
      stand(data, make_rules(planted.campaign, {}), asked_pairs(planted.campaign, data));
  ASSERT_THAT(standings.pairs, SizeIs(6));
  std::vector<std::string> open;
  for (std::size_t i = 0; i < standings.pairs.size(); ++i) {
    if (standings.closed(data, i)) continue;
    open.push_back(standings.contest.labels[standings.pairs[i].a.arm] + " " +
                   standings.contest.labels[standings.pairs[i].b.arm]);
  }
  EXPECT_THAT(open, ElementsAre("library-default algorithms"));
  // The arm as given, and the mock-up.
  EXPECT_THAT(standings.done(data), SizeIs(2));
}

TEST(Races, ExpelledCandidateKeepsNoQuestionOpen) {
  PlantedRaces planted({race_of(8, 3000, 1000, 1001, 2000), race_of(64, 3000, 1000, 1001, 2000)});
  planted.campaign.stopping = design::Stopping::kLooks;
  store::Data data = planted.data();
  const auto chain =
      std::ranges::find(planted.plan.cells, "algorithm:chain", &record::Cell::algorithm) -
      planted.plan.cells.begin();
  data.failed_cells = {{.cell = static_cast<std::uint32_t>(chain),
                        .arm = "algorithms",
                        .reason = "wrong result (rank 0 on node3): byte 0"}};
  data.looks = {planted::look_after(1, 3)};
  const Standings standings =
      stand(data, make_rules(planted.campaign, {}), asked_pairs(planted.campaign, data));
  for (std::size_t i = 0; i < standings.pairs.size(); ++i) {
    EXPECT_TRUE(standings.closed(data, i)) << i;
  }
}

TEST(Races, AddedRacesAreReadFromTheirDecision) {
  const std::vector<design::RaceBlock> races{
      {.operation = "bcast",
       .size_bytes = 23,
       .ranks = 2,
       .family = "bcast-23-p2",
       .candidates = {{"default", "bad"}, {"algorithm:chain:segment=64", "algorithms"}}}};
  const std::vector<store::DecidedLine> decided{
      {.decision = "half-way", .fields = "{}"},
      {.decision = std::string(kSwitchingDecision), .fields = added_races_text(races)}};
  EXPECT_EQ(added_races(decided), races);
  const std::vector<store::DecidedLine> broken{
      {.decision = std::string(kSwitchingDecision), .fields = "{\"races\":[{}]}"}};
  EXPECT_THROW((void)added_races(broken), base::UserError);
  std::vector<design::RaceBlock> alone = races;
  alone[0].candidates.resize(1);
  const std::vector<store::DecidedLine> no_race{
      {.decision = std::string(kSwitchingDecision), .fields = added_races_text(alone)}};
  EXPECT_THROW((void)added_races(no_race), base::UserError);
}

// The winner changes between 8 B and 64 B, and a race of 23 B was added.
PlantedRaces races_with_one_added(std::vector<design::RaceBlock>& added) {
  PlantedRaces planted({race_of(8, 3000, 1000, 1300, 1500), race_of(64, 3000, 1000, 700, 1500)});
  planted.add_under_way({{.size_bytes = 23,
                          .candidates = {{"default", kGivenArm, 3000},
                                         {"library-default", kDefaultArm, 1000},
                                         {"algorithm:chain", kSwitchingArm, 800}}}},
                        added);
  return planted;
}

TEST(Races, RaceThatWasAddedIsJudgedByGroupsThatDidNotChooseIt) {
  std::vector<design::RaceBlock> added;
  PlantedRaces planted = races_with_one_added(added);
  store::Data data = planted.data();
  store::DecidedLine line{.decision = std::string(kSwitchingDecision),
                          .fields = added_races_text(added)};
  data.decided = {line};
  const TuneRaces found = tune_races(planted.study(data));
  EXPECT_THAT(winners_of(found),
              ElementsAre("library-default", "algorithm:chain", "algorithm:chain"));
  EXPECT_TRUE(found.cells[1].added);
  ASSERT_THAT(found.table.entries(), SizeIs(2));
  EXPECT_EQ(found.table.entries()[1].from_bytes, 23U);
  EXPECT_EQ(found.table.entries()[1].to_bytes, 64U);
  EXPECT_THAT(found.gaps, SizeIs(1)) << "8 to 23 is still coarse";
}

// Planned, and the budget ended before.
TEST(Races, RaceThatWasAddedAndNotMeasuredIsNoCell) {
  std::vector<design::RaceBlock> added;
  PlantedRaces planted = races_with_one_added(added);
  store::Data data = planted.data();
  for (std::size_t cell = 0; cell < planted.plan.cells.size(); ++cell) {
    if (planted.plan.cells[cell].size_bytes != 23U) continue;
    for (std::uint32_t arm = 0; arm < planted.plan.arms.size(); ++arm) {
      planted::remove_cell(data, arm, static_cast<std::uint32_t>(cell));
    }
  }
  data.decided = {{.decision = std::string(kSwitchingDecision), .fields = added_races_text(added)}};
  const TuneRaces found = tune_races(planted.study(data));
  EXPECT_THAT(found.cells, SizeIs(2));
  EXPECT_THAT(found.sentence, HasSubstr("in 2 of 2 cells"));
  ASSERT_THAT(found.gaps, SizeIs(1));
  EXPECT_EQ(found.gaps[0].above.size_bytes, 64U);
}

// The arm as given and one that may be faster or slower.
RacedCell untold_cell() {
  RacedCell cell{.cell = planted::cell("bcast", 23),
                 .size_bytes = 23,
                 .operation = "bcast",
                 .ranks = 2,
                 .added = true};
  cell.candidates = {
      {.text = "default", .time = TimeEstimate{.median_ns = 1000}},
      {.candidate = {.kind = tuning::CandidateKind::kLibraryDefault},
       .text = "library-default",
       .time = TimeEstimate{.median_ns = 900},
       .against_given = ComparedCell{.ratio = 0.9, .verdict = stats::Verdict::kUndecided}}};
  return cell;
}

TEST(Races, SizeHalfWayThatToldNothingHasNoWinnerAndIsNotCounted) {
  RacedCell cell = untold_cell();
  EXPECT_TRUE(cell.open());
  TuneRaces found{.arms = {{.label = "bad"}}, .cells = {cell}};
  EXPECT_THAT(races_sentence(found), HasSubstr("faster than bad in 0 cells"));
  EXPECT_TRUE(chosen_cells(found).front().open);
  const Answer answer = answer_of(found);
  const TidyTable& winners = *find_table(answer, "winners");
  EXPECT_EQ(std::get<std::string>(winners.rows[0][column_index(winners, "winner")].content),
            "undecided");
  cell.candidates[1].against_given->verdict = stats::Verdict::kEquivalent;
  EXPECT_FALSE(cell.open()) << "the arm as given stays";
  cell.candidates[1].against_given->verdict = stats::Verdict::kUndecided;
  cell.added = false;
  EXPECT_FALSE(cell.open()) << "sizes that were asked for are answered by what is known";
}

TEST(Races, WhoHasNoTimeIsNotCountedAsUnbeaten) {
  RacedCell cell = untold_cell();
  EXPECT_EQ(cell.unbeaten(), 2U);
  for (RacedCandidate& one : cell.candidates) one.time.reset();
  EXPECT_EQ(cell.raced(), 0U);
  EXPECT_EQ(cell.unbeaten(), 0U);
}

TEST(Races, ArmThatLostAtBothEndsIsNotLeftInBetween) {
  PlantedRaces planted({race_of(8, 3000, 1000, 1300, 1500), race_of(64, 3000, 1000, 700, 1500)});
  const TuneRaces found = planted.found();
  ASSERT_THAT(found.table.entries(), SizeIs(2));
  EXPECT_EQ(found.table.entries()[0].to_bytes, 8U);
  EXPECT_EQ(found.table.entries()[1].from_bytes, 9U);
  EXPECT_EQ(tuning::to_string(found.table.entries()[1].candidate), "algorithm:chain");
  EXPECT_THAT(
      answer_of(found).warnings.front().text,
      HasSubstr(
          "is written for the sizes in between: bcast 8 B to 64 B on 2 ranks (algorithm chain)"));
}

TEST(Races, ArmThatStaysBetweenSizesWhereItLostIsTold) {
  PlantedRaces planted({race_of(8, 3000, 3000, 700, 3000), race_of(64, 3000, 1000, 3000, 3000)});
  const TuneRaces found = planted.found();
  EXPECT_THAT(winners_of(found), ElementsAre("algorithm:chain", "library-default"));
  ASSERT_THAT(found.table.entries(), SizeIs(2));
  EXPECT_EQ(found.table.entries()[0].to_bytes, 8U);
  EXPECT_THAT(found.sentence, HasSubstr("; it lost at both ends of 1 range of sizes and stays"));
  const Warning told = answer_of(found).warnings.front();
  EXPECT_THAT(told.text, HasSubstr("bad stays as it is between bcast 8 B to 64 B on 2 ranks"));
  EXPECT_NE(told.gravity, Gravity::kBorne) << "only --verbose would show it";
}

// Who goes on with an interrupted race by `invar run --resume` has none of the files yet.
TEST(Races, AnswerSaysWhatWritesTheFilesWhereThereAreNone) {
  const store::TestDir scratch;
  TuneRaces found{.table = tuning::DecisionTable(
                      {{.operation = "bcast", .ranks = 2, .from_bytes = 8, .to_bytes = 8}}),
                  .dir = scratch.path()};
  const auto labels = [&] {
    std::vector<std::string> all;
    for (const Remark& next : answer_of(found).next) all.push_back(next.label);
    return all;
  };
  EXPECT_THAT(labels(), ElementsAre("data", "files", "confirm", "every candidate", "page"));
  std::ofstream(scratch / kTableFile) << "operation,ranks,from_bytes,to_bytes,candidate\n";
  EXPECT_THAT(labels(), ElementsAre("data", "confirm", "every candidate", "page"));
}

TEST(Races, CampaignWithoutRacesLacksThem) {
  const std::optional<Lack> lack = races_lack(planted::study(planted::data({})));
  ASSERT_TRUE(lack);
  EXPECT_THAT(lack->text(), HasSubstr("this campaign races nothing"));
}

}  // namespace
}  // namespace invar::analysis
