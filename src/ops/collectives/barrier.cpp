// No rank leaves before all have entered.
#include <array>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <system_error>
#include <thread>

#include "base/crc32c.hpp"
#include "base/text.hpp"
#include "ops/forms.hpp"
#include "ops/shapes.hpp"

namespace invar::ops {
namespace {

int call_barrier(Call& c) { return MPI_Barrier(c.comm); }

int call_ibarrier(Call& c) { return waited(c, MPI_Ibarrier(c.comm, c.requests)); }

int prepare_barrier(Call& c) { return INVAR_INIT(c, Barrier, c.comm); }

std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// Ranks with the same number read the same steady clock; 0: cannot be told.
std::int64_t clock_domain() {
  const auto boot = base::read_file("/proc/sys/kernel/random/boot_id");
  std::error_code error;
  const auto time_namespace = std::filesystem::read_symlink("/proc/self/ns/time", error);
  if (!boot) return 0;
  return std::int64_t{1} + base::crc32c(*boot + (error ? "" : time_namespace.string()));
}

// One rank comes late; whoever shares its clock must not have left before it came.
template <int (*barrier)(Call&)>
void check_late(const Call& call, Checker& checker, int late) {
  Call c = call;
  constexpr auto kDelay = std::chrono::milliseconds(3);
  if (c.rank == late) std::this_thread::sleep_for(kDelay);
  std::array<std::int64_t, 2> entered{clock_domain(), now_ns()};
  const int code = barrier(c);
  const std::int64_t left_ns = now_ns();
  send_down_tree(c.comm, late, std::as_writable_bytes(std::span(entered)));
  if (code != MPI_SUCCESS) {
    checker.fail(mpi_error_text("barrier", code));
  } else if (entered[0] != 0 && entered[0] == clock_domain() && left_ns < entered[1]) {
    checker.fail("left " + std::to_string(entered[1] - left_ns) + " ns before rank " +
                 std::to_string(late) + " had entered");
  }
}

// The ranks are nearly in step here, because they have just agreed that the call returned.
template <int (*barrier)(Call&)>
void nobody_leaves_early(const Call& c, Checker& checker) {
  check_late<barrier>(c, checker, 0);
  if (c.ranks > 1) check_late<barrier>(c, checker, c.ranks - 1);
}

// As `operation`, checked by calls of its own.
template <int (*barrier)(Call&)>
constexpr Operation checked(Operation operation) {
  operation.verify = nobody_leaves_early<barrier>;
  operation.verify_calls = true;
  return operation;
}

}  // namespace

extern constexpr Operation kBarrier = checked<call_barrier>({
    .name = "barrier",
    .summary = "no rank leaves before all have entered",
    .sized = false,
    .buffers = kNoBuffers,
    .call = call_barrier,
    .verify = nullptr,
});
extern constexpr Operation kIbarrier =
    checked<call_ibarrier>(nonblocking(kBarrier, "ibarrier", call_ibarrier));
extern constexpr Operation kBarrierInit =
    checked<start_and_wait>(persistent(kBarrier, "barrier_init", prepare_barrier));

}  // namespace invar::ops
