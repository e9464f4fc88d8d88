#include <mpi.h>

#include "engine/machine/machine.hpp"

#ifdef SMPI_H  // SimGrid's mpi.h

#include <simgrid/version.h>
#include <unistd.h>
#include <simgrid/s4u/Engine.hpp>
#include <simgrid/s4u/Host.hpp>

#include <cstdio>
#include <ctime>

#include "base/error.hpp"
#include "ops/call/rank_host.hpp"

namespace invar::engine {

std::string Machine::host_name() { return ops::rank_host_name(); }

std::uint64_t Machine::host_hash() { return ops::rank_host_hash(); }

// They could, all being one process; but whoever waits on a word of it would stop those that are to
// write it.
bool Machine::shares_memory() { return false; }

group::Page Machine::join_page(const std::string& /*group_id*/, group::Page::Shape shape,
                               group::Page::Place place) {
  return group::Page::alone(shape, place);
}

std::vector<std::string> Machine::all_hosts() {
  std::vector<std::string> names;
  for (const simgrid::s4u::Host* host : simgrid::s4u::Engine::get_instance()->get_all_hosts()) {
    names.push_back(host->get_name());
  }
  return names;
}

std::string Machine::clock_refused_because(clock::Source source) {
  if (source == clock::Source::kMpiWtime) return {};
  return "in a simulator the time of the ranks is MPI_Wtime's; every other clock shows how long "
         "the "
         "simulator itself takes";
}

bool Machine::has_exact_wtime() { return true; }

void Machine::check_time_passes() {
  const double before_s = MPI_Wtime();
  if (MPI_Wtime() > before_s) return;
  throw base::UserError(
      "smpi/wtime",
      "a look at the clock takes no time, so that a rank that waits on it "
      "would wait for ever",
      "set it to what a look costs, 1e-8 for 10 ns, in the platform's <config> or "
      "as a setting of the arm");
}

// smpicxx makes it pass in the simulation.
void Machine::nap(std::int64_t ns) {
  constexpr std::int64_t kNsPerS = 1'000'000'000;
  const timespec time{static_cast<time_t>(ns / kNsPerS), static_cast<long>(ns % kNsPerS)};
  nanosleep(&time, nullptr);
}

void Machine::check_pinning(const std::string& pinning, const std::string& place) {
  if (pinning != "core") return;
  throw base::UserError(place, "pinning = \"core\", and a simulated rank runs on no core",
                        "leave pinning out");
}

void Machine::take_on(const host::Conditions& asked, char* const* /*argv*/,
                      const std::string& place) {
  if (!asked.any()) return;
  throw base::UserError(place,
                        "all ranks of a simulation are one process, which cannot start one of them "
                        "again under other conditions",
                        "leave aslr, thp and environment-size out");
}

void Machine::check_mode(const std::string& mode) {
  if (mode == "--clocks") {
    throw base::UserError(mode, "all ranks of a simulation read one exact clock",
                          "compare clocks of real hosts");
  }
  if (mode == "--stress") {
    throw base::UserError(
        mode,
        "all ranks of a simulation are one process: what watches one of them would "
        "stop all",
        "stress a library on real hosts, or check its calls: invar-engine --check");
  }
}

bool Machine::computing_takes_time() { return false; }

bool Machine::kernel_tells_of_ranks() { return false; }

// MPI_Abort would end the simulation with status 0.
void Machine::abort(int status) {
  std::fflush(nullptr);
  _exit(status);
}

std::string Machine::headers() {
  return "SimGrid " + std::to_string(SIMGRID_VERSION_MAJOR) + "." +
         std::to_string(SIMGRID_VERSION_MINOR);
}

}  // namespace invar::engine

#endif
