// Clocks that are wrong on purpose, by a known amount.
#pragma once

#include <cstdint>
#include <vector>

namespace invar::record {

// Clocks that are wrong by a known amount: on top of the real one, rank by rank, so that the true
// error of a synchronisation is known where all ranks read one real clock. Rank 0's is the real
// one; rank r has the values of place r - 1, and the last one if there are fewer.
struct VirtualClocks {
  std::vector<double> offset_s = {};
  std::vector<double> skew = {};  // +13e-6: gains 13 us in a second
  double wander = 0;              // random walk of the skew: standard deviation after one second
  double latency_s = 0;           // added to every message of the clocks' synchronisation
  std::uint64_t seed = 1;         // of the wander

  [[nodiscard]] bool any() const {
    return !offset_s.empty() || !skew.empty() || wander > 0 || latency_s > 0;
  }
  bool operator==(const VirtualClocks&) const = default;
};

// Their keys in what the driver tells the engine (key_values.hpp).
template <typename Clocks, typename Visit>
void visit_virtual_clocks(Clocks& clocks, Visit visit) {
  visit("virtual_offset_s", clocks.offset_s);
  visit("virtual_skew", clocks.skew);
  visit("virtual_wander", clocks.wander);
  visit("virtual_latency_s", clocks.latency_s);
  visit("virtual_seed", clocks.seed);
}

}  // namespace invar::record
