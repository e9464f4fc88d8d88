// An amount of time as levels of factors have it: nanoseconds, "10000ns", or times the time that a
// call takes, "0.5x".
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace invar::record {

struct Amount {
  // One of the two, above 0.
  double ns = 0;
  double calls = 0;

  // Where a call takes so long.
  [[nodiscard]] double seconds(double calls_s) const { return ns * 1e-9 + calls * calls_s; }
  // Longer than 1 s, or than 1000 calls: nobody means that.
  [[nodiscard]] bool too_long() const { return ns > kLongestNs || calls > kMostCalls; }
  bool operator==(const Amount&) const = default;

  static constexpr double kLongestNs = 1e9;
  static constexpr double kMostCalls = 1000;
};

// As in plans. Nothing for other texts.
std::optional<Amount> parse_amount(std::string_view text);

// As people write it, with any unit of time: as plans have it. Nothing for what is not an amount.
std::optional<std::string> planned_amount(std::string_view written);

}  // namespace invar::record
