// What the ranks of a launch run on. Two implementations, of which the library's mpi.h chooses one:
// real hosts (real_machine.cpp), and SimGrid's simulator (simulated_machine.cpp), in which all
// ranks are one process of one thread and take turns whenever they call MPI. There a rank that
// spins or sleeps outside of MPI stops all of them, time passes in MPI alone, and what the kernel
// tells of the process says nothing of any rank.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "clock/ticks.hpp"
#include "group/page.hpp"
#include "host/conditions.hpp"

namespace invar::engine {

struct Machine {
  // Where a rank is.

  static std::string host_name();
  static std::uint64_t host_hash();  // the same on all ranks of a host, and on no other
  // Ranks of one host see the same memory: a page, its turns, a common start. False: every rank is
  // by itself, whoever else is on its host.
  static bool shares_memory();
  // The page of a group on this host. Where no memory is shared it is this rank's alone, so that
  // nobody is ever waited for on it. Throws as group::Page::attach().
  static group::Page join_page(const std::string& group_id, group::Page::Shape shape,
                               group::Page::Place place);
  // Names of all hosts that ranks could be put on; none: nobody can tell.
  static std::vector<std::string> all_hosts();

  // Time.

  // Why that source measures nothing here; empty: it may be used.
  static std::string clock_refused_because(clock::Source source);
  // All ranks of all hosts read one MPI_Wtime that is exact: it counts from the same moment
  // everywhere, and its rate need not be measured.
  static bool has_exact_wtime();
  // Throws base::UserError where no time passes for a rank that only looks at the clock: what waits
  // on it would never end. After MPI_Init.
  static void check_time_passes();
  // Lets so much time pass for this rank alone.
  static void nap(std::int64_t ns);

  // The process.

  // Throws base::UserError naming `place` where ranks cannot be as a launch asks for: bound to a
  // core, or started again under other conditions (host/conditions.hpp).
  static void check_pinning(const std::string& pinning, const std::string& place);
  static void take_on(const host::Conditions& asked, char* const* argv, const std::string& place);
  // The same for what the engine is started for (`--stress`) and cannot do.
  static void check_mode(const std::string& mode);
  // A rank that computes lets time pass.
  static bool computing_takes_time();
  // What the kernel tells of this process is of its rank: page faults, switches, clock source.
  static bool kernel_tells_of_ranks();
  // Ends all ranks; what they have said comes out before.
  [[noreturn]] static void abort(int status);

  // What the headers are of: "SimGrid 3.32"; empty: only the library itself knows.
  static std::string headers();
};

}  // namespace invar::engine
