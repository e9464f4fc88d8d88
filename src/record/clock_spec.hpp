// What an engine is to find out about clocks: the orders of `invar clocks` (docs/clocks.md).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace invar::record {

// Clocks that are wrong by a known amount: on top of the real one, rank by rank, so that the true
// error of a synchronisation is known where all ranks read one real clock. Rank 0's is the real
// one; rank r has the values of place r - 1, and the last one if there are fewer.
struct VirtualClocks {
  std::vector<double> offset_s = {};
  std::vector<double> skew = {};  // +13e-6: gains 13 us in a second
  double wander = 0;              // random walk of the skew: standard deviation after one second
  double latency_s = 0;           // added to every message between two ranks
  std::uint64_t seed = 1;         // of the wander

  [[nodiscard]] bool any() const {
    return !offset_s.empty() || !skew.empty() || wander > 0 || latency_s > 0;
  }
  bool operator==(const VirtualClocks&) const = default;
};

struct ClockSpec {
  std::string experiment = "accuracy";
  std::string clock = "auto";                // auto | tsc | monotonic-raw | mpi-wtime
  std::vector<std::string> algorithms = {};  // "hca3:fit-points=100"
  std::vector<double> after_s = {0};  // when the error is looked at, after the last rank's end
  std::uint32_t repetitions = 1;      // of each algorithm
  std::string pinning = "core";
  std::vector<std::uint32_t> cpus = {};  // as in LaunchSpec
  VirtualClocks virtual_clocks = {};

  bool operator==(const ClockSpec&) const = default;
};

std::string clock_spec_text(const ClockSpec& spec);
// Throws UserError with every fault; `place` names the file.
ClockSpec read_clock_spec(std::string_view text, const std::string& place);

}  // namespace invar::record
