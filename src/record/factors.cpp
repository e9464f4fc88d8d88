#include "record/factors.hpp"

#include <algorithm>

#include "record/algorithms/algorithm_level.hpp"
#include "record/arrival.hpp"
#include "record/cell.hpp"
#include "record/factor_columns.hpp"
#include "record/memory/levels.hpp"
#include "record/memory/memory_factors.hpp"
#include "record/operation/distribution.hpp"
#include "record/operation/operation_factors.hpp"
#include "record/p2p/compute_level.hpp"
#include "record/p2p/levels.hpp"
#include "record/p2p/message_factors.hpp"
#include "record/p2p/train_delay.hpp"
#include "record/placement.hpp"
#include "record/synchronisation.hpp"

namespace invar::record {
namespace {

bool is_cold(const Cell& cell) { return cell.cache != "warm"; }

constexpr std::array<std::string_view, 2> kBatches{"short", "never"};

bool parse_batches(Cell& cell, std::string_view text) {
  const bool known = std::find(kBatches.begin(), kBatches.end(), text) != kBatches.end();
  if (known) cell.batches = text;
  return known;
}

bool is_never_batched(const Cell& cell) { return cell.batches != kBatches.front(); }

// Throwing out the lines of all buffers, or meeting lines and pages that are in no cache: about the
// same a byte.
double cold_seconds(const Cell& cell, double /*calls_s*/) {
  constexpr double kColdBytesPerS = 1e9;
  if (!is_cold(cell)) return 0;
  return 1e-6 + static_cast<double>(cell.size_bytes.value_or(0)) * 2 * cell.ranks / kColdBytesPerS;
}

// The latest rank's.
double arrival_seconds(const Cell& cell, double calls_s) {
  const Arrival arrival = parse_arrival(cell.arrival).value_or(Arrival{});
  return arrival.amplitude_ns * 1e-9 + arrival.amplitude_calls * calls_s;
}

// The mean of the longest of `ranks` uniform waits.
double dither_seconds(const Cell& cell, double /*calls_s*/) {
  return static_cast<double>(cell.dither_ns) * 1e-9 * cell.ranks / (cell.ranks + 1.0);
}

template <std::size_t Count>
std::vector<std::string> all_words(const std::array<std::string_view, Count>& words) {
  return {words.begin(), words.end()};
}

constexpr std::string_view kOfMessages = "sends messages between single ranks (invar ops)";
constexpr std::string_view kOfChosenCalls =
    "sends messages between single ranks by calls that its cells choose (invar ops)";
constexpr std::string_view kOfChosenReceives =
    "sends messages between single ranks whose receives may be posted before (invar ops)";
constexpr std::string_view kOfMemory = "works on memory alone (invar ops)";
constexpr std::string_view kOfOverlap =
    "has a start and an end between which its ranks can compute";

// Columns of plans of every version: new rows do not have `always_written`.
const std::vector<Factor>& table() {
  static const std::vector<Factor> rows{
      {.name = "operation",
       .role = FactorRole::kSubject,
       .text = word<&Cell::operation>,
       .parse = parse_word<&Cell::operation>,
       .always_written = true},
      {.name = "size_bytes",
       .role = FactorRole::kSubject,
       .text = size_column,
       .parse = parse_size_column,
       .always_written = true},
      {.name = "ranks",
       .role = FactorRole::kRanks,
       .text = number_text<&Cell::ranks>,
       .parse = parse_number<&Cell::ranks>,
       .always_written = true,
       .key = "ranks",
       .kind = LevelKind::kNumber,
       .sample =
           R"(# Without `ranks`: one rank a core. Also nodes = [1, 2] and ppn = [1, 16], mapping = "packed" or
# "round-robin" over the nodes, rank-order = "natural", "reversed", "shuffled".
# ranks = 2
)"},
      {.name = "nodes",
       .role = FactorRole::kNodes,
       .text = number_text<&Cell::nodes>,
       .parse = parse_number<&Cell::nodes>,
       .always_written = true,
       .key = "nodes",
       .kind = LevelKind::kNumber},
      {.name = "ppn",
       .role = FactorRole::kDerived,
       .text = number_text<&Cell::ppn>,
       .parse = parse_number<&Cell::ppn>,
       .always_written = true,
       .key = "ppn",
       .kind = LevelKind::kNumber},
      {.name = "mapping",
       .text = word<&Cell::mapping>,
       .parse = parse_word<&Cell::mapping>,
       .absent = "packed",
       .always_written = true,
       .key = "mapping",
       .words = {"packed", "round-robin"},
       .silent = "packed"},
      {.name = "rank_order",
       .text = word<&Cell::rank_order>,
       .parse = parse_word<&Cell::rank_order>,
       .absent = "natural",
       .always_written = true,
       .key = "rank-order",
       .words = {"natural", "reversed", "shuffled"},
       .silent = "natural"},
      {.name = "root",
       .text = root_text,
       .parse = parse_root,
       .absent = "0",
       .always_written = true,
       .key = "root",
       .kind = LevelKind::kRoot,
       .applies = is_rooted,
       .lack = "has a root",
       .check = check_root,
       .silent = "0"},
      {.name = "datatype",
       .text = word<&Cell::datatype>,
       .parse = parse_word<&Cell::datatype>,
       .absent = "",
       .always_written = true,
       .key = "datatype",
       .kind = LevelKind::kName,
       .applies = is_sized,
       .lack = "moves data of a datatype",
       .of_operation = usual_datatype,
       .check = check_datatype,
       .sample =
           R"(# Without `datatype`: "byte" for data movement, "int32" for reductions. Sizes must be multiples.
# datatype = "int32"
)"},
      {.name = "reduction",
       .text = word<&Cell::reduction>,
       .parse = parse_word<&Cell::reduction>,
       .absent = "",
       .always_written = true,
       .key = "reduction",
       .kind = LevelKind::kName,
       .applies = reduces,
       .lack = "reduces",
       .of_operation = usual_reduction,
       .check = check_reduction},
      {.name = "in_place",
       .text = word<&Cell::in_place>,
       .parse = parse_word<&Cell::in_place>,
       .absent = "",
       .always_written = true,
       .key = "in-place",
       .kind = LevelKind::kTruth,
       .applies = has_in_place,
       .lack = "works in place",
       .of_operation = not_in_place,
       .silent = "no",
       .sample = R"(# For operations that can: in-place = [false, true]
)"},
      {.name = "topology",
       .text = word<&Cell::topology>,
       .parse = parse_word<&Cell::topology>,
       .absent = "",
       .always_written = true,
       .key = "topology",
       .words = {"ring", "cartesian"},
       .applies = has_neighbours,
       .lack = "exchanges with neighbours",
       .of_operation = usual_topology,
       .silent = "",
       .sample =
           R"(# For operations with neighbours, "ring" or "cartesian" (a grid as square as it can be).
# topology = "ring"
)"},
      {.name = "distribution",
       .text = word<&Cell::distribution>,
       .parse = parse_distribution_column,
       .absent = "regular",
       .key = "distribution",
       .kind = LevelKind::kText,
       .level = distribution_level,
       .applies = has_distribution,
       .lack = "has blocks of different lengths",
       .check = check_distribution,
       .silent = "regular",
       .sample =
           R"(# For operations with a count for every block (alltoallv, ...), the size being the mean block: "regular",
# "linear", "half-zero", "one-big", "random:SEED".
# distribution = "regular"
)"},
      {.name = "segment_bytes",
       .text = wide_number_text<&Cell::segment_bytes>,
       .parse = parse_wide_number<&Cell::segment_bytes>,
       .absent = "0",
       .key = "segment",
       .kind = LevelKind::kText,
       .level = segment_level,
       .applies = has_segments,
       .lack = "cuts its messages into segments",
       .settle = settle_segment,
       .check = check_segment,
       .title = "segment",
       .unit = "B",
       .silent = "0",
       .sample =
           R"(# For reference algorithms that cut their messages (bcast@chain, allreduce@ring): bytes of a segment
# at most, "0": whole. Segments that are not below the message are measured as "0", once.
# segment = ["0", "8KiB"]
)"},
      {.name = "marks",
       .text = word<&Cell::marks>,
       .parse = parse_word<&Cell::marks>,
       .absent = "off",
       .key = "marks",
       .words = {"off", "on"},
       .applies = has_optional_marks,
       .lack = "has phases that can be marked",
       .silent = "off",
       .sample =
           R"(# For reference algorithms that have phases: "on" reads the clock behind each of them, which costs a
# little; both levels side by side say how much.
# marks = "off"
)"},
      {.name = "algorithm",
       .text = word<&Cell::algorithm>,
       .parse = parse_algorithm_column,
       .absent = kAsGivenAlgorithm,
       .key = "algorithm",
       .kind = LevelKind::kText,
       .level = algorithm_level,
       .applies = has_algorithms,
       .lack = "is a collective of which libraries have several algorithms",
       .title = "by",
       .silent = kAsGivenAlgorithm,
       .sample =
           R"(# For collectives themselves: what the library is told to run, "default" (nothing) or one of
# `invar ops --algorithms`: algorithm = ["default", "algorithm:chain:segment=64"]
)"},
      {.name = "pattern",
       .text = word<&Cell::pattern>,
       .parse = parse_pattern_column,
       .absent = "",
       .key = "pattern",
       .kind = LevelKind::kText,
       .level = pattern_level,
       .expand = expand_pattern,
       .applies = has_pattern,
       .lack = kOfMessages,
       .of_operation = pattern_of_operation,
       .check = check_pattern,
       .silent = usual_pattern(Messages::kMatched),
       .sample =
           R"(# For operations that send messages between single ranks: who sends to whom. "distance:D" (rank 0 and
# rank D), "doubling:K", "hypercube:K", "bisection", "matching:K", "random:SEED", each also with ":back";
# "all-pairs" and "random-matchings:N" are lists of these; "ring", "shift:K", "fan-out:N", "fan-in:N",
# "grid:D" (1 to 3 dimensions), "partners:N".
# pattern = "distance:1"
)"},
      {.name = "form",
       .text = word<&Cell::form>,
       .parse = parse_form_column,
       .absent = kP2pForms.front(),
       .key = "form",
       .words = all_words(kP2pForms),
       .applies = chooses_calls,
       .lack = kOfChosenCalls,
       .of_operation = form_of_operation,
       .silent = kP2pForms.front(),
       .sample =
           R"(# The calls that they are made of: "blocking", "non-blocking" (the usual one where several
# messages follow one another), "persistent", "sendrecv", "matched-probe".
# form = "blocking"
)"},
      {.name = "send_mode",
       .text = word<&Cell::send_mode>,
       .parse = parse_send_mode_column,
       .absent = kSendModes.front(),
       .key = "send-mode",
       .words = all_words(kSendModes),
       .applies = chooses_calls,
       .lack = kOfChosenCalls,
       .silent = kSendModes.front(),
       .sample =
           R"(# "standard", "synchronous", "ready" (with receives = "before"), "buffered".
# send-mode = "standard"
)"},
      {.name = "source",
       .text = word<&Cell::source>,
       .parse = parse_source_column,
       .absent = kSpecificOrAny.front(),
       .key = "source",
       .words = all_words(kSpecificOrAny),
       .applies = has_messages,
       .lack = kOfMessages,
       .each_call = needs_calls_apart,
       .silent = kSpecificOrAny.front(),
       .sample =
           R"(# What receives name: the sender and its tag, or MPI_ANY_SOURCE and MPI_ANY_TAG ("any").
# source = "specific"
)"},
      {.name = "tag",
       .text = word<&Cell::tag>,
       .parse = parse_tag_column,
       .absent = kSpecificOrAny.front(),
       .key = "tag",
       .words = all_words(kSpecificOrAny),
       .applies = has_messages,
       .lack = kOfMessages,
       .silent = kSpecificOrAny.front(),
       .sample = "# tag = \"specific\"\n"},
      {.name = "receives",
       .text = word<&Cell::receives>,
       .parse = parse_receives_column,
       .absent = kReceivesPosted.front(),
       .key = "receives",
       .words = all_words(kReceivesPosted),
       .applies = chooses_receives,
       .lack = kOfChosenReceives,
       .check = check_receives,
       .each_call = posts_before,
       .silent = kReceivesPosted.front(),
       .sample =
           R"(# When receives are posted: "in-call", or "before" the repetition is synchronised. After the message has
# arrived: arrival = "last-late:10us".
# receives = "in-call"
)"},
      {.name = "pending",
       .text = word<&Cell::pending>,
       .parse = parse_pending_column,
       .absent = kQueueKinds.front(),
       .key = "pending",
       .kind = LevelKind::kText,
       .level = pending_level,
       .applies = has_messages,
       .lack = kOfMessages,
       .silent = kQueueKinds.front(),
       .sample =
           R"(# Receives that are posted during a visit and match nothing: "same:16" (of the same peer), "any:16" (of
# any source), "other:16" (on another communicator); and messages that are there and nobody receives:
# "same:16", "other:16".
# pending = "none"
)"},
      {.name = "unexpected",
       .text = word<&Cell::unexpected>,
       .parse = parse_unexpected_column,
       .absent = kQueueKinds.front(),
       .key = "unexpected",
       .kind = LevelKind::kText,
       .level = unexpected_level,
       .applies = has_messages,
       .lack = kOfMessages,
       .silent = kQueueKinds.front(),
       .sample = "# unexpected = \"none\"\n"},
      {.name = "window",
       .text = number_text<&Cell::window>,
       .parse = parse_window_column,
       .absent = "1",
       .key = "window",
       .kind = LevelKind::kNumber,
       .numbers = {.least = 1, .most = kMostInWindow},
       .applies = has_windows,
       .lack = "sends several messages in a row to each peer",
       .of_operation = window_of_operation,
       .silent = "1",
       .sample =
           R"(# For operations that send several messages in a row: how many, each in a slot of its own.
# window = 64
)"},
      {.name = "train_delay",
       .text = word<&Cell::train_delay>,
       .parse = parse_train_delay_column,
       .absent = kNoTrainDelay,
       .key = "train-delay",
       .kind = LevelKind::kText,
       .level = train_delay_level,
       .applies = has_train_delays,
       .lack = "spins between the messages of a window",
       .settle = settle_train_delay,
       .check = check_train_delay,
       .seconds = train_delays_s,
       .silent = kNoTrainDelay,
       .sample =
           R"(# For trains, what the sender spins between two of its messages: "off", a time as in "10us", or times a
# call's own time as in "1x".
# train-delay = "off"
)"},
      {.name = "packing",
       .text = word<&Cell::packing>,
       .parse = parse_packing_column,
       .absent = kPackings.front(),
       .key = "packing",
       .words = all_words(kPackings),
       .applies = chooses_calls,
       .lack = kOfChosenCalls,
       .check = check_packing,
       .silent = kPackings.front(),
       .sample =
           R"(# Who packs data with gaps: the datatype ("type"), a loop ("hand"), MPI_Pack ("mpi").
# packing = "type"
)"},
      {.name = "others",
       .text = word<&Cell::others>,
       .parse = parse_others_column,
       .absent = kOthers.front(),
       .key = "others",
       .words = all_words(kOthers),
       .applies = has_pattern,
       .lack = kOfMessages,
       .silent = kOthers.front(),
       .sample =
           R"(# What ranks do that have no part in the pattern: "asleep", "receiving" (they wait in a receive),
# "computing", "traffic" (they exchange messages of the cell's size).
# others = "asleep"
)"},
      {.name = "cold_side",
       .text = word<&Cell::cold_side>,
       .parse = parse_cold_side_column,
       .absent = kColdSides.front(),
       .key = "cold-side",
       .words = all_words(kColdSides),
       .applies = has_two_sides,
       .lack = "tells its senders from its receivers",
       .silent = kColdSides.front(),
       .sample =
           R"(# With a cold cache: on both sides, or on one, "sender" or "receiver".
# cold-side = "both"
)"},
      {.name = "compute",
       .text = word<&Cell::compute>,
       .parse = parse_compute_column,
       .absent = "off",
       .key = "compute",
       .kind = LevelKind::kText,
       .level = compute_level,
       .expand = expand_compute,
       .applies = can_be_overlapped,
       .lack = kOfOverlap,
       .check = check_compute,
       .seconds = compute_seconds,
       .silent = "off",
       .sample =
           R"(# What ranks compute between start and end of an operation that can be overlapped (ibcast, bcast_init,
# messages): "off", a time as in "10us", or times a call's own time as in "0.5x", each of which is measured
# alone, too.
# compute = ["off", "0.5x", "1x"]
)"},
      {.name = "compute_kernel",
       .text = word<&Cell::compute_kernel>,
       .parse = parse_compute_kernel_column,
       .absent = kComputeKernels.front(),
       .key = "compute-kernel",
       .words = all_words(kComputeKernels),
       .applies = can_be_overlapped,
       .lack = kOfOverlap,
       .silent = kComputeKernels.front(),
       .sample =
           R"(# "chain" computes in registers, "memory" streams a region beyond the last-level cache; on both sides, or
# on that which "starts" or "answers"; so many calls of MPI_Test meanwhile.
# compute-kernel = "chain"
)"},
      {.name = "compute_side",
       .text = word<&Cell::compute_side>,
       .parse = parse_compute_side_column,
       .absent = kComputeSides.front(),
       .key = "compute-side",
       .words = all_words(kComputeSides),
       .applies = can_be_overlapped,
       .lack = kOfOverlap,
       .check = check_compute_side,
       .silent = kComputeSides.front(),
       .sample = "# compute-side = \"both\"\n"},
      {.name = "progress_calls",
       .text = number_text<&Cell::progress_calls>,
       .parse = parse_number<&Cell::progress_calls>,
       .absent = "0",
       .key = "progress-calls",
       .kind = LevelKind::kNumber,
       .numbers = {.least = 0, .most = kMostProgressCalls},
       .applies = can_be_overlapped,
       .lack = kOfOverlap,
       .silent = "0",
       .sample = "# progress-calls = 0\n"},
      {.name = "stride",
       .text = word<&Cell::stride>,
       .parse = parse_stride_column,
       .absent = kPackedStride,
       .key = "stride",
       .kind = LevelKind::kText,
       .level = stride_level,
       .applies = works_on_memory,
       .lack = kOfMemory,
       .of_operation = stride_of_operation,
       .check = check_stride,
       .silent = kPackedStride,
       .sample =
           R"(# For operations on memory (read, write, copy, triad, the last three also as write_nt, copy_nt, triad_nt;
# chase): bytes between the starts of two elements, or "packed"; chase has "128", two lines.
# stride = ["packed", "64", "4KiB"]
)"},
      {.name = "width",
       .text = word<&Cell::width>,
       .parse = parse_width_column,
       .absent = kWidths.front(),
       .key = "width",
       .words = all_words(kWidths),
       .applies = walks_memory,
       .lack = "walks over memory (invar ops)",
       .unit = "B",
       .silent = kWidths.front(),
       .sample =
           R"(# Bytes of a load or store: "widest" of the processor, or "4", "8", "16", "32", "64".
# width = "widest"
)"},
      {.name = "unroll",
       .text = number_text<&Cell::unroll>,
       .parse = parse_unroll_column,
       .absent = "8",
       .key = "unroll",
       .kind = LevelKind::kNumber,
       .numbers = {.least = 1, .most = kMostUnroll},
       .applies = works_on_memory,
       .lack = kOfMemory,
       .check = check_unroll,
       .silent = "8",
       .sample =
           R"(# Elements in a turn of the inner loop, 1, 2, 4, 8 or 16.
# unroll = 8
)"},
      {.name = "loops",
       .text = word<&Cell::loops>,
       .parse = parse_loops_column,
       .absent = kAutoLoops,
       .key = "loops",
       .kind = LevelKind::kText,
       .level = loops_level,
       .applies = works_on_memory,
       .lack = kOfMemory,
       .silent = kAutoLoops,
       .sample =
           R"(# Passes over the buffer in a repetition: "auto" (a power of two that lasts 20 us, or one), "auto:2" (twice
# as many), or a number as in "100". Of two levels the time of a pass follows without what a call costs.
# loops = ["auto", "auto:2"]
)"},
      {.name = "chains",
       .text = number_text<&Cell::chains>,
       .parse = parse_chains_column,
       .absent = "1",
       .key = "chains",
       .kind = LevelKind::kNumber,
       .numbers = {.least = 1, .most = kMostChains},
       .applies = chases_memory,
       .lack = "follows chains of pointers (invar ops)",
       .silent = "1",
       .sample =
           R"(# Of chase: chains that are followed at a time, 1 to 8.
# chains = 1
)"},
      {.name = "access",
       .text = word<&Cell::access>,
       .parse = parse_access_column,
       .absent = kAccesses.front(),
       .key = "access",
       .words = all_words(kAccesses),
       .applies = works_on_memory,
       .lack = kOfMemory,
       .of_operation = access_of_operation,
       .check = check_access,
       .silent = kAccesses.front(),
       .sample =
           R"(# In which order: "sequential", "random" (usual for chase), "random-in-page" (pages in a row, random inside
# each), "line-per-page" (one line in every 4 KiB).
# access = "sequential"
)"},
      {.name = "pages",
       .text = word<&Cell::pages>,
       .parse = parse_pages_column,
       .absent = kPageKinds.front(),
       .key = "pages",
       .words = all_words(kPageKinds),
       .applies = works_on_memory,
       .lack = kOfMemory,
       .silent = kPageKinds.front(),
       .sample =
           R"(# Pages of their buffers: "default", "4KiB" (never larger), "thp" (asked for), "2MiB" and "1GiB" (which the
# host must have reserved).
# pages = "default"
)"},
      {.name = "numa",
       .text = word<&Cell::numa>,
       .parse = parse_numa_column,
       .absent = "default",
       .key = "numa",
       .kind = LevelKind::kText,
       .level = numa_level,
       .applies = works_on_memory,
       .lack = kOfMemory,
       .silent = "default",
       .sample =
           R"(# NUMA nodes that these come from: "default", "local", "node:1", "interleaved".
# numa = "default"
)"},
      {.name = "allocation",
       .text = word<&Cell::allocation>,
       .parse = parse_allocation_column,
       .absent = kAllocations.front(),
       .key = "allocation",
       .words = all_words(kAllocations),
       .applies = works_on_memory,
       .lack = kOfMemory,
       .check = check_allocation,
       .silent = kAllocations.front(),
       .sample =
           R"(# "arena" (one region for a launch, another place in it for every visit), or "malloc" anew for every visit.
# allocation = "arena"
)"},
      {.name = "policy",
       .text = word<&Cell::policy>,
       .parse = parse_policy_column,
       .absent = "other",
       .key = "policy",
       .kind = LevelKind::kText,
       .level = policy_level,
       .applies = works_on_memory,
       .lack = kOfMemory,
       .silent = "other",
       .sample =
           R"(# How the scheduler treats ranks while they measure: "other", "batch", "idle", "fifo", "rr", "nice:-10".
# policy = "other"
)"},
      {.name = "cache",
       .text = word<&Cell::cache>,
       .parse = parse_word<&Cell::cache>,
       .absent = "warm",
       .always_written = true,
       .key = "cache",
       .words = {"warm", "cold-flush", "cold-cycle"},
       .in_engine = true,
       .check = check_cache,
       .seconds = cold_seconds,
       .each_call = is_cold,
       .silent = "warm",
       .sample =
           R"(# "warm", "cold-flush" (the buffers' lines are thrown out before every repetition), "cold-cycle" (the
# buffers move through a region beyond the last-level cache).
cache = "warm"
)"},
      {.name = "placement",
       .text = word<&Cell::placement>,
       .parse = parse_placement_column,
       .absent = "random",
       .always_written = true,
       .key = "placement",
       .kind = LevelKind::kText,
       .level = placement_level,
       .in_engine = true,
       .silent = "random",
       .sample =
           R"(# Buffers lie at another random place in every visit; "same": always at one place; "fixed:64": both
# so many bytes after the start of a page.
placement = "random"
)"},
      {.name = "sync",
       .role = FactorRole::kStart,
       .text = word<&Cell::sync>,
       .parse = parse_sync,
       .absent = "round-time",
       .always_written = true,
       .key = "sync",
       .words = synchronisation_names(),
       .in_engine = true,
       .seconds = synchronisation_seconds,
       .sample = synchronisation_sample()},
      {.name = "arrival",
       .text = word<&Cell::arrival>,
       .parse = parse_arrival_column,
       .absent = "none",
       .always_written = true,
       .key = "arrival",
       .kind = LevelKind::kText,
       .level = arrival_level,
       .in_engine = true,
       .seconds = arrival_seconds,
       .silent = "none",
       .sample =
           R"(# Ranks that start late on purpose (with round-time or window): "none", or "first-late", "last-late",
# "linear", "random" with an amplitude, as in "linear:10us" or "random:0.5x" (times a call's time). Behind it
# ":probing": whoever is late calls its library meanwhile.
arrival = "none"
)"},
      {.name = "clock",
       .text = word<&Cell::clock>,
       .parse = parse_word<&Cell::clock>,
       .absent = "auto",
       .always_written = true,
       .key = "clock",
       .words = {"auto", "tsc", "monotonic-raw", "mpi-wtime"},
       .in_engine = true,
       .sample =
           R"(# "auto" (the processor's counter where it can be trusted), "tsc", "monotonic-raw", "mpi-wtime"
# (not with round-time or window).
clock = "auto"
)"},
      {.name = "dither_ns",
       .role = FactorRole::kStart,
       .text = wide_number_text<&Cell::dither_ns>,
       .parse = parse_wide_number<&Cell::dither_ns>,
       .absent = "1000",
       .always_written = true,
       .key = "dither",
       .kind = LevelKind::kDuration,
       .in_engine = true,
       .seconds = dither_seconds,
       .title = "dither",
       .unit = "ns",
       .sample =
           R"(# Every rank waits a random time below this before each repetition, so that repetitions are
# independent. "off": none.
dither = "1us"
)"},
      {.name = "delay_ns",
       .text = wide_number_text<&Cell::delay_ns>,
       .parse = parse_wide_number<&Cell::delay_ns>,
       .absent = "0",
       .always_written = true,
       .key = "delay",
       .kind = LevelKind::kDuration,
       .title = "planted delay",
       .unit = "ns",
       .silent = "0",
       .sample =
           R"(# Planted into every call of all arms but the first, to see if it is found: delay = ["off", "20ns"]
)"},
      {.name = "batches",
       .text = word<&Cell::batches>,
       .parse = parse_batches,
       .absent = kBatches.front(),
       .key = "batches",
       .words = all_words(kBatches),
       .each_call = is_never_batched,
       .silent = kBatches.front(),
       .sample =
           R"(# Calls that are too short for the clock ("short") are timed several at a time; "never": each by itself,
# where a line through times of many sizes is to have no joint between the two.
# batches = "short"
)"},
      {.name = "scheme",
       .role = FactorRole::kScheme,
       .text = word<&Cell::scheme>,
       .parse = parse_scheme,
       .absent = kOwnScheme,
       .always_written = true,
       .silent = kOwnScheme},
      {.name = "family",
       .role = FactorRole::kFamily,
       .text = word<&Cell::family>,
       .parse = parse_word<&Cell::family>,
       .absent = ""},
  };
  return rows;
}

template <typename Matches>
const Factor* first_factor(Matches matches) {
  const auto found = std::find_if(table().begin(), table().end(), matches);
  return found == table().end() ? nullptr : &*found;
}

}  // namespace

std::span<const Factor> factors() { return table(); }

const Factor* find_factor(std::string_view name) {
  return first_factor([&](const Factor& factor) { return factor.name == name; });
}

const Factor* find_factor_by_key(std::string_view key) {
  if (key.empty()) return nullptr;
  return first_factor([&](const Factor& factor) { return factor.key == key; });
}

const Factor* find_cell_factor(std::string_view word) {
  if (word == "size") return find_factor("size_bytes");
  return word == "operation" ? find_factor(word) : find_factor_by_key(word);
}

std::vector<std::string> cell_factor_words() {
  std::vector<std::string> words{"operation", "size"};
  for (const Factor& factor : table()) {
    if (!factor.key.empty()) words.emplace_back(factor.key);
  }
  return words;
}

double seconds_beside_calls(const Cell& cell, double calls_s) {
  double seconds = 0;
  for (const Factor& factor : table()) {
    if (factor.seconds != nullptr) seconds += factor.seconds(cell, calls_s);
  }
  return seconds;
}

const Factor* factor_before_each_call(const Cell& cell) {
  return first_factor(
      [&](const Factor& factor) { return factor.each_call != nullptr && factor.each_call(cell); });
}

std::string unusual_level(const Factor& factor, const OperationInfo& info, const Cell& cell) {
  std::string level = factor.text(cell);
  std::string usual = factor.text(Cell());
  const bool has = factor.applies == nullptr || factor.applies(info);
  if (has && factor.of_operation != nullptr) {
    usual = factor.of_operation(info, cell).text.value_or(usual);
  }
  return level == usual ? std::string() : level;
}

std::string level_words(const Factor& factor, const Cell& cell) {
  const std::string level = factor.text(cell);
  std::string title(factor.title.empty() ? factor.name : factor.title);
  std::replace(title.begin(), title.end(), '_', ' ');
  if (factor.kind == LevelKind::kTruth) return level == "yes" ? title : "not " + title;
  return title + ' ' + level + (factor.unit.empty() ? "" : ' ' + std::string(factor.unit));
}

}  // namespace invar::record
