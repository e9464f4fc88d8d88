// Fixed probes, the same for every library: canaries through the shared page and of the core alone,
// and the comparison of two CPUs' clocks.
#pragma once

#include <algorithm>
#include <cstdint>

#include "engine/sync/sync.hpp"
#include "engine/timed/delay.hpp"
#include "group/page.hpp"

namespace invar::engine {

constexpr std::uint32_t kCanaryTrips = 31;
// Trips between sockets take several times as long: fewer, so that a visit's start stays as short.
constexpr std::uint32_t kAcrossTrips = 15;
// A multiplication takes 3 cycles on most processors: about 1 us, so that a clock's step of some ns
// is less than the 2 % that frequencies are told apart by.
constexpr DelayChain kCanaryChain{.steps = 1000};
constexpr int kChainTries = 5;

// Until the partner has written `value`; calls its watch every few thousand reads.
inline void spin_until(const std::atomic<std::uint32_t>& word, std::uint32_t value, Watch watch,
                       void* context) {
  for (std::uint32_t spins = 1; word.load(std::memory_order_acquire) != value; ++spins) {
    if ((spins & kSpinsALook) == 0) watch(context);
  }
}

// Median of `count` round trips (up to kCanaryTrips) of a cache line between two ranks of a host,
// in ticks; called by both (`sender` and its partner), the result is the sender's (0 for the
// partner). It shows the regime that a shared machine is in (docs/methods.md, Regimes). Both words
// are this pair's alone; they have the same value before and after.
template <typename Clock>
std::int64_t canary_ticks(std::atomic<std::uint32_t>& ping, std::atomic<std::uint32_t>& pong,
                          std::uint32_t count, bool sender, Clock clock, Watch watch,
                          void* context) {
  const std::uint32_t base = pong.load(std::memory_order_acquire);
  std::int64_t trips[kCanaryTrips] = {};
  for (std::uint32_t i = 1; i <= count; ++i) {
    if (sender) {
      const std::int64_t before = clock.now();
      ping.store(base + i, std::memory_order_release);
      spin_until(pong, base + i, watch, context);
      trips[i - 1] = clock.now() - before;
    } else {
      spin_until(ping, base + i, watch, context);
      pong.store(base + i, std::memory_order_release);
    }
  }
  if (!sender) return 0;
  std::nth_element(trips, trips + count / 2, trips + count);
  return trips[count / 2];
}

// Ticks of a fixed chain of dependent multiplications, the shortest of several: what is left of it
// without interrupts follows the core's clock alone. One rank's own, no memory in it.
template <typename Clock>
std::int64_t chain_ticks(Clock clock) {
  std::int64_t least = 0;
  for (int i = 0; i < kChainTries; ++i) {
    const std::int64_t before = clock.now();
    kCanaryChain();
    const std::int64_t ticks = clock.now() - before;
    least = i == 0 ? ticks : std::min(least, ticks);
  }
  return least;
}

// Bounds of local - remote clock from four-timestamp exchanges: lo = max(L1 - R2),
// hi = min(L4 - R3) (docs/clocks.md, Estimators of a pair).
struct OffsetBounds {
  std::int64_t low_ticks = 0;
  std::int64_t high_ticks = 0;
};

// Between local rank 0 (local) and `other` (remote), called by both; the result is rank 0's.
template <typename Clock>
OffsetBounds offset_bounds(const group::Page& page, std::uint32_t other, Clock clock, Watch watch,
                           void* context) {
  constexpr std::uint32_t kExchanges = 100;
  group::ArmPage& arm = page.mine();
  const bool local = page.place().local_rank == 0;
  const std::uint32_t base = arm.pong.load(std::memory_order_acquire);
  OffsetBounds bounds{INT64_MIN, INT64_MAX};
  if (!local && page.place().local_rank != other) return bounds;
  for (std::uint32_t i = 1; i <= kExchanges; ++i) {
    if (local) {
      const std::int64_t sent = clock.now();
      arm.ping.store(base + i, std::memory_order_release);
      spin_until(arm.pong, base + i, watch, context);
      const std::int64_t received = clock.now();
      bounds.low_ticks = std::max(bounds.low_ticks, sent - arm.remote_receive_ticks.load());
      bounds.high_ticks = std::min(bounds.high_ticks, received - arm.remote_send_ticks.load());
    } else {
      spin_until(arm.ping, base + i, watch, context);
      arm.remote_receive_ticks.store(clock.now(), std::memory_order_relaxed);
      arm.remote_send_ticks.store(clock.now(), std::memory_order_relaxed);
      arm.pong.store(base + i, std::memory_order_release);
    }
  }
  return bounds;
}

}  // namespace invar::engine
