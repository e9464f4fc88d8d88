// How many repetitions a launch's series of a cell needs by a rule.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analysis/study/summaries.hpp"
#include "design/repetitions/repetition_rule.hpp"
#include "stats/decide/repetitions.hpp"
#include "store/reader.hpp"

namespace invar::analysis {

// By design::RepetitionMethod.
using NeedByMethod = std::array<std::optional<std::size_t>, design::kRepetitionMethods>;

stats::RunningQuantity quantity_of(design::RepetitionMethod method);

// A launch of one arm: all its observations of the cell, visit after visit, as they were measured.
struct LaunchNeed {
  std::uint32_t group = 0;
  std::uint32_t launch = 0;
  std::size_t observations = 0;  // of those that the rule may look at
  // By all methods that are asked for at once; none: by no number that was measured.
  std::optional<std::size_t> repetitions = {};
  NeedByMethod alone = {};                      // by this method alone
  std::vector<stats::RunningRow> running = {};  // at the rule's numbers
  bool medians_equal = false;  // COV of medians was small because all of its medians are one value
};

struct CellNeed {
  std::uint32_t arm = 0;    // index into Data::arms
  std::uint32_t cell = 0;   // index into Data::cells
  std::uint32_t calls = 1;  // of a batch, which is one repetition
  double step_ns = 0;       // of the clock, per call
  std::vector<LaunchNeed> launches = {};
  // The largest over launches; none: some launch has none.
  std::optional<std::size_t> repetitions = {};
  NeedByMethod alone = {};
};

// Arm by arm, cells in the order of the campaign; without what failed and what foreign programs
// printed. `summaries`: of the data.
std::vector<CellNeed> repetition_needs(const store::Data& data, const Summaries& summaries,
                                       const design::RepetitionRule& rule, double confidence);

}  // namespace invar::analysis
