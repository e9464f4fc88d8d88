#include "design/races/race.hpp"

#include <algorithm>
#include <stdexcept>

#include "base/text.hpp"
#include "base/units.hpp"

namespace invar::design {
namespace {

constexpr double kShareOfLooks = 0.75;

RacedAs raced_as_of(const record::Cell& cell) {
  return {.operation = cell.operation,
          .algorithm = cell.algorithm,
          .segment_bytes = cell.segment_bytes};
}

}  // namespace

RacedAs raced_as(const std::string& operation, const tuning::Candidate& candidate, bool forced) {
  const std::string untouched(tuning::kAsGivenText);
  switch (candidate.kind) {
    case tuning::CandidateKind::kAlgorithm:
      return {.operation = operation,
              .algorithm = forced ? untouched : tuning::to_string(candidate)};
    case tuning::CandidateKind::kMockup:
      return {.operation = candidate.name, .algorithm = untouched};
    case tuning::CandidateKind::kReference:
      return {.operation = candidate.name,
              .algorithm = untouched,
              .segment_bytes = candidate.segment_bytes};
    case tuning::CandidateKind::kAsGiven:
    case tuning::CandidateKind::kLibraryDefault:
      break;
  }
  return {.operation = operation, .algorithm = untouched};
}

tuning::Candidate candidate_of(const RaceCandidate& raced) {
  base::Parsed<tuning::Candidate> candidate = tuning::parse_candidate(raced.is);
  if (!candidate.value) throw std::invalid_argument("no candidate: " + raced.is);
  return *candidate.value;
}

bool is_cell_of(const record::Cell& cell, const RaceBlock& race,
                const tuning::Candidate& candidate) {
  if (cell.family != race.family) return false;
  const RacedAs here = raced_as_of(cell);
  return here == raced_as(race.operation, candidate, false) ||
         here == raced_as(race.operation, candidate, true);
}

std::string race_name(const std::string& operation, std::optional<std::uint64_t> size_bytes,
                      std::uint32_t ranks) {
  return operation + (size_bytes ? "-" + std::to_string(*size_bytes) : std::string()) + "-p" +
         std::to_string(ranks);
}

std::string race_text(const RaceBlock& race) {
  return race.operation + (race.size_bytes ? ", " + base::size_text(*race.size_bytes) : "") + ", " +
         base::count_text(race.ranks, "rank");
}

std::vector<std::uint32_t> cells_of_candidate(const Campaign& campaign,
                                              std::span<const record::Cell> cells,
                                              std::uint32_t cell, const std::string& arm) {
  const auto failed = std::ranges::find(cells, cell, &record::Cell::id);
  if (failed == cells.end()) return {};
  const RacedAs as = raced_as_of(*failed);
  const bool races = std::ranges::any_of(campaign.races, [&](const RaceBlock& race) {
    return std::any_of(
        race.candidates.begin() + 1, race.candidates.end(), [&](const RaceCandidate& raced) {
          const tuning::Candidate candidate = candidate_of(raced);
          return raced.arm == arm && (as == raced_as(race.operation, candidate, false) ||
                                      as == raced_as(race.operation, candidate, true));
        });
  });
  if (!races) return {};
  std::vector<std::uint32_t> same{cell};
  for (const record::Cell& other : cells) {
    if (other.id != cell && raced_as_of(other) == as) same.push_back(other.id);
  }
  return same;
}

std::optional<double> budget_of_looks_s(const Campaign& campaign) {
  if (!campaign.budget_s || campaign.races.empty()) return campaign.budget_s;
  return *campaign.budget_s * kShareOfLooks;
}

std::string looks_are_over_text(const Campaign& campaign) {
  const double looks_s = budget_of_looks_s(campaign).value();
  const std::string whole = "the budget of " + base::span_text(*campaign.budget_s);
  if (looks_s == *campaign.budget_s) return whole + " is over";
  // Whoever wrote the budget must find it again.
  return base::span_text(looks_s) + " of " + whole +
         " are over, and the rest is for switching points";
}

}  // namespace invar::design
