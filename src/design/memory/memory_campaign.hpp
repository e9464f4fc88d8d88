// The campaign of `invar memory`: bandwidth and latency over the size of a buffer, and what they
// depend on.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "design/factors/sizes.hpp"
#include "design/recipes/quick_order.hpp"

namespace invar::design {

// What the machine says of itself; it is not trusted, but says where to look.
struct MemoryMachine {
  // Sizes of the caches that data go through, ascending; none: not known.
  std::vector<std::uint64_t> caches_bytes = {};
  std::uint32_t widest_bytes = 8;  // of one load
  bool transparent_huge_pages = false;
  std::uint32_t cores = 1;
};

struct MemoryOrder {
  // Its operations and sizes are the recipe's. Of `cell_levels` ranks are one level: the most that
  // measure together; a rank a core if nothing is said, and one where no library connects them.
  QuickOrder quick = {};
  std::optional<SizeRange> sizes = {};  // none: from 4 KiB to four times the last cache
  MemoryMachine machine = {};
};

// A draw of sizes for reads, and one of half as many for chains, which ends at half; more of them
// for a larger budget; a launch group has half of them. All sizes are multiples of 1 KiB, which
// every inner loop divides. Beside these at half of each cache and beyond all of them: writes,
// copies, and reads by width, unrolling and stride. Throws UserError with every fault, each with
// its option of `invar memory`.
Campaign memory_campaign(const MemoryOrder& order);

}  // namespace invar::design
