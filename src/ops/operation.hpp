// An operation: something that can be timed. One file each, and one line in catalogue.def.
// Everything a call needs is ready before the clock is read; the call itself is one MPI call.
// This folder depends on MPI, base and record, and on no other library: it is part of the engine.
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "ops/call/around.hpp"
#include "ops/call/hook.hpp"
#include "ops/memory/kernels/kernels.hpp"
#include "record/operation/distribution.hpp"
#include "record/operation/operation_info.hpp"
#include "record/p2p/levels.hpp"

namespace invar::ops {

struct ElementType;  // ops/buffers/element.hpp
struct Reduction;

// Where a block of a neighbour comes from. Where one rank is several neighbours, which of its
// blocks comes first is left open.
struct Arrival {
  int source = 0;  // rank
  int block = 0;   // number of the block among those that the source sends
};

// What a v-form is told of the blocks that it sends, or of those that it receives: an entry for
// each rank, or for each neighbour. Null where the call takes no such array.
struct Side {
  const int* counts = nullptr;
  const int* displacements = nullptr;       // elements
  const int* byte_displacements = nullptr;  // alltoallw
  const MPI_Aint* address_displacements =
      nullptr;  // bytes; neighbor_alltoallw, and large alltoallw
  // Forms with large counts have these instead.
  const MPI_Count* large_counts = nullptr;
  const MPI_Aint* large_displacements = nullptr;  // elements
};

// What the calls of an operation need beside buffers and arrays: communicators, lengths of shares.
// Made with the call's setup, destroyed with it, never while something is timed.
class Equipment {
 public:
  Equipment() = default;
  Equipment(const Equipment&) = delete;
  Equipment& operator=(const Equipment&) = delete;
  virtual ~Equipment() = default;
};

struct Equipped {
  std::unique_ptr<Equipment> made = {};
  // Why the cell cannot be called, the same on all ranks; empty: it can.
  std::string refused = {};
};

// Whom this rank sends to and receives from in a call, of operations that send messages of their
// own (Operation::messages). Every message has a slot of a block in the buffers, send and recv
// alike: slot(peer, message), so that no two messages share one. Made by CallSetup.
struct Peers {
  // Ranks, in the order of slots. Of matched pairs both lists have the partner, whoever begins
  // (Call::role), of pairs in which one rank alone sends only its own list; a rank that stands by
  // has none.
  std::span<const int> to = {};
  std::span<const int> from = {};
  // What a receive says: the rank or MPI_ANY_SOURCE, kMessageTag or MPI_ANY_TAG (ops/p2p/tags.hpp).
  bool any_source = false;
  int tag = 0;
  int window = 1;  // messages to each peer, one behind the other
  // What Operation::delays spins between two of them, in steps of a chain
  // (ops/overlap/kernels.hpp): set by a visit; calls that nobody times have none.
  std::uint64_t delay_steps = 0;
  // Whether the call finds its receives posted: set by what posts them.
  bool posted = false;
  // Messages of a rank in one direction at most, on all ranks, and those of them that are packed.
  std::uint64_t messages = 1;
  std::uint64_t packed = 0;
  // A duplicate of the call's communicator for everything that is not a message of the operation:
  // acknowledgements of calls that nobody times, receives that are pending elsewhere.
  MPI_Comm other = MPI_COMM_NULL;

  [[nodiscard]] int source(std::size_t peer) const {
    return any_source ? MPI_ANY_SOURCE : from[peer];
  }
  [[nodiscard]] std::size_t slot(std::size_t peer, std::size_t message) const {
    return peer * static_cast<std::size_t>(window) + message;
  }
};

struct Overlap;     // ops/overlap/overlap.hpp
struct MemoryCall;  // ops/memory/memory_call.hpp

// What a call sees. `count` elements of `type` make a block of `block_bytes` of data: "size" in a
// campaign (docs/formats.md, campaign.toml). Made by CallSetup.
struct Call {
  MPI_Comm comm = MPI_COMM_NULL;
  int rank = 0;
  int ranks = 1;
  int root = 0;
  int count = 0;              // 0 if large_count does not fit: forms with large counts take that
  MPI_Count large_count = 0;  // always set
  std::size_t block_bytes = 0;
  MPI_Datatype type = MPI_BYTE;
  MPI_Op reduction = MPI_OP_NULL;
  const ElementType* element = nullptr;  // what is known of `type`, for filling and verifying
  const Reduction* reduces_as = nullptr;
  std::byte* send = nullptr;
  std::byte* recv = nullptr;
  std::byte* scratch = nullptr;  // null where the operation has none
  // Element of the patterns that the buffers begin with: another one in every visit.
  std::uint64_t pattern_start = 0;
  // Only operations on a topology have neighbours: as many blocks come in as go out. These are the
  // ranks that the blocks go to, and those that send the blocks that come in.
  int neighbours = 0;
  const int* destinations = nullptr;
  const Arrival* arrivals = nullptr;
  // v-forms; null for the other operations, whose blocks all have `large_count` elements. Then
  // `large_count` is the mean, and own_count the length of this rank's block (what it sends to each
  // of its neighbours), in the two widths.
  const record::BlockLengths* lengths = nullptr;
  int own_count = 0;
  MPI_Count large_own_count = 0;
  Side sent = {};
  Side received = {};
  const MPI_Datatype* types = nullptr;
  bool in_place = false;                      // MPI_IN_PLACE instead of a buffer, where MPI says so
  bool rotates = false;                       // the root moves on by one rank after every call
  record::Role role = record::Role::kStarts;  // this rank's
  MPI_Request* requests = nullptr;            // Operation::requests of them
  const Equipment* equipment = nullptr;       // what Operation::equip made
  std::uint64_t segment_elements = 0;         // of a message at most; 0: no limit
  Around* around = nullptr;                   // holds in every call; null: nothing has to
  // Only operations that send messages of their own have these two; null for the others.
  Peers* peers = nullptr;
  const record::P2pLevels* levels = nullptr;
  Overlap* overlap = nullptr;    // null: nothing is computed meanwhile
  MemoryCall* memory = nullptr;  // of operations on memory alone; null for the others

