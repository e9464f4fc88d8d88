// The data of `invar stress`, who sends what to whom, and what is said of a wrong message. Runs
// alone, without MPI_Init.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ops/expect.hpp"
#include "ops/stress/stress_difference.hpp"
#include "ops/stress/stress_patterns.hpp"
#include "ops/stress/stress_plan.hpp"
#include "record/stress/stress_fault.hpp"
#include "record/stress/stress_order.hpp"
#include "record/stress/stress_sizes.hpp"

namespace invar::ops::test {
namespace {

using record::StressKind;
using Bytes = std::vector<std::byte>;

constexpr std::array kPatterns{StressPattern::kZeros, StressPattern::kOnes, StressPattern::kWalking,
                               StressPattern::kAddress, StressPattern::kRandom};
// Those whose bytes say where they belong.
constexpr std::array kPlacedPatterns{StressPattern::kWalking, StressPattern::kAddress,
                                     StressPattern::kRandom};

Bytes bytes_of(const StressContent& content, std::size_t size) {
  Bytes bytes(size);
  write_content(bytes, content);
  return bytes;
}

record::StressOrder order_of(std::uint32_t ranks) {
  return {.seed = 11,
          .ranks = ranks,
          .kinds = {"p2p", "all-pairs"},
          .sizes = record::usual_stress_sizes()};
}

void content_is_what_was_written(Expectations& t) {
  for (const StressPattern pattern : kPatterns) {
    for (const std::size_t size : {0U, 1U, 7U, 8U, 511U, 512U, 513U, 4096U, 70'001U}) {
      const StressContent content{.pattern = pattern, .key = 0x1234567890abcdefU};
      t.expect(!first_difference(bytes_of(content, size), content),
               std::string(name_of(pattern)) + ", " + std::to_string(size) + " bytes");
    }
  }
}

void every_flipped_bit_is_found_at_its_byte(Expectations& t) {
  for (const StressPattern pattern : kPatterns) {
    const StressContent content{.pattern = pattern, .key = 5};
    for (const std::size_t size : {1U, 2U, 9U, 64U, 513U, 1027U}) {
      Bytes bytes = bytes_of(content, size);
      for (std::size_t bit = 0; bit < 8 * size; ++bit) {
        bytes[bit / 8] ^= std::byte{1} << (bit % 8);
        t.expect(first_difference(bytes, content) == bit / 8,
                 std::string(name_of(pattern)) + ", bit " + std::to_string(bit));
        bytes[bit / 8] ^= std::byte{1} << (bit % 8);
      }
    }
    Bytes bytes = bytes_of(content, 65'537);
    bytes[65'536] ^= std::byte{128};
    t.expect(first_difference(bytes, content) == 65'536U, "the last bit of a large message");
    t.expect(first_difference(bytes, content, 65'536) == 65'536U, "looked for from there on");
    bytes[3] ^= std::byte{1};
    t.expect(first_difference(bytes, content, 4) == 65'536U, "what is before is not looked at");
  }
}

void nothing_of_the_poison_is_right(Expectations& t) {
  constexpr std::size_t kSize = 5000;
  for (const StressPattern pattern : kPatterns) {
    const StressContent content{.pattern = pattern, .key = 77};
    const Bytes right = bytes_of(content, kSize);
    const Bytes poison = bytes_of(content.poison(), kSize);
    for (std::size_t i = 0; i < kSize; ++i) {
      t.expect(right[i] != poison[i], std::string(name_of(pattern)) + ": byte " +
                                          std::to_string(i) + " would be taken for a written one");
    }
  }
  // Else a stale message of ones would look as if nobody had written zeros.
  const Bytes poison = bytes_of(StressContent{.pattern = StressPattern::kZeros}.poison(), kSize);
  t.expect(std::ranges::find(poison, std::byte{255}) == poison.end(),
           "what stands for unwritten zeros are no ones");
}

// A message that is another one's beginning, or its own a few bytes on, is not the right one.
void messages_are_not_each_others_parts(Expectations& t) {
  constexpr std::size_t kSize = 200'000;
  for (const StressPattern pattern : kPlacedPatterns) {
    const StressContent content{.pattern = pattern, .key = 0x9911};
    const Bytes right = bytes_of(content, kSize);
    for (const std::ptrdiff_t shift : {1, 8, 64, 504, 512, 4096, 32'768, 65'536}) {
      for (const bool onwards : {true, false}) {
        Bytes moved = right;
        if (onwards) {
          std::copy(right.begin() + shift, right.end(), moved.begin());
        } else {
          std::copy(right.begin(), right.end() - shift, moved.begin() + shift);
        }
        const std::optional<std::size_t> found = first_difference(moved, content);
        t.expect(found && *found < static_cast<std::size_t>(shift + 2048),
                 std::string(name_of(pattern)) + " moved by " + std::to_string(shift) +
                     " bytes is seen soon");
      }
    }
    for (const StressPattern other : kPatterns) {
      const StressContent theirs{.pattern = other, .key = 0x9912};
      const std::optional<std::size_t> found = first_difference(bytes_of(theirs, 64), content);
      t.expect(found && *found < 16, "another message is seen in its first words");
    }
  }
}

void both_ranks_know_the_same_message(Expectations& t) {
  for (std::uint32_t ranks = 2; ranks <= 9; ++ranks) {
    const StressPlan plan(order_of(ranks));
    for (const StressKind kind : {StressKind::kPairs, StressKind::kAllPairs}) {
      std::set<std::pair<int, int>> covered;
      for (std::uint64_t step = 0; step < 20; ++step) {
        const std::uint64_t number =
            kind == StressKind::kPairs ? step * kMessagesOfAMatching + 5 : step;
        std::uint64_t messages = 0;
        for (int rank = 0; rank < static_cast<int>(ranks); ++rank) {
          const StressPeers peers = plan.peers(kind, number, rank);
          t.expect((peers.to < 0) == (peers.from < 0), "who is left out neither sends nor gets");
          if (peers.to < 0) continue;
          t.expect(plan.peers(kind, number, peers.to).from == rank &&
                       plan.peers(kind, number, peers.from).to == rank,
                   "what a rank sends is what its peer expects");
          covered.emplace(rank, peers.to);
          ++messages;
        }
        t.expect(messages == plan.messages_of(kind), "as many messages as are counted");
      }
      t.expect(covered.size() == std::size_t{ranks} * (ranks - 1),
               "everybody sends to everybody, " + std::to_string(ranks) + " ranks");
    }
  }
}

void partners_stay_for_a_matching(Expectations& t) {
  const StressPlan plan(order_of(5));
  for (int rank = 0; rank < 5; ++rank) {
    for (std::uint64_t number = 1; number < 3 * kMessagesOfAMatching; ++number) {
      if (number % kMessagesOfAMatching == 0) continue;
      t.expect(plan.peers(StressKind::kPairs, number, rank).to ==
                   plan.peers(StressKind::kPairs, number - 1, rank).to,
               "a receive from anybody has one who can send");
    }
  }
}

void consecutive_messages_of_a_pair_differ(Expectations& t) {
  for (const std::uint32_t ranks : {2U, 3U, 5U, 6U}) {
    const StressPlan plan(order_of(ranks));
    for (const StressKind kind : {StressKind::kPairs, StressKind::kAllPairs}) {
      // Where they are partners.
      std::uint64_t first = 0;
      while (kind == StressKind::kPairs && plan.peers(kind, first, 0).to != 1) {
        first += kMessagesOfAMatching;
      }
      std::optional<StressContent> before;
      std::set<StressPattern> seen;
      for (std::uint64_t number = first; number < first + 60; ++number) {
        if (plan.peers(kind, number, 0).to != 1) continue;
        const StressContent content = plan.content(kind, number, 0, 1);
        t.expect(!before || before->pattern != content.pattern, "the pattern is another one");
        before = content;
        seen.insert(content.pattern);
        t.expect(plan.content(kind, number, 1, 0).key != content.key,
                 "both directions have data of their own");
      }
      t.expect(seen.size() == kStressPatterns, "all patterns come");
    }
  }
}

void messages_are_those_that_mpi_allows(Expectations& t) {
  const StressPlan plan(order_of(4));
  std::set<std::string_view> ways;
  std::uint64_t large = 0;
  constexpr std::uint64_t kNumbers = 20'000;
  for (std::uint64_t number = 0; number < kNumbers; ++number) {
    const StressMessage all = plan.message(StressKind::kAllPairs, number);
    t.expect(!all.any_source, "of all at once anybody's could come");
    const StressMessage message = plan.message(StressKind::kPairs, number);
    t.expect(message.tag >= 0 && message.tag < 32'768, "a tag that every library has");
    ways.insert(message.way->name);
    const bool blocks = message.way->send == SendCall::kSend;
    t.expect(!blocks || message.way->early, "a send that blocks finds its receive posted");
    if (message.size_bytes > record::kLargeStressBytes) ++large;
    t.expect(message.size_bytes == plan.message(StressKind::kPairs, number).size_bytes,
             "the same number is the same message");
  }
  t.expect(ways.size() == 7, "all forms come, " + std::to_string(ways.size()) + " did");
  t.expect(large > kNumbers / 100, "large messages are not rare: " + std::to_string(large));
}

StressDifference told(const Bytes& found, const StressContent& content,
                      std::span<const OtherStressMessage> others = {}) {
  return difference_of(found, content, others).value_or(StressDifference{});
}

void faults_are_told_apart(Expectations& t) {
  namespace word = record::stress_fault;
  constexpr std::size_t kSize = 10'000;
  const StressContent content{.pattern = StressPattern::kRandom, .key = 1};
  const Bytes right = bytes_of(content, kSize);
  const std::array others{
      OtherStressMessage{.content = {.pattern = StressPattern::kAddress, .key = 2},
                         .size_bytes = 6000,
                         .fault = word::kStale,
                         .name = "message 16, which was sent before"},
      OtherStressMessage{.content = {.pattern = StressPattern::kWalking, .key = 3},
                         .size_bytes = kSize,
                         .fault = word::kSwapped,
                         .name = "message 18, which is sent later"}};
  t.expect(!difference_of(right, content, others), "what is right is not a fault");

  Bytes found = right;
  found[5173] ^= std::byte{8};
  StressDifference one = told(found, content, others);
  t.expect_equal(std::string(one.fault), "bits", "one bit");
  t.expect_equal(one.what, "1 bit differs: bit 3 of byte 5173", "one bit");
  t.expect(one.offset_bytes == 5173, "where it is");
  t.expect_equal(one.expected, hexadecimal(std::span(right).subspan(5173)), "what should be there");
  found[5175] ^= std::byte{3};
  t.expect_equal(told(found, content, others).what, "3 bits differ in 2 bytes, bytes 5173 to 5175",
                 "three bits");

  found = right;
  const Bytes poison = bytes_of(content.poison(), kSize);
  std::copy(poison.begin() + 64, poison.begin() + 4096, found.begin() + 64);
  one = told(found, content, others);
  t.expect_equal(std::string(one.fault), "missing-write", "a part that nobody wrote");
  t.expect_equal(one.what, "bytes 64 to 4095 were not written", "a part that nobody wrote");

  // The message before it was shorter: its end is right.
  found = right;
  write_content(std::span(found).first(6000), others[0].content);
  one = told(found, content, others);
  t.expect_equal(std::string(one.fault), "stale", "an old message");
  t.expect_equal(one.what, "it holds message 16, which was sent before (address)",
                 "an old message");
  one = told(bytes_of(others[1].content, kSize), content, others);
  t.expect_equal(std::string(one.fault), "swapped", "a later message");

  // A segment of the old one.
  found = right;
  const Bytes old = bytes_of(others[1].content, kSize);
  std::copy(old.begin() + 8192, old.end(), found.begin() + 8192);
  t.expect_contains(told(found, content, others).what, "on it holds message 18",
                    "the last segment is another message's");

  for (const StressPattern pattern : kPlacedPatterns) {
    const StressContent placed{.pattern = pattern, .key = 9};
    const Bytes whole = bytes_of(placed, kSize);
    found = whole;
    std::copy(whole.begin(), whole.end() - 64, found.begin() + 64);
    one = told(found, placed, others);
    t.expect_equal(std::string(one.fault), "shift", "moved up, " + std::string(name_of(pattern)));
    t.expect_contains(one.what, "shifted by 64 bytes: from byte ", "moved up");
    t.expect_contains(one.what, " on there stands what belongs in front of it", "moved up");
    found = whole;
    std::copy(whole.begin() + 64, whole.end(), found.begin());
    one = told(found, placed, others);
    t.expect_equal(std::string(one.fault), "shift", "moved down");
    t.expect_contains(one.what, "behind it", "moved down");
  }
  found.assign(kSize, std::byte{0});
  t.expect_equal(std::string(told(found, content, others).fault), "bits", "zeros are nobody's");
}

}  // namespace
}  // namespace invar::ops::test

int main() {
  using namespace invar::ops::test;
  Expectations t;
  content_is_what_was_written(t);
  every_flipped_bit_is_found_at_its_byte(t);
  nothing_of_the_poison_is_right(t);
  messages_are_not_each_others_parts(t);
  both_ranks_know_the_same_message(t);
  partners_stay_for_a_matching(t);
  consecutive_messages_of_a_pair_differ(t);
  messages_are_those_that_mpi_allows(t);
  faults_are_told_apart(t);
  return t.finish("stress_selftest");
}
