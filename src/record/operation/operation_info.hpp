// What the stages without MPI know of an operation. The engine prints it (`invar-engine
// --describe`), so that a user's own operations are known to campaigns like ours. docs/formats.md
// describes each key.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "record/operation/buffer_table.hpp"
#include "record/operation/cell_limits.hpp"
#include "record/operation/parts.hpp"
#include "record/operation/roles.hpp"
#include "record/p2p/pattern.hpp"

namespace invar::record {

struct DatatypeInfo {
  std::string name = {};
  std::uint32_t size_bytes = 1;              // of the data of one element
  std::uint32_t extent_bytes = 1;            // from one element to the next, gaps included
  std::vector<std::string> reductions = {};  // on it; the first is the usual one
  std::vector<std::string> ordered = {};     // those of them that do not commute

  bool operator==(const DatatypeInfo&) const = default;
};

// How many messages must follow one another until a call is over: what its time without data grows
// with.
enum class Chain : std::uint8_t {
  kNone,  // ranks do not talk to one another
  kOne,
  kTree,  // as many as a tree over all ranks has levels
  kRing,  // as many as there are other ranks
};

// Which ticks a time goes from, and to.
enum class TimeKind : std::uint8_t {
  kWhole,   // from the first start to the last end, over all ranks that call (local: the longest)
  kOwn,     // on one clock: between two points of one rank of the role
  kAcross,  // from a point of the rank of one role to a point of the rank of another
  kPair,    // the same for pair k: the k-th rank of the one role, and the k-th of the other
  kLast,    // between two points of the rank whose call ends last, of those of the role
};

// Which arrays over the ranks (or neighbours) a call takes.
enum class Arrays : std::uint8_t {
  kNone,
  kCounts,  // counts, and displacements in elements
  kTyped,   // also displacements in bytes, and types
};

// Which blocks may differ in length (Cell::distribution).
enum class Distributes : std::uint8_t {
  kNothing,  // all are equal
  kRanks,    // block r is that of rank r; with neighbours: what rank r sends to each of them
  kPairs,    // every rank has a block for every rank (BlockLengths::between)
};

// What messages are cut from, where they may be cut into segments (Cell::segment_bytes).
enum class Segments : std::uint8_t {
  kNone,
  kOfBlock,
  kOfShare,  // of a block that is cut into one share for every rank
};

// What cells may choose of the calls that an operation's messages are made of.
enum class CallChoice : std::uint8_t {
  kCalls,     // form, send mode, packing, and when receives are posted
  kReceives,  // when receives are posted: all other calls are those in the operation's name
  kNothing,   // they are always the same
};

// How the ranks must lie on their hosts.
enum class HostNeed : std::uint8_t {
  kAny,
  kTogether,  // the ranks of a host follow one another
  kEven,      // so they do, and every host has as many
};

// Points of a call that every operation has; the others are its marks, by their names.
constexpr std::string_view kStartPoint = "start";
constexpr std::string_view kEndPoint = "end";

// A further clock reading inside the call.
struct MarkInfo {
  std::string name = {};
  std::string summary = {};

  bool operator==(const MarkInfo&) const = default;
};

// A time that an operation has. `from` and `to` are points; both roles are those whose ranks have
// them, which for kWhole say nothing and for kOwn and kLast are the same.
struct TimeInfo {
  std::string name = {};
  std::string summary = {};
  TimeKind kind = TimeKind::kWhole;
  Role from_role = Role::kStarts;
  std::string from{kStartPoint};
  Role to_role = Role::kStarts;
  std::string to{kEndPoint};

