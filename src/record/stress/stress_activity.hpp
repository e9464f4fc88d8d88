// What a rank of a stress run was doing last, as it lies in a file that outlives the rank: whoever
// is ended inside of its MPI library cannot tell (stress_state.hpp writes it).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "record/stress/stress_fault.hpp"
#include "record/stress/stress_order.hpp"

namespace invar::record {

enum class StressDoing : std::uint8_t {
  kResting,
  kSending,     // waits until a message has left
  kReceiving,   // waits for one
  kPosting,     // says long before that one is to come: waits for nobody
  kCollective,  // is in a call of all ranks
  kComparing,   // waits for the others before or behind that call: does it suit, is it right?
  kAgreeing,    // waits for the others between two parts of the run
};
inline constexpr std::size_t kStressDoings = 7;

struct StressDeath {
  int signal = 0;            // 0: it called exit()
  std::int64_t time_ns = 0;  // of CLOCK_REALTIME

  bool operator==(const StressDeath&) const = default;
};

struct StressActivity {
  StressDoing doing = StressDoing::kResting;
  // The rest of it is of a message or a collective, and means nothing where none is under way.
  StressKind kind = StressKind::kPairs;
  std::uint64_t message = 0;
  std::uint64_t size_bytes = 0;
  int from = -1;  // -1: nobody, as in a collective
  int to = -1;
  std::string operation = {};
  std::string pattern = {};
  // The part of the run, from 1 on. Nobody begins one before all have ended the last one. So at one
  // moment ranks are in the same part, or in two that follow each other.
  std::uint64_t part = 0;
  std::int64_t pid = 0;
  std::optional<StressDeath> death = {};  // as far as it could tell: SIGKILL leaves no time

  // Whether it is at a message or a collective.
  [[nodiscard]] bool at_something() const {
    return doing != StressDoing::kResting && doing != StressDoing::kAgreeing;
  }
  bool operator==(const StressActivity&) const = default;
};

// Kind, operation, pattern, size, number and ranks of the fault become those of what it is at.
void put_activity(const StressActivity& activity, StressFault& fault);

// "state.3": of rank 3.
std::string stress_state_file(std::uint32_t rank);

// The file: words in the processor's byte order.
namespace stress_word {
enum : std::size_t {
  kMagic,
  kSteps,  // odd while it is written
  kDoing,
  kKind,
  kPart,
  kMessage,
  kSizeBytes,
  kFrom,  // 1 + the rank
  kTo,
  kPid,
  kDeathTimeNs,  // 0: it has not died
  kDeathSignal,
  kDeathSteps,  // kSteps at that time: whoever has gone on since has not died
  kPattern,     // text, closed by a zero
};
}  // namespace stress_word
inline constexpr std::size_t kStressPatternWords = 2;
inline constexpr std::size_t kStressOperationWords = 16;
inline constexpr std::size_t kStressOperation = stress_word::kPattern + kStressPatternWords;
inline constexpr std::size_t kStressWords = kStressOperation + kStressOperationWords;
inline constexpr std::uint64_t kStressMagic = 0x494e56'53545201;  // "INVSTR", version 1

using StressWords = std::array<std::uint64_t, kStressWords>;

// Nothing where somebody was about to write it, or where it is no such record, or none yet.
std::optional<StressActivity> stress_activity(const StressWords& words);
// The same of a file's content.
std::optional<StressActivity> read_stress_activity(std::string_view bytes);

}  // namespace invar::record
