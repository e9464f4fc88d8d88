// The canaries of a segment's visits on rank 0: one of each kind a host comes from the host's
// lowest member alone, so that they grow with the hosts and not with the ranks.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "clock/calibration.hpp"
#include "engine/launch/segment.hpp"
#include "engine/launch/team.hpp"
#include "record/journal.hpp"
#include "record/plan.hpp"

namespace invar::engine {

// The canaries of one visit, in ps where nothing else is said. They are in the order of the hosts'
// lowest members. A host that did not measure one is left out of it.
struct VisitCanaries {
  std::vector<std::int64_t> line = {};
  std::vector<std::int64_t> across = {};
  std::vector<std::int64_t> chain = {};
  // In fs of one step (engine/memory/reference.hpp).
  std::vector<std::int64_t> add = {};
  std::vector<std::int64_t> l1 = {};
  std::vector<std::int64_t> beyond = {};

  // Writes them into a journal line.
  void tell(record::VisitLine& told) const;
};

// Collective over `comm`, all ranks of the arm. One entry a visit on rank 0, none elsewhere.
// `rate_of`: of this rank's clock in a visit, because hosts' clocks tick differently.
std::vector<VisitCanaries> gather_canaries(
    MPI_Comm comm, const Segment& segment, const record::Plan& plan,
    const std::function<const Team&(const record::PlanRow&)>& team_of,
    const std::function<const clock::Rate&(const VisitNote&)>& rate_of);

}  // namespace invar::engine
