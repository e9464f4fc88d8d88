// The time sources. Timed code stores raw integer ticks; times come later, from a calibrated rate.
#pragma once

#include <cstdint>
#include <string>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif
#include <ctime>

namespace invar::clock {

// kTsc: the processor's own counter, whatever its name there.
enum class Source { kTsc, kMonotonicRaw, kMpiWtime };

// The processors whose counter Invar reads: the time stamp counter of x86, the virtual count of
// Arm's generic timer (CNTVCT_EL0).
enum class Counter { kNone, kX86, kArm };

inline std::int64_t monotonic_raw_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC_RAW, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

#if defined(__x86_64__)
// rdtscp waits for all earlier instructions; the fence keeps later ones from starting before it.
// Not the compiler's __rdtscp: that stores the processor's number, too, inside the timed region.
inline std::int64_t tsc_ticks() {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  asm volatile("rdtscp\n\tlfence" : "=a"(low), "=d"(high)::"rcx", "memory");
  return static_cast<std::int64_t>(high << 32U | low);
}
inline constexpr Counter kCounter = Counter::kX86;
#elif defined(__aarch64__)
// The first barrier makes the read wait for all earlier instructions, the second keeps later ones
// from starting before it (the counter may be read speculatively: Arm ARM, The Generic Timer).
inline std::int64_t tsc_ticks() {
  std::int64_t ticks = 0;
  asm volatile("isb; mrs %0, cntvct_el0; isb" : "=r"(ticks)::"memory");
  return ticks;
}
inline constexpr Counter kCounter = Counter::kArm;
#else
inline std::int64_t tsc_ticks() { return monotonic_raw_ns(); }
inline constexpr Counter kCounter = Counter::kNone;
#endif

// What the processor itself says of its counter's rate; 0: it does not say. For plausibility only,
// because firmware may have written anything there: rates are calibrated.
inline double nominal_ticks_per_s() {
#if defined(__aarch64__)
  std::uint64_t hz = 0;
  asm volatile("mrs %0, cntfrq_el0" : "=r"(hz));
  return static_cast<double>(hz & 0xffffffffU);  // the upper half is reserved
#else
  return 0;
#endif
}

// Clock policies: the timing loop is compiled once for each, so that no indirect call stands
// between the two clock reads. `Mpi` is in src/engine, because only the engine knows MPI.
struct TscClock {
  static std::int64_t now() { return tsc_ticks(); }
};
// For a CPU whose counter is ahead of its host's by `ahead_ticks`.
struct ShiftedTscClock {
  std::int64_t ahead_ticks = 0;
  [[nodiscard]] std::int64_t now() const { return tsc_ticks() - ahead_ticks; }
};
struct MonotonicRawClock {
  static std::int64_t now() { return monotonic_raw_ns(); }
};
// CLOCK_MONOTONIC_RAW in steps, for tests of what a coarse clock does to measurements.
struct CoarseClock {
  std::int64_t step_ns = 1;
  [[nodiscard]] std::int64_t now() const {
    const std::int64_t ns = monotonic_raw_ns();
    return ns - ns % step_ns;
  }
};

// Why the processor's counter can or cannot be trusted here. On x86: constant_tsc, nonstop_tsc, and
// the kernel's own clock source must be the TSC. On Arm the system counter has a constant rate and
// never stops (Arm ARM, The Generic Timer); what remains is that the kernel itself uses it
// (arch_sys_counter). Reads `root`/proc/cpuinfo and `root`/sys/...; tests pass a fake root.
// `reason` is empty if it can.
struct TscTrust {
  bool trusted = false;
  std::string reason = {};
};
TscTrust tsc_trust(const std::string& root = "", Counter counter = kCounter);

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
