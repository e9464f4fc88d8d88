#include "design/suites/message_presets.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace invar::design {
namespace {

// Constants as in the sources of OSU 7.x (osu_util.h), IMB 2021.11 (IMB_settings.h, MPI1_suite.cpp)
// and mpptest (mpptest.c).
constexpr std::uint64_t kOsuSmallBytes = 8192;
constexpr Habit kOsuLatency{
    .calls = 10'000, .small_up_to_bytes = kOsuSmallBytes, .large_calls = 1000};
constexpr Habit kOsuBandwidth{.calls = 100, .small_up_to_bytes = kOsuSmallBytes, .large_calls = 20};
constexpr Habit kImbHabit{.most_bytes = 40U << 20U};
constexpr Habit kMpptestHabit{.passes = kMpptestPasses, .calls = 50};

constexpr std::array<MessagePreset, 11> kMessageRows{{
    {.preset = "osu",
     .operation = "pingpong",
     .benchmark = "osu_latency",
     .among = Among::kOnePair,
     .scheme = "series",
     .processing = Processing::kMeanOfInitiator,
     .printed = Printed::kHalfTime,
     .reports = "half of the initiator's mean round trip",
     .habit = kOsuLatency},
    {.preset = "osu",
     .operation = "stream",
     .benchmark = "osu_bw",
     .among = Among::kOnePair,
     .scheme = "series",
     .processing = Processing::kMeanOfInitiator,
     .printed = Printed::kMegabytesPerS,
     .window = 64,
     .reports = "MB/s of 10^6 bytes over the initiator's mean time of a window and its "
                "acknowledgement",
     .habit = kOsuBandwidth},
    {.preset = "osu",
     .operation = "bistream",
     .benchmark = "osu_bibw",
     .among = Among::kOnePair,
     .scheme = "series",
     .processing = Processing::kMeanOfInitiator,
     .printed = Printed::kMegabytesPerS,
     .window = 64,
     .reports = "MB/s of 10^6 bytes, those of both directions, over the initiator's mean time of a "
                "window",
     .habit = kOsuBandwidth},
    {.preset = "imb",
     .operation = "pingpong",
     .benchmark = "PingPong",
     .among = Among::kOnePair,
     .scheme = "batch",
     .processing = Processing::kLargestMean,
     .printed = Printed::kHalfTime,
     .reports = "half of the slower rank's mean round trip, of a batch",
     .habit = kImbHabit},
    {.preset = "imb",
     .operation = "stream",
     .benchmark = "Uniband",
     .among = Among::kPairs,
     .scheme = "batch",
     .processing = Processing::kLargestMean,
     .printed = Printed::kMegabytesPerS,
     .window = 256,
     .reports = "MB/s of 10^6 bytes, those of all pairs, over the slowest rank's mean time of a "
                "window and its acknowledgement, of a batch",
     .habit = kImbHabit},
    {.preset = "imb",
     .operation = "bistream",
     .benchmark = "Biband",
     .among = Among::kPairs,
     .scheme = "batch",
     .processing = Processing::kLargestMean,
     .printed = Printed::kMegabytesPerS,
     .window = 256,
     .reports = "MB/s of 10^6 bytes, those of all pairs and both directions, over the slowest "
                "rank's mean time of a window and its acknowledgement, of a batch",
     .habit = kImbHabit},
    {.preset = "imb",
     .operation = "exchange",
     .benchmark = "PingPing",
     .among = Among::kOnePair,
     .scheme = "batch",
     .processing = Processing::kLargestMean,
     .reports = "the slower rank's mean time, of a batch",
     .habit = kImbHabit},
    {.preset = "mpptest",
     .operation = "pingpong",
     .benchmark = "mpptest -roundtrip",
     .among = Among::kPairs,
     .scheme = "batch-initiator",
     .processing = Processing::kLeastOfPasses,
     .printed = Printed::kHalfTime,
     .reports = "half of the least, over passes, of the initiator's round trips in a batch",
     .habit = kMpptestHabit},
    {.preset = "mpptest",
     .operation = "exchange",
     .benchmark = "mpptest -head",
     .among = Among::kPairs,
     .scheme = "batch-initiator",
     .processing = Processing::kLeastOfPasses,
     .printed = Printed::kHalfTime,
     .reports = "half of the least, over passes, of the initiator's exchanges in a batch",
     .habit = kMpptestHabit},
    {.preset = "mpptest",
     .operation = "halo",
     .benchmark = "mpptest -halo",
     .among = Among::kAny,
     .scheme = "batch-initiator",
     // It asks for the largest of all ranks' times, and then prints rank 0's all the same.
     .processing = Processing::kLeastOfPasses,
     .reports = "least, over passes, of rank 0's exchanges in a batch",
     .habit = kMpptestHabit},
    {.preset = "mpptest",
     .operation = "memcpy",
     .benchmark = "mpptest -memcpy",
     .among = Among::kAny,
     .scheme = "batch-initiator",
     .processing = Processing::kLeastOfPasses,
     .reports = "least, over passes, of rank 0's copies in a batch",
     .habit = kMpptestHabit},
}};

// imb-root-shift and imb-papers differ in how collectives are measured.
std::string_view suite_of(const Preset& preset) {
  return preset.name.starts_with("imb") ? "imb" : preset.name;
}

// An operation of somebody's own may have the name and be something else: a collective one.
bool is_meant(const MessagePreset& row, const record::OperationInfo& operation) {
  return row.operation == operation.name &&
         (operation.messages != record::Messages::kNone || operation.has_own_times());
}

}  // namespace

std::span<const MessagePreset> message_presets() { return kMessageRows; }

const MessagePreset* message_preset(const Preset& preset, const record::OperationInfo& operation) {
  const auto* found = std::ranges::find_if(kMessageRows, [&](const MessagePreset& row) {
    return row.preset == suite_of(preset) && is_meant(row, operation);
  });
  return found == kMessageRows.end() ? nullptr : found;
}

std::vector<record::OperationInfo> message_operations() {
  std::vector<record::OperationInfo> operations;
  for (const MessagePreset& row : kMessageRows) {
    const bool known = std::ranges::any_of(
        operations, [&](const record::OperationInfo& info) { return info.name == row.operation; });
    if (known) continue;
    operations.push_back(
        {.name = std::string(row.operation), .messages = record::Messages::kMatched});
  }
  return operations;
}

bool is_of_messages(const record::OperationInfo& operation) {
  return operation.messages != record::Messages::kNone ||
         std::ranges::any_of(kMessageRows,
                             [&](const MessagePreset& row) { return is_meant(row, operation); });
}

}  // namespace invar::design
