// The preset `reprompi`: algorithm 3 and section 5.2 of Hunold and Carpen-Amarie, "Reproducible MPI
// benchmarking is still not as easy as you think" (IEEE TPDS 27, 2016): Tukey's filter on the
// observations of a launch, its median, Wilcoxon's rank-sum test over launches, no correction.
#pragma once

#include "analysis/compare/comparison.hpp"
#include "analysis/study/pairs.hpp"
#include "analysis/study/study.hpp"
#include "design/campaign/presets.hpp"
#include "store/reader.hpp"

namespace invar::analysis {

// The kind of run-time. ReproMPI's is global where the ranks agreed on their start in global time,
// local after barriers (its algorithm 1, lines 8 to 17), so it follows `--runtime` as the method
// invar does. PGMPI's is local, unless `--runtime global` asks for the other.
bool takes_global_times(const Study& study, std::size_t campaign, design::Processing processing);

// One value a launch: the plain median of its run-times over all its visits of the cell,
// inside Tukey's fences (`filtered`, as ReproMPI) or all of them (PGMPI: Hunold, Carpen-Amarie,
// Luebbe and Traeff, "PGMPI: Verifying self-consistent MPI performance guidelines", 2016). Warm-ups
// are removed and nothing else; of global times also what has none, and what its window or its
// start made invalid. Indices as in store::Data.
CellTable launch_median_table(const store::Data& data, bool filtered = true, bool global = false);

// Fills ratio (Hodges and Lehmann's shift of the logs, which belongs to the test), p and verdict:
// faster or slower where p <= alpha, else undecided; there is no "equivalent" in this method.
void judge_reprompi(ComparedCell& row, const CellVisits& a, const CellVisits& b,
                    const Rules& rules);

}  // namespace invar::analysis
