#include "ops/stress/stress_state.hpp"

#include <string>

#include "base/text.hpp"

namespace invar::ops {

record::StressFault StressState::hanging(int rank, double seconds) const {
  const Doing doing = doing_.load(std::memory_order_relaxed);
  record::StressFault fault{.fault = std::string(record::stress_fault::kHang),
                            .rank = static_cast<std::uint32_t>(rank)};
  const std::string time = base::shortest_text(seconds) + " s";
  if (doing == Doing::kResting || doing == Doing::kAgreeing) {
    fault.what = "waited " + time + " for the other ranks";
    return fault;
  }
  fault.kind = record::name_of(kind_.load(std::memory_order_relaxed));
  fault.operation = operation_.load(std::memory_order_relaxed);
  fault.size_bytes = size_bytes_.load(std::memory_order_relaxed);
  fault.message = message_.load(std::memory_order_relaxed);
  if (doing == Doing::kCollective) {
    fault.what = "the call did not come to its end within " + time;
    return fault;
  }
  fault.from = static_cast<std::uint32_t>(from_.load(std::memory_order_relaxed));
  fault.to = static_cast<std::uint32_t>(to_.load(std::memory_order_relaxed));
  fault.what =
      (doing == Doing::kSending ? "it did not leave within " : "it did not come within ") + time;
  return fault;
}

}  // namespace invar::ops
