// What stays of a decision table after its confirmations.
#include "analysis/tuning/kept.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/tuning/confirmation.hpp"

namespace invar::analysis {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

const tuning::Candidate kTestedChain{.kind = tuning::CandidateKind::kAlgorithm, .name = "chain"};
const tuning::Candidate kTestedOwn{.kind = tuning::CandidateKind::kLibraryDefault};

tuning::Entry kept_entry(std::uint64_t from_bytes, std::uint64_t to_bytes,
                         const tuning::Candidate& candidate) {
  return {.operation = "bcast",
          .ranks = 2,
          .from_bytes = from_bytes,
          .to_bytes = to_bytes,
          .candidate = candidate};
}

std::vector<design::TuneCell> kept_cells(const std::vector<std::uint64_t>& sizes_bytes) {
  std::vector<design::TuneCell> cells;
  for (const std::uint64_t size_bytes : sizes_bytes) {
    cells.push_back({.operation = "bcast", .size_bytes = size_bytes, .ranks = 2});
  }
  return cells;
}

// "8-63 algorithm:chain"
std::vector<std::string> kept_texts(const tuning::DecisionTable& table) {
  std::vector<std::string> texts;
  for (const tuning::Entry& one : table.entries()) {
    texts.push_back(std::to_string(one.from_bytes) + "-" + std::to_string(one.to_bytes) + " " +
                    tuning::to_string(one.candidate));
  }
  return texts;
}

ConfirmedCell kept_found(std::uint64_t size_bytes, const tuning::Candidate& candidate,
                         Effect effect) {
  ConfirmedCell cell{.entry = candidate};
  cell.sides.cell = {.operation = "bcast", .size_bytes = size_bytes, .ranks = 2};
  cell.sides.ratio = 1.2;
  cell.sides.ratio_interval = stats::Interval{effect == Effect::kSlower ? 1.1 : 0.9, 1.3, 0.95};
  cell.sides.verdict = effect == Effect::kGains       ? stats::Verdict::kViolated
                       : effect == Effect::kUndecided ? stats::Verdict::kUndecided
                                                      : stats::Verdict::kHolds;
  return cell;
}

// The chain was confirmed at 8, 64 and 512 B, with these effects.
Confirmation kept_confirmation(const std::vector<Effect>& effects) {
  Confirmation confirmation;
  std::uint64_t size_bytes = 8;
  for (const Effect effect : effects) {
    confirmation.cells.push_back(kept_found(size_bytes, kTestedChain, effect));
    size_bytes *= 8;
  }
  return confirmation;
}

// The chain won at all three.
KeptTables kept_after(const std::vector<Confirmation>& confirmations) {
  return kept_tables(tuning::DecisionTable({kept_entry(8, 512, kTestedChain)}),
                     kept_cells({8, 64, 512}), confirmations);
}

TEST(Kept, BeforeAnyConfirmationAllThatWonTheRaceIsInForce) {
  const KeptTables kept = kept_after({});
  EXPECT_THAT(kept_texts(kept.in_force), ElementsAre("8-512 algorithm:chain"));
  EXPECT_EQ(kept.to_test, kept.in_force);
}

// A good confirmation, then one with hardly any time.
TEST(Kept, WhatWasConfirmedStaysWhereALaterConfirmationDecidesNothing) {
  const Confirmation good = kept_confirmation({Effect::kGains, Effect::kGains, Effect::kGains});
  const Confirmation nothing =
      kept_confirmation({Effect::kUndecided, Effect::kUndecided, Effect::kUndecided});
  EXPECT_THAT(kept_texts(kept_after({good, nothing}).in_force),
              ElementsAre("8-512 algorithm:chain"));
  EXPECT_THAT(kept_texts(kept_after({good, nothing}).to_test),
              ElementsAre("8-512 algorithm:chain"));
}

TEST(Kept, WhatWasConfirmedGoesWhereALaterConfirmationSurelySaysOtherwise) {
  const Confirmation good = kept_confirmation({Effect::kGains, Effect::kGains, Effect::kGains});
  for (const Effect effect : {Effect::kGainsLess, Effect::kSlower}) {
    const KeptTables kept =
        kept_after({good, kept_confirmation({Effect::kUndecided, effect, Effect::kGains})});
    EXPECT_THAT(kept_texts(kept.in_force),
                ElementsAre("8-8 algorithm:chain", "512-512 algorithm:chain"));
    EXPECT_EQ(kept.to_test, kept.in_force) << "it is not tried again until it succeeds by luck";
  }
}

TEST(Kept, FirstConfirmationKeepsNothingUndecidedAndTheNextOneTestsItAgain) {
  const KeptTables first =
      kept_after({kept_confirmation({Effect::kGains, Effect::kUndecided, Effect::kGainsLess})});
  EXPECT_THAT(kept_texts(first.in_force), ElementsAre("8-8 algorithm:chain"));
  EXPECT_THAT(kept_texts(first.to_test), ElementsAre("8-64 algorithm:chain"));
  const KeptTables none =
      kept_after({kept_confirmation({Effect::kUndecided, Effect::kUndecided, Effect::kUndecided})});
  EXPECT_THAT(kept_texts(none.in_force), IsEmpty());
  EXPECT_THAT(kept_texts(none.to_test), ElementsAre("8-512 algorithm:chain"))
      << "what the race found is not lost";
  const KeptTables second =
      kept_after({kept_confirmation({Effect::kUndecided, Effect::kUndecided, Effect::kUndecided}),
                  kept_confirmation({Effect::kGains, Effect::kGains, Effect::kUndecided})});
  EXPECT_THAT(kept_texts(second.in_force), ElementsAre("8-64 algorithm:chain"));
}

TEST(Kept, WhatWasFoundOfAnotherCandidateDoesNotCount) {
  Confirmation other =
      kept_confirmation({Effect::kGainsLess, Effect::kGainsLess, Effect::kGainsLess});
  for (ConfirmedCell& cell : other.cells) cell.entry = kTestedOwn;
  EXPECT_THAT(kept_texts(kept_after({other}).to_test), ElementsAre("8-512 algorithm:chain"));
}

TEST(Kept, PieceEndsAtTheNextCellThatStays) {
  const tuning::DecisionTable table(
      {kept_entry(8, 99, kTestedChain), kept_entry(100, 1000, kTestedOwn)});
  const std::vector<design::TuneCell> cells = kept_cells({8, 32, 64, 300});
  const auto kept_at = [&](const std::vector<std::uint64_t>& sizes_bytes) {
    return kept_texts(kept_pieces(table, cells, [&](const design::TuneCell& cell, const auto&) {
      return std::ranges::find(sizes_bytes, *cell.size_bytes) != sizes_bytes.end();
    }));
  };
  EXPECT_THAT(kept_at({8, 32, 64, 300}),
              ElementsAre("8-99 algorithm:chain", "100-1000 library-default"));
  EXPECT_THAT(kept_at({8, 64}), ElementsAre("8-8 algorithm:chain", "64-99 algorithm:chain"));
  EXPECT_THAT(kept_at({32}), ElementsAre("32-32 algorithm:chain"));
  EXPECT_THAT(kept_texts(kept_pieces(table, kept_cells({8}),
                                     [](const auto&, const auto&) { return true; })),
              ElementsAre("8-99 algorithm:chain"))
      << "nothing was measured in the other one";
}

ChosenCell kept_chosen(std::uint64_t size_bytes, const tuning::Candidate& candidate) {
  return {.operation = "bcast", .ranks = 2, .size_bytes = size_bytes, .winner = candidate};
}

TEST(CellsToConfirm, HaveASizeHalfWayWhereSomethingIsWrittenThatNobodyMeasured) {
  const auto unit = [](const std::string&) { return std::uint64_t{8}; };
  SwitchingGap gap{.below = kept_chosen(4096, kTestedChain),
                   .above = kept_chosen(65536, kTestedOwn)};
  const std::vector<design::TuneCell> raced = kept_cells({4096, 65536});
  EXPECT_EQ(cells_to_confirm(raced, {&gap, 1}, unit), raced) << "nothing is written there";
  gap.between = kTestedOwn;
  EXPECT_EQ(cells_to_confirm(raced, {&gap, 1}, unit), kept_cells({4096, 65536, 16384}));
  const std::vector<design::TuneCell> more = kept_cells({4096, 8192, 65536});
  EXPECT_EQ(cells_to_confirm(more, {&gap, 1}, unit), more)
      << "that told nothing in the race, and is confirmed like all others";
  gap.above.size_bytes = 4600;
  EXPECT_EQ(cells_to_confirm(raced, {&gap, 1}, unit), raced) << "near to the one that goes on";
  gap.between = tuning::Candidate{.kind = tuning::CandidateKind::kAlgorithm, .name = "a third one"};
  EXPECT_THAT(cells_to_confirm(raced, {&gap, 1}, unit), SizeIs(raced.size() + 1))
      << "which nobody has measured there";
}

TEST(ToldStays, OfWhatIsUndecidedDependsOnWhatWasConfirmedBefore) {
  const Confirmation before =
      kept_confirmation({Effect::kGains, Effect::kUndecided, Effect::kGains});
  Confirmation latest =
      kept_confirmation({Effect::kUndecided, Effect::kUndecided, Effect::kGainsLess});
  tell_what_stays(latest, {&before, 1});
  EXPECT_EQ(latest.cells[0].stays, true);
  EXPECT_EQ(latest.cells[1].stays, false);
  EXPECT_EQ(latest.cells[2].stays, false);
  EXPECT_THAT(latest.sentence, HasSubstr("; the entries of 1 cell are dropped; those of 1 cell are "
                                         "undecided this time and stay, because they were "
                                         "confirmed before; those of 1 cell are undecided, and not "
                                         "kept until a confirmation with more time decides"));
  const Answer answer = answer_of(latest);
  const TidyTable& table = *find_table(answer, "confirmed");
  const std::size_t effect = column_index(table, "effect");
  EXPECT_EQ(std::get<Word>(table.rows[0][effect].content).words,
            "undecided this time, stays: confirmed before");
  EXPECT_EQ(std::get<Word>(table.rows[1][effect].content).words, "undecided, not in the file yet");
  Confirmation alone = kept_confirmation({Effect::kUndecided});
  EXPECT_FALSE(alone.cells[0].stays);
  EXPECT_THAT(confirmation_sentence(alone), Not(HasSubstr("confirmed before")));
}

}  // namespace
}  // namespace invar::analysis
