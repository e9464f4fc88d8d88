// The campaigns of `invar tune`: in every cell all that can be made to run there is one family, in
// the arms that it takes: the arm as its user gave it, the library without what decides in its
// settings, and what the algorithms are switched in.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "design/recipes/quick_order.hpp"
#include "design/recipes/tune_candidates.hpp"

namespace invar::design {

struct TuneCell {
  std::string operation = {};
  std::optional<std::uint64_t> size_bytes = {};
  std::uint32_t ranks = 0;

  auto operator<=>(const TuneCell&) const = default;  // NOLINT(modernize-use-nullptr)
};

struct TuneOrder {
  QuickOrder quick = {};                  // of one arm; its factors have one level each
  std::vector<std::uint32_t> ranks = {};  // at least one
  TunedLibrary library = {};              // of the arm
  // What is raced; empty: every operation at every size for every number of ranks.
  std::vector<TuneCell> cells = {};
};

// Labels of the arms beside the one that the user gave.
inline constexpr const char* kLibraryDefaultArm = "library-default";
inline constexpr const char* kAlgorithmsArm = "algorithms";

// An algorithm can be chosen between two calls. Else every one needs launches of its own.
bool switches_inside(tuning::Library library);

// Throws UserError: operations that nobody knows or that have nothing to choose among, factors of
// several levels, or that none of the operations has, sizes that no operation takes.
Campaign tune_campaign(const TuneOrder& order);

// Those cells, and of these sizes all that lie between two of an operation and number of ranks: an
// entry goes from one size that was raced to the next, so that what lies between must be raced,
// too. Sorted.
std::vector<TuneCell> with_sizes_between(const std::vector<TuneCell>& cells,
                                         const std::vector<std::uint64_t>& sizes_bytes);

}  // namespace invar::design
