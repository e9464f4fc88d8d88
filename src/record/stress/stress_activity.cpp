#include "record/stress/stress_activity.hpp"

#include <algorithm>
#include <cstring>

#include "base/text.hpp"

namespace invar::record {
namespace {

constexpr std::uint64_t kMostStressRanks = std::uint64_t{1} << 30U;

// Up to its zero; nothing if there is none.
std::optional<std::string> closed_text(const StressWords& words, std::size_t first,
                                       std::size_t count) {
  std::array<char, sizeof(std::uint64_t) * kStressOperationWords> bytes{};
  const std::size_t size = count * sizeof(std::uint64_t);
  std::memcpy(bytes.data(), words.data() + first, size);
  const std::string_view text(bytes.data(), size);
  const std::size_t end = text.find('\0');
  if (end == std::string_view::npos) return std::nullopt;
  return base::without_controls(text.substr(0, end));
}

}  // namespace

std::string stress_state_file(std::uint32_t rank) { return "state." + std::to_string(rank); }

void put_activity(const StressActivity& activity, StressFault& fault) {
  fault.kind = name_of(activity.kind);
  fault.operation = activity.operation;
  fault.pattern = activity.pattern;
  fault.size_bytes = activity.size_bytes;
  fault.message = activity.message;
  const auto rank_of = [](int rank) {
    return rank < 0 ? std::nullopt : std::optional(static_cast<std::uint32_t>(rank));
  };
  fault.from = rank_of(activity.from);
  fault.to = rank_of(activity.to);
}

std::optional<StressActivity> stress_activity(const StressWords& words) {
  using namespace stress_word;
  const bool whole = words[kMagic] == kStressMagic && words[kSteps] % 2 == 0 &&
                     words[kDoing] < kStressDoings && words[kKind] < kStressKinds &&
                     words[kFrom] <= kMostStressRanks && words[kTo] <= kMostStressRanks;
  if (!whole) return std::nullopt;
  auto operation = closed_text(words, kStressOperation, kStressOperationWords);
  auto pattern = closed_text(words, kPattern, kStressPatternWords);
  if (!operation || !pattern) return std::nullopt;
  StressActivity activity{.doing = static_cast<StressDoing>(words[kDoing]),
                          .kind = static_cast<StressKind>(words[kKind]),
                          .message = words[kMessage],
                          .size_bytes = words[kSizeBytes],
                          .from = static_cast<int>(words[kFrom]) - 1,
                          .to = static_cast<int>(words[kTo]) - 1,
                          .operation = std::move(*operation),
                          .pattern = std::move(*pattern),
                          .part = words[kPart],
                          .pid = static_cast<std::int64_t>(words[kPid])};
  if (words[kDeathTimeNs] != 0 && words[kDeathSteps] == words[kSteps]) {
    activity.death = StressDeath{.signal = static_cast<int>(words[kDeathSignal]),
                                 .time_ns = static_cast<std::int64_t>(words[kDeathTimeNs])};
  }
  return activity;
}

std::optional<StressActivity> read_stress_activity(std::string_view bytes) {
  StressWords words{};
  if (bytes.size() != sizeof(words)) return std::nullopt;
  std::memcpy(words.data(), bytes.data(), sizeof(words));
  return stress_activity(words);
}

}  // namespace invar::record
