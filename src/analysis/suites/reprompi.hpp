// The preset `reprompi`: algorithm 3 and section 5.2 of Hunold and Carpen-Amarie, "Reproducible MPI
// benchmarking is still not as easy as you think" (IEEE TPDS 27, 2016): Tukey's filter on the
// observations of a launch, its median, Wilcoxon's rank-sum test over launches, no correction.
#pragma once

#include "analysis/compare/comparison.hpp"
#include "analysis/study/pairs.hpp"
#include "store/reader.hpp"

namespace invar::analysis {

// One value a launch: the plain median of its local run-times over all its visits of the cell,
// inside Tukey's fences (`filtered`, as ReproMPI) or all of them (PGMPI: Hunold, Carpen-Amarie,
// Luebbe and Traeff, "PGMPI: Verifying self-consistent MPI performance guidelines", 2016). Warm-ups
// are removed and nothing else. Indices as in store::Data.
CellTable launch_median_table(const store::Data& data, bool filtered = true);

// Fills ratio (Hodges and Lehmann's shift of the logs, which belongs to the test), p and verdict:
// faster or slower where p <= alpha, else undecided; there is no "equivalent" in this method.
void judge_reprompi(ComparedCell& row, const CellVisits& a, const CellVisits& b,
                    const Rules& rules);

}  // namespace invar::analysis
