#include "engine/settle.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "clock/ticks.hpp"

namespace invar::engine {
namespace {

constexpr std::int64_t kQuietCalls = 10;
// Between two agreements; few calls where these are long.
constexpr std::int64_t kBatchCalls = 10;
constexpr std::int64_t kBatchNs = 1'000'000;

std::int64_t page_faults() {
  rusage usage{};
  return getrusage(RUSAGE_THREAD, &usage) == 0 ? usage.ru_minflt : 0;
}

}  // namespace

int settle(const ops::Operation& operation, ops::Call& call, MPI_Comm comm,
           const SettleLimits& limits) {
  int error = MPI_SUCCESS;
  std::int64_t calls = 1;
  std::int64_t called = 0;
  std::int64_t spent_ns = 0;
  std::int64_t quiet = 0;
  while (quiet < kQuietCalls && called < limits.calls && spent_ns < limits.duration_ns) {
    // What a rank waits for the others is no time of the calls.
    MPI_Barrier(comm);
    const std::int64_t faults_before = page_faults();
    const std::int64_t begin_ns = clock::monotonic_raw_ns();
    for (std::int64_t i = 0; i < calls; ++i) {
      const int result = operation.call(call);
      if (error == MPI_SUCCESS) error = result;
      if (call.rotates) call.next_root();
    }
    // What decides must be the same everywhere.
    std::array<std::int64_t, 3> most{
        page_faults() - faults_before,
        std::max<std::int64_t>(1, clock::monotonic_raw_ns() - begin_ns),
        error == MPI_SUCCESS ? 0 : 1};
    MPI_Allreduce(MPI_IN_PLACE, most.data(), 3, MPI_INT64_T, MPI_MAX, comm);
    const auto [faults, took_ns, failed] = most;
    if (failed != 0) return error == MPI_SUCCESS ? MPI_ERR_OTHER : error;
    called += calls;
    spent_ns += took_ns;
    quiet = faults == 0 ? quiet + calls : 0;
    calls = std::clamp<std::int64_t>(kBatchNs * calls / took_ns, 1, kBatchCalls);
  }
  return MPI_SUCCESS;
}

}  // namespace invar::engine
