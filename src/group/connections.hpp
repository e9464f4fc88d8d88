// Between which ranks connections are made before anything is timed. Knows no MPI.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace invar::group {

enum class Connect : std::uint8_t {
  kNone,     // none beforehand: the library makes them when a message needs one
  kPattern,  // every rank with its O(log p) partners
  kAll,      // every rank with every other one: p - 1 a rank
};

// The largest launch whose ranks are all connected where nobody says otherwise. An application of
// more ranks hardly ever has a connection between all of them, and the queues that a library keeps
// for each are a part of what is measured.
constexpr std::uint32_t kConnectAllUpTo = 256;

// What a level of the factor `connect` means for a launch of `ranks` ranks on `hosts` hosts.
// "auto": none on one host, where libraries connect all ranks by themselves; else all of them up to
// kConnectAllUpTo ranks, the pattern above. "hosts": the same, but all of them however many ranks
// there are, as it was before there were levels. None for a word that is not a level.
std::optional<Connect> connect_of(std::string_view level, std::uint32_t ranks, std::uint32_t hosts);

// The partners of rank `mine` among those of `order`, ascending: those at distances of powers of
// two before and behind it in that order, which is taken for a ring. These are its neighbours in a
// ring, its partners in dissemination and in recursive doubling, and its parent and children in the
// binomial trees of all roots. 2 ceil(log2 p) at most. Who is a partner of somebody has him for
// one, too. None if `mine` is not in `order`.
std::vector<std::uint32_t> pattern_partners(std::span<const std::uint32_t> order,
                                            std::uint32_t mine);

}  // namespace invar::group
