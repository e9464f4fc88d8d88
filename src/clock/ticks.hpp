// The time sources. Timed code stores raw integer ticks; times come later, from a calibrated rate.
#pragma once

#include <cstdint>
#include <string>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif
#include <ctime>

namespace invar::clock {

enum class Source { kTsc, kMonotonicRaw, kMpiWtime };

inline std::int64_t monotonic_raw_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC_RAW, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

#if defined(__x86_64__)
// rdtscp waits for all earlier instructions; the fence keeps later ones from starting before it.
inline std::int64_t tsc_ticks() {
  unsigned processor = 0;
  const auto ticks = static_cast<std::int64_t>(__rdtscp(&processor));
  _mm_lfence();
  return ticks;
}
inline constexpr bool kHasTsc = true;
#elif defined(__aarch64__)
inline std::int64_t tsc_ticks() {
  std::int64_t ticks = 0;
  asm volatile("isb; mrs %0, cntvct_el0; isb" : "=r"(ticks)::"memory");
  return ticks;
}
inline constexpr bool kHasTsc = true;
#else
inline std::int64_t tsc_ticks() { return monotonic_raw_ns(); }
inline constexpr bool kHasTsc = false;
#endif

// Clock policies: the timing loop is compiled once for each, so that no indirect call stands
// between the two clock reads. `Mpi` is in src/engine, because only the engine knows MPI.
struct TscClock {
  static std::int64_t now() { return tsc_ticks(); }
};
struct MonotonicRawClock {
  static std::int64_t now() { return monotonic_raw_ns(); }
};

// Why the TSC can or cannot be trusted here: constant_tsc and nonstop_tsc, and the kernel's own
// clock source must be the TSC. Reads `root`/proc/cpuinfo and `root`/sys/...; tests pass a fake
// root. `reason` is empty if it can.
struct TscTrust {
  bool trusted = false;
  std::string reason = {};
};
TscTrust tsc_trust(const std::string& root = "");

// The clock source that the kernel uses now ("tsc"); empty where it does not say. `sys` stands for
// /sys.
std::string kernel_clock_source(const std::string& sys = "/sys");

// Relaxes a spinning core.
inline void pause() {
#if defined(__x86_64__)
  _mm_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace invar::clock
