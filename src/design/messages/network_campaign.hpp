// The campaign of `invar network`: what a simulator needs to know of messages between two ranks,
// each part of it by an operation of its own, over random sizes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "design/campaign/hosts.hpp"
#include "design/factors/sizes.hpp"
#include "design/recipes/quick_order.hpp"

namespace invar::design {

struct NetworkOrder {
  // Its operations and sizes are the recipe's. Of `cell_levels` ranks, or nodes and ppn, are one
  // level each; two ranks if nothing is said: on one host, or, where several are named, one on
  // each of the first two. The first rank and the last one are the pair that is measured.
  QuickOrder quick = {};
  SizeRange sizes = {.low_bytes = 1, .high_bytes = std::uint64_t{4} << 20U};
  std::vector<Host> hosts = {};
  std::string hostfile = {};
};

// One draw of sizes for all operations, more of them for a larger budget; a launch group has a
// fifth of them, so that 25 groups have each five times. One in ten is held out of fits; more are
// added where fits break. Beside these, exchanges of a few large sizes, by all pairs of an even
// number of ranks at once. Throws UserError with every fault, each with its option of `invar
// network`.
Campaign network_campaign(const NetworkOrder& order);

}  // namespace invar::design
