// What SimGrid reads, as numbers: seconds and bytes. A section holds for sizes above its boundary
// up to the next one's.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "platform/platform_model.hpp"

namespace invar::platform {

// What a message has more on the wire: factors are looked up by the size with it.
constexpr std::uint64_t kEnvelopeBytes = 16;

// What MPI_Send, MPI_Isend or MPI_Recv take. Up to the first boundary the first section holds, too.
struct OverheadSection {
  std::uint64_t above_bytes = 0;
  double intercept_s = 0;
  double slope_s = 0;
  bool operator==(const OverheadSection&) const = default;
};

// What bandwidth or latency is multiplied by. Up to the first boundary it is 1.
struct FactorSection {
  std::uint64_t above_bytes = 0;
  double factor = 1;
  bool operator==(const FactorSection&) const = default;
};

struct SimgridPlatform {
  std::vector<OverheadSection> send = {};
  std::vector<OverheadSection> isend = {};
  std::vector<OverheadSection> receive = {};
  std::vector<FactorSection> bandwidth_factor = {};
  std::vector<FactorSection> latency_factor = {};
  std::uint64_t detached_bytes = kMostBytes;  // smaller messages are detached
  std::uint64_t async_bytes = kMostBytes;
  double latency_s = 0;             // of a route
  double pair_bandwidth_bps = 0;    // bytes a second that one flow reaches at most
  double shared_bandwidth_bps = 0;  // that flows reach together
  PairsAre pairs_are = PairsAre::kBetweenHosts;
  std::optional<double> wtime_s = {};
  std::optional<double> test_s = {};
  std::optional<double> iprobe_s = {};
  std::string selector = {};
};

// What the bandwidth factors are relative to: the tightest link on a route.
double flow_bandwidth_bps(const SimgridPlatform& platform);

}  // namespace invar::platform
