// Who wins, and which table follows: pure functions on verdicts and numbers.
#include "analysis/tuning/chosen.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace invar::analysis {
namespace {

using stats::Verdict;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using tuning::Candidate;

Candidate candidate(const std::string& text) { return *tuning::parse_candidate(text).value; }

std::vector<Candidate> candidates(const std::vector<std::string>& texts) {
  std::vector<Candidate> all;
  all.reserve(texts.size());
  for (const std::string& text : texts) all.push_back(candidate(text));
  return all;
}

// All against all by their times: what differs by more than `apart` is told apart.
std::vector<Duel> duels_of(const std::vector<double>& times, double apart) {
  std::vector<Duel> duels;
  for (std::size_t a = 0; a < times.size(); ++a) {
    for (std::size_t b = a + 1; b < times.size(); ++b) {
      const double ratio = times[b] / times[a];
      Duel& duel = duels.emplace_back(
          Duel{.a = a,
               .b = b,
               .verdict = Verdict::kUndecided,
               .ratio = ratio,
               .ratio_interval = stats::Interval{ratio * (1 - apart), ratio * (1 + apart), 0.95}});
      if (ratio > 1 + apart) duel.verdict = Verdict::kFaster;
      if (ratio < 1 / (1 + apart)) duel.verdict = Verdict::kSlower;
    }
  }
  return duels;
}

// The text of the winner; "": the arm as given.
std::string winner(const std::vector<std::string>& texts, const std::vector<double>& times,
                   double apart = 0.05) {
  const auto found = winner_of(candidates(texts), std::vector<bool>(texts.size(), true),
                               duels_of(times, apart), 0.02);
  return found ? texts.at(*found) : "";
}

TEST(Winner, IsTheFastestOfTheAlgorithms) {
  EXPECT_EQ(winner({"default", "algorithm:chain", "algorithm:binomial"}, {100, 80, 60}),
            "algorithm:binomial");
}

TEST(Winner, BetweenEqualsTheArmAsGivenStays) {
  EXPECT_EQ(winner({"default", "algorithm:chain"}, {100, 98}), "");
  EXPECT_EQ(winner({"default", "algorithm:chain"}, {100, 120}), "");
  EXPECT_EQ(winner({"default", "algorithm:chain"}, {100, 60}, 1.0), "")
      << "a large difference that is not sure";
}

TEST(Winner, BetweenEqualsTheLibrarysOwnChoiceComesFirst) {
  const std::vector<std::string> texts{"default", "library-default", "algorithm:binomial"};
  EXPECT_EQ(winner(texts, {100, 51, 50}), "library-default");
  EXPECT_EQ(winner(texts, {100, 60, 50}), "algorithm:binomial");
}

// The arm as given has lost to the chain alone. The other one is about as fast, by what is known.
TEST(Winner, SurelyBeatsTheArmAsGivenWhereSomebodyDoes) {
  std::vector<Duel> duels = duels_of({100, 90, 85}, 0.02);
  duels[1].verdict = Verdict::kUndecided;  // of the binomial tree, to the arm as given
  duels[2].verdict = Verdict::kUndecided;  // of both
  const std::vector<std::string> texts{"default", "algorithm:chain", "algorithm:binomial"};
  EXPECT_EQ(winner_of(candidates(texts), {true, true, true}, duels, 0.02), 1U);
}

TEST(Winner, AlgorithmComesBeforeWhatNeedsAShim) {
  const std::vector<std::string> texts{"default", "mockup:bcast=scatter+allgather",
                                       "algorithm:binomial", "reference:bcast@chain"};
  EXPECT_EQ(winner(texts, {100, 50, 51, 50}), "algorithm:binomial");
  EXPECT_EQ(winner(texts, {100, 50, 60, 45}), "reference:bcast@chain");
}

// What only the shim can serve makes every collective of a program pay.
TEST(Winner, WhoNeedsTheShimMustSurelyGainMoreThanTheSmallestEffect) {
  const std::vector<std::string> texts{"default", "reference:bcast@chain"};
  EXPECT_EQ(winner(texts, {100, 97}, 0.02), "") << "0.97 [0.95, 0.99]: perhaps 1 %";
  EXPECT_EQ(winner(texts, {100, 95}, 0.02), "reference:bcast@chain");
  EXPECT_EQ(winner({"default", "algorithm:chain"}, {100, 97}, 0.02), "algorithm:chain")
      << "a library that is told it pays nothing";
}

TEST(Winner, WhoIsNotWorthTheShimTakesNothingFromAnAlgorithm) {
  std::vector<Duel> duels = duels_of({100, 93, 90}, 0.02);
  duels[1].ratio_interval = stats::Interval{0.81, 0.99, 0.95};  // of the mock-up, to the arm
  const std::vector<std::string> texts{"default", "algorithm:chain",
                                       "mockup:bcast=scatter+allgather"};
  EXPECT_EQ(winner_of(candidates(texts), {true, true, true}, duels, 0.02), 1U)
      << "it beats the chain, which beats the arm as given";
}

TEST(Winner, MustGainMoreThanTheSmallestEffect) {
  EXPECT_EQ(winner({"default", "algorithm:chain"}, {100, 98.5}, 0.001), "");
  EXPECT_EQ(winner({"default", "algorithm:chain"}, {100, 97}, 0.001), "algorithm:chain");
}

TEST(Winner, WhoIsOutOfTheRaceDoesNotWin) {
  const std::vector<std::string> texts{"default", "algorithm:chain", "algorithm:binomial"};
  const auto found =
      winner_of(candidates(texts), {true, true, false}, duels_of({100, 80, 0.5}, 0.05), 0.02);
  EXPECT_FALSE(found) << "beaten by who may not win: its duels are left out where it is known";
  std::vector<Duel> duels = duels_of({100, 80, 0.5}, 0.05);
  std::erase_if(duels, [](const Duel& duel) { return duel.b == 2; });
  EXPECT_EQ(winner_of(candidates(texts), {true, true, false}, duels, 0.02), 1U);
}

TEST(Winner, IsNobodyWhereEachBeatsAnother) {
  const std::vector<Duel> circle{{.a = 0, .b = 1, .verdict = Verdict::kSlower, .ratio = 0.9},
                                 {.a = 1, .b = 2, .verdict = Verdict::kSlower, .ratio = 0.9},
                                 {.a = 0, .b = 2, .verdict = Verdict::kFaster, .ratio = 1.1}};
  const std::vector<std::string> texts{"default", "algorithm:chain", "algorithm:binomial"};
  EXPECT_FALSE(winner_of(candidates(texts), {true, true, true}, circle, 0.02));
}

TEST(Standings, TellWhoBeatsByMost) {
  const std::vector<Standing> standings = standings_of(3, duels_of({100, 80, 60}, 0.05));
  EXPECT_TRUE(standings[0].beaten);
  EXPECT_EQ(standings[0].by, 2U);
  EXPECT_EQ(standings[1].by, 2U);
  EXPECT_FALSE(standings[2].beaten);
}

// The winner takes half of the arm's time.
ChosenCell chosen(std::uint64_t size_bytes, const std::string& text, std::uint32_t ranks = 2) {
  ChosenCell cell{.operation = "bcast", .ranks = ranks, .size_bytes = size_bytes};
  if (!text.empty()) {
    cell.winner = candidate(text);
    cell.gains = {{.candidate = *cell.winner, .ratio = 0.5}};
  }
  return cell;
}

// Others beat the arm there, too.
ChosenCell with_gains(ChosenCell cell, const std::vector<std::pair<std::string, double>>& others) {
  for (const auto& [text, ratio] : others) {
    cell.gains.push_back({.candidate = candidate(text), .ratio = ratio});
  }
  return cell;
}

// Half way, and nothing is decided.
ChosenCell open_cell(std::uint64_t size_bytes, const std::string& loses) {
  ChosenCell cell = chosen(size_bytes, "");
  cell.open = true;
  if (!loses.empty()) cell.losses = {candidate(loses)};
  return cell;
}

constexpr double kMinEffect = 0.02;

std::vector<std::string> entries(const std::vector<ChosenCell>& cells) {
  std::vector<std::string> texts;
  const tuning::DecisionTable table = table_of(cells, kMinEffect);
  for (const tuning::Entry& entry : table.entries()) {
    texts.push_back(std::to_string(entry.ranks) + ": " + std::to_string(entry.from_bytes) + "-" +
                    std::to_string(entry.to_bytes) + " " + tuning::to_string(entry.candidate));
  }
  return texts;
}

TEST(Table, NeighboursOfOneWinnerAreOneEntry) {
  EXPECT_THAT(
      entries({chosen(64, "algorithm:a"), chosen(8, "algorithm:a"), chosen(512, "algorithm:b")}),
      ElementsAre("2: 8-64 algorithm:a", "2: 512-512 algorithm:b"));
}

TEST(Table, NoEntryGoesBeyondWhatWasMeasured) {
  EXPECT_THAT(entries({chosen(8, ""), chosen(64, "algorithm:a"), chosen(512, "")}),
              ElementsAre("2: 64-64 algorithm:a"));
  EXPECT_THAT(entries({chosen(64, "algorithm:a", 2), chosen(128, "algorithm:a", 4)}),
              ElementsAre("2: 64-64 algorithm:a", "4: 128-128 algorithm:a"))
      << "numbers of ranks are no neighbours";
}

// It has lost at both ends: whatever beats it at both is better than to leave it there.
TEST(Table, BetweenTwoWinnersIsWhatSurelyBeatsTheArmAtBothEnds) {
  EXPECT_THAT(entries({with_gains(chosen(4096, "algorithm:a"), {{"algorithm:b", 0.7}}),
                       with_gains(chosen(65536, "algorithm:b"), {{"algorithm:a", 0.9}})}),
              ElementsAre("2: 4096-4096 algorithm:a", "2: 4097-65536 algorithm:b"))
      << "0.7 * 0.5 is less than 0.5 * 0.9";
  EXPECT_THAT(entries({with_gains(chosen(4096, "algorithm:a"), {{"algorithm:c", 0.51}}),
                       with_gains(chosen(65536, "algorithm:b"), {{"algorithm:c", 0.51}})}),
              ElementsAre("2: 4096-4096 algorithm:a", "2: 4097-65535 algorithm:c",
                          "2: 65536-65536 algorithm:b"))
      << "who wins nowhere may be the only one that is good at both";
}

TEST(Table, BetweenTwoWinnersTheArmStaysWhereNothingBeatsItAtBothEnds) {
  const std::vector<ChosenCell> cells{chosen(4096, "algorithm:a"), chosen(65536, "algorithm:b")};
  EXPECT_THAT(entries(cells),
              ElementsAre("2: 4096-4096 algorithm:a", "2: 65536-65536 algorithm:b"));
  const std::vector<SwitchingGap> gaps = switching_gaps(cells, kMinEffect);
  ASSERT_THAT(gaps, SizeIs(1));
  EXPECT_FALSE(gaps[0].between);
  EXPECT_TRUE(gaps[0].lost_at_both_ends());
  EXPECT_THAT(entries({chosen(1000, "algorithm:a"), chosen(1100, "")}),
              ElementsAre("2: 1000-1000 algorithm:a"));
}

TEST(Table, BetweenTwoWinnersTiesGoToTheLibrarysOwnChoiceThenToItsAlgorithms) {
  const auto between = [](double own, double algorithm, double mockup) {
    const std::vector<std::pair<std::string, double>> others{
        {"library-default", own}, {"algorithm:c", algorithm}, {"mockup:bcast=x", mockup}};
    return switching_gaps({with_gains(chosen(4096, "algorithm:a"), others),
                           with_gains(chosen(65536, "algorithm:b"), others)},
                          kMinEffect)
        .at(0)
        .between;
  };
  EXPECT_EQ(between(0.505, 0.5, 0.5), candidate("library-default"));
  EXPECT_EQ(between(0.55, 0.505, 0.5), candidate("algorithm:c"));
  EXPECT_EQ(between(0.55, 0.55, 0.5), candidate("mockup:bcast=x"));
}

TEST(Table, SizeHalfWayThatToldNothingIsNoEnd) {
  const ChosenCell below = with_gains(chosen(4096, "algorithm:a"), {{"algorithm:b", 0.6}});
  const ChosenCell above = with_gains(chosen(65536, "algorithm:b"), {{"algorithm:a", 0.6}});
  EXPECT_THAT(entries({below, open_cell(16384, ""), above}),
              ElementsAre("2: 4096-65535 algorithm:a", "2: 65536-65536 algorithm:b"));
  EXPECT_THAT(entries({below, open_cell(16384, "algorithm:a"), above}),
              ElementsAre("2: 4096-4096 algorithm:a", "2: 4097-65536 algorithm:b"))
      << "the arm as given is surely faster than the one there";
  const std::vector<SwitchingGap> gaps =
      switching_gaps({below, open_cell(16384, ""), above}, kMinEffect);
  ASSERT_THAT(gaps, SizeIs(1));
  EXPECT_TRUE(gaps[0].tried);
  EXPECT_EQ(gaps[0].above.size_bytes, 65536U);
}

TEST(Table, OperationWithoutSizeHasOneEntry) {
  ChosenCell barrier{.operation = "barrier", .ranks = 4, .winner = candidate("algorithm:a")};
  EXPECT_THAT(entries({barrier}), ElementsAre("4: 0-0 algorithm:a"));
}

TEST(Gaps, AreWhereTheWinnerChangesAndTheStepIsCoarse) {
  const std::vector<SwitchingGap> gaps =
      switching_gaps({chosen(8, ""), chosen(64, "algorithm:a"), chosen(512, "algorithm:a"),
                      chosen(600, "algorithm:b"), chosen(4096, "algorithm:b"), chosen(0, "", 4)},
                     kMinEffect);
  ASSERT_THAT(gaps, SizeIs(2));
  EXPECT_EQ(gaps[0].below.size_bytes, 8U);
  EXPECT_EQ(gaps[0].above.size_bytes, 64U);
  EXPECT_TRUE(gaps[0].coarse());
  EXPECT_FALSE(gaps[1].coarse()) << "512 to 600";
  EXPECT_THAT(switching_gaps({chosen(8, "algorithm:a"), chosen(64, "algorithm:a")}, kMinEffect),
              IsEmpty());
  EXPECT_THAT(switching_gaps({chosen(8, "algorithm:a"), chosen(9, "algorithm:b")}, kMinEffect),
              IsEmpty())
      << "no size lies in between";
}

TEST(Gaps, AreHalvedByTheGeometricMean) {
  EXPECT_EQ(size_between(8, 128, 1), 32U);
  EXPECT_EQ(size_between(8, 128, 4), 32U);
  EXPECT_EQ(size_between(100, 110, 1), 105U);
  EXPECT_EQ(size_between(8, 12, 4), std::nullopt) << "no multiple lies between";
  EXPECT_EQ(size_between(0, 64, 4), 8U);
  EXPECT_EQ(size_between(0, 4, 4), std::nullopt);
}

// So many halvings come to an end.
TEST(Gaps, BecomeFine) {
  std::uint64_t low = 8;
  const std::uint64_t high = 1 << 20;
  std::size_t halvings = 0;
  while (switching_gaps({chosen(low, "algorithm:a"), chosen(high, "algorithm:b")}, kMinEffect)
             .at(0)
             .coarse()) {
    const auto between = size_between(low, high, 4);
    ASSERT_TRUE(between);
    ASSERT_GT(*between, low);
    low = *between;
    ASSERT_LT(++halvings, 10U);
  }
}

}  // namespace
}  // namespace invar::analysis
