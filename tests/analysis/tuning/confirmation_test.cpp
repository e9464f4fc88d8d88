// What a tuned file gains, on planted data.
#include "analysis/tuning/confirmation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "analysis/compare/looks.hpp"
#include "analysis/planted.hpp"
#include "analysis/questions/asked_pairs.hpp"
#include "analysis/tuning/tuned_use.hpp"

namespace invar::analysis {
namespace {

using testing::ContainsRegex;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

// A cell of bcast: what the tuned arm takes of the untouched one's time.
struct PlantedEffect {
  std::uint64_t size_bytes = 8;
  double ratio = 1;
  bool entry = true;
};

struct PlantedConfirmation {
  explicit PlantedConfirmation(const std::vector<PlantedEffect>& effects) {
    plan.arms = {"bad", "tuned"};
    plan.cells.clear();
    campaign.analysis.question = design::Question::kTuneConfirm;
    campaign.arms = {{.label = "bad", .library = "openmpi"},
                     {.label = "tuned", .library = "openmpi"}};
    std::vector<double> ratios;
    for (const PlantedEffect& effect : effects) {
      record::Cell cell = planted::cell("bcast", effect.size_bytes);
      cell.ranks = 2;
      plan.cells.push_back(cell);
      ratios.push_back(effect.ratio);
      if (!effect.entry) continue;
      campaign.entries.push_back(
          {.entry = {.operation = "bcast",
                     .ranks = 2,
                     .from_bytes = effect.size_bytes,
                     .to_bytes = effect.size_bytes,
                     .candidate = {.kind = tuning::CandidateKind::kAlgorithm, .name = "chain"}}});
    }
    plan.time_ns = [ratios](std::size_t arm, std::size_t cell) {
      return 1000.0 * (arm == 1 ? ratios[cell] : 1.0);
    };
  }

  [[nodiscard]] Study study(const store::Data& data) const {
    return {data, campaign, make_rules(campaign, {}), {}};
  }
  [[nodiscard]] Confirmation found() const { return confirmation(study(planted::data(plan))); }

