// What stays of a decision table when its entries are confirmed, once or several times. Pure
// functions (docs/methods.md, "Tuning").
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "analysis/tuning/chosen.hpp"
#include "analysis/tuning/confirmation.hpp"
#include "design/recipes/tune_campaign.hpp"
#include "tuning/decision_table.hpp"

namespace invar::analysis {

// Whether a candidate stays where a cell is.
using Stays = std::function<bool(const design::TuneCell& cell, const tuning::Candidate& candidate)>;

// Every entry over those of its cells in which it stays: from one to the next of these, and up to
// its own ends where no other cell lies between. One in which none of the cells lies stays nowhere.
tuning::DecisionTable kept_pieces(const tuning::DecisionTable& table,
                                  std::span<const design::TuneCell> cells, const Stays& stays);

// Those that were raced, and the size half way where something is written between two with
// different winners and nothing was raced: what is written is confirmed where it holds.
// `unit_bytes`: sizes of an operation are multiples of so many bytes.
std::vector<design::TuneCell> cells_to_confirm(
    std::vector<design::TuneCell> raced, std::span<const SwitchingGap> gaps,
    const std::function<std::uint64_t(const std::string& operation)>& unit_bytes);

struct KeptTables {
  // What the files say: what a confirmation has confirmed and none after it has surely denied.
  // Before any has judged: all that won the race.
  tuning::DecisionTable in_force = {};
  // What the next confirmation tests: all that none has surely denied, so also what was undecided.
  tuning::DecisionTable to_test = {};
};

// `raced`: the race's own table; `cells`: of cells_to_confirm(); `confirmations`: those that have
// verdicts, in their order. What one found of a candidate in a cell counts where `raced` has that
// candidate there.
KeptTables kept_tables(const tuning::DecisionTable& raced, std::span<const design::TuneCell> cells,
                       std::span<const Confirmation> confirmations);

// Fills in what becomes of the entries of a confirmation: ConfirmedCell::stays, and the sentence.
// `before`: the confirmations before it that have verdicts.
void tell_what_stays(Confirmation& confirmation, std::span<const Confirmation> before);

}  // namespace invar::analysis
