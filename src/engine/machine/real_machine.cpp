#include <mpi.h>

#include "engine/machine/machine.hpp"

#ifndef SMPI_H  // SimGrid's mpi.h

#include <cstdlib>
#include <ctime>

#include "group/leftovers.hpp"
#include "host/identity.hpp"
#include "ops/call/rank_host.hpp"

namespace invar::engine {

std::string Machine::host_name() { return ops::rank_host_name(); }

std::uint64_t Machine::host_hash() { return ops::rank_host_hash(); }

bool Machine::shares_memory() { return true; }

group::Page Machine::join_page(const std::string& group_id, group::Page::Shape shape,
                               group::Page::Place place) {
  if (place.local_rank == 0) group::remove_leftovers();
  return group::Page::attach(group::Page::name_of(group_id, host::host_identity()), shape, place);
}

std::vector<std::string> Machine::all_hosts() { return {}; }

std::string Machine::clock_refused_because(clock::Source /*source*/) { return {}; }

bool Machine::has_exact_wtime() { return false; }

void Machine::check_time_passes() {}

void Machine::nap(std::int64_t ns) {
  constexpr std::int64_t kNsPerS = 1'000'000'000;
  const timespec time{static_cast<time_t>(ns / kNsPerS), static_cast<long>(ns % kNsPerS)};
  nanosleep(&time, nullptr);
}

void Machine::check_pinning(const std::string& /*pinning*/, const std::string& /*place*/) {}

void Machine::take_on(const host::Conditions& asked, char* const* argv,
                      const std::string& /*place*/) {
  host::take_on(asked, argv);
}

void Machine::check_mode(const std::string& /*mode*/) {}

bool Machine::computing_takes_time() { return true; }

bool Machine::kernel_tells_of_ranks() { return true; }

void Machine::abort(int status) {
  // Launchers end everything at once, and what was said on its way to them would be lost.
  nap(100'000'000);
  MPI_Abort(MPI_COMM_WORLD, status);
  std::abort();
}

std::string Machine::headers() { return {}; }

}  // namespace invar::engine

#endif
