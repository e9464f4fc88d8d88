// What is wrong with a message that is not what was sent: said so that whoever looks for the reason
// knows where to begin. Slow, for faults alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "ops/stress/stress_patterns.hpp"

namespace invar::ops {

struct StressDifference {
  std::string_view fault = {};  // record::stress_fault
  std::string what = {};        // "1 bit differs: bit 3 of byte 5173"
  std::size_t offset_bytes = 0;
  std::string expected = {};  // some bytes from there on, hexadecimal
  std::string found = {};
};

// Another message whose data may have come instead.
struct OtherStressMessage {
  StressContent content = {};
  std::size_t size_bytes = 0;
  std::string_view fault = {};  // what it is then: stale, swapped, other-message
  std::string name = {};        // "message 17 of this pair, sent before"
};

// Nothing where `found` is the content. The likeliest others come first. A poisoned byte is one
// that nobody wrote.
std::optional<StressDifference> difference_of(std::span<const std::byte> found,
                                              const StressContent& content,
                                              std::span<const OtherStressMessage> others);

// "00 1f 80": at most so many bytes of them.
std::string hexadecimal(std::span<const std::byte> bytes, std::size_t most = 8);

}  // namespace invar::ops
