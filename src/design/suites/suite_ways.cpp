#include "design/suites/suite_ways.hpp"

#include <algorithm>
#include <utility>

#include "record/p2p/cell_roles.hpp"
#include "record/p2p/levels.hpp"

namespace invar::design {
namespace {

SuiteWay way_with_collectives(const Preset& preset) {
  return {.scheme = record::find_scheme(preset.scheme),
          .processing = preset.processing,
          .habit = preset.habit,
          .reports = preset.reports};
}

// An operation of that name, as a suite that knows it takes it for.
record::OperationInfo info_of_name(const std::string& operation) {
  for (record::OperationInfo& info : message_operations()) {
    if (info.name == operation) return std::move(info);
  }
  return {.name = operation};
}

}  // namespace

std::optional<SuiteWay> way_of(const Preset& preset, const record::OperationInfo& operation) {
  if (preset.scheme.empty() || !is_of_messages(operation)) return way_with_collectives(preset);
  const MessagePreset* row = message_preset(preset, operation);
  if (row == nullptr) return std::nullopt;
  return SuiteWay{.scheme = record::find_scheme(row->scheme),
                  .processing = row->processing,
                  .habit = row->habit,
                  .reports = row->reports,
                  .messages = row};
}

std::string lack_in_suite(const SuiteWay& way, const record::OperationInfo& operation,
                          const record::Cell& cell) {
  if (way.messages == nullptr || operation.messages == record::Messages::kNone) return {};
  if (!record::lack_in_cell(operation.messages, cell).complaint.empty()) return {};
  const std::vector<record::RankPair> pairs =
      record::pairs_of(record::pattern_of(cell, operation.messages), cell.ranks);
  const std::string benchmark(way.messages->benchmark);
  if (record::parse_queue(cell.pending) != record::Queue() ||
      record::parse_queue(cell.unexpected) != record::Queue()) {
    return benchmark + " has no messages that wait in queues";
  }
  if (way.messages->among == Among::kOnePair && pairs.size() > 1) {
    return benchmark + " has one pair of ranks";
  }
  std::vector<std::uint32_t> ranks;
  for (const record::RankPair& pair : pairs) {
    ranks.push_back(pair.from);
    ranks.push_back(pair.to);
  }
  std::ranges::sort(ranks);
  const bool shared = std::ranges::adjacent_find(ranks) != ranks.end();
  if (way.messages->among != Among::kAny && shared) {
    return benchmark + " has no rank in two pairs";
  }
  return {};
}

std::vector<const record::Scheme*> schemes_of(std::span<const std::string> presets,
                                              const record::OperationInfo& operation,
                                              const record::Cell& cell) {
  std::vector<const record::Scheme*> needed;
  for (const record::Scheme& scheme : record::schemes()) {
    const bool used = std::ranges::any_of(presets, [&](const std::string& name) {
      const Preset* preset = find_preset(name);
      if (preset == nullptr) return false;
      const std::optional<SuiteWay> way = way_of(*preset, operation);
      return way && way->scheme == &scheme && lack_in_suite(*way, operation, cell).empty();
    });
    if (used) needed.push_back(&scheme);
  }
  return needed;
}

std::size_t most_schemes(std::span<const std::string> presets,
                         std::span<const std::string> operations) {
  std::size_t most = 0;
  for (const std::string& operation : operations) {
    // Two ranks, and the usual pattern of them.
    most = std::max(most, schemes_of(presets, info_of_name(operation), record::Cell()).size());
  }
  return most;
}

std::uint32_t calls_of(const Preset& preset, const record::Cell& cell,
                       const record::OperationInfo& operation) {
  const std::optional<SuiteWay> way = way_of(preset, operation);
  const Habit& habit = way ? way->habit : preset.habit;
  const std::uint64_t size_bytes = size_in_suite(cell, operation);
  const bool large = habit.small_up_to_bytes > 0 && size_bytes > habit.small_up_to_bytes;
  std::uint64_t calls = large ? habit.large_calls : habit.calls;
  if (habit.most_bytes > 0 && size_bytes > 0) {
    calls = std::min(calls, habit.most_bytes / size_bytes);
  }
  return static_cast<std::uint32_t>(std::max<std::uint64_t>(1, calls));
}

RunHabit run_habit(const Preset& preset, std::span<const std::string> operations) {
  RunHabit most{.passes = 0, .calls = 0};
  for (const std::string& operation : operations) {
    const std::optional<SuiteWay> way = way_of(preset, info_of_name(operation));
    if (!way) continue;
    most.passes = std::max(most.passes, way->habit.passes);
    most.calls = std::max(most.calls, way->habit.calls);
  }
  if (most.passes == 0) return {.passes = preset.habit.passes, .calls = preset.habit.calls};
  return most;
}

std::string reports_words(const Preset& preset, std::span<const record::OperationInfo> operations) {
  std::string text;
  std::string of_messages;
  for (const record::OperationInfo& operation : operations) {
    const std::optional<SuiteWay> way = way_of(preset, operation);
    if (!way) continue;
    if (way->messages == nullptr) {
      text = way->reports;
      continue;
    }
    of_messages += (of_messages.empty() ? "of " : "; of ") + operation.name + ", " +
                   std::string(way->messages->benchmark) + ": " + std::string(way->reports);
  }
  if (text.empty() && of_messages.empty()) return std::string(preset.reports);
  return text.empty() || of_messages.empty() ? text + of_messages : text + "; " + of_messages;
}

}  // namespace invar::design
