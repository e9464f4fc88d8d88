#include "analysis/p2p/message_places.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "analysis/study/select.hpp"
#include "base/text.hpp"
#include "record/factors.hpp"
#include "record/p2p/pattern.hpp"
#include "stats/describe/moments.hpp"
#include "stats/test/student.hpp"

namespace invar::analysis {
namespace {

// What an answer puts side by side, besides operation, size and direction.
constexpr std::array<std::string_view, 3> kSideBySide{"window", "pending", "unexpected"};

bool is_side_by_side(const record::Factor& factor, const PlaceRules& rules) {
  switch (factor.role) {
    case record::FactorRole::kSubject:
    case record::FactorRole::kDerived:
    case record::FactorRole::kFamily:
    case record::FactorRole::kScheme:
      return true;
    default:
      return std::ranges::find(rules.side_by_side, factor.name) != rules.side_by_side.end();
  }
}

record::Cell forth(record::Cell cell) {
  std::optional<record::Pattern> pattern = record::parse_pattern(cell.pattern);
  if (!pattern || !pattern->back) return cell;
  pattern->back = false;
  cell.pattern = record::pattern_text(*pattern);
  return cell;
}

bool sends_messages(const record::Cell& cell, const record::OperationInfo& info) {
  return info.messages != record::Messages::kNone && cell.scheme == record::kOwnScheme &&
         cell.compute == record::Cell().compute;
}

// What the operations of the data say of themselves, each asked for once.
class DescribedOperations {
 public:
  explicit DescribedOperations(const store::Data& data) : data_(data) {}

  const record::OperationInfo& operator()(const std::string& name) {
    const auto [known, is_new] = operations_.try_emplace(name);
    if (is_new) known->second = data_.operation(name);
    return known->second;
  }

 private:
  const store::Data& data_;
  std::map<std::string, record::OperationInfo> operations_ = {};
};

}  // namespace

std::optional<WaitingQueue> waiting_queue(const record::Cell& cell) {
  const record::Queue none;
  const record::Queue pending = record::parse_queue(cell.pending).value_or(none);
  const record::Queue unexpected = record::parse_queue(cell.unexpected).value_or(none);
  if (pending != none && unexpected != none) return std::nullopt;
  if (unexpected != none) return WaitingQueue{.unexpected = true, .queue = unexpected};
  return WaitingQueue{.queue = pending};
}

record::Cell without_queues(record::Cell cell) {
  const record::Cell usual;
  cell.pending = usual.pending;
  cell.unexpected = usual.unexpected;
  return cell;
}

bool goes_back(const record::Cell& cell) {
  const std::optional<record::Pattern> pattern = record::parse_pattern(cell.pattern);
  return pattern && pattern->back;
}

bool any_messages(const store::Data& data) {
  DescribedOperations described(data);
  return std::ranges::any_of(data.cells, [&](const record::Cell& cell) {
    return sends_messages(cell, described(cell.operation));
  });
}

MessagePlaces::MessagePlaces(const store::Data& data)
    : MessagePlaces(data, {.side_by_side = kSideBySide}) {}

MessagePlaces::MessagePlaces(const store::Data& data, const PlaceRules& rules) {
  std::vector<const record::Factor*> told;
  for (const record::Factor& factor : record::factors()) {
    if (!is_side_by_side(factor, rules)) told.push_back(&factor);
  }
  DescribedOperations described(data);
  const std::vector<bool> has_visits = cells_with_visits(data);
  std::map<std::vector<std::string>, std::size_t> known;  // by the levels of `told`
  std::vector<record::Cell> examples;                     // of each place
  std::vector<std::vector<std::string>> levels_of;        // likewise
  for (std::size_t i = 0; i < data.cells.size(); ++i) {
    const record::Cell& cell = data.cells[i];
    const record::OperationInfo& info = described(cell.operation);
    const bool says = sends_messages(cell, info) && (rules.takes == nullptr || rules.takes(cell));
    if (!has_visits[i] || !says) {
      places_.emplace_back();
      continue;
    }
    const record::Cell plain = rules.both_directions ? forth(cell) : cell;
    std::vector<std::string> levels;
    levels.reserve(told.size());
    for (const record::Factor* factor : told) {
      levels.push_back(record::unusual_level(*factor, info, plain));
    }
    const auto [place, is_first] = known.try_emplace(levels, examples.size());
    if (is_first) {
      examples.push_back(plain);
      levels_of.push_back(std::move(levels));
    } else if (examples[place->second].operation != kPingPong && cell.operation == kPingPong) {
      examples[place->second] = plain;  // its usual levels are those that nobody has to be told
    }
    places_.emplace_back(place->second);
  }
  for (std::size_t i = 0; i < examples.size(); ++i) {
    std::vector<std::string> words;
    for (std::size_t k = 0; k < told.size(); ++k) {
      const bool differs = std::ranges::any_of(
          levels_of, [&](const auto& other) { return other[k] != levels_of[i][k]; });
      if (differs) words.push_back(record::level_words(*told[k], examples[i]));
    }
    texts_.push_back(base::join(words, ", "));
  }
}

TimeEstimate scaled(const TimeEstimate& time, double times) {
  TimeEstimate result = time;
  result.median_ns *= times;
  if (result.interval_ns) {
    result.interval_ns->low *= times;
    result.interval_ns->high *= times;
  }
  return result;
}

GroupEstimate mean_over_groups(std::span<const double> values, double floor, double confidence) {
  GroupEstimate estimate{.value = stats::mean(values)};
  const auto n = static_cast<double>(values.size());
  const double squared = std::max(stats::variance(values).value_or(0), floor);
  if (values.size() < 2 || !(squared > 0)) return estimate;
  estimate.interval = stats::t_interval(estimate.value, std::sqrt(squared / n), n - 1, confidence);
  return estimate;
}

std::optional<stats::Interval> log_interval_around(double estimate, std::span<const double> values,
                                                   double confidence) {
  std::vector<double> logs;
  logs.reserve(values.size());
  for (const double value : values) logs.push_back(std::log(value));
  const GroupEstimate mean = logs.empty() ? GroupEstimate() : mean_over_groups(logs, 0, confidence);
  if (!mean.interval) return std::nullopt;
  return stats::Interval{.low = std::min(std::exp(mean.interval->low), estimate),
                         .high = std::max(std::exp(mean.interval->high), estimate),
                         .confidence = confidence};
}

}  // namespace invar::analysis
