// The messages of a reference algorithm, as somebody sees them who counts and cannot look into the
// library: how many go from one rank to another, and how much. And in which order a rank waits for
// them, which nobody sees, but by which two algorithms of equal messages differ.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ops/schedules/schedule.hpp"

namespace invar::ops {

struct MessageCount {
  int from = 0;
  int to = 0;
  std::uint64_t messages = 0;  // those without elements, too
  std::uint64_t elements = 0;

  bool operator==(const MessageCount&) const = default;
};

// The messages of all ranks, by `from`, then `to`. Pairs without messages are left out. `at.rank`
// counts for nothing.
std::vector<MessageCount> message_counts(const Algorithm& algorithm, Position at);

// The same text for algorithms that post, wait for, copy and combine the same on every rank in the
// same order, whatever memory they use; 16 digits. With two ranks a chain, a binomial tree and a
// ring are often one and the same.
std::string order_of_steps(const Algorithm& algorithm, Position at);

}  // namespace invar::ops