  bool operator==(const TimeInfo&) const = default;
};

struct OperationInfo {
  std::string name = {};
  std::string summary = {};
  bool sized = true;        // false: no size, like barrier
  bool rooted = false;      // has a root
  bool reduces = false;     // takes a reduction operator; default datatype int32 instead of byte
  bool in_place = false;    // has a form with MPI_IN_PLACE
  bool neighbours = false;  // needs a communicator with a topology
  bool persistent = false;  // its arguments are fixed before the calls: no rotating root
  // Name of the blocking operation that this is another form of: non-blocking, persistent, with
  // large counts; empty: it is the blocking one.
  std::string form_of = {};
  std::vector<DatatypeInfo> datatypes = {};  // that it can be verified with; the first is the usual
  // Name of the operation whose result it gives by other calls; empty: none.
  std::string emulates = {};
  std::vector<PartInfo> parts = {};  // by which calls, in their order; none: not told
  // So many calls of what it emulates, on consecutive parts of its vector; 0: it is no such thing.
  std::uint32_t splits = 0;
  Chain chain = Chain::kTree;
  BufferTable buffers = {};
  Arrays arrays = Arrays::kNone;
  Distributes distributes = Distributes::kNothing;
  bool large_counts = false;  // counts and displacements are MPI_Count and MPI_Aint
  // The largest count that a call inside has, in elements, or `counts_bytes` in bytes of them.
  Blocks counted = {.constant = 1};
  bool counts_bytes = false;
  RankCounts rank_counts = RankCounts::kAny;
  bool reorders = false;  // combines operands out of order: for operators that commute
  Segments segments = Segments::kNone;
  HostNeed hosts = HostNeed::kAny;
  // The patterns that it takes, if it sends messages between single ranks: these say who takes part
  // (record/p2p/cell_roles.hpp), and `roles` are empty.
  Messages messages = Messages::kNone;
  bool copies = false;     // its ranks copy in the place of sending: no such factors
  bool both_ways = false;  // both ranks of a pair send
  bool windowed = false;   // sends several messages in a row to each peer (Cell::window)
  bool delays = false;     // spins between these where cells say so (Cell::train_delay)
  bool overlaps = false;   // has a start and an end between which its ranks can compute
  // Its times are what calls cost a rank: nothing need have come when they end, so that no rate
  // follows from them.
  bool overheads = false;
  CallChoice chooses = CallChoice::kCalls;  // of operations that send messages
  // Arrays of the cell's size whose bytes a pass of the kernel names (read 1, copy 2, triad 3), for
  // operations that work on memory alone. 0: it is no such operation. `chases`: it follows chains
  // of pointers, the others walk over elements.
  std::uint32_t walks = 0;
  bool chases = false;
  std::uint32_t requests = 0;        // that a rank holds at a time
  bool batches = true;               // several calls may be timed together
  std::vector<RoleRule> roles = {};  // role_of(); none: all ranks start
  std::vector<MarkInfo> marks = {};  // in the order of their numbers in marks.bin
  bool optional_marks = false;       // there only where the cell asks for them (Cell::marks)
  std::vector<TimeInfo> times = {};  // at least one; the first is the headline
  // Why the library at hand cannot do it; empty: it can.
  std::string missing = {};

  // It has a time of something else than whole calls.
  [[nodiscard]] bool has_own_times() const {
    return std::any_of(times.begin(), times.end(),
                       [](const TimeInfo& time) { return time.kind != TimeKind::kWhole; });
  }

  // Its headline follows only from single ranks' ticks, marks apart. `surely`: whatever ranks have
  // marks, beside which their starts stand.
  [[nodiscard]] bool headline_needs_ranks(bool surely) const {
    if (times.empty() || times.front().kind == TimeKind::kWhole) return false;
    const auto needs = [&](const std::string& point) {
      return point == kEndPoint || (point == kStartPoint && (!surely || marks.empty()));
    };
    return needs(times.front().from) || needs(times.front().to);
  }

  // Null: it is not verified with a datatype of that name.
  [[nodiscard]] const DatatypeInfo* datatype(std::string_view type) const {
    for (const DatatypeInfo& known : datatypes) {
      if (known.name == type) return &known;
    }
    return nullptr;
  }

  // Marks in a call of a cell whose level of the factor `marks` that is.
  [[nodiscard]] std::size_t marks_at(std::string_view level) const {
    return optional_marks && level != "on" ? 0 : marks.size();
  }

  // Calls too short for the clock are timed together where nobody chose otherwise. A batch has the
  // marks of its last call only, so calls with marks are left alone.
  [[nodiscard]] bool batched_by_itself(std::string_view level) const {
    return batches && marks_at(level) == 0;
  }

  bool operator==(const OperationInfo&) const = default;
};

constexpr std::string_view name_of(Chain chain) {
  constexpr std::string_view kNames[] = {"none", "one", "tree", "ring"};
  return kNames[static_cast<std::size_t>(chain)];
}
// How many levels a tree over all ranks has; one rank counts as two.
constexpr double tree_levels(std::uint32_t ranks) {
  return static_cast<double>(std::bit_width(std::max(ranks, 2U) - 1));
}
constexpr std::string_view name_of(Arrays arrays) {
  constexpr std::string_view kNames[] = {"none", "counts", "typed"};
  return kNames[static_cast<std::size_t>(arrays)];
}
constexpr std::string_view name_of(Distributes what) {
  constexpr std::string_view kNames[] = {"nothing", "ranks", "pairs"};
  return kNames[static_cast<std::size_t>(what)];
}
constexpr std::string_view name_of(Segments what) {
  constexpr std::string_view kNames[] = {"none", "block", "share"};
  return kNames[static_cast<std::size_t>(what)];
}
constexpr std::string_view name_of(CallChoice choice) {
  constexpr std::string_view kNames[] = {"calls", "receives", "nothing"};
  return kNames[static_cast<std::size_t>(choice)];
}
constexpr std::string_view name_of(HostNeed need) {
  constexpr std::string_view kNames[] = {"any", "together", "even"};
  return kNames[static_cast<std::size_t>(need)];
}
constexpr std::string_view name_of(TimeKind kind) {
  constexpr std::string_view kNames[] = {"whole", "own", "across", "pair", "last"};
  return kNames[static_cast<std::size_t>(kind)];
}

}  // namespace invar::record
