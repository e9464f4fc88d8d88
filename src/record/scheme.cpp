#include "record/scheme.hpp"

#include <algorithm>
#include <array>

namespace invar::record {
namespace {

constexpr std::array<Scheme, 9> kSchemes{{
    {.name = "barrier", .sync = "barrier", .clock = "mpi-wtime"},
    {.name = "barrier-rotating",
     .sync = "barrier",
     .clock = "mpi-wtime",
     .rotating_root = true,
     .unrooted = "barrier"},
    // A clock that the ranks of a host share, for times that need one.
    {.name = "barrier-global", .sync = "barrier", .clock = "auto"},
    {.name = "batch", .sync = "barrier", .clock = "mpi-wtime", .batch = true},
    {.name = "batch-rotating",
     .sync = "barrier",
     .clock = "mpi-wtime",
     .batch = true,
     .rotating_root = true,
     .unrooted = "batch"},
    {.name = "batch-barriers",
     .sync = "barrier",
     .clock = "mpi-wtime",
     .batch = true,
     .barriers_inside = true},
    {.name = "window", .sync = "window", .clock = "auto", .growing_windows = true},
    // Calls of messages between single ranks keep the ranks in step by themselves. So every call is
    // timed, and nothing stands between them.
    {.name = "series", .sync = "none", .clock = "mpi-wtime"},
    {.name = "batch-initiator",
     .sync = "barrier",
     .clock = "mpi-wtime",
     .batch = true,
     .least_steps = 100,
     .again = 4,
     .cycles = true},
}};

constexpr std::string_view kCycledCache = "cold-cycle";

// Without what the scheme does itself inside of its batches.
Cell as_known_to(const Scheme& scheme, const Cell& own) {
  Cell cell = own;
  const Cell usual;
  if (scheme.cycles && cell.cache == kCycledCache && cell.cold_side == usual.cold_side) {
    cell.cache = usual.cache;
  }
  return cell;
}

}  // namespace

std::span<const Scheme> schemes() { return kSchemes; }

const Scheme* find_scheme(std::string_view name) {
  const auto found = std::find_if(kSchemes.begin(), kSchemes.end(),
                                  [&](const Scheme& scheme) { return scheme.name == name; });
  return found == kSchemes.end() ? nullptr : &*found;
}

const Factor* factor_unknown_to(const Scheme& scheme, const Cell& own) {
  if (const Factor* factor = factor_before_each_call(as_known_to(scheme, own))) return factor;
  const Factor* compute = find_factor("compute");
  return compute->text(own) == compute->absent ? nullptr : compute;
}

std::optional<Cell> cell_by_scheme(const Cell& own, const Scheme& scheme, bool rotates) {
  if (factor_unknown_to(scheme, own) != nullptr) return std::nullopt;
  const bool moves = scheme.rotating_root && rotates;
  const Scheme& used = scheme.rotating_root && !rotates ? *find_scheme(scheme.unrooted) : scheme;
  Cell cell = own;
  cell.scheme = used.name;
  cell.sync = used.sync;
  cell.clock = used.clock;
  cell.arrival = "none";
  cell.dither_ns = 0;
  cell.family.clear();  // a suite measures each cell once, whatever it is compared with here
  if (moves) cell.root = kRotatingRoot;
  return cell;
}

}  // namespace invar::record
