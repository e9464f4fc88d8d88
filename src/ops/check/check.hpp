// `invar-engine --check`: does every operation of this library give what MPI promises?
#pragma once

#include <mpi.h>

#include <cstdint>
#include <cstdio>
#include <span>
#include <string>

#include "ops/call/around.hpp"

namespace invar::ops {

enum class Operators : std::uint8_t {
  kAll,
  kCommuting,  // and operations that reduce nothing
  kOrdered,    // those that do not commute
};

struct CheckOrder {
  std::span<const std::string> operations = {};  // none: all that this library has
  std::span<const std::uint64_t> counts = {};    // of elements
  Operators operators = Operators::kAll;
  bool in_place = true;       // calls in place, too
  Around* making = nullptr;   // holds while the communicator is made
  Around* calling = nullptr;  // holds while operations are called
};

// Collective. Checks the operations named (none: all that this library has and that
// enough ranks are here for), each twice in fresh places: the usual datatype for each count of
// elements, with root 0 and the last rank as root (every rank where the operation emulates another
// one), in every topology, and in place where MPI has that; and every other datatype and reduction
// for the last two counts (in place for the last but one; where the operation emulates another one
// those with gaps, of one byte, and whose operators do not commute). Operations whose blocks may
// differ in length: in every distribution for the last two counts (in place for the last but one),
// and with every other datatype in a drawn one for the last but one. Operations that take
// displacements: with the blocks in reverse order, too (check/reversed.hpp). Operations that cut
// their messages: in segments of one element and of three; whose marks may be left out: with them.
// Operations that send messages between single ranks: for the last two counts in every form and
// mode that MPI has, with receives in the call and before it, packed in every way, as far as they
// let cells choose (with a window of 3 where they have windows), and for the last one in every form
// in other patterns that these ranks have, from specific sources and from any; above 4 ranks every
// fourth of these cases. All other operations have the first datatype with gaps alone. Cells that
// an operation refuses on these ranks are left out, which is said. Operations without a size are
// checked once. The second time all but persistent ones have the data of a visit, and three calls
// in a row where these leave what one leaves (and no receive from anybody may take a message of the
// call behind). Rank 0 prints a line per failure and "N checks passed, M failed". Returns the
// number of failures, the same on all ranks; a name that is not an operation is a failure, and so
// is a time that needs a mark which does not exist.
int check_operations(MPI_Comm comm, const CheckOrder& order, std::FILE* out);

}  // namespace invar::ops
