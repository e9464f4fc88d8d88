// Levels of the factors of memory operations as texts, and what a pass over a buffer visits.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "record/factors.hpp"

namespace invar::record {

struct Cell;
struct OperationInfo;

// The library of arms without any: one process. It has nothing of what is measured between ranks.
constexpr std::string_view kNoLibrary = "none";

// Chains go from line to line; the usual distance is two lines, because processors fetch pairs.
constexpr std::uint64_t kLeastChainStrideBytes = 64;
constexpr std::uint64_t kChainStrideBytes = 128;
// Pages that random orders and single lines are cut by, whatever pages the buffer has.
constexpr std::uint64_t kWalkedPageBytes = 4096;
// As many pointers as every processor keeps in registers.
constexpr std::uint32_t kMostChains = 8;
constexpr std::uint32_t kMostUnroll = 16;
constexpr std::uint64_t kMostLoops = 1'000'000'000;
constexpr std::uint64_t kMostTimesAuto = 1024;
// What "auto" passes last together, unless one lasts longer.
constexpr double kAutoLoopsS = 20e-6;

constexpr std::string_view kPackedStride = "packed";
constexpr std::string_view kWidestWidth = "widest";
constexpr std::string_view kAutoLoops = "auto";
inline constexpr std::array<std::string_view, 6> kWidths{kWidestWidth, "4", "8", "16", "32", "64"};
inline constexpr std::array<std::string_view, 4> kAccesses{"sequential", "random", "random-in-page",
                                                           "line-per-page"};
inline constexpr std::array<std::string_view, 5> kPageKinds{"default", "4KiB", "thp", "2MiB",
                                                            "1GiB"};
inline constexpr std::array<std::string_view, 2> kAllocations{"arena", "malloc"};

enum class Access : std::uint8_t { kSequential, kRandom, kRandomInPage, kLinePerPage };

// In which order elements are visited; nothing for other texts, as everywhere here.
std::optional<Access> parse_access(std::string_view text);

// Bytes from the start of an element to that of the next; 0: "packed", element after element.
std::optional<std::uint64_t> parse_stride(std::string_view text);
// As people write it, "4KiB".
LevelText stride_level(std::string_view written);

// Bytes of one load or store; 0: "widest".
std::optional<std::uint32_t> parse_width(std::string_view text);

// Passes over the buffer in one repetition: so many, or so many times what "auto" is.
struct Loops {
  bool automatic = false;
  std::uint64_t number = 1;

  bool operator==(const Loops&) const = default;
};
// "auto", "auto:2", "1000".
std::optional<Loops> parse_loops(std::string_view text);
LevelText loops_level(std::string_view written);

// How the scheduler treats a rank while it measures.
enum class PolicyKind : std::uint8_t { kOther, kBatch, kIdle, kFifo, kRr, kNice };
struct Policy {
  PolicyKind kind = PolicyKind::kOther;
  int nice = 0;  // of kNice: -20 to 19

  bool operator==(const Policy&) const = default;
};
// "other", "batch", "idle", "fifo", "rr", "nice:N".
std::optional<Policy> parse_policy(std::string_view text);
LevelText policy_level(std::string_view written);

// Bytes of pages that a host has to reserve, "2MiB" and "1GiB"; nothing for the others.
std::optional<std::uint64_t> page_bytes_of(std::string_view pages);

// Which NUMA nodes a buffer's pages come from.
enum class NumaKind : std::uint8_t { kDefault, kLocal, kNode, kInterleaved };
struct NumaPlace {
  NumaKind kind = NumaKind::kDefault;
  std::uint32_t node = 0;  // of kNode

  bool operator==(const NumaPlace&) const = default;
};
// "default", "local", "node:N", "interleaved".
std::optional<NumaPlace> parse_numa(std::string_view text);
LevelText numa_level(std::string_view written);

// The following are for a cell of a memory operation.

// Bytes from element to element, of elements of that width (of chase: 8). "packed" is the width.
std::uint64_t stride_bytes(const Cell& cell, std::uint64_t width_bytes);

// Elements that a pass visits, with repetition where they are drawn ("random" of walks); of chase
// the loads, over all chains: each has as many, and what is left over is in none.
std::uint64_t visited_elements(const Cell& cell, bool chases, std::uint64_t width_bytes);

// Bytes that the kernel names in a pass: visited elements x width x arrays. What caches do besides
// (write-allocate, whole lines of a narrow element) does not count.
std::uint64_t named_bytes(const Cell& cell, const OperationInfo& info, std::uint64_t width_bytes);

}  // namespace invar::record
