// Every number of every repeat, for plots like figure 12 of Hunold and Carpen-Amarie 2016.
#pragma once

#include "analysis/answer/tidy_table.hpp"
#include "analysis/reproduce/reproduce.hpp"

namespace invar::analysis {

// For machines: methods, their cells and what each repeat gave (docs/formats.md).
Record reproduce_facts(const Reproduced& result);

}  // namespace invar::analysis
