#include "analysis/p2p/queues.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "analysis/study/times.hpp"
#include "analysis/words/numbers.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "stats/model/line.hpp"

namespace invar::analysis {
namespace {

std::string kind_text(const WaitingQueue& waits) {
  std::string text = waits.unexpected ? "unexpected, " : "pending, ";
  switch (waits.queue.kind) {
    case record::QueueKind::kSamePeer:
      return text + "same peer";
    case record::QueueKind::kAnySource:
      return text + "any source";
    case record::QueueKind::kOtherCommunicator:
      return text + "other communicator";
    case record::QueueKind::kNone:
      break;
  }
  return {};
}

// A ping-pong is two messages one after the other, each of which meets the queue of its receiver; a
// window is as many.
double messages_in_a_row(const record::Cell& cell) {
  return cell.operation == kPingPong ? 2 : cell.window;
}

struct QueueEntry {
  std::uint32_t count = 0;
  const CellVisits* visits = nullptr;
};

// All counts of one kind, and the cell without any.
struct QueueCurve {
  record::Cell cell = {};
  std::string kind = {};
  std::vector<QueueEntry> entries = {};  // ascending by count
};

// Operation, size, window, kind of queue.
using QueueKey =
    std::tuple<std::string, std::optional<std::uint64_t>, std::uint32_t, bool, record::QueueKind>;

QueueKey queue_key(const record::Cell& cell, const WaitingQueue& waits) {
  return {cell.operation, cell.size_bytes, cell.window, waits.unexpected, waits.queue.kind};
}

std::vector<QueueCurve> queue_curves(const MeasuredMessages& measured, std::uint32_t arm,
                                     std::size_t place) {
  std::map<QueueKey, QueueCurve> curves;
  std::map<QueueKey, const CellVisits*> empty;
  for (std::uint32_t i = 0; i < measured.data.cells.size(); ++i) {
    const record::Cell& cell = measured.data.cells[i];
    const CellVisits& visits = measured.visits(i, arm);
    if (!measured.is_in(i, place) || visits.empty() || goes_back(cell)) continue;
    const std::optional<WaitingQueue> waits = waiting_queue(cell);
    if (!waits) continue;
    if (waits->queue.kind == record::QueueKind::kNone) {
      empty.try_emplace(queue_key(cell, {}), &visits);
      continue;
    }
    QueueCurve& curve = curves[queue_key(cell, *waits)];
    curve.cell = without_queues(cell);
    curve.cell.family.clear();
    curve.kind = kind_text(*waits);
    // The same levels may stand in several families.
    if (std::ranges::find(curve.entries, waits->queue.count, &QueueEntry::count) ==
        curve.entries.end()) {
      curve.entries.push_back({waits->queue.count, &visits});
    }
  }
  std::vector<QueueCurve> all;
  for (auto& [key, curve] : curves) {
    const auto without = empty.find(queue_key(curve.cell, {}));
    if (without != empty.end()) curve.entries.push_back({0, without->second});
    std::ranges::stable_sort(curve.entries, {}, &QueueEntry::count);
    all.push_back(std::move(curve));
  }
  return all;
}

bool any_in_batches(const CellVisits& visits) {
  return std::ranges::any_of(visits.launches, in_batches);
}

// Without those that are timed otherwise than the longest queue: between a batch of calls and
// single ones lies more than the queue.
std::vector<QueueEntry> timed_alike(const QueueCurve& curve) {
  const bool batches = any_in_batches(*curve.entries.back().visits);
  std::vector<QueueEntry> alike;
  std::ranges::copy_if(curve.entries, std::back_inserter(alike), [&](const QueueEntry& entry) {
    return any_in_batches(*entry.visits) == batches;
  });
  return alike;
}

// Times of a message in a launch group, of entry after entry.
struct QueueGroup {
  std::vector<std::size_t> entries = {};  // indices
  std::vector<double> counts = {};
  std::vector<double> times_ns = {};

