#include "record/stress/stress_order.hpp"

#include <algorithm>
#include <array>
#include <functional>

#include "base/error.hpp"
#include "base/text.hpp"
#include "record/key_values.hpp"

namespace invar::record {
namespace {

constexpr std::array<std::string_view, kStressKinds> kStressKindNames{"p2p", "collectives",
                                                                      "all-pairs"};
constexpr std::uint64_t kMostSlots = 8;
constexpr std::uint64_t kFewestSlots = 2;
constexpr std::uint64_t kBytesOfSlots = std::uint64_t{128} << 20U;
constexpr std::uint64_t kLeastCollectiveBytes = std::uint64_t{1} << 20U;
// The arena moves buffers about in as much again (ops/buffers/memory.cpp).
constexpr std::uint64_t kMostArenaSlackBytes = std::uint64_t{16} << 20U;
constexpr std::uint64_t kBuffersOfCollective = 3;

constexpr auto kForEachStressKey = [](auto& order, auto visit) {
  visit("seed", order.seed);
  visit("seconds", order.seconds);
  visit("ranks", order.ranks);
  visit("kinds", order.kinds);
  visit("sizes", order.sizes);
  visit("repeats", order.repeats);
  visit("message", order.message);
  visit("oversubscribe", order.oversubscribe);
  visit("patience_s", order.patience_s);
};

std::uint64_t largest_of(const StressOrder& order) {
  return order.sizes.empty() ? 0 : *std::ranges::max_element(order.sizes);
}

}  // namespace

std::span<const std::string_view, kStressKinds> stress_kind_names() { return kStressKindNames; }

std::string_view name_of(StressKind kind) {
  return kStressKindNames[static_cast<std::size_t>(kind)];
}

std::optional<StressKind> parse_stress_kind(std::string_view name) {
  const auto found = std::ranges::find(kStressKindNames, name);
  if (found == kStressKindNames.end()) return std::nullopt;
  return static_cast<StressKind>(found - kStressKindNames.begin());
}

std::string stress_faults_file(std::uint32_t rank) {
  return "faults." + std::to_string(rank) + ".jsonl";
}

std::string stress_order_text(const StressOrder& order) {
  return keys_text(order, kForEachStressKey);
}

StressOrder read_stress_order(std::string_view text, const std::string& place) {
  StressOrder order = read_keys<StressOrder>(text, place, kForEachStressKey);
  base::Faults faults;
  for (const std::string& kind : order.kinds) {
    if (!parse_stress_kind(kind)) faults.add(place, "there is no kind '" + kind + "'");
  }
  if (order.kinds.empty()) faults.add(place, "it names no kind");
  if (order.sizes.empty()) faults.add(place, "it names no size");
  const bool ascend =
      std::ranges::adjacent_find(order.sizes, std::ranges::greater_equal()) == order.sizes.end();
  if (!ascend || (!order.sizes.empty() && order.sizes.back() > kMostStressBytes)) {
    faults.add(place, "its sizes do not ascend up to " + std::to_string(kMostStressBytes));
  }
  if (order.ranks < 2) faults.add(place, "one rank has nobody to send to");
  if (!(order.seconds > 0)) faults.add(place, "it takes no time");
  if (!(order.patience_s > 0)) faults.add(place, "it has no patience");
  faults.throw_if_any();
  return order;
}

std::uint64_t stress_slot_bytes(const StressOrder& order) {
  return 2 * (kStressGuardBytes + kStressLineBytes) + kStressRoomBytes + largest_of(order);
}

std::uint32_t stress_slots(const StressOrder& order) {
  const std::uint64_t fit = kBytesOfSlots / (2 * stress_slot_bytes(order));
  return static_cast<std::uint32_t>(std::clamp(fit, kFewestSlots, kMostSlots));
}

std::uint64_t stress_collective_bytes(const StressOrder& order) {
  return std::max(kLeastCollectiveBytes, 2 * largest_of(order));
}

std::uint64_t stress_memory_bytes(const StressOrder& order) {
  const bool messages = std::ranges::any_of(order.kinds, [](const std::string& kind) {
    return kind != name_of(StressKind::kCollectives);
  });
  const bool collectives = std::ranges::any_of(order.kinds, [](const std::string& kind) {
    return kind == name_of(StressKind::kCollectives);
  });
  const std::uint64_t arena = kBuffersOfCollective * stress_collective_bytes(order);
  // A wrong message is put beside what should have come, and what was there before it.
  const std::uint64_t compared = 2 * largest_of(order);
  return (messages ? 2 * stress_slots(order) * stress_slot_bytes(order) + compared : 0) +
         (collectives ? arena + std::min(arena, kMostArenaSlackBytes) : 0);
}

}  // namespace invar::record
