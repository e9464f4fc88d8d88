#include "ops/stress/stress_plan.hpp"

#include <algorithm>
#include <array>

#include "base/circle_method.hpp"

namespace invar::ops {
namespace {

// As often as they stand here: most of all what programs do most.
constexpr StressWay kIsendIrecv{"isend -> irecv", SendCall::kIsend, ReceiveCall::kIrecv, true};
constexpr StressWay kSendIrecv{"send -> irecv", SendCall::kSend, ReceiveCall::kIrecv, true};
constexpr StressWay kIsendRecv{"isend -> recv", SendCall::kIsend, ReceiveCall::kRecv, false};
constexpr std::array<StressWay, 16> kWays{
    kIsendIrecv,
    kIsendIrecv,
    kIsendIrecv,
    kIsendIrecv,
    kIsendIrecv,
    kIsendIrecv,
    kSendIrecv,
    kSendIrecv,
    kSendIrecv,
    kIsendRecv,
    kIsendRecv,
    kIsendRecv,
    StressWay{"issend -> irecv", SendCall::kIssend, ReceiveCall::kIrecv, true},
    StressWay{"persistent -> persistent", SendCall::kStart, ReceiveCall::kStart, true},
    StressWay{"isend -> mprobe, mrecv", SendCall::kIsend, ReceiveCall::kMrecv, false},
    StressWay{"sendrecv", SendCall::kSendrecv, ReceiveCall::kSendrecv, false}};

// Every library has tags up to this.
constexpr std::uint64_t kStressTags = 32768;

// Streams of the seed.
constexpr std::uint64_t kStreamOfMessages = 1;
constexpr std::uint64_t kStreamOfContents = 2;
constexpr std::uint64_t kStreamOfCollectives = 3;

std::uint64_t number_of(record::StressKind kind) { return static_cast<std::uint64_t>(kind); }

// The lowest `count` of some random bits, which are then used up.
std::uint64_t take_bits(std::uint64_t& bits, unsigned count) {
  const std::uint64_t taken = bits & ((std::uint64_t{1} << count) - 1);
  bits >>= count;
  return taken;
}

}  // namespace

StressPlan::StressPlan(const record::StressOrder& order)
    : seed_(order.seed), ranks_(static_cast<int>(order.ranks)), sizes_(order.sizes) {}

std::uint32_t StressPlan::size_bytes(base::Random& random) const {
  return sizes_.draw(random.uniform());
}

base::Random StressPlan::draws(std::uint64_t number) const {
  return base::Random::of({seed_, kStreamOfCollectives, number});
}

StressMessage StressPlan::message(record::StressKind kind, std::uint64_t number) const {
  auto random = base::Random::of({seed_, kStreamOfMessages, number_of(kind), number});
  StressMessage message{.kind = kind, .number = number, .size_bytes = size_bytes(random)};
  std::uint64_t bits = random.next();
  message.way = &kWays[take_bits(bits, 4)];
  message.tag = static_cast<int>(number % kStressTags);
  message.any_tag = take_bits(bits, 1) != 0;
  // Only in pairs: where all send to all, anybody's message might come.
  message.any_source = take_bits(bits, 2) == 0 && kind == record::StressKind::kPairs;
  message.longer = take_bits(bits, 2) == 0;
  message.looked_back = take_bits(bits, 4) == 0;
  // Half of them begin with a cache line.
  for (std::uint32_t* shift : {&message.send_shift, &message.receive_shift}) {
    const bool shifted = take_bits(bits, 1) != 0;
    const std::uint64_t bytes = take_bits(bits, 6);
    *shift = shifted ? static_cast<std::uint32_t>(bytes) : 0;
  }
  return message;
}

StressPeers StressPlan::peers(record::StressKind kind, std::uint64_t number, int rank) const {
  if (kind == record::StressKind::kPairs) {
    // None for a single rank, which has no messages.
    const auto rounds = static_cast<std::uint64_t>(std::max(1, base::circle_rounds(ranks_)));
    const int round = static_cast<int>(number / kMessagesOfAMatching % rounds);
    const int partner = base::circle_partner(ranks_, rank, round);
    return {.to = partner, .from = partner};
  }
  const auto others = static_cast<std::uint64_t>(ranks_ - 1);
  const int distance = 1 + static_cast<int>(number % others);
  return {.to = (rank + distance) % ranks_, .from = (rank + ranks_ - distance) % ranks_};
}

StressContent StressPlan::content(record::StressKind kind, std::uint64_t number, int from,
                                  int to) const {
  auto random =
      base::Random::of({seed_, kStreamOfContents, number_of(kind), number,
                        static_cast<std::uint64_t>(from), static_cast<std::uint64_t>(to)});
  // Patterns in turn, so that a message never has the data of the one before it: counted from pair
  // to pair, because of all pairs the numbers of one pair are as far apart as there are others.
  const auto others = static_cast<std::uint64_t>(ranks_ - 1);
  const std::uint64_t turn = kind == record::StressKind::kPairs ? number : number / others;
  return {.pattern = static_cast<StressPattern>(turn % kStressPatterns), .key = random.next()};
}

std::uint64_t StressPlan::messages_of(record::StressKind kind) const {
  // In pairs an odd number of ranks leaves one out.
  return static_cast<std::uint64_t>(kind == record::StressKind::kPairs ? ranks_ - ranks_ % 2
                                                                       : ranks_);
}

}  // namespace invar::ops