  [[nodiscard]] std::optional<double> time_ns(std::size_t entry) const {
    const auto at = std::ranges::find(entries, entry);
    if (at == entries.end()) return std::nullopt;
    return times_ns[static_cast<std::size_t>(at - entries.begin())];
  }
};

std::vector<QueueGroup> groups_of(const std::vector<QueueEntry>& entries, double messages) {
  std::map<std::uint32_t, QueueGroup> groups;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    for (const LaunchVisits& launch : entries[i].visits->launches) {
      if (!(launch.median_ns > 0)) continue;
      QueueGroup& group = groups[launch.group];
      group.entries.push_back(i);
      group.counts.push_back(entries[i].count);
      group.times_ns.push_back(launch.median_ns / messages);
    }
  }
  std::vector<QueueGroup> all;
  all.reserve(groups.size());
  for (auto& [number, group] : groups) all.push_back(std::move(group));
  return all;
}

// One a launch group that has two counts at least; every count is there once.
std::vector<double> slopes_ns(const std::vector<QueueGroup>& groups) {
  std::vector<double> slopes;
  for (const QueueGroup& group : groups) {
    if (group.counts.size() < 2) continue;
    slopes.push_back(stats::fit_line(group.counts, group.times_ns).slope);
  }
  return slopes;
}

// Least variance that the clock's step allows, in ns squared, of the slope between two entries.
double slope_floor(const QueueEntry& least, const QueueEntry& most, double messages) {
  const double range = static_cast<double>(most.count) - static_cast<double>(least.count);
  double floor = 0;
  for (const CellVisits* const one : {least.visits, most.visits}) {
    floor += one->variance_floor() * one->typical_ns() * one->typical_ns();
  }
  return floor / (messages * messages * range * range);
}

// Each group's times are held against its own line: of no count the mean of what is left over may
// surely be more than the smallest effect of the time itself. Bonferroni over the counts. None: two
// counts are always a line, and one group has no errors to judge by.
std::optional<bool> is_line(const std::vector<QueueEntry>& entries,
                            const std::vector<QueueGroup>& groups, double confidence,
                            double min_effect) {
  if (entries.size() < 3) return std::nullopt;
  std::vector<std::vector<double>> left_over(entries.size());  // relative, by entry
  for (const QueueGroup& group : groups) {
    if (group.counts.size() < entries.size()) continue;
    const stats::LineFit line = stats::fit_line(group.counts, group.times_ns);
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const double expected_ns = line.intercept + line.slope * group.counts[i];
      left_over[i].push_back((group.times_ns[i] - expected_ns) / group.times_ns[i]);
    }
  }
  if (left_over.front().size() < 2) return std::nullopt;
  const double of_each = 1 - (1 - confidence) / static_cast<double>(entries.size());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const double floor = entries[i].visits->variance_floor();
    const GroupEstimate mean = mean_over_groups(left_over[i], floor, of_each);
    const double low = mean.interval ? mean.interval->low : mean.value;
    const double high = mean.interval ? mean.interval->high : mean.value;
    if (low > min_effect || high < -min_effect) return false;
  }
  return true;
}

// What an entry costs on average of those between the fewest and these; none: no group has both.
std::optional<GroupEstimate> average_cost(const std::vector<QueueEntry>& entries,
                                          const std::vector<QueueGroup>& groups, std::size_t entry,
                                          double messages, double confidence) {
  const double range =
      static_cast<double>(entries[entry].count) - static_cast<double>(entries.front().count);
  if (!(range > 0)) return std::nullopt;
  std::vector<double> values;
  for (const QueueGroup& group : groups) {
    const std::optional<double> least = group.time_ns(0);
    const std::optional<double> own = group.time_ns(entry);
    if (least && own) values.push_back((*own - *least) / range);
  }
  if (values.empty()) return std::nullopt;
  return mean_over_groups(values, slope_floor(entries.front(), entries[entry], messages),
                          confidence);
}

// An average over few entries may be anything: the largest is one whose interval is at most half as
// wide as itself, and in the range are those whose interval is at most half as wide as that.
void set_range(const std::vector<GroupEstimate>& averages, QueueCost& cost) {
  const auto is_told = [](const GroupEstimate& one, double against_ns) {
    return one.interval && (one.interval->high - one.interval->low) / 2 < against_ns / 4;
  };
  for (const GroupEstimate& one : averages) {
    if (is_told(one, one.value)) cost.most_ns = std::max(cost.most_ns, one.value);
  }
  cost.least_ns = cost.most_ns;
  for (const GroupEstimate& one : averages) {
    if (is_told(one, cost.most_ns)) {
      cost.least_ns = std::min(cost.least_ns, std::max(0.0, one.value));
    }
  }
}

