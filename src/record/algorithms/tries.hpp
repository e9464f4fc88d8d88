// What a probe of the engine tries, one after the other: does an algorithm give what MPI promises,
// how long does it take, which messages does it send? The driver writes `tries.csv`; the engine
// says what came of it (engine/algorithms).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace invar::record {

enum class TryKind : std::uint8_t {
  kCheck,         // all checks of `--check` but those of the two below
  kCheckEmpty,    // no elements at all
  kCheckOrdered,  // operators that do not commute
  kTime,          // of single calls
  kTraffic,       // the messages of one call
};

// "check", "check-empty", "check-ordered", "time", "traffic".
std::string_view name_of(TryKind kind);

struct Try {
  TryKind kind = TryKind::kCheck;
  std::string operation = {};
  // Bytes of the block, in the usual datatype. A check with 0 takes all counts that are worth one.
  std::uint64_t size_bytes = 0;
  std::uint32_t ranks = 2;          // of kTraffic; all others take all ranks of the launch
  std::uint32_t calls = 1;          // of kTime
  std::uint64_t segment_bytes = 0;  // that the level asks for; of kTraffic
  bool in_place = true;             // of a check: calls in place, too
  std::string switched = {};        // as switch_text() has it; empty: nobody is told anything

  bool operator==(const Try&) const = default;
};

// The name of the file in a probe's directory, and those of what the engine answers there.
constexpr std::string_view kTriesFile = "tries.csv";
constexpr std::string_view kTriedFile = "tried.jsonl";
constexpr std::string_view kTrafficFile = "traffic.json";

std::string tries_csv(const std::vector<Try>& tries);

// The reverse. Throws UserError with every fault and its line.
std::vector<Try> read_tries(std::string_view text, const std::string& place);

}  // namespace invar::record
