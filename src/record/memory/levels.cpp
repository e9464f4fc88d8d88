#include "record/memory/levels.hpp"

#include <algorithm>
#include <string>

#include "base/text.hpp"
#include "base/units.hpp"

namespace invar::record {
namespace {

constexpr std::string_view kAutoLoops = "auto";
constexpr std::string_view kNicePolicy = "nice:";
constexpr std::string_view kNodeNuma = "node:";
constexpr std::uint32_t kMostNodes = 4096;

template <std::size_t Count>
bool is_one_of(std::string_view text, const std::array<std::string_view, Count>& words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

template <typename Parsed>
bool take_column(std::string& level, std::string_view text, const Parsed& parsed) {
  level = text;
  return parsed.has_value();
}

}  // namespace

std::optional<std::uint64_t> parse_stride(std::string_view text) {
  if (text == kPackedStride) return 0;
  const auto bytes = base::parse_u64(text);
  return bytes && *bytes > 0 ? bytes : std::nullopt;
}

std::optional<std::uint32_t> parse_width(std::string_view text) {
  if (text == kWidestWidth) return 0;
  if (!is_one_of(text, kWidths)) return std::nullopt;
  return static_cast<std::uint32_t>(base::parse_u64(text).value_or(0));
}

std::optional<Loops> parse_loops(std::string_view text) {
  Loops loops;
  if (text == kAutoLoops) return loops;
  const bool times = text.starts_with("auto:");
  if (times) text.remove_prefix(kAutoLoops.size() + 1);
  const auto number = base::parse_u64(text);
  if (!number || *number == 0 || *number > kMostLoops || (times && *number == 1)) {
    return std::nullopt;
  }
  return Loops{.automatic = times, .number = static_cast<std::uint32_t>(*number)};
}

std::optional<Policy> parse_policy(std::string_view text) {
  constexpr std::array<std::string_view, 5> kWords{"other", "batch", "idle", "fifo", "rr"};
  const auto word = std::find(kWords.begin(), kWords.end(), text);
  if (word != kWords.end()) {
    return Policy{.kind = static_cast<PolicyKind>(word - kWords.begin())};
  }
  if (!text.starts_with(kNicePolicy)) return std::nullopt;
  text.remove_prefix(kNicePolicy.size());
  const bool below = text.starts_with('-');
  if (below) text.remove_prefix(1);
  const auto number = base::parse_u64(text);
  if (!number || *number > (below ? 20U : 19U)) return std::nullopt;
  const auto nice = static_cast<int>(*number);
  return Policy{.kind = PolicyKind::kNice, .nice = below ? -nice : nice};
}

std::optional<NumaPlace> parse_numa(std::string_view text) {
  if (text == "default") return NumaPlace{};
  if (text == "local") return NumaPlace{.kind = NumaKind::kLocal};
  if (text == "interleaved") return NumaPlace{.kind = NumaKind::kInterleaved};
  if (!text.starts_with(kNodeNuma)) return std::nullopt;
  const auto node = base::parse_u64(text.substr(kNodeNuma.size()));
  if (!node || *node >= kMostNodes) return std::nullopt;
  return NumaPlace{.kind = NumaKind::kNode, .node = static_cast<std::uint32_t>(*node)};
}

std::optional<std::uint64_t> reserved_page_bytes(std::string_view pages) {
  if (pages == "2MiB") return std::uint64_t{2} << 20U;
  if (pages == "1GiB") return std::uint64_t{1} << 30U;
  return std::nullopt;
}

bool walks_memory(const OperationInfo& info) { return info.walks > 0; }
bool chases_memory(const OperationInfo& info) { return info.chases; }

LevelText stride_level(std::string_view written) {
  if (written == kPackedStride) return {.text = std::string(written)};
  const base::Parsed<std::uint64_t> bytes = base::parse_size_bytes(written);
  if (bytes.value && *bytes.value > 0) return {.text = std::to_string(*bytes.value)};
  return {.complaint = "is '" + std::string(written) + "', no distance between elements",
          .remedy = "write \"packed\", or bytes as in \"128\" or \"4KiB\""};
}

LevelText loops_level(std::string_view written) {
  if (parse_loops(written)) return {.text = std::string(written)};
  return {.complaint = "is '" + std::string(written) + "', no number of passes",
          .remedy = "write \"auto\", \"auto:2\" (twice as many), or 1 to 1000000"};
}

LevelText policy_level(std::string_view written) {
  if (parse_policy(written)) return {.text = std::string(written)};
  return {.complaint = "is '" + std::string(written) + "', no policy",
          .remedy =
              "write \"other\", \"batch\", \"idle\", \"fifo\", \"rr\", or \"nice:N\" with "
              "-20 to 19"};
}

LevelText numa_level(std::string_view written) {
  if (parse_numa(written)) return {.text = std::string(written)};
  return {.complaint = "is '" + std::string(written) + "', no place of memory",
          .remedy = "write \"default\", \"local\", \"node:N\", or \"interleaved\""};
}

LevelText stride_of_operation(const OperationInfo& info, const Cell& cell) {
  return {.text = info.chases ? std::to_string(kChainStrideBytes) : cell.stride};
}

LevelText access_of_operation(const OperationInfo& info, const Cell& cell) {
  return {.text = info.chases ? "random" : cell.access};
}

LevelText check_chain_stride(const OperationInfo& info, const Cell& cell) {
  const std::uint64_t stride = parse_stride(cell.stride).value_or(0);
  if (!info.chases || stride >= kLeastChainStrideBytes) return {};
  return {.complaint = info.name + ": stride \"" + cell.stride +
                       "\" has several elements of a chain in one line",
          .remedy = "write 64 or more; 128 keeps prefetched pairs of lines apart"};
}

LevelText check_unroll(const OperationInfo& /*info*/, const Cell& cell) {
  const std::uint32_t unroll = cell.unroll;
  if (unroll <= 16 && (unroll & (unroll - 1)) == 0) return {};
  return {.complaint = "unroll = " + std::to_string(unroll) + " is no loop that there is",
          .remedy = "write 1, 2, 4, 8 or 16"};
}

bool parse_stride_column(Cell& cell, std::string_view text) {
  return take_column(cell.stride, text, parse_stride(text));
}
bool parse_width_column(Cell& cell, std::string_view text) {
  return take_column(cell.width, text, parse_width(text));
}
bool parse_loops_column(Cell& cell, std::string_view text) {
  return take_column(cell.loops, text, parse_loops(text));
}
bool parse_policy_column(Cell& cell, std::string_view text) {
  return take_column(cell.policy, text, parse_policy(text));
}
bool parse_numa_column(Cell& cell, std::string_view text) {
  return take_column(cell.numa, text, parse_numa(text));
}

}  // namespace invar::record
