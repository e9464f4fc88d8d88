// Does a level give what MPI promises? Tried before anything is timed, so that one that crashes,
// refuses, hangs or is wrong costs itself alone.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "launch/algorithms/told_level.hpp"
#include "launch/algorithms/try_all.hpp"

namespace invar::launch {

struct Proof {
  AskedLevel asked = {};
  // Why it is not measured, "rank 0: recv byte 4 (...)"; empty: it works with elements, and with
  // operators that commute.
  std::string failure = {};
  // Where the library refuses some sizes only: why, by size in bytes of the block.
  std::map<std::uint64_t, std::string> refused_sizes = {};
  // What does not hinder measuring, but an entry for all programs.
  std::string empty_failure = {};    // with no elements
  std::string ordered_failure = {};  // with operators that do not commute
};

// One proof for each level, in their order, at these sizes and on so many ranks. The library must
// be one that can be told these levels.
std::vector<Proof> prove_levels(const ProbePlace& place, std::uint32_t ranks,
                                std::span<const ToldLevel> levels,
                                std::span<const std::uint64_t> sizes_bytes);

// How prove_levels() asks, for any way to try: called once for all, then for the sizes of those
// that the library has refused something.
using TryThem = std::function<std::vector<TryResult>(const std::vector<record::Try>&)>;
std::vector<Proof> prove_levels(std::span<const ToldLevel> levels,
                                std::span<const std::uint64_t> sizes_bytes,
                                const TryThem& try_them);

}  // namespace invar::launch
