// Trains whose sender spins between two messages: when it spins for longer than the network needs
// between two, what a message adds beside the delay is the sender's overhead.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "analysis/network/fit/joint_fit.hpp"
#include "analysis/network/fit/resamples.hpp"
#include "analysis/network/network_data.hpp"

namespace invar::analysis {

struct DelayedOverhead {
  ByteRange sizes = {};  // smallest and largest of those that were measured
  std::size_t groups = 0;
  double delay_ns = 0;             // median
  ModelEstimate overhead_ns = {};  // may be below 0
};

// o = (PRTT(n, d, s) - PRTT(1, 0, s)) / (n - 1) - d, by the longest trains with a delay, of sizes
// up to `to_bytes`; a launch group is one value, the median over its sizes; Student's interval over
// groups. None: no size has both in one group. Source: Hoefler et al. 2007, "Low-overhead LogGP
// parameter assessment for modern interconnection networks".
std::optional<DelayedOverhead> delayed_overhead(const NetworkData& data, std::uint64_t to_bytes,
                                                double confidence);

}  // namespace invar::analysis
