// Rates over message sizes, and the size from which half of the largest one is reached
// (docs/methods.md, "Latency, bandwidth, queues").
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/p2p/message_places.hpp"
#include "analysis/p2p/rates.hpp"
#include "record/cell.hpp"

namespace invar::analysis {

// A cell with messages in an arm.
struct RateRow {
  std::string arm = {};
  record::Cell cell = {};
  std::uint32_t index = 0;  // of the cell, into Data::cells
  std::size_t place = 0;
  std::string time_name = {};  // "span", "round trip": what the rates follow from
  TimeEstimate time = {};
  std::optional<Rate> bandwidth_gb_s = {};  // none: empty messages, or no time
  std::optional<Rate> messages_per_s = {};  // none: copies in memory, or no time
};

// By arm, then in the order of the plan; cells with full queues are none of them.
std::vector<RateRow> rate_rows(const MeasuredMessages& measured);

struct RatePoint {
  double size_bytes = 0;
  double rate = 0;

  bool operator==(const RatePoint&) const = default;
};

// Sizes that were measured, from the smallest to the largest of them.
struct SizeRange {
  std::uint64_t low_bytes = 0;
  std::uint64_t high_bytes = 0;
  bool to_the_end = false;  // nothing larger was measured

  bool operator==(const SizeRange&) const = default;
};

// The size from which half of the largest rate is reached. Between two sizes the rate is taken to
// follow a straight line on logarithmic scales.
struct HalfSize {
  double bytes = 0;
  // The sizes that were measured around it; equal where the smallest one has it already.
  double low_bytes = 0;
  double high_bytes = 0;
  // Holds these two. None also where the smallest size of some launch group has it already.
  std::optional<stats::Interval> interval = {};
  bool or_less = false;  // the smallest size has it already
  // Larger sizes that surely do not have it again.
  std::vector<SizeRange> lost = {};

  // More is not known than between which sizes it lies, because these are far apart.
  [[nodiscard]] bool is_bracket() const { return !or_less && high_bytes > kFarApart * low_bytes; }

 private:
  static constexpr double kFarApart = 4;
};

// The points of a curve ascend by size and have rates above 0. None: there are fewer than two.
std::optional<HalfSize> half_rate_size(std::span<const RatePoint> ascending);

// What is said of a place in an arm.
struct PlaceRates {
  // There are no messages in a row: of ping-pongs, whose rates are bound by one message's time.
  bool ping_pongs = false;
  std::optional<Rate> bandwidth_gb_s = {};  // the largest
  std::uint64_t bandwidth_bytes = 0;        // at this size
  std::uint32_t window = 1;                 // of the curve: so many messages in a row
  std::optional<Rate> longest_gb_s = {};    // at the largest size of the same curve
  std::uint64_t longest_bytes = 0;
  bool grows = false;                       // up to the largest size that was measured
  std::optional<Rate> messages_per_s = {};  // the most
  std::optional<HalfSize> half = {};
};

// Rates of messages in a row, on the curve of the window that has the largest rate. Without
// messages in a row they are those of ping-pongs. What is too long for the curve's window is
// measured with fewer in a row: there the curve goes on with the largest smaller window that has
// the size. Only messages_per_s is the most of all windows.
PlaceRates rates_of_place(const MeasuredMessages& measured, std::uint32_t arm, std::size_t place,
                          std::span<const RateRow> rows);

}  // namespace invar::analysis
