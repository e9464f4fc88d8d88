#include "analysis/tuning/kept.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace invar::analysis {
namespace {

// What is known of a candidate in a cell. Of the latest confirmation that decided.
enum class EntryFinding { kConfirmed, kDenied };
using EntryFindings = std::map<std::pair<design::TuneCell, tuning::Candidate>, EntryFinding>;

design::TuneCell tune_cell_of(const record::Cell& cell) {
  return {.operation = cell.operation, .size_bytes = cell.size_bytes, .ranks = cell.ranks};
}

// What is undecided, or failed, changes nothing of what was known before.
void learn_from(const Confirmation& confirmation, EntryFindings& known) {
  for (const ConfirmedCell& cell : confirmation.cells) {
    const std::optional<Effect> effect = cell.effect();
    if (!cell.entry || !effect || *effect == Effect::kUndecided) continue;
    known[{tune_cell_of(cell.sides.cell), *cell.entry}] =
        *effect == Effect::kGains ? EntryFinding::kConfirmed : EntryFinding::kDenied;
  }
}

EntryFindings entry_findings_of(std::span<const Confirmation> confirmations) {
  EntryFindings known;
  for (const Confirmation& confirmation : confirmations) learn_from(confirmation, known);
  return known;
}

std::optional<EntryFinding> entry_finding_at(const EntryFindings& known,
                                             const design::TuneCell& cell,
                                             const tuning::Candidate& candidate) {
  const auto found = known.find({cell, candidate});
  return found == known.end() ? std::nullopt : std::optional(found->second);
}

bool lies_in(const design::TuneCell& cell, const tuning::Entry& entry) {
  const std::uint64_t size_bytes = cell.size_bytes.value_or(0);
  return cell.operation == entry.operation && cell.ranks == entry.ranks &&
         size_bytes >= entry.from_bytes && size_bytes <= entry.to_bytes;
}

}  // namespace

tuning::DecisionTable kept_pieces(const tuning::DecisionTable& table,
                                  std::span<const design::TuneCell> cells, const Stays& stays) {
  std::vector<tuning::Entry> pieces;
  for (const tuning::Entry& entry : table.entries()) {
    std::vector<design::TuneCell> inside;
    std::ranges::copy_if(cells, std::back_inserter(inside),
                         [&](const design::TuneCell& cell) { return lies_in(cell, entry); });
    std::ranges::sort(inside);
    bool goes_on = false;  // the cell before stays
    for (std::size_t i = 0; i < inside.size(); ++i) {
      const bool kept = stays(inside[i], entry.candidate);
      const std::uint64_t size_bytes = inside[i].size_bytes.value_or(0);
      if (kept && !goes_on) {
        pieces.push_back(entry);
        if (i > 0) pieces.back().from_bytes = size_bytes;
      }
      if (kept) pieces.back().to_bytes = i + 1 == inside.size() ? entry.to_bytes : size_bytes;
      goes_on = kept;
    }
  }
  return tuning::DecisionTable(std::move(pieces));
}

std::vector<design::TuneCell> cells_to_confirm(
    std::vector<design::TuneCell> raced, std::span<const SwitchingGap> gaps,
    const std::function<std::uint64_t(const std::string& operation)>& unit_bytes) {
  std::vector<design::TuneCell> cells = raced;
  for (const SwitchingGap& gap : gaps) {
    const bool lies_between = std::ranges::any_of(raced, [&](const design::TuneCell& cell) {
      return cell.operation == gap.below.operation && cell.ranks == gap.below.ranks &&
             cell.size_bytes > gap.below.size_bytes && cell.size_bytes < gap.above.size_bytes;
    });
    // So near to the cell of its winner, what goes on from there needs none of its own.
    const bool goes_on = gap.between == gap.below.winner || gap.between == gap.above.winner;
    if (!gap.between || lies_between || (goes_on && !gap.coarse())) continue;
    const std::optional<std::uint64_t> size_bytes =
        size_between(*gap.below.size_bytes, *gap.above.size_bytes, unit_bytes(gap.below.operation));
    if (!size_bytes) continue;
    cells.push_back(
        {.operation = gap.below.operation, .size_bytes = size_bytes, .ranks = gap.below.ranks});
  }
  return cells;
}

KeptTables kept_tables(const tuning::DecisionTable& raced, std::span<const design::TuneCell> cells,
                       std::span<const Confirmation> confirmations) {
  if (confirmations.empty()) return {.in_force = raced, .to_test = raced};
  const EntryFindings known = entry_findings_of(confirmations);
  return {.in_force = kept_pieces(raced, cells,
                                  [&](const auto& cell, const auto& candidate) {
                                    return entry_finding_at(known, cell, candidate) ==
                                           EntryFinding::kConfirmed;
                                  }),
          .to_test = kept_pieces(raced, cells, [&](const auto& cell, const auto& candidate) {
            return entry_finding_at(known, cell, candidate) != EntryFinding::kDenied;
          })};
}

void tell_what_stays(Confirmation& confirmation, std::span<const Confirmation> before) {
  EntryFindings known = entry_findings_of(before);
  learn_from(confirmation, known);
  for (ConfirmedCell& cell : confirmation.cells) {
    if (!cell.entry) continue;
    const design::TuneCell place = tune_cell_of(cell.sides.cell);
    cell.stays = entry_finding_at(known, place, *cell.entry) == EntryFinding::kConfirmed;
  }
  confirmation.sentence = confirmation_sentence(confirmation);
}

}  // namespace invar::analysis
