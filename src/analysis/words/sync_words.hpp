// Synchronisations in words, for answers whose rows differ in them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "record/cell.hpp"

namespace invar::analysis {

// The cell without what synchronises it: rows of the same place answer the same question.
record::Cell place_of(const record::Cell& cell);

// Rows that belong together: indices by place, both in order of appearance.
std::vector<std::vector<std::size_t>> by_place(std::span<const record::Cell> cells);

// "off", "1.00 us".
std::string dither_text(const record::Cell& cell);

// "barrier", and where the dither varies among `cells` "barrier without dither", "barrier with
// dither" (of 1.00 us, where there is more than one amplitude).
std::string sync_text(const record::Cell& cell, std::span<const record::Cell> cells);

// "window, barrier without dither": the chosen ones of `cells`, each way once and a
// synchronisation that is chosen with every dither by its name alone. A way counts as chosen if it
// is in all its places.
std::vector<std::string> sync_list(std::span<const record::Cell> cells,
                                   const std::vector<bool>& chosen);

// Rows that were synchronised in one way.
struct SyncWay {
  std::string name = {};                // as sync_text
  std::vector<std::size_t> cells = {};  // indices, place after place
};

// Where every place was measured in the same two ways or more: these, in the order of the first
// place, so that cells[i] of all of them are the same place. Else none.
std::vector<SyncWay> sync_ways(std::span<const record::Cell> cells);

}  // namespace invar::analysis
