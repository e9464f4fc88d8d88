#include "record/memory/levels.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "base/units.hpp"
#include "record/cell.hpp"
#include "record/operation/operation_info.hpp"

namespace invar::record {
namespace {

constexpr std::string_view kNode = "node:";
constexpr std::string_view kNice = "nice:";
constexpr std::string_view kTimesAuto = "auto:";
constexpr std::array<std::string_view, 5> kPolicies{"other", "batch", "idle", "fifo", "rr"};
constexpr std::array<std::string_view, 2> kNumaWords{"default", "local"};
constexpr std::uint64_t kMostNode = 1023;  // of the kernel's masks
constexpr int kLeastNice = -20;
constexpr int kMostNice = 19;

std::optional<std::uint64_t> number_in(std::string_view text, std::uint64_t least,
                                       std::uint64_t most) {
  const auto number = base::parse_u64(text);
  if (!number || *number < least || *number > most) return std::nullopt;
  // One text a level: "08" would be another cell.
  return std::to_string(*number) == text ? number : std::nullopt;
}

std::string no_level(std::string_view written, std::string_view what) {
  return "is '" + std::string(written) + "', " + std::string(what);
}

}  // namespace

std::optional<Access> parse_access(std::string_view text) {
  const auto found = std::ranges::find(kAccesses, text);
  if (found == kAccesses.end()) return std::nullopt;
  return static_cast<Access>(found - kAccesses.begin());
}

std::optional<std::uint64_t> parse_stride(std::string_view text) {
  if (text == kPackedStride) return 0;
  return number_in(text, 1, std::uint64_t{1} << 40U);
}

LevelText stride_level(std::string_view written) {
  if (written == kPackedStride) return {.text = std::string(written)};
  const base::Parsed<std::uint64_t> bytes = base::parse_size_bytes(written);
  if (bytes.value && parse_stride(std::to_string(*bytes.value))) {
    return {.text = std::to_string(*bytes.value)};
  }
  return {
      .complaint = no_level(written, "no stride"),
      .remedy = "write \"packed\", or bytes from element to element, as in \"128\" or \"4KiB\""};
}

std::optional<std::uint32_t> parse_width(std::string_view text) {
  if (std::ranges::find(kWidths, text) == kWidths.end()) return std::nullopt;
  return static_cast<std::uint32_t>(base::parse_u64(text).value_or(0));
}

std::optional<Loops> parse_loops(std::string_view text) {
  if (text == kAutoLoops) return Loops{.automatic = true};
  if (text.starts_with(kTimesAuto)) {
    const auto times = number_in(text.substr(kTimesAuto.size()), 2, kMostTimesAuto);
    if (!times) return std::nullopt;
    return Loops{.automatic = true, .number = *times};
  }
  const auto number = number_in(text, 1, kMostLoops);
  if (!number) return std::nullopt;
  return Loops{.number = *number};
}

LevelText loops_level(std::string_view written) {
  if (parse_loops(written)) return {.text = std::string(written)};
  return {.complaint = no_level(written, "no number of passes"),
          .remedy =
              "write \"auto\", \"auto:2\" (twice that, up to 1024 times), or passes over the "
              "buffer, as in \"100\""};
}

std::optional<Policy> parse_policy(std::string_view text) {
  if (const auto found = std::ranges::find(kPolicies, text); found != kPolicies.end()) {
    return Policy{.kind = static_cast<PolicyKind>(found - kPolicies.begin())};
  }
  if (!text.starts_with(kNice)) return std::nullopt;
  std::string_view digits = text.substr(kNice.size());
  const bool negative = digits.starts_with('-');
  if (negative) digits.remove_prefix(1);
  const auto number = number_in(digits, negative ? 1 : 0, -kLeastNice);
  if (!number) return std::nullopt;
  const int nice = negative ? -static_cast<int>(*number) : static_cast<int>(*number);
  if (nice > kMostNice) return std::nullopt;
  return Policy{.kind = PolicyKind::kNice, .nice = nice};
}

LevelText policy_level(std::string_view written) {
  if (parse_policy(written)) return {.text = std::string(written)};
  return {.complaint = no_level(written, "no policy of the scheduler"),
          .remedy =
              "write \"other\", \"batch\", \"idle\", \"fifo\", \"rr\", or \"nice:N\" with N "
              "from -20 to 19"};
}

std::optional<std::uint64_t> page_bytes_of(std::string_view pages) {
  if (pages == kPageKinds[3]) return std::uint64_t{2} << 20U;
  if (pages == kPageKinds[4]) return std::uint64_t{1} << 30U;
  return std::nullopt;
}

std::optional<NumaPlace> parse_numa(std::string_view text) {
  if (const auto found = std::ranges::find(kNumaWords, text); found != kNumaWords.end()) {
    return NumaPlace{.kind = static_cast<NumaKind>(found - kNumaWords.begin())};
  }
  if (text == "interleaved") return NumaPlace{.kind = NumaKind::kInterleaved};
  if (!text.starts_with(kNode)) return std::nullopt;
  const auto node = number_in(text.substr(kNode.size()), 0, kMostNode);
  if (!node) return std::nullopt;
  return NumaPlace{.kind = NumaKind::kNode, .node = static_cast<std::uint32_t>(*node)};
}

LevelText numa_level(std::string_view written) {
  if (parse_numa(written)) return {.text = std::string(written)};
  return {.complaint = no_level(written, "no place among NUMA nodes"),
          .remedy = "write \"default\", \"local\", \"node:N\" or \"interleaved\""};
}

std::uint64_t stride_bytes(const Cell& cell, std::uint64_t width_bytes) {
  const std::uint64_t written = parse_stride(cell.stride).value_or(0);
  return written == 0 ? width_bytes : written;
}

std::uint64_t visited_elements(const Cell& cell, bool chases, std::uint64_t width_bytes) {
  const std::uint64_t size_bytes = cell.size_bytes.value_or(0);
  const std::uint64_t stride = stride_bytes(cell, width_bytes);
  const Access access = parse_access(cell.access).value_or(Access::kSequential);
  std::uint64_t elements = 0;
  if (access == Access::kLinePerPage) {
    elements = size_bytes / kWalkedPageBytes;
  } else if (access == Access::kRandomInPage) {
    // Whole pages, and of the last one nothing: its elements are no full period.
    elements = size_bytes / kWalkedPageBytes * (kWalkedPageBytes / stride);
  } else if (size_bytes >= width_bytes) {
    elements = (size_bytes - width_bytes) / stride + 1;
  }
  if (!chases) return elements;
  return cell.chains == 0 ? 0 : elements / cell.chains * cell.chains;
}

std::uint64_t named_bytes(const Cell& cell, const OperationInfo& info, std::uint64_t width_bytes) {
  return visited_elements(cell, info.chases, width_bytes) * width_bytes * info.walks;
}

}  // namespace invar::record
