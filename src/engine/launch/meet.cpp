#include "engine/launch/meet.hpp"

#include "engine/launch/host.hpp"
#include "engine/machine/machine.hpp"
#include "group/page.hpp"

namespace invar::engine {

bool meet(MPI_Comm comm, const std::string& name, std::uint32_t job, std::uint32_t jobs) {
  constexpr int kTries = 2000;
  const Hosts hosts = find_hosts(comm);
  const group::Page page =
      Machine::join_page(name, {.arms = jobs, .local_ranks = hosts.local_ranks},
                         {.arm = job, .local_rank = hosts.local_rank});
  int met = 0;
  for (int i = 0; i < kTries && met == 0; ++i) {
    met = page.header().attached.load() == page.processes() ? 1 : 0;
    if (met == 0) Machine::nap(10'000'000);
  }
  MPI_Allreduce(MPI_IN_PLACE, &met, 1, MPI_INT, MPI_MIN, comm);
  return met != 0;
}

}  // namespace invar::engine
