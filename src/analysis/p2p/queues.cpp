#include "analysis/p2p/queues.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "analysis/study/times.hpp"
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

// One a launch group that has two counts at least.
std::vector<double> slopes_ns(const std::vector<QueueEntry>& entries, double messages) {
  std::map<std::uint32_t, std::pair<std::vector<double>, std::vector<double>>> groups;
  for (const QueueEntry& entry : entries) {
    for (const LaunchVisits& launch : entry.visits->launches) {
      if (!(launch.median_ns > 0)) continue;
      groups[launch.group].first.push_back(entry.count);
      groups[launch.group].second.push_back(launch.median_ns / messages);
    }
  }
  std::vector<double> slopes;
  for (const auto& [group, points] : groups) {
    // Every count is there once.
    if (points.first.size() < 2) continue;
    slopes.push_back(stats::fit_line(points.first, points.second).slope);
  }
  return slopes;
}

// Least variance of a slope that the clock's step allows, in ns squared.
double slope_floor(const std::vector<QueueEntry>& entries, double messages) {
  const QueueEntry& least = entries.front();
  const QueueEntry& most = entries.back();
  const double range = static_cast<double>(most.count) - static_cast<double>(least.count);
  double floor = 0;
  for (const CellVisits* const one : {least.visits, most.visits}) {
    floor += one->variance_floor() * one->typical_ns() * one->typical_ns();
  }
  return floor / (messages * messages * range * range);
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
    for (const QueueEntry& entry : curve.entries) {
      const auto time = time_estimate(*entry.visits, measured_.confidence);
      if (!time) continue;
      found_.rows.push_back({.arm = label,
                             .cell = curve.cell,
                             .place = place,
                             .kind = curve.kind,
                             .count = entry.count,
                             .time = scaled(*time, 1 / messages)});
    }
    const std::vector<QueueEntry> alike = timed_alike(curve);
    if (alike.size() < curve.entries.size()) warn_of_batches(curve, label);
    if (alike.size() < 2 || alike.front().count == alike.back().count) return;
    const std::vector<double> slopes = slopes_ns(alike, messages);
    if (slopes.empty()) return;
    found_.costs.push_back({.arm = label,
                            .cell = curve.cell,
                            .place = place,
                            .kind = curve.kind,
                            .most = alike.back().count,
                            .per_entry_ns = mean_over_groups(slopes, slope_floor(alike, messages),
                                                             measured_.confidence)});
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

Queues queues_of(const MeasuredMessages& measured) { return QueueTeller(measured).tell(); }

}  // namespace invar::analysis
