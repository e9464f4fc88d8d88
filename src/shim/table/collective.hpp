// The collectives that the shim stands in front of, and what their arguments mean: one row each.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace invar::shim {

enum class Collective : std::uint8_t {
  kAllgather,
  kAllreduce,
  kAlltoall,
  kBarrier,
  kBcast,
  kExscan,
  kGather,
  kReduce,
  kReduceScatter,
  kReduceScatterBlock,
  kScan,
  kScatter,
};

// Ranks for which an argument means something.
enum class On : std::uint8_t { kNowhere, kAll, kRoot, kOthers };

constexpr bool is_on(On ranks, bool is_root) {
  return ranks == On::kAll || (ranks == On::kRoot && is_root) || (ranks == On::kOthers && !is_root);
}

struct CollectiveRow {
  std::string_view name;  // in decision tables
  On sends = On::kNowhere;
  bool sends_all_blocks = false;  // one for every rank, not one
  On receives = On::kNowhere;
  bool receives_all_blocks = false;
  On in_place = On::kNowhere;       // who may say MPI_IN_PLACE
  bool in_place_for_recv = false;   // it stands for the receive buffer, not for the send buffer
  bool reads_all_in_place = false;  // all blocks of the receive buffer, not this rank's alone
  bool one_vector = false;  // what is sent on one rank and received on another is one argument
  bool reduces = false;
  bool rooted = false;
};

// In the order of Collective.
inline constexpr std::array<CollectiveRow, 12> kCollectives{{
    {.name = "allgather",
     .sends = On::kAll,
     .receives = On::kAll,
     .receives_all_blocks = true,
     .in_place = On::kAll},
    {.name = "allreduce",
     .sends = On::kAll,
     .receives = On::kAll,
     .in_place = On::kAll,
     .reduces = true},
    {.name = "alltoall",
     .sends = On::kAll,
     .sends_all_blocks = true,
     .receives = On::kAll,
     .receives_all_blocks = true,
     .in_place = On::kAll,
     .reads_all_in_place = true},
    {.name = "barrier"},
    {.name = "bcast",
     .sends = On::kRoot,
     .receives = On::kOthers,
     .one_vector = true,
     .rooted = true},
    {.name = "exscan",
     .sends = On::kAll,
     .receives = On::kAll,
     .in_place = On::kAll,
     .reduces = true},
    {.name = "gather",
     .sends = On::kAll,
     .receives = On::kRoot,
     .receives_all_blocks = true,
     .in_place = On::kRoot,
     .rooted = true},
    {.name = "reduce",
     .sends = On::kAll,
     .receives = On::kRoot,
     .in_place = On::kRoot,
     .reduces = true,
     .rooted = true},
    {.name = "reduce_scatter",
     .sends = On::kAll,
     .sends_all_blocks = true,
     .receives = On::kAll,
     .in_place = On::kAll,
     .reduces = true},
    {.name = "reduce_scatter_block",
     .sends = On::kAll,
     .sends_all_blocks = true,
     .receives = On::kAll,
     .in_place = On::kAll,
     .reduces = true},
    {.name = "scan",
     .sends = On::kAll,
     .receives = On::kAll,
     .in_place = On::kAll,
     .reduces = true},
    {.name = "scatter",
     .sends = On::kRoot,
     .sends_all_blocks = true,
     .receives = On::kAll,
     .in_place = On::kRoot,
     .in_place_for_recv = true,
     .rooted = true},
}};

constexpr std::size_t number_of(Collective collective) {
  return static_cast<std::size_t>(collective);
}
constexpr const CollectiveRow& row_of(Collective collective) {
  return kCollectives[number_of(collective)];
}
// In a set of collectives.
constexpr std::uint32_t bit_of(Collective collective) {
  return std::uint32_t{1} << number_of(collective);
}

constexpr std::optional<Collective> find_collective(std::string_view name) {
  for (std::size_t i = 0; i < kCollectives.size(); ++i) {
    if (kCollectives[i].name == name) return static_cast<Collective>(i);
  }
  return std::nullopt;
}

}  // namespace invar::shim
