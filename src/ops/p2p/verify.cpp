#include "ops/p2p/verify.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "ops/p2p/all_messages.hpp"
#include "ops/shapes.hpp"
#include "record/p2p/pattern.hpp"

namespace invar::ops {
namespace {

// Beyond so many looks at a slot no order is searched any more. Patterns repeat, so that short
// blocks of several senders look alike for a while, and of more than a handful of senders with a
// window there are more ways than anybody can go.
constexpr std::size_t kMostLooks = 100'000;

// The slots of a sender's messages to this rank, in the order in which it sends them.
struct SenderSlots {
  int source = 0;
  std::vector<std::uint64_t> slots = {};
};

SenderSlots slots_to_me(const Call& call, int source) {
  const auto window = static_cast<std::uint64_t>(call.peers->window);
  std::vector<std::uint32_t> to =
      record::sends_to(call.levels->pattern, static_cast<std::uint32_t>(call.ranks),
                       static_cast<std::uint32_t>(source));
  // Where both ranks of a pair send, the pattern names only the one that begins.
  if (to.empty()) to.push_back(static_cast<std::uint32_t>(call.rank));
  SenderSlots sender{.source = source};
  for (std::uint64_t peer = 0; peer < to.size(); ++peer) {
    if (to[peer] != static_cast<std::uint32_t>(call.rank)) continue;
    for (std::uint64_t i = 0; i < window; ++i) sender.slots.push_back(peer * window + i);
  }
  return sender;
}

// Each rank that this one receives from once.
std::vector<SenderSlots> senders_of(const Call& call) {
  std::vector<SenderSlots> senders;
  for (const int source : call.peers->from) {
    const bool known = std::ranges::any_of(
        senders, [source](const SenderSlots& sender) { return sender.source == source; });
    if (!known) senders.push_back(slots_to_me(call, source));
  }
  return senders;
}

// Peers in the order in which a call receives from them.
std::vector<std::size_t> order_of_peers(const Call& call) {
  const Peers& peers = *call.peers;
  const bool by_sendrecv = call.levels->form == record::P2pForm::kSendrecv;
  std::vector<std::size_t> order;
  for (std::size_t peer = 0; peer < peers.from.size(); ++peer) {
    order.push_back(by_sendrecv ? opposite(peers, peer) : peer);
  }
  return order;
}

std::vector<std::size_t> slots_in_order(const Call& call) {
  std::vector<std::size_t> slots;
  for (const std::size_t peer : order_of_peers(call)) {
    for (int message = 0; message < call.peers->window; ++message) {
      slots.push_back(call.peers->slot(peer, static_cast<std::size_t>(message)));
    }
  }
  return slots;
}

struct FoundOrder {
  std::optional<std::vector<SentMessage>> messages = {};  // none: there is none, or
  bool gave_up = false;                                   // not all ways were looked at
};

// Whose message may stand in which slot, so that every source's are in order: the first way that
// there is, slot by slot, and back where it ends.
template <typename Holds>
FoundOrder some_order_of(const Call& call, const std::vector<SenderSlots>& senders, Holds holds) {
  const std::vector<std::size_t> slots = slots_in_order(call);
  std::vector<std::size_t> sender_of(slots.size() + 1, 0);
  std::vector<std::size_t> taken(senders.size(), 0);
  std::vector<SentMessage> found(slots.size());
  std::size_t looks = 0;
  for (std::size_t at = 0; at < slots.size();) {
    std::size_t& sender = sender_of[at];
    const auto fits = [&] {
      const SenderSlots& one = senders[sender];
      if (taken[sender] == one.slots.size()) return false;
      found[slots[at]] = {.source = one.source, .slot = one.slots[taken[sender]]};
      return holds(slots[at], found[slots[at]]);
    };
    while (sender < senders.size() && !fits()) ++sender;
    if (++looks > kMostLooks) return {.gave_up = true};
    if (sender < senders.size()) {
      ++taken[sender];
      sender_of[++at] = 0;
      continue;
    }
    if (at == 0) return {};
    --taken[sender_of[--at]];
    ++sender_of[at];
  }
  return {.messages = std::move(found)};
}

// The same in whatever order: every message in a slot of its own. `messages` keeps what it says of
// slots that hold none of those that are left.
template <typename Holds>
void take_any_order(const std::vector<SenderSlots>& senders, Holds holds,
                    std::vector<SentMessage>& messages) {
  std::vector<SentMessage> left;
  for (const SenderSlots& sender : senders) {
    for (const std::uint64_t slot : sender.slots) left.push_back({sender.source, slot});
  }
  for (std::uint64_t slot = 0; slot < messages.size(); ++slot) {
    const auto there = std::ranges::find_if(
        left, [&](const SentMessage& message) { return holds(slot, message); });
    if (there == left.end()) continue;
    messages[slot] = *there;
    left.erase(there);
  }
}

}  // namespace

std::vector<SentMessage> messages_of_slots(const Call& call) {
  const std::vector<SenderSlots> senders = senders_of(call);
  std::vector<std::size_t> taken(senders.size(), 0);
  std::vector<SentMessage> messages(messages_in(*call.peers));
  for (const std::size_t slot : slots_in_order(call)) {
    const int source = call.peers->from[slot / static_cast<std::size_t>(call.peers->window)];
    const auto sender = static_cast<std::size_t>(
        std::ranges::find(senders, source, &SenderSlots::source) - senders.begin());
    messages[slot] = {.source = source, .slot = senders[sender].slots[taken[sender]++]};
  }
  return messages;
}

void slots_of_senders(const Call& call, Checker& checker) {
  const std::uint64_t elements = block_elements(call, call.rank);
  std::vector<SentMessage> messages = messages_of_slots(call);
  const std::vector<SenderSlots> senders = senders_of(call);
  if (call.peers->any_source && senders.size() > 1) {
    const auto holds = [&](std::uint64_t slot, const SentMessage& message) {
      return checker.holds_block(slot * elements, message.source, message.slot * elements,
                                 elements);
    };
    FoundOrder found = some_order_of(call, senders, holds);
    // What is wrong is told by the order that there might have been.
    if (found.messages) {
      messages = *std::move(found.messages);
    } else if (found.gave_up) {
      take_any_order(senders, holds, messages);
    }
  }
  for (std::uint64_t slot = 0; slot < messages.size(); ++slot) {
    checker.expect_block(slot * elements, messages[slot].source, messages[slot].slot * elements,
                         elements);
  }
  checker.expect_untouched(messages.size() * elements,
                           (call.peers->messages - messages.size()) * elements);
}

void copied_by_those_who_start(const Call& call, Checker& checker) {
  const std::uint64_t elements = block_elements(call, call.rank);
  const std::uint64_t copied = call.role == record::Role::kStarts ? elements : 0;
  if (copied > 0) checker.expect_block(0, call.rank, 0, copied);
  checker.expect_untouched(copied, elements - copied);
}

}  // namespace invar::ops
