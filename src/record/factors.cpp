#include "record/factors.hpp"

#include <algorithm>
#include <limits>

#include "base/text.hpp"
#include "base/units.hpp"
#include "record/algorithms/algorithm_level.hpp"
#include "record/arrival.hpp"
#include "record/cell.hpp"
#include "record/operation/distribution.hpp"
#include "record/operation/operation_info.hpp"
#include "record/placement.hpp"
#include "record/scheme.hpp"
#include "record/synchronisation.hpp"

namespace invar::record {
namespace {

template <std::uint32_t Cell::*Member>
std::string number_text(const Cell& cell) {
  return std::to_string(cell.*Member);
}

template <std::uint32_t Cell::*Member>
bool parse_number(Cell& cell, std::string_view text) {
  const auto number = base::parse_u64(text);
  if (!number || *number > std::numeric_limits<std::uint32_t>::max()) return false;
  cell.*Member = static_cast<std::uint32_t>(*number);
  return true;
}

template <std::string Cell::*Member>
std::string word(const Cell& cell) {
  return cell.*Member;
}

template <std::string Cell::*Member>
bool parse_word(Cell& cell, std::string_view text) {
  cell.*Member = text;
  return true;
}

std::string size_column(const Cell& cell) {
  return cell.size_bytes ? std::to_string(*cell.size_bytes) : std::string();
}

bool parse_size_column(Cell& cell, std::string_view text) {
  cell.size_bytes = base::parse_u64(text);
  return text.empty() || cell.size_bytes.has_value();
}

template <std::uint64_t Cell::*Member>
std::string wide_number_text(const Cell& cell) {
  return std::to_string(cell.*Member);
}

template <std::uint64_t Cell::*Member>
bool parse_wide_number(Cell& cell, std::string_view text) {
  const auto number = base::parse_u64(text);
  if (number) cell.*Member = *number;
  return number.has_value();
}

constexpr std::string_view kRotating = "rotating";

std::string root_text(const Cell& cell) {
  return cell.root == kRotatingRoot ? std::string(kRotating) : std::to_string(cell.root);
}

bool parse_root(Cell& cell, std::string_view text) {
  if (text != kRotating) return parse_number<&Cell::root>(cell, text) && cell.root != kRotatingRoot;
  cell.root = kRotatingRoot;
  return true;
}

bool parse_sync(Cell& cell, std::string_view text) {
  cell.sync = text;
  return find_synchronisation(text) != nullptr;
}

bool parse_arrival_column(Cell& cell, std::string_view text) {
  cell.arrival = text;
  return parse_arrival(text).has_value();
}

bool parse_scheme(Cell& cell, std::string_view text) {
  cell.scheme = text;
  return text == kOwnScheme || find_scheme(text) != nullptr;
}

bool parse_distribution_column(Cell& cell, std::string_view text) {
  cell.distribution = text;
  return parse_distribution(text).has_value();
}

bool parse_placement_column(Cell& cell, std::string_view text) {
  cell.placement = text;
  return is_placement(text);
}

bool parse_algorithm_column(Cell& cell, std::string_view text) {
  cell.algorithm = text;
  return is_algorithm_level(text);
}

bool is_rooted(const OperationInfo& info) { return info.rooted; }
bool is_sized(const OperationInfo& info) { return info.sized; }
bool reduces(const OperationInfo& info) { return info.reduces; }
bool has_in_place(const OperationInfo& info) { return info.in_place; }
bool has_neighbours(const OperationInfo& info) { return info.neighbours; }
bool has_optional_marks(const OperationInfo& info) { return info.optional_marks; }
bool has_segments(const OperationInfo& info) { return info.segments != Segments::kNone; }
bool has_distribution(const OperationInfo& info) {
  return info.distributes != Distributes::kNothing;
}

// The remedy that helps when only one of several operations minds.
std::string or_own_block(const std::string& remedy, const OperationInfo& info) {
  return remedy + ", or give " + info.name + " in a [[cells]] block of its own";
}

LevelText check_root(const OperationInfo& info, const Cell& cell) {
  if (cell.root == kRotatingRoot) {
    if (!info.persistent) return {};
    return {.complaint = info.name + " fixes its root before it starts: it cannot rotate",
            .remedy = or_own_block("write a rank", info)};
  }
  if (cell.root < cell.ranks) return {};
  return {.complaint =
              "root " + std::to_string(cell.root) + " is no rank of " + std::to_string(cell.ranks),
          .remedy = "write 0 to " + std::to_string(cell.ranks - 1)};
}

LevelText usual_datatype(const OperationInfo& info, const Cell& /*cell*/) {
  if (info.datatypes.empty()) return {};
  return {.text = info.datatypes.front().name};
}

LevelText check_datatype(const OperationInfo& info, const Cell& cell) {
  if (info.datatype(cell.datatype) != nullptr) return {};
  std::vector<std::string> names;
  for (const DatatypeInfo& type : info.datatypes) names.push_back(type.name);
  return {.complaint = info.name + " has no datatype '" + cell.datatype + "'",
          .remedy = base::did_you_mean(cell.datatype, names)};
}

LevelText usual_reduction(const OperationInfo& info, const Cell& cell) {
  const DatatypeInfo* type = info.datatype(cell.datatype);
  if (type != nullptr && !type->reductions.empty()) return {.text = type->reductions.front()};
  return {
      .complaint = info.name + " cannot reduce " + cell.datatype + ": MPI has no operator on it",
      .remedy = "write another datatype",
      .blamed_key = "datatype"};
}

LevelText check_reduction(const OperationInfo& info, const Cell& cell) {
  const DatatypeInfo* type = info.datatype(cell.datatype);
  if (type == nullptr) return check_datatype(info, cell);
  const std::vector<std::string>& known = type->reductions;
  if (std::find(known.begin(), known.end(), cell.reduction) != known.end()) return {};
  return {.complaint = info.name + " has no reduction '" + cell.reduction + "' of " + cell.datatype,
          .remedy =
              known.empty() ? "write another datatype" : base::did_you_mean(cell.reduction, known)};
}

LevelText not_in_place(const OperationInfo& /*info*/, const Cell& /*cell*/) {
  return {.text = "no"};
}

LevelText usual_topology(const OperationInfo& /*info*/, const Cell& /*cell*/) {
  return {.text = "ring"};
}

// In place a rank gets as much from another one as it sends there.
LevelText check_distribution(const OperationInfo& info, const Cell& cell) {
  if (info.distributes != Distributes::kPairs || cell.in_place != "yes" ||
      cell.distribution == Cell().distribution) {
    return {};
  }
  return {.complaint = info.name +
                       " in place exchanges blocks that are as long in both directions, "
                       "which they are not with distribution = \"" +
                       cell.distribution + "\"",
          .remedy = or_own_block("write in-place = false, or distribution = \"regular\"", info)};
}

LevelText segment_level(std::string_view written) {
  const base::Parsed<std::uint64_t> bytes = base::parse_size_bytes(written);
  if (bytes.value) return {.text = std::to_string(*bytes.value)};
  return {.complaint = "is no length of a segment: " + bytes.error,
          .remedy = "write bytes, as in \"8KiB\", or \"0\" for whole messages"};
}

LevelText check_segment(const OperationInfo& info, const Cell& cell) {
  const DatatypeInfo* type = info.datatype(cell.datatype);
  if (type == nullptr || cell.segment_bytes % type->size_bytes == 0) return {};
  return {.complaint = "a segment of " + std::to_string(cell.segment_bytes) +
                       " bytes is no multiple of the " + std::to_string(type->size_bytes) +
                       " bytes of " + type->name,
          .remedy = or_own_block("write one", info)};
}

// What is not below the messages leaves them whole.
void settle_segment(const OperationInfo& info, Cell& cell) {
  const DatatypeInfo* type = info.datatype(cell.datatype);
  const std::uint64_t element_bytes = type == nullptr ? 1 : type->size_bytes;
  const BlockCount block{.elements = cell.size_bytes.value_or(0) / element_bytes,
                         .ranks = cell.ranks};
  const std::uint64_t elements =
      info.segments == Segments::kOfShare ? block.share() : block.elements;
  if (cell.segment_bytes >= elements * element_bytes) cell.segment_bytes = 0;
}

LevelText check_cache(const OperationInfo& info, const Cell& cell) {
  if (cell.cache != "cold-cycle" || !info.persistent) return {};
  return {.complaint = info.name + " fixes its buffers before it starts: they cannot move on",
          .remedy = or_own_block("use cache = \"cold-flush\"", info)};
}

bool is_cold(const Cell& cell) { return cell.cache != "warm"; }

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
# "linear", "random" with an amplitude, as in "linear:10us" or "random:0.5x" (times a call's time).
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

std::string level_words(const Factor& factor, const Cell& cell) {
  const std::string level = factor.text(cell);
  std::string title(factor.title.empty() ? factor.name : factor.title);
  std::replace(title.begin(), title.end(), '_', ' ');
  if (factor.kind == LevelKind::kTruth) return level == "yes" ? title : "not " + title;
  return title + ' ' + level + (factor.unit.empty() ? "" : ' ' + std::string(factor.unit));
}

}  // namespace invar::record