  // Where this call's marks go, and how the clock that measures is read: an operation with marks
  // says mark(n) in its call.
  std::int64_t* marks = nullptr;
  std::int64_t (*read_clock)(const void* clock) = nullptr;
  const void* clock = nullptr;
  void mark(std::size_t number) const { marks[number] = read_clock(clock); }
  bool marked = true;  // false: an operation whose marks are optional makes none

  // What MPI gets as its send buffer (everywhere, or where only the root may say MPI_IN_PLACE), and
  // as the receive buffer of a scatter.
  [[nodiscard]] const void* input() const { return in_place ? MPI_IN_PLACE : send; }
  [[nodiscard]] bool root_in_place() const { return in_place && rank == root; }
  [[nodiscard]] const void* root_input() const { return root_in_place() ? MPI_IN_PLACE : send; }
  [[nodiscard]] void* root_output() const { return root_in_place() ? MPI_IN_PLACE : recv; }
  // Outside the timed region.
  void next_root() { root = root + 1 < ranks ? root + 1 : 0; }
};

// Bytes that this rank's buffers need for the call, the gaps of a datatype included.
struct BufferNeed {
  std::size_t send_bytes = 0;
  std::size_t recv_bytes = 0;
  std::size_t scratch_bytes = 0;
  // In place: the part of recv that holds this rank's data before the call.
  std::size_t input_begin_bytes = 0;
  std::size_t input_bytes = 0;
};

using record::Arrays;
using record::Distributes;
using record::HostNeed;
using record::PartSize;

// record::PartInfo as an operation's file states it.
struct Part {
  const char* operation = nullptr;  // null: no part
  PartSize size = PartSize::kBlock;
};
inline constexpr std::size_t kMostParts = 3;

enum class Form : std::uint8_t {
  kBlocking,
  kNonBlocking,  // the call and MPI_Wait
  kPersistent,   // MPI_Start and MPI_Wait
  kLargeCounts,  // the blocking call with MPI_Count and MPI_Aint (MPI_*_c)
};

// In place: the part of recv that holds this rank's data before the call.
enum class Input : std::uint8_t { kNowhere, kAll, kOwnBlock };

// The buffers of an operation (ops/shapes.hpp has the usual ones).
struct Shape {
  record::BufferTable lengths = {};
  Input others_input = Input::kNowhere;  // in place
  Input root_input = Input::kNowhere;
};

// A further clock reading inside the call.
struct Mark {
  const char* name;
  const char* summary;
};

// record::TimeInfo as an operation's file states it.
struct Time {
  const char* name;
  const char* summary;
  record::TimeKind kind = record::TimeKind::kWhole;
  record::Role from_role = record::Role::kStarts;
  const char* from = record::kStartPoint.data();
  record::Role to_role = record::Role::kStarts;
  const char* to = record::kEndPoint.data();
};

inline constexpr Time kWhole[] = {
    {.name = "whole", .summary = "until every rank that takes part is done"}};

class Checker;  // ops/verify.hpp

struct Operation {
  const char* name;
  const char* summary;  // one line, for `invar ops` and the campaign's comments; of all forms
  Form form = Form::kBlocking;
  const char* form_of = nullptr;  // name of the blocking form; null: this is it
  bool sized = true;
  bool rooted = false;
  bool reduces = false;
  bool reads_recv = false;  // recv is an operand too (reduce_local)
  bool in_place = false;    // has a form with MPI_IN_PLACE
  bool neighbours = false;  // its communicator has a topology
  // Why the library that this was compiled for lacks it; null: it does not.
  const char* missing = nullptr;
  // Name of the operation whose result this gives by other calls; null: none.
  const char* emulates = nullptr;
  std::array<Part, kMostParts> parts = {};  // by which calls, in their order
  // So many calls of what it emulates, on consecutive parts of its vector; 0: it is no such thing.
  std::uint32_t splits = 0;
  Arrays arrays = Arrays::kNone;
  Distributes distributes = Distributes::kNothing;
  record::Chain chain = record::Chain::kTree;
  Shape buffers = {};
  // The largest count that a call inside has, in elements, or `counts_bytes` in bytes of them.
  record::Blocks counted = {.constant = 1};
  bool counts_bytes = false;
  record::RankCounts rank_counts = record::RankCounts::kAny;
  // Combines operands in another order than that of the ranks: for operators that commute.
  bool reorders = false;
  record::Segments segments = record::Segments::kNone;
  HostNeed hosts = HostNeed::kAny;  // how its ranks must lie on their hosts
  std::uint32_t requests = 0;       // that a rank holds at a time
  // The patterns that it takes, if it sends messages between single ranks (`peers` in its calls):
  // these say which ranks start, answer, stand by, and `roles` are left out.
  record::Messages messages = record::Messages::kNone;
  bool copies = false;     // nothing is sent: those that would send copy
  bool both_ways = false;  // both ranks of a pair send
  bool windowed = false;   // sends several messages in a row to each peer
  bool delays = false;     // spins Peers::delay_steps between these
  // It works on its own memory alone: arrays whose bytes a pass names, 0 for all other operations;
  // whether it follows chains, or else what it does with every element.
  std::uint32_t walks = 0;
  bool chases = false;
  WalkKernel walk = WalkKernel::kRead;
  // Its times are what calls cost a rank: nothing need have come when they end, so that no rate
  // follows from them.
  bool overheads = false;
  // What cells may choose of the calls that its messages are made of, where it has `of_cell`;
  // without that they are always the same.
  record::CallChoice chooses = record::CallChoice::kCalls;
  // The operation as this cell calls it: another call, other requests, another prepare, so that no
  // call decides anything while it is timed. Null: all cells have it as it stands.
  Operation (*of_cell)(const Operation&, const record::Cell&) = nullptr;
  // Several calls may be timed together. False where every call needs what a hook does for it.
  bool batches = true;
  // Which ranks start, answer, stand by; none: all start. Those that stand by never call.
  std::span<const record::RoleRule> roles = {};
  std::span<const Mark> marks = {};
  bool optional_marks = false;           // made only where Call::marked is set
  std::span<const Time> times = kWhole;  // the first is the headline
  HookMakers hooks = {};
  // Makes what the calls need beside buffers, for the call as its setup has made it (it has no
  // buffers yet); collective over its communicator. Null: nothing.
  Equipped (*equip)(const Call&) = nullptr;
  // Persistent operations: makes the requests for the buffers as they are placed; collective.
  // Returns the MPI error code. Null for the others.
  int (*prepare)(Call&) = nullptr;
  // Returns the MPI error code (the communicator returns errors). Changes nothing but the requests.
  int (*call)(Call&);
  // What makes a call right that nobody times, where hooks and synchronisation do so for those that
  // are timed (a receive that must be there), and what keeps many of them from running ahead of
  // each other (an acknowledgement); on peers->other, never on the operation's own communicator.
  // Both are called by every rank that calls, and return the MPI error code. Null: nothing. Where
  // calls are timed in a row, an operation without messages has them once around the row.
  int (*before_untimed)(Call&) = nullptr;
  int (*behind_untimed)(Call&) = nullptr;
  // The call in two parts: start() posts, finish() waits for all requests. Null: it has no parts,
  // so that nothing can be computed between them.
  int (*start)(Call&) = nullptr;
  int (*finish)(Call&) = nullptr;
  // States what recv must hold after a call on buffers filled by fill_for_check(), every byte of
  // it; also after further calls on them, unless these change their own input (leaves_one_result()
  // in ops/verify.hpp). Collective: it runs on all ranks of the communicator or on none.
  void (*verify)(const Call&, Checker&);
  // verify() makes calls and waits of its own, so that nothing that calls left behind is looked at:
  // it is not asked after visits.
  bool verify_calls = false;
};

// The operation as the cell calls it (Operation::of_cell).
inline Operation operation_for(const Operation& operation, const record::Cell& cell) {
  return operation.of_cell == nullptr ? operation : operation.of_cell(operation, cell);
}

inline record::CallChoice call_choice(const Operation& operation) {
  return operation.of_cell == nullptr ? record::CallChoice::kNothing : operation.chooses;
}

// A call that nobody times, and for which no hook has done anything. Whatever one part returns the
// others come, too: other ranks wait for them. The first error.
inline int untimed_call(const Operation& operation, Call& call) {
  int error = MPI_SUCCESS;
  for (int (*part)(Call&) : {operation.before_untimed, operation.call, operation.behind_untimed}) {
    const int code = part == nullptr ? MPI_SUCCESS : part(call);
    if (error == MPI_SUCCESS) error = code;
  }
  return error;
}

// The same by itself. Where calls are timed, what is around them begins before.
inline int make_call(const Operation& operation, Call& call) {
  const Held held(call.around);
  return untimed_call(operation, call);
}

// Marks in every call of the cell.
inline std::size_t marks_in(const record::Cell& cell, const Operation& operation) {
  return operation.optional_marks && cell.marks != "on" ? 0 : operation.marks.size();
}

}  // namespace invar::ops