// "0.001": rounded up, to one digit that is not zero.
std::string bound_text(double bound_ns) {
  constexpr double kLeastNs = 0.001;
  const double unit = std::pow(10, std::floor(std::log10(std::max(bound_ns, kLeastNs))));
  const double rounded = std::max(std::ceil(bound_ns / unit) * unit, kLeastNs);
  return fmt::format("{:.{}f} ns", rounded,
                     std::max(0, -static_cast<int>(std::floor(std::log10(rounded) + 1e-9))));
}

class QueueTeller {
 public:
  explicit QueueTeller(const MeasuredMessages& measured) : measured_(measured) {}

  Queues tell() {
    for (std::uint32_t arm = 0; arm < measured_.data.arms.size(); ++arm) {
      for (std::size_t place = 0; place < measured_.places.count(); ++place) {
        for (const QueueCurve& curve : queue_curves(measured_, arm, place)) {
          add(curve, measured_.data.arms[arm].label, place);
        }
      }
    }
    return std::move(found_);
  }

 private:
  void add(const QueueCurve& curve, const std::string& label, std::size_t place) {
    const double messages = messages_in_a_row(curve.cell);
    const double confidence = measured_.confidence;
    const std::vector<QueueEntry> alike = timed_alike(curve);
    const std::vector<QueueGroup> groups = groups_of(alike, messages);
    std::vector<GroupEstimate> averages;
    for (const QueueEntry& entry : curve.entries) {
      const auto time = time_estimate(*entry.visits, confidence);
      if (!time) continue;
      QueueRow row{.arm = label,
                   .cell = curve.cell,
                   .place = place,
                   .kind = curve.kind,
                   .count = entry.count,
                   .time = scaled(*time, 1 / messages)};
      const auto at = std::ranges::find(alike, entry.count, &QueueEntry::count);
      if (at != alike.end()) {
        row.per_entry_ns = average_cost(alike, groups, static_cast<std::size_t>(at - alike.begin()),
                                        messages, confidence);
      }
      if (row.per_entry_ns) averages.push_back(*row.per_entry_ns);
      found_.rows.push_back(std::move(row));
    }
    if (alike.size() < curve.entries.size()) warn_of_batches(curve, label);
    if (alike.size() < 2 || alike.front().count == alike.back().count) return;
    const std::vector<double> slopes = slopes_ns(groups);
    if (slopes.empty()) return;
    QueueCost cost{.arm = label,
                   .cell = curve.cell,
                   .place = place,
                   .kind = curve.kind,
                   .most = alike.back().count,
                   .line = is_line(alike, groups, confidence, measured_.min_effect)};
    if (cost.line.value_or(true)) {
      cost.per_entry_ns =
          mean_over_groups(slopes, slope_floor(alike.front(), alike.back(), messages), confidence);
    }
    set_range(averages, cost);
    found_.costs.push_back(std::move(cost));
  }

  void warn_of_batches(const QueueCurve& curve, const std::string& label) {
    found_.warnings.emplace_back(
        label + ": some calls of " + record::cell_text(curve.cell) + " with queues (" + curve.kind +
        ") are so short that they are timed in batches, and others are not: the line over the "
        "entries is of those that are timed as the longest queue is");
  }

  const MeasuredMessages& measured_;
  Queues found_ = {};
};

}  // namespace

std::string cost_text(const QueueCost& cost) {
  if (cost.is_nothing()) {
    const stats::Interval& interval = *cost.per_entry_ns->interval;
    return "nothing (below " + bound_text(std::max(interval.high, -interval.low)) + ")";
  }
  const auto text_of = [](const GroupEstimate& estimate) {
    return time_text({.median_ns = estimate.value, .interval_ns = estimate.interval});
  };
  if (cost.per_entry_ns) {
    const EstimateText text = text_of(*cost.per_entry_ns);
    return text.estimate + (text.interval.empty() ? "" : " " + text.interval);
  }
  if (!(cost.most_ns > 0)) return "not a line";
  const std::string least = cost.least_ns < 0.005 ? "0" : fmt::format("{:.2f}", cost.least_ns);
  return fmt::format("{} to {:.2f} ns, not a line", least, cost.most_ns);
}

Queues queues_of(const MeasuredMessages& measured) { return QueueTeller(measured).tell(); }

}  // namespace invar::analysis
