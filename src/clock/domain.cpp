#include "clock/domain.hpp"

namespace invar::clock {
namespace {

constexpr std::int64_t kApartPs = 10'000'000'000;

// Ticks are stored in whole numbers: bounds may be off by the rounding of their two readings.
constexpr std::int64_t kRoundingPs = 1000;

bool brackets_zero(const Burst& burst) {
  return burst.lowest_ps <= kRoundingPs && burst.highest_ps >= -kRoundingPs;
}

}  // namespace

DomainVerdict same_domain(const ClockIdentity& a, const ClockIdentity& b, PingPongs early,
                          PingPongs late) {
  if (a.boot_id.empty() || a.boot_id != b.boot_id) return {false, "different hosts (boot id)"};
  if (a.time_namespace != b.time_namespace) return {false, "different time namespaces"};
  if (a.source != b.source || a.kernel_source != b.kernel_source) {
    return {false, "different clock sources"};
  }
  if (a.origin != b.origin) return {false, "different origins of their time"};
  if (early.empty() || late.empty()) return {false, "no ping-pongs"};
  if (late.front().local_send_ps - early.back().local_receive_ps < kApartPs) {
    return {false, "the batches are less than 10 ms apart"};
  }
  for (const PingPongs batch : {early, late}) {
    const Burst burst = summarise(batch);
    if (!brackets_zero(burst)) {
      return {false, "an answer came before its question by " +
                         std::to_string(
                             (burst.lowest_ps > 0 ? burst.lowest_ps : -burst.highest_ps) / 1000) +
                         " ns of the other clock"};
    }
  }
  return {true, {}};
}

}  // namespace invar::clock
