#include "ops/waiting.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <system_error>
#include <thread>

#include "base/crc32c.hpp"
#include "base/text.hpp"
#include "ops/call/agree.hpp"

namespace invar::ops {
namespace {

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

}  // namespace

void check_late(const Call& call, Checker& checker, int late, int (*barrier)(Call&)) {
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

}  // namespace invar::ops
