#include "engine/timed/settle.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "clock/ticks.hpp"
#include "engine/machine/machine.hpp"

namespace invar::engine {
namespace {

constexpr std::int64_t kQuietCalls = 10;
// Between two agreements; few calls where these are long.
constexpr std::int64_t kBatchCalls = 10;
constexpr std::int64_t kBatchNs = 1'000'000;

std::int64_t page_faults() {
  if (!Machine::kernel_tells_of_ranks()) return 0;
  rusage usage{};
  return getrusage(RUSAGE_THREAD, &usage) == 0 ? usage.ru_minflt : 0;
}

}  // namespace

Settled settle(const ops::Operation& operation, ops::Call& call, MPI_Comm comm,
               const SettleLimits& limits) {
  Settled settled;
  std::int64_t own_faults = 0;
  std::int64_t calls = 1;
  std::int64_t quiet = 0;
  while (quiet < kQuietCalls && settled.calls < limits.calls &&
         settled.duration_ns < limits.duration_ns) {
    // What a rank waits for the others is not a time of the calls.
    MPI_Barrier(comm);
    const std::int64_t faults_before = page_faults();
    const std::int64_t begin_ns = clock::monotonic_raw_ns();
    {
      const ops::Held held(call.around);
      for (std::int64_t i = 0; i < calls; ++i) {
        const int result = ops::untimed_call(operation, call);
        if (settled.error == MPI_SUCCESS) settled.error = result;
        if (call.rotates) call.next_root();
      }
    }
    const std::int64_t took_here_ns = clock::monotonic_raw_ns() - begin_ns;
    const std::int64_t faults_here = page_faults() - faults_before;
    own_faults += faults_here;
    // What decides must be the same everywhere.
    std::array<std::int64_t, 4> most{faults_here, std::max<std::int64_t>(1, took_here_ns),
                                     settled.error == MPI_SUCCESS ? 0 : 1, own_faults};
    MPI_Allreduce(MPI_IN_PLACE, most.data(), 4, MPI_INT64_T, MPI_MAX, comm);
    const auto [faults, took_ns, failed, all_faults] = most;
    settled.calls += calls;
    settled.duration_ns += took_ns;
    settled.page_faults = all_faults;
    if (failed != 0) {
      if (settled.error == MPI_SUCCESS) settled.error = MPI_ERR_OTHER;
      return settled;
    }
    quiet = faults == 0 ? quiet + calls : 0;
    calls = std::clamp<std::int64_t>(kBatchNs * calls / took_ns, 1, kBatchCalls);
  }
  settled.at_rest = quiet >= kQuietCalls;
  return settled;
}

}  // namespace invar::engine
