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

// The size from which half of the largest rate is reached. Between two sizes the rate is taken to
// follow a straight line on logarithmic scales.
struct HalfSize {
  double bytes = 0;
  // None also where the smallest size of some launch group has it already.
  std::optional<stats::Interval> interval = {};
  bool or_less = false;  // the smallest size has it already
};

// Of a curve whose points ascend by size and have rates above 0. None: there are fewer than two.
std::optional<HalfSize> half_rate_size(std::span<const RatePoint> ascending);

// What is said of a place in an arm.
struct PlaceRates {
  std::optional<Rate> bandwidth_gb_s = {};  // the largest
  std::uint64_t bandwidth_bytes = 0;        // at this size
  std::uint32_t window = 1;                 // with so many messages in a row
  bool grows = false;                       // up to the largest size that was measured
  std::optional<Rate> messages_per_s = {};  // the most, of messages in a row
  std::optional<HalfSize> half = {};
};

// Of messages in a row, of the window that has the largest rate; where there are none, of
// ping-pongs, whose number of messages is their latency and says nothing more.
PlaceRates rates_of_place(const MeasuredMessages& measured, std::uint32_t arm, std::size_t place,
                          std::span<const RateRow> rows);

}  // namespace invar::analysis
