// What the cells and launches of a study differ in, and so which questions it may have been made
// for.
#pragma once

#include <string_view>

#include "analysis/study/study.hpp"

namespace invar::analysis {

bool plants_delays(const Study& study);

// Cells differ in this factor, by its name in tables.
bool varies(const Study& study, std::string_view factor);

// Something is varied that is not a question of operations, sizes, ranks, libraries or
// synchronisation.
bool varies_factors(const Study& study);

// Nothing but synchronisations, or dithers too. Rows that differ in more are what `factors` is for.
bool varies_syncs_alone(const Study& study, bool or_dither);

}  // namespace invar::analysis
