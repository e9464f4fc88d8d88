// Families: cells that are measured together because they are compared.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "design/plan/schedule.hpp"

namespace invar::design {

using FamilyFault = std::function<void(Position, std::string what, std::string remedy)>;

// Puts the cells into the families of `together` ("together-1", ..., where two cells or more differ
// in nothing but these factors) and then into those of [[family]]. A cell that already stands in a
// family gets a copy for every further one, behind all cells there are, with a number of its own.
// Reports cells that are none of the campaign's, and families of one cell; families of guidelines
// that lack a cell in every arm are none, and a race goes on with what there is. `refused`: blocks
// of [[cells]] of which something was reported already: families that would have their cells are
// left out, and nothing is said of them, because it would be said of every family.
void put_into_families(const Campaign& campaign, ResolvedCells& resolved, const FamilyFault& fault,
                       std::span<const CellsBlock* const> refused = {});

// Families of which a launch group that measures a part of the random sizes has some cells alone:
// what is compared is measured together.
std::vector<Conflict> split_families(const Campaign& campaign, const ResolvedCells& resolved);

// A number for every cell, the same for the cells of a family; a cell without one has its own.
std::vector<std::uint32_t> families_of(std::span<const record::Cell> cells);

// The cells of a guideline's family: indices into `cells`.
struct FamilySides {
  std::optional<std::uint32_t> left = {};  // none: no arm can measure it
  // Those that can be measured; of several one is chosen, by a decision.
  std::vector<std::uint32_t> rights = {};
};
// A cell that the family names twice counts at its first place.
FamilySides sides_of(const FamilyBlock& family, std::span<const record::Cell> cells);

// The right sides of a guideline of which the pilot group chooses one, in an arm that has several.
struct SideChoice {
  std::uint32_t arm = 0;  // index into Campaign::arms
  // Indices into ResolvedCells::cells.
  std::uint32_t left = 0;
  std::vector<std::uint32_t> rights = {};  // two at least, in the order of the family
};
// Families in their order, of each the arms. None where the question is another one than
// `guidelines`, for which all cells are measured.
std::vector<SideChoice> sides_to_choose(const Campaign& campaign, const ResolvedCells& resolved);

// By Cell::id the cell of whose call a multiple speaks, in an arrival pattern ("linear:0.5x") or as
// what is computed meanwhile ("0.5x"): of a guideline's right side the left one, so that both meet
// the same delay; of a cell that computes the same call without it, so that the computation takes
// as long beside the call as by itself; else the cell itself. `cells`: in the order of their
// numbers. Empty: no cell has a multiple.
std::vector<std::uint32_t> late_by_cells(const Campaign& campaign,
                                         std::span<const record::Cell> cells);

// "mono-8: 2 cells", one for each family, in the order of their first cells.
std::vector<std::string> family_texts(std::span<const record::Cell> cells);

}  // namespace invar::design
