// Which cells say something of messages between single ranks, and which of them belong together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/compare/comparison.hpp"
#include "analysis/study/pairs.hpp"
#include "analysis/study/summaries.hpp"
#include "record/cell.hpp"
#include "record/p2p/levels.hpp"
#include "store/reader.hpp"

namespace invar::analysis {

// The operations of which an answer says more than their rates: there and back, one way, and many
// messages in a row.
constexpr std::string_view kPingPong = "pingpong";
constexpr std::string_view kOneWay = "oneway";
constexpr std::string_view kStream = "stream";

// What lies in the receiver's queues while a cell is measured: receives that nothing matches, or
// messages that nobody receives.
struct WaitingQueue {
  bool unexpected = false;
  record::Queue queue = {};  // kNone: both are empty
};
// None where there are both: what either of them costs cannot be told.
std::optional<WaitingQueue> waiting_queue(const record::Cell& cell);
// The same cell with both queues empty.
record::Cell without_queues(record::Cell cell);

// Its messages go the other way round (":back").
bool goes_back(const record::Cell& cell);

// Some cell of the plan says something of messages (MessagePlaces).
bool any_messages(const store::Data& data);

// What an answer puts side by side.
struct PlaceRules {
  std::span<const std::string_view> side_by_side = {};  // factors, besides operation and size
  bool both_directions = true;
  // Which cells count, of those that send messages and compute nothing meanwhile. Null: all.
  bool (*takes)(const record::Cell& cell) = nullptr;
};

// A place is one way to send messages: the levels of all factors but those which an answer puts
// side by side (operation, size, direction, window, queues). What is usual for an operation, as
// non-blocking calls are for messages in a row, is the same place as what is usual for another one.
class MessagePlaces {
 public:
  explicit MessagePlaces(const store::Data& data);
  MessagePlaces(const store::Data& data, const PlaceRules& rules);

  [[nodiscard]] std::size_t count() const { return texts_.size(); }
  // The place of Data::cells[cell]. None: it says nothing of messages, because it sends none,
  // computes meanwhile, is measured as another suite does, has no visits, or the rules leave it
  // out.
  [[nodiscard]] std::optional<std::size_t> of(std::uint32_t cell) const { return places_.at(cell); }
  // "cache cold-flush": what tells it from the others; empty where there is one.
  [[nodiscard]] const std::string& text(std::size_t place) const { return texts_.at(place); }

 private:
  std::vector<std::optional<std::size_t>> places_ = {};  // as Data::cells
  std::vector<std::string> texts_ = {};
};

// What the parts of an answer about messages look at.
struct MeasuredMessages {
  const store::Data& data;
  const MessagePlaces& places;
  const CellTable& table;  // [cell][arm]: by the time that is told of the operation
  std::span<const UntoldVisits> untold = {};
  double confidence = 0.95;
  double min_effect = 0.02;

  [[nodiscard]] const CellVisits& visits(std::uint32_t cell, std::uint32_t arm) const {
    return table[cell][arm];
  }
  [[nodiscard]] bool is_in(std::uint32_t cell, std::size_t place) const {
    return places.of(cell) == place;
  }
};

// Multiplies the time, and its interval, by `times`.
TimeEstimate scaled(const TimeEstimate& time, double times);

// From one value a launch group.
struct GroupEstimate {
  double value = 0;
  // None: a single value, or values without any spread.
  std::optional<stats::Interval> interval = {};
};
// Their mean with Student's interval. `floor`: the least variance of a value that the clock's step
// allows. Throws std::invalid_argument without values.
GroupEstimate mean_over_groups(std::span<const double> values, double floor, double confidence);
// Student's interval of the logarithms, as far as it must be to hold the estimate, which was made
// otherwise. None for a single value, or values that are all equal. Values are above 0.
std::optional<stats::Interval> log_interval_around(double estimate, std::span<const double> values,
                                                   double confidence);

}  // namespace invar::analysis
