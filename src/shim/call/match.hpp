// Which entry of the table a call is about. Here and inline, because most calls of a collective in
// the table are of sizes that it leaves to the library, and pay for this each time.
#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include "shim/call/asked.hpp"
#include "shim/communicator/communicator.hpp"
#include "shim/library/library.hpp"
#include "shim/table/active_table.hpp"
#include "shim/table/collective.hpp"

namespace invar::shim {

inline constexpr std::uint64_t kMostElements = std::numeric_limits<int>::max();

// Which buffers the call has on this rank. Where it is in place one of them is missing.
struct Presence {
  bool sends = false;
  bool receives = false;
  bool in_place = false;
};

inline Presence presence_of(const Asked& asked, bool is_root) {
  const CollectiveRow& row = row_of(asked.collective);
  const void* const missing = row.in_place_for_recv ? asked.recv : asked.send;
  const bool in_place = is_on(row.in_place, is_root) && missing == MPI_IN_PLACE;
  return {.sends = is_on(row.sends, is_root) && (!in_place || row.in_place_for_recv),
          .receives = is_on(row.receives, is_root) && (!in_place || !row.in_place_for_recv),
          .in_place = in_place};
}

struct Match {
  ActiveEntry* entry = nullptr;  // null: the call is the library's
  Presence presence = {};
  std::uint64_t block_bytes = 0;
};

// By the block's side on this rank: every rank has one, and all come to the same number of bytes.
// Arguments of which the library shall complain match nothing.
inline Match match(Communicator& communicator, const Asked& asked) {
  const CollectiveRow& row = row_of(asked.collective);
  if (row.rooted && (asked.root < 0 || asked.root >= communicator.ranks())) return {};
  if (row.reduces && asked.op == MPI_OP_NULL) return {};
  Match found{.presence = presence_of(asked, row.rooted && asked.root == communicator.rank())};
  if (row.receives != On::kNowhere) {
    const bool of_send = found.presence.sends;
    const MPI_Datatype type = of_send ? asked.send_type : asked.recv_type;
    const int count = of_send ? asked.send_count : asked.recv_count;
    int size_bytes = 0;
    if (count < 0 || type == MPI_DATATYPE_NULL) return {};
    if (MPI_Type_size(type, &size_bytes) != MPI_SUCCESS) return {};
    // One element that is longer than an int: longer than any entry, on ranks with shorter ones,
    // too.
    const auto element_bytes =
        size_bytes < 0 ? kMostElements + 1 : static_cast<std::uint64_t>(size_bytes);
    found.block_bytes = static_cast<std::uint64_t>(count) * element_bytes;
  }
  found.entry = find_entry(communicator.entries(asked.collective), found.block_bytes);
  return found;
}

}  // namespace invar::shim
