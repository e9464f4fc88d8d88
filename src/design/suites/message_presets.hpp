// What OSU's, IMB's and mpptest's benchmarks of messages between single ranks do: which of our
// operations each is, how it measures, and what its numbers are (docs/methods.md, "Presets"). Data;
// src/analysis computes.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "design/campaign/presets.hpp"
#include "record/operation/operation_info.hpp"

namespace invar::design {

// What a suite prints of a call's time.
enum class Printed : std::uint8_t {
  kTime,
  kHalfTime,       // half of it: it calls half a round trip the time of a message
  kMegabytesPerS,  // of 10^6 bytes: the bytes of a call (analysis::bytes_of_call) over its time
};

// Between how many ranks its messages go at a time.
enum class Among : std::uint8_t {
  kOnePair,
  kPairs,  // each rank is in one pair at most
  kAny,
};

struct MessagePreset {
  std::string_view preset;     // Preset::name
  std::string_view operation;  // ours
  std::string_view benchmark;  // as the suite's users know it: "osu_bw"
  Among among;
  std::string_view scheme;  // record::Scheme::name
  Processing processing;
  Printed printed = Printed::kTime;
  std::uint32_t window = 0;  // messages in a row if its user says nothing; 0: it has no windows
  std::string_view reports;  // its headline, in words
  Habit habit = {};
};

std::span<const MessagePreset> message_presets();

// IMB has one ping-pong, whatever it does with the roots of collectives. Null: the suite has no
// benchmark that is this operation.
const MessagePreset* message_preset(const Preset& preset, const record::OperationInfo& operation);

// The operations of all rows, each once, as an engine would describe what suites look at of them.
std::vector<record::OperationInfo> message_operations();

// Messages between single ranks, or what some suite measures beside them (memcpy): the rows of
// collectives say nothing of it.
bool is_of_messages(const record::OperationInfo& operation);

}  // namespace invar::design
