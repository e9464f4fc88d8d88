// Measurement schemes: how other suites measure the repetitions of a visit (Hunold and
// Carpen-Amarie 2016, table 3; docs/methods.md, "Presets"). The factor `scheme` of a cell; its
// usual level is kOwnScheme: as the campaign says. Visits by other schemes never enter our own
// answers.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "record/cell.hpp"

namespace invar::record {

struct Scheme {
  std::string_view name;
  std::string_view sync;   // level of the factor `sync`
  std::string_view clock;  // level of the factor `clock`
  // All calls of a visit between two clock reads.
  bool batch = false;
  // MPI_Barrier after every call of a batch, inside of the measured time.
  bool barriers_inside = false;
  // The root moves on with every call, of operations that allow it; others are measured by the
  // scheme `unrooted`.
  bool rotating_root = false;
  std::string_view unrooted = {};
  // Windows that never shrink, as SKaMPI's.
  bool growing_windows = false;
  // A batch that does not last longer than so many steps of its clock says nothing: it counts only
  // with more calls. 0: it always counts.
  std::uint32_t least_steps = 0;
  // So many further visits behind the rounds of a launch, for a suite that measures single points
  // again when it sees the others.
  std::uint32_t again = 0;
  // With cache "cold-cycle" buffers move on after every call of a batch, inside of the measured
  // time.
  bool cycles = false;
};

// All but kOwnScheme.
std::span<const Scheme> schemes();

// Null for kOwnScheme and for names that are no scheme.
const Scheme* find_scheme(std::string_view name);

// The first factor whose level in this cell such a visit cannot have: one that acts before every
// call, as a cold cache does, or a computation meanwhile. The suites measure that in other ways or
// not at all. Null: there is none.
const Factor* factor_unknown_to(const Scheme& scheme, const Cell& own);

// The visit that this scheme makes of one of our cells: synchronisation and clock are the scheme's,
// ranks wait for nothing else (no dither, no arrival pattern). Nothing where a factor's level is
// unknown to it. `rotates`: the operation's root may move.
std::optional<Cell> cell_by_scheme(const Cell& own, const Scheme& scheme, bool rotates);

}  // namespace invar::record