  planted::Plan plan = {};
  design::Campaign campaign = {};
};

std::vector<std::string> effects_of(const Confirmation& found) {
  std::vector<std::string> words;
  for (const ConfirmedCell& cell : found.cells) {
    words.emplace_back(cell.effect() ? to_string(*cell.effect()) : "none");
  }
  return words;
}

TEST(Confirmation, EntryStaysWhereItsGainIsSurelyAboveTwoPercent) {
  const PlantedConfirmation planted({{8, 0.80}, {64, 1.00}, {512, 1.20}, {4096, 0.98}});
  const Confirmation found = planted.found();
  EXPECT_THAT(effects_of(found), ElementsAre("gains", "gains-less", "slower", "undecided"));
  ASSERT_THAT(found.confirmed.entries(), SizeIs(1));
  EXPECT_EQ(found.confirmed.entries()[0].from_bytes, 8U);
  EXPECT_THAT(found.tested.entries(), SizeIs(4));
}

TEST(Confirmation, LowerEndOfTheGainSaysTheSameAsTheEffect) {
  const PlantedConfirmation planted(
      {{8, 0.90}, {16, 0.96}, {32, 0.97}, {64, 0.98}, {128, 0.99}, {256, 1.1}});
  for (const ConfirmedCell& cell : planted.found().cells) {
    EXPECT_EQ(cell.effect() == Effect::kGains, cell.gain_interval()->low > 0.02)
        << cell.gain_interval()->low;
  }
}

TEST(Confirmation, OutsideOfTheEntriesNothingMayBeSlower) {
  const PlantedConfirmation planted({{8, 0.80}, {64, 1.00, false}, {512, 1.20, false}});
  const Confirmation found = planted.found();
  EXPECT_THAT(effects_of(found), ElementsAre("gains", "same", "slower"));
  EXPECT_THAT(
      found.sentence,
      ContainsRegex("; 1 cell is slower, without an entry and by at most [0-9.]+ .s a call"));
}

// It failed with the file in place, say: neither has it a row, nor may an entry go on over it.
TEST(Confirmation, NoEntryGoesOnOverACellThatWasNotMeasured) {
  PlantedConfirmation planted({{8, 0.50}, {64, 0.50}, {512, 0.50}});
  design::EntryBlock whole = planted.campaign.entries.front();
  whole.entry.to_bytes = 512;
  planted.campaign.entries = {whole};
  store::Data data = planted::data(planted.plan);
  EXPECT_THAT(confirmation(planted.study(data)).confirmed.entries(), SizeIs(1));
  planted::remove_cell(data, 1, 1);
  const Confirmation found = confirmation(planted.study(data));
  EXPECT_THAT(found.cells, SizeIs(2));
  ASSERT_THAT(found.confirmed.entries(), SizeIs(2));
  EXPECT_EQ(found.confirmed.entries()[0].to_bytes, 8U);
  EXPECT_EQ(found.confirmed.entries()[1].from_bytes, 512U);
}

// Equal arms: in at most alpha / 2 of all tables something is confirmed.
TEST(Confirmation, FileThatDoesNothingIsRarelyConfirmed) {
  std::vector<PlantedEffect> effects;
  for (std::uint64_t size_bytes = 8; size_bytes <= 4096; size_bytes *= 2) {
    effects.push_back({.size_bytes = size_bytes});
  }
  PlantedConfirmation planted(effects);
  planted.plan.repetitions = 5;
  std::size_t wrong = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    planted.plan.seed = seed;
    wrong += planted.found().confirmed.empty() ? 0U : 1U;
  }
  EXPECT_LE(wrong, 2U) << "a gain of nothing would have to look like more than 2 %";
}

TEST(Confirmation, SentenceTellsTheGainPerCallAndAsAShare) {
  const PlantedConfirmation planted({{8, 0.50}, {64, 0.80}, {512, 1.00}});
  EXPECT_THAT(planted.found().sentence,
              testing::MatchesRegex(
                  "The tuned file gains (19|20|21) % to (49|50|51) % of bad's time in 2 of 3 cells "
                  "with an entry, most in bcast 8 B, 2 ranks: 0\\.[45][0-9]+ us a call; no cell is "
                  "seen to be slower; the entries of 1 cell are dropped: 2 ranks, 1 host.*"));
  EXPECT_THAT(PlantedConfirmation({{8, 1.0}}).found().sentence,
              HasSubstr("The tuned file gains nothing that is sure"));
}

TEST(Confirmation, TableHasBeforeAndAfterWithIntervals) {
  const Answer answer = answer_of(PlantedConfirmation({{8, 0.50}}).found());
  const TidyTable& table = *find_table(answer, "confirmed");
  ASSERT_THAT(table.rows, SizeIs(1));
  const auto number = [&](const char* column) {
    return std::get<double>(table.rows[0][column_index(table, column)].content);
  };
  EXPECT_LT(number("before_low_ns"), number("before_ns"));
  EXPECT_LT(number("after_ns"), number("before_ns"));
  EXPECT_NEAR(number("gain"), 0.5, 0.02);
  EXPECT_LT(number("gain_low"), number("gain"));
  EXPECT_NEAR(number("gain_ns"), number("before_ns") / 2, number("before_ns") / 20);
}

TEST(Confirmation, LooksAskForTheGainOfEntriesAndElseForHarm) {
  PlantedConfirmation planted({{8, 0.50}, {64, 1.00, false}});
  planted.campaign.stopping = design::Stopping::kLooks;
  store::Data data = planted::data(planted.plan);
  const Rules rules = make_rules(planted.campaign, {});
  data.looks = {planted::look_after(1, 3), planted::look_after(2, 5)};
  const Standings standings = stand(data, rules, asked_pairs(planted.campaign, data));
  ASSERT_THAT(standings.pairs, SizeIs(2));
  ASSERT_TRUE(standings.looks.answers.rows[0].verdict);
  EXPECT_EQ(decided_word(standings.pairs[0], *standings.looks.answers.rows[0].verdict, rules),
            "gains");
  EXPECT_EQ(decided_word(standings.pairs[1], stats::Verdict::kHolds, rules), "same");
  EXPECT_EQ(decided_word(standings.pairs[1], stats::Verdict::kViolated, rules), "slower");
}

// The budget was over after two groups.
TEST(Confirmation, BeforeTheFirstLookNothingIsJudgedAndNothingSaysOtherwise) {
  PlantedConfirmation planted({{8, 0.50}, {64, 1.50}, {512, 1.50, false}});
  planted.campaign.stopping = design::Stopping::kLooks;
  planted.plan.groups = 2;
  const Confirmation found = planted.found();
  EXPECT_THAT(effects_of(found), ElementsAre("none", "none", "none"));
  EXPECT_THAT(found.sentence,
              testing::StartsWith("No verdicts: no look was taken (the first one needs 3 launch "
                                  "groups, and 2 are complete): "));
  EXPECT_EQ(found.comparisons, 0U);
  const Answer answer = answer_of(found);
  EXPECT_THAT(answer.notes.front(),
              HasSubstr("nothing is judged, and the intervals are of each row by itself"));
  EXPECT_THAT(answer.notes.front(), testing::Not(HasSubstr("lower end")));
}

TEST(Confirmation, IntervalWithoutAVerdictMakesNobodySlower) {
  ConfirmedCell cell{.entry = tuning::Candidate{.kind = tuning::CandidateKind::kLibraryDefault}};
  cell.sides.ratio = 1.5;
  cell.sides.ratio_interval = stats::Interval{1.2, 1.9, 0.95};
  cell.sides.verdict = stats::Verdict::kUndecided;
  EXPECT_EQ(cell.effect(), Effect::kUndecided);
  cell.sides.verdict = stats::Verdict::kHolds;
  EXPECT_EQ(cell.effect(), Effect::kSlower);
}

TEST(Confirmation, CampaignThatConfirmsNothingSaysSo) {
  const std::optional<Lack> lack = confirmation_lack(planted::study(planted::data({})));
  ASSERT_TRUE(lack);
  EXPECT_THAT(lack->text(), HasSubstr("this campaign confirms nothing"));
}

TEST(TunedUse, IsTheDifferenceBetweenTheSettingsOfBothArms) {
  const ComparedArm untouched{.settings = {{"OMPI_MCA_btl", "self"}, {"OMPI_MCA_a", "3"}}};
  const ComparedArm tuned{
      .settings = {{"OMPI_MCA_btl", "self"}, {"env:LD_PRELOAD", "/t/libinvar-tuned.so"}}};
  const TunedUse use = use_of(untouched, tuned);
  EXPECT_EQ(use,
            (TunedUse{.set = {{"LD_PRELOAD", "/t/libinvar-tuned.so"}}, .unset = {"OMPI_MCA_a"}}));
  EXPECT_THAT(use_table(use).rows, SizeIs(2));
  EXPECT_EQ(use_table(use).title, "to use it");
  for (const ShownColumn& column : use_table(use).shown) EXPECT_EQ(column.header, "");
}

TEST(TunedUse, IsReadFromTheFileForAShell) {
  const TunedUse use = use_in(
      "# written by invar\nunset A\nunset B\nexport C=1\nexport D='/a b/rules.conf'\necho E=1\n");
  EXPECT_EQ(use, (TunedUse{.set = {{"C", "1"}, {"D", "/a b/rules.conf"}}, .unset = {"A", "B"}}));
}

}  // namespace
}  // namespace invar::analysis
