// What the ranks of a stress run are told (`invar-engine --stress DIR`): the file stress.spec, as
// lines of "key = value".
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace invar::record {

enum class StressKind : std::uint8_t {
  kPairs,        // ranks in pairs, both directions at once; by turns everybody with everybody
  kCollectives,  // every operation of the library that has no messages of its own
  kAllPairs,     // everybody with everybody at once
};
inline constexpr std::size_t kStressKinds = 3;

// "p2p", "collectives", "all-pairs", by number.
std::span<const std::string_view, kStressKinds> stress_kind_names();
std::string_view name_of(StressKind kind);
// Nothing for other words.
std::optional<StressKind> parse_stress_kind(std::string_view name);

struct StressOrder {
  // All data, sizes and calls follow from it and from the number of the message.
  std::uint64_t seed = 0;
  double seconds = 60;
  std::uint32_t ranks = 2;
  std::vector<std::string> kinds = {};    // names, each once
  std::vector<std::uint32_t> sizes = {};  // bytes, ascending, each once
  // Messages around `message`, of each kind, over and over again: to see a fault once more.
  bool repeats = false;
  std::uint64_t message = 0;
  // More ranks than cores: whoever waits gives its core away.
  bool oversubscribe = false;
  // What takes longer is lost.
  double patience_s = 30;

  bool operator==(const StressOrder&) const = default;
};

// Files of the directory.
constexpr std::string_view kStressFile = "stress.spec";
constexpr std::string_view kStressProgressFile = "progress.jsonl";  // of rank 0: StressCounts
// "faults.3.jsonl": what rank 3 has found; there is none where it has found nothing.
std::string stress_faults_file(std::uint32_t rank);

std::string stress_order_text(const StressOrder& order);
// The reverse. Throws UserError with every fault and its line, also where an order makes no sense:
// an unknown kind, fewer than two ranks, no size.
StressOrder read_stress_order(std::string_view text, const std::string& place);

// A message has that many bytes at most: calls count in int, and a buffer has room beside it.
constexpr std::uint64_t kMostStressBytes = std::uint64_t{1} << 30U;

// Messages that a rank has under way in one direction: fewer where they are large.
std::uint32_t stress_slots(const StressOrder& order);
// What a slot has around the message: guard zones on both sides, a cache line up to where the first
// one begins and one to begin at any of its bytes, and room behind it for receives that are longer
// than the message.
constexpr std::size_t kStressGuardBytes = 64;
constexpr std::size_t kStressLineBytes = 64;
constexpr std::size_t kStressRoomBytes = 64;
std::uint64_t stress_slot_bytes(const StressOrder& order);
// The size of one buffer of a collective. Where blocks of all ranks need more, they become smaller.
std::uint64_t stress_collective_bytes(const StressOrder& order);
// Bytes that a rank needs.
std::uint64_t stress_memory_bytes(const StressOrder& order);

}  // namespace invar::record
