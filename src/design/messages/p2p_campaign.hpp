// The campaign of `invar p2p`: how fast are messages between two ranks, and what slows them down?
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "design/campaign/hosts.hpp"
#include "design/recipes/quick_order.hpp"

namespace invar::design {

struct P2pOrder {
  // Sizes are those of the ping-pongs; everything else that is measured has some of them. Its
  // operations are the recipe's. Of `cell_levels` ranks, nodes and ppn are two ranks if nothing is
  // said: on one host, or, where several are named, one on each of the first two.
  QuickOrder quick = {};
  std::vector<Host> hosts = {};
  std::string hostfile = {};
  // Messages in a row go up to this size where the range of adaptive sizes ends before; 0: they end
  // with it.
  std::uint64_t stream_bytes = 0;
  // False: the command's own sizes, which are chosen under way. With more ranks than cores nothing
  // can choose, and they are those that choosing begins with.
  bool sizes_written = true;
  // Suites that measure what they know their own way as well.
  std::vector<std::string> presets = {};
};

// A call of a stream is no longer than that, so that one size does not cost what all others do:
// larger messages have fewer in a row, but kLeastInFlight, and what is too large for these is left
// to the ping-pongs.
constexpr std::uint64_t kMostInFlightBytes = std::uint64_t{8} << 20U;
constexpr std::uint32_t kLeastInFlight = 2;
constexpr std::uint64_t kLargestStreamBytes = kMostInFlightBytes / kLeastInFlight;

// Ping-pongs of all sizes, streams of as many as are in flight together, one-way messages there and
// back (only on one host: between hosts nothing tells one direction from the other), and ping-pongs
// with full queues. Throws UserError with every fault, each with its option of `invar p2p`.
Campaign p2p_campaign(const P2pOrder& order);

}  // namespace invar::design
