// How a suite goes about one operation: a preset's row for collectives, or that of its benchmark of
// messages between single ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "design/suites/message_presets.hpp"
#include "record/cell.hpp"
#include "record/scheme.hpp"

namespace invar::design {

struct SuiteWay {
  const record::Scheme* scheme = nullptr;  // null: computed from our own visits
  Processing processing = Processing::kMeanOfRanks;
  Habit habit = {};
  std::string_view reports = {};
  const MessagePreset* messages = nullptr;  // null: as it measures collectives
};

// Nothing: it has no benchmark that is this operation.
std::optional<SuiteWay> way_of(const Preset& preset, const record::OperationInfo& operation);

// Why a suite that measures the operation so does not measure this cell: "osu_latency has one pair
// of ranks". Empty: it does.
std::string lack_in_suite(const SuiteWay& way, const record::OperationInfo& operation,
                          const record::Cell& cell);

// The measurement schemes by which these presets measure the cell, each once, in the order of
// record::schemes().
std::vector<const record::Scheme*> schemes_of(std::span<const std::string> presets,
                                              const record::OperationInfo& operation,
                                              const record::Cell& cell);

// The most of them that any of these operations has, of which nothing but the names is known yet.
std::size_t most_schemes(std::span<const std::string> presets,
                         std::span<const std::string> operations);

// Calls in one pass of a cell that a run of the suite makes by default, at least 1.
std::uint32_t calls_of(const Preset& preset, const record::Cell& cell,
                       const record::OperationInfo& operation);

// What a run of the suite makes at most if it measures all of these operations: calls in a pass of
// a cell, passes over all cells.
struct RunHabit {
  std::uint32_t passes = 1;
  std::uint32_t calls = 1;
};
RunHabit run_habit(const Preset& preset, std::span<const std::string> operations);

// Its headline in words, of all these operations: "mean over ranks of each rank's mean; of
// pingpong, osu_latency: half of the initiator's mean round trip".
std::string reports_words(const Preset& preset, std::span<const record::OperationInfo> operations);

}  // namespace invar::design
