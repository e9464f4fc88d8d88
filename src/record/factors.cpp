#include "record/factors.hpp"

#include <algorithm>

#include "record/algorithms/algorithm_level.hpp"
#include "record/arrival.hpp"
#include "record/cell.hpp"
#include "record/factor_columns.hpp"
#include "record/operation/distribution.hpp"
#include "record/operation/operation_factors.hpp"
#include "record/placement.hpp"
#include "record/synchronisation.hpp"

namespace invar::record {
namespace {

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
