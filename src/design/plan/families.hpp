// Families: cells that are measured together because they are compared.
#pragma once

#include <cstdint>
#include <functional>
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
// that lack a cell in every arm are none, and a race goes on with what there is.
void put_into_families(const Campaign& campaign, ResolvedCells& resolved, const FamilyFault& fault);

// A number for every cell, the same for the cells of a family; a cell without one has its own.
std::vector<std::uint32_t> families_of(std::span<const record::Cell> cells);

// By Cell::id the cell of whose call a multiple in an arrival pattern speaks ("linear:0.5x"): of a
// guideline's right side the left one, so that both meet the same delay; else the cell itself.
// `cells`: in the order of their numbers. Empty: no cell is late by a multiple.
std::vector<std::uint32_t> late_by_cells(const Campaign& campaign,
                                         std::span<const record::Cell> cells);

// "mono-8: 2 cells", one for each family, in the order of their first cells.
std::vector<std::string> family_texts(std::span<const record::Cell> cells);

}  // namespace invar::design
