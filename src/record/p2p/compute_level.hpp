// What ranks compute while their messages are under way: the levels of the factor `compute`.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "record/factors.hpp"

namespace invar::record {

struct Compute {
  // One of the two.
  double ns = 0;
  double calls = 0;    // multiples of the time that the call takes without any computation
  bool alone = false;  // no message is sent: the computation by itself

  [[nodiscard]] bool off() const { return ns == 0 && calls == 0; }
  bool operator==(const Compute&) const = default;
};

// What computes: a chain of dependent multiplications, or a loop that streams memory; and on which
// ranks. As in plans.
constexpr std::array<std::string_view, 2> kComputeKernels{"chain", "memory"};
constexpr std::array<std::string_view, 3> kComputeSides{"both", "starts", "answers"};
constexpr std::uint32_t kMostProgressCalls = 10'000;

// As in plans: "off", "10000ns", "0.5x", "only:10000ns", "only:0.5x". Nothing for other texts.
std::optional<Compute> parse_compute(std::string_view text);

// As people write it: with any unit of time, up to 1 s or 1000 calls.
LevelText compute_level(std::string_view written);

// The level of that computation by itself: "only:0.5x" of "0.5x".
std::string compute_alone(std::string_view level);

// Overlap is a statement about three cells: an amount of computation stands for itself beside the
// messages and for itself alone ("only:"); "off" and a written "only:" stand for themselves.
std::vector<std::string> expand_compute(std::string_view level, std::uint32_t ranks);

}  // namespace invar::record
