// The canaries of a visit, before its repetitions: what shows the state of the machine without
// MPI.
#pragma once

#include "engine/launch/segment.hpp"
#include "engine/launch/team.hpp"
#include "engine/memory/reference.hpp"
#include "engine/timed/probes.hpp"
#include "group/page.hpp"

namespace invar::engine {

// By every member of the team, each of which has a core of its own; notes what this rank measured.
// The chain comes first: nobody else is needed for it, nor for `reference`, which cells of memory
// operations have (null: none).
template <typename Clock>
void take_canaries(const group::Page& page, const Team& team, Clock clock, Watch watch,
                   void* context, Reference* reference, VisitNote& note) {
  const bool lowest = team.local_index() == 0;
  if (lowest) note.chain_ticks = chain_ticks(clock);
  if (lowest && reference != nullptr) {
    const ReferenceTicks ticks = reference->measure(clock);
    note.add_ticks = ticks.adds;
    note.l1_ticks = ticks.l1_loads;
    note.beyond_ticks = ticks.beyond_loads;
  }
  group::ArmPage& arm = page.mine();
  if (team.local_members() >= 2 && team.local_index() < 2) {
    note.canary_ticks =
        canary_ticks(arm.ping, arm.pong, kCanaryTrips, lowest, clock, watch, context);
  }
  const group::CanaryPlaces& places = team.canaries();
  if (places.across_first || places.across_second) {
    note.across_ticks = canary_ticks(arm.across_ping, arm.across_pong, kAcrossTrips,
                                     places.across_first, clock, watch, context);
  }
}

}  // namespace invar::engine
