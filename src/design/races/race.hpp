// Races: everything that can be made to run in one cell, measured together. A candidate has a text
// (tuning/candidate.hpp) and an arm; which cell of the race's family that is follows from both.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "design/campaign/campaign.hpp"
#include "record/cell.hpp"
#include "tuning/candidate.hpp"

namespace invar::design {

// What a candidate is measured as.
struct RacedAs {
  std::string operation = {};       // "bcast"; of a mock-up its own name
  std::string algorithm = {};       // level of that factor
  std::uint64_t segment_bytes = 0;  // level of that factor: of reference algorithms
  bool operator==(const RacedAs&) const = default;
};

// `operation`: that of the race. `forced`: the candidate's arm is told by its settings, so that
// nothing is to be switched inside its launches.
RacedAs raced_as(const std::string& operation, const tuning::Candidate& candidate, bool forced);

// The candidate must have been read or written by us, so that it has the form. Throws
// std::invalid_argument for another one.
tuning::Candidate candidate_of(const RaceCandidate& raced);

// The cell is the candidate's, whether its arm switches or is told by its settings.
bool is_cell_of(const record::Cell& cell, const RaceBlock& race,
                const tuning::Candidate& candidate);

// "bcast-1024-p4": a family's name.
std::string race_name(const std::string& operation, std::optional<std::uint64_t> size_bytes,
                      std::uint32_t ranks);

// "bcast, 1 KiB, 4 ranks": for messages.
std::string race_text(const RaceBlock& race);

// Ids of the cells in which the arm runs what it runs in `cell`, that one first: a candidate's, at
// all sizes and for all numbers of ranks. Empty: that is not a candidate of a race, or the arm as
// its user gave it, without which there is no race.
std::vector<std::uint32_t> cells_of_candidate(const Campaign& campaign,
                                              std::span<const record::Cell> cells,
                                              std::uint32_t cell, const std::string& arm);

// What the looks of a campaign may spend: one that races keeps a part of its budget for switching
// points, which are measured when the looks have chosen. None: there is no budget.
std::optional<double> budget_of_looks_s(const Campaign& campaign);

// Why looks end that have spent it: "the budget of 60 s is over", "30 s of the budget of 40 s are
// over, and the rest is for switching points". Only of a campaign with a budget.
std::string looks_are_over_text(const Campaign& campaign);

}  // namespace invar::design
