// What a launch counts by in tests over launches: algorithm 3 of Hunold and Carpen-Amarie,
// "Reproducible MPI benchmarking is still not as easy as you think" (IEEE TPDS 27, 2016): Tukey's
// filter on the observations of a launch, then their median or their mean.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "analysis/study/pairs.hpp"
#include "analysis/study/start_skews.hpp"
#include "analysis/study/study.hpp"
#include "design/campaign/presets.hpp"
#include "store/reader.hpp"

namespace invar::analysis {

// The kind of run-time of a launch's values.
struct ValueRuntime {
  bool global = false;
  // Indices into Data::cells, ascending: whose run-times are local nevertheless.
  std::span<const std::uint32_t> local_cells = {};
  // Which of the repetitions that are record::kApart count in global time; null: none of them.
  const StartSkews* starts = nullptr;

  [[nodiscard]] bool global_in(std::uint32_t cell) const;
};

// ReproMPI's is global where the ranks agreed on their start in global time,
// local after barriers (its algorithm 1, lines 8 to 17), so it follows `--runtime` as the method
// invar does. PGMPI's is local, unless `--runtime global` asks for the other.
bool takes_global_times(const Study& study, std::size_t campaign, design::Processing processing);
// The same, cell by cell: where our own run-times are local, ReproMPI's are. Lives as long as the
// study.
ValueRuntime value_runtime(const Study& study, std::size_t campaign, design::Processing processing);

enum class LaunchValue { kMedian, kMean };

// One value a launch, in the place of its median: the plain median, or the mean, of its run-times
// over all its visits of the cell, inside Tukey's fences (`filtered`, as ReproMPI) or all of them
// (PGMPI: Hunold, Carpen-Amarie, Luebbe and Traeff, "PGMPI: Verifying self-consistent MPI
// performance guidelines", 2016). Warm-ups are removed and nothing else; of global times also what
// has none, and what its window or its start made invalid, as in the method invar. Indices as in
// store::Data.
CellTable launch_value_table(const store::Data& data, bool filtered = true,
                             const ValueRuntime& runtime = {},
                             LaunchValue value = LaunchValue::kMedian);

}  // namespace invar::analysis
