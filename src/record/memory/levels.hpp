// How an operation walks over memory of its own: the levels of the factors of memory operations, as
// values, and what their rows in the table of factors need (factors.cpp).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "record/cell.hpp"
#include "record/operation/operation_info.hpp"

namespace invar::record {

constexpr std::string_view kPackedStride = "packed";
constexpr std::string_view kWidestWidth = "widest";
constexpr std::array<std::string_view, 6> kWidths{kWidestWidth, "4", "8", "16", "32", "64"};
constexpr std::array<std::string_view, 4> kAccesses{"sequential", "random", "random-in-page",
                                                    "line-per-page"};
constexpr std::array<std::string_view, 5> kPageKinds{"default", "4KiB", "thp", "2MiB", "1GiB"};
constexpr std::array<std::string_view, 2> kAllocations{"arena", "malloc"};

// Chains visit lines so far apart, where nothing else is written: prefetchers fetch lines in pairs.
constexpr std::uint64_t kChainStrideBytes = 128;
constexpr std::uint64_t kLeastChainStrideBytes = 64;

// Bytes between the starts of two elements; 0: packed. Nothing for other texts.
std::optional<std::uint64_t> parse_stride(std::string_view text);

// Bytes of one load or store; 0: the widest of the processor. Nothing for other texts.
std::optional<std::uint32_t> parse_width(std::string_view text);

// Passes over the buffer in one repetition.
struct Loops {
  bool automatic = true;
  std::uint32_t number = 1;  // of passes, or times what the engine decides

  bool operator==(const Loops&) const = default;
};
constexpr std::uint32_t kMostLoops = 1'000'000;
// "auto", "auto:2", "64"; nothing for other texts.
std::optional<Loops> parse_loops(std::string_view text);

enum class PolicyKind : std::uint8_t { kOther, kBatch, kIdle, kFifo, kRr, kNice };
struct Policy {
  PolicyKind kind = PolicyKind::kOther;
  int nice = 0;  // of kNice: -20 to 19

  // What spins under it is interrupted by nothing of the usual policy.
  [[nodiscard]] bool is_real_time() const {
    return kind == PolicyKind::kFifo || kind == PolicyKind::kRr;
  }
  bool operator==(const Policy&) const = default;
};
// "other", "batch", "idle", "fifo", "rr", "nice:-20"; nothing for other texts.
std::optional<Policy> parse_policy(std::string_view text);

enum class NumaKind : std::uint8_t { kDefault, kLocal, kNode, kInterleaved };
struct NumaPlace {
  NumaKind kind = NumaKind::kDefault;
  std::uint32_t node = 0;  // of kNode

  bool operator==(const NumaPlace&) const = default;
};
// "default", "local", "node:1", "interleaved"; nothing for other texts.
std::optional<NumaPlace> parse_numa(std::string_view text);

// Of pages that somebody must have reserved: 2 MiB, 1 GiB. Nothing for the others.
std::optional<std::uint64_t> reserved_page_bytes(std::string_view pages);

// Factor::applies.
bool walks_memory(const OperationInfo& info);
bool chases_memory(const OperationInfo& info);

// Factor::level.
LevelText stride_level(std::string_view written);
LevelText loops_level(std::string_view written);
LevelText policy_level(std::string_view written);
LevelText numa_level(std::string_view written);

// Factor::of_operation.
LevelText stride_of_operation(const OperationInfo& info, const Cell& cell);
LevelText access_of_operation(const OperationInfo& info, const Cell& cell);

// Factor::check; the earlier factors are set.
LevelText check_chain_stride(const OperationInfo& info, const Cell& cell);
LevelText check_unroll(const OperationInfo& info, const Cell& cell);

// Factor::parse.
bool parse_stride_column(Cell& cell, std::string_view text);
bool parse_width_column(Cell& cell, std::string_view text);
bool parse_loops_column(Cell& cell, std::string_view text);
bool parse_policy_column(Cell& cell, std::string_view text);
bool parse_numa_column(Cell& cell, std::string_view text);

}  // namespace invar::record
