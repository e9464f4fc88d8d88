// Does the verification find every kind of corruption, and nothing where there is none? Runs alone,
// without MPI_Init: results come from a model (virtual_ranks.hpp).
#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "ops/buffers/pattern.hpp"
#include "ops/catalogue.hpp"
#include "ops/expect.hpp"
#include "ops/virtual_ranks.hpp"

namespace invar::ops::test {
namespace {

constexpr int kRanks = 4;

const std::vector<std::string>& irregular() {
  static const std::vector<std::string> names{"linear", "half-zero", "one-big", "random:7"};
  return names;
}

std::string where(const Operation& operation, std::size_t rank, const std::string& what) {
  return std::string(operation.name) + ", rank " + std::to_string(rank) + ": " + what;
}

// MPI leaves rank 0's result of exscan open.
bool is_open(const Operation& operation, std::size_t rank) {
  const std::string_view name = operation.emulates == nullptr ? operation.name : operation.emulates;
  return name.find("exscan") != std::string_view::npos && rank == 0;
}

void right_result_of_every_operation_passes(Expectations& t, const Operation& operation) {
  for (const int count : {0, 1, 3, 20011}) {  // 20011: more than one piece of the comparison
    for (const int root : {0, kRanks - 1}) {
      VirtualRanks ranks(operation, kRanks, count, root);
      ranks.perform();
      for (std::size_t r = 0; r < ranks.size(); ++r) {
        t.expect_equal(ranks.text(r), "", where(operation, r, "count " + std::to_string(count)));
      }
    }
  }
}

void right_result_of_every_distribution_passes(Expectations& t, const Operation& operation) {
  for (const std::string& name : irregular()) {
    for (const int count : {0, 1, 3, 6007}) {
      for (const int ranks : {1, 2, 3, kRanks}) {
        VirtualRanks virtual_ranks(operation, ranks, count, ranks - 1, 0,
                                   *record::parse_distribution(name));
        virtual_ranks.perform();
        for (std::size_t r = 0; r < virtual_ranks.size(); ++r) {
          t.expect_equal(virtual_ranks.text(r), "",
                         where(operation, r, name + ", count " + std::to_string(count)));
        }
      }
    }
  }
}

// The root of a fan, whose receives take what comes.
class FanIn {
 public:
  FanIn(int senders, int count)
      : block_(static_cast<std::size_t>(count)), from_(static_cast<std::size_t>(senders)) {
    std::iota(from_.begin(), from_.end(), 1);
    levels_.pattern = *record::parse_pattern("fan-in:" + std::to_string(senders));
    levels_.window = kWindow;
    levels_.any_source = true;
    peers_.from = from_;
    peers_.any_source = true;
    peers_.window = kWindow;
    peers_.messages = static_cast<std::uint64_t>(senders) * kWindow;
    call_.ranks = senders + 1;
    call_.count = count;
    call_.large_count = count;
    call_.block_bytes = block_;
    call_.element = find_element_type("byte");
    call_.role = record::Role::kAnswers;
    call_.peers = &peers_;
    call_.levels = &levels_;
    need_ = buffer_need(operation_, call_);
    for (std::vector<std::byte>* buffer : {&send_, &recv_}) {
      buffer->resize(need_.recv_bytes + 2 * kGuardBytes);
    }
    call_.send = send_.data() + kGuardBytes;
    call_.recv = recv_.data() + kGuardBytes;
    fill_for_check(operation_, call_);
  }

  // All messages, each sender's in their order, the senders by lot.
  void receive() {
    std::vector<std::uint64_t> sent(from_.size(), 0);
    base::Random random(1);
    for (std::uint64_t slot_number = 0; slot_number < peers_.messages;) {
      const auto sender = static_cast<std::size_t>(random.below(from_.size()));
      if (sent[sender] == kWindow) continue;
      call_.element->pattern(std::span(slot(slot_number++), block_), from_[sender],
                             sent[sender]++ * block_);
    }
  }
  [[nodiscard]] std::byte* slot(std::uint64_t number) const { return call_.recv + number * block_; }
  [[nodiscard]] std::size_t block() const { return block_; }
  [[nodiscard]] std::string mismatch() const {
    Checker checker(operation_, call_);
    operation_.verify(call_, checker);
    const auto found = checker.finish();
    return found ? found->text() : "";
  }

 private:
  static constexpr int kWindow = 64;

  const Operation& operation_ = *find_operation("stream");
  std::size_t block_;
  std::vector<int> from_;
  record::P2pLevels levels_ = {};
  Peers peers_ = {};
  Call call_ = {};
  BufferNeed need_ = {};
  std::vector<std::byte> send_ = {};
  std::vector<std::byte> recv_ = {};
};

// Short messages of several senders look alike: in which of very many ways they came cannot be
// known, and is not a fault of the library. What is lost or changed is.
void messages_of_many_senders_may_come_in_any_order(Expectations& t) {
  for (const int count : {0, 1, 4, 8, 300}) {
    const std::string what = "15 senders, " + std::to_string(count) + " bytes";
    FanIn fan(15, count);
    fan.receive();
    t.expect_equal(fan.mismatch(), "", what);
    if (count < 4) continue;
    std::swap(*fan.slot(700), *(fan.slot(700) + 1));
    t.expect_contains(fan.mismatch(), "recv byte ", what + ": two bytes of one are swapped");
    fan.receive();
    std::copy_n(fan.slot(1), fan.block(), fan.slot(900));
    t.expect_contains(fan.mismatch(), "recv byte ", what + ": one came twice, another never");
  }
}

// This is what a library gives that takes all blocks for equal.
void equal_blocks_are_found_where_they_should_differ(Expectations& t, const Operation& operation) {
  VirtualRanks wanted(operation, kRanks, 8, 1, 0, *record::parse_distribution("linear"));
  VirtualRanks equal(operation, kRanks, 8, 1);
  wanted.perform();
  equal.perform();
  for (std::size_t r = 0; r < wanted.size(); ++r) {
    const std::size_t bytes = std::min(wanted.need(r).recv_bytes, equal.need(r).recv_bytes);
    if (std::memcmp(wanted.call(r).recv, equal.call(r).recv, bytes) == 0) continue;
    std::memcpy(wanted.call(r).recv, equal.call(r).recv, bytes);
    t.expect(wanted.verify(r).has_value(), where(operation, r, "equal blocks"));
  }
}

// Every byte of both buffers and of their guard zones, one after the other.
void every_wrong_byte_is_found_where_it_is(Expectations& t, const Operation& operation, int count,
                                           record::Distribution distribution = {}) {
  VirtualRanks ranks(operation, kRanks, count, 1, 0, distribution);
  ranks.perform();
  const auto guard = static_cast<std::int64_t>(kGuardBytes);
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    for (const bool send : {true, false}) {
      std::byte* const buffer = send ? ranks.call(r).send : ranks.call(r).recv;
      const BufferNeed need = ranks.need(r);
      const auto bytes = static_cast<std::int64_t>(send ? need.send_bytes : need.recv_bytes);
      for (std::int64_t at = -guard; at < bytes + guard; ++at) {
        const bool in_buffer = at >= 0 && at < bytes;
        if (!send && in_buffer && is_open(operation, r)) continue;
        buffer[at] ^= std::byte{1};
        const auto mismatch = ranks.verify(r);
        buffer[at] ^= std::byte{1};
        const std::string place =
            where(operation, r, (send ? "send byte " : "recv byte ") + std::to_string(at));
        t.expect(
            mismatch && mismatch->buffer == (send ? "send" : "recv") && mismatch->byte_offset == at,
            place + " is wrong, found " + (mismatch ? mismatch->text() : "nothing"));
      }
    }
  }
}

void result_that_nobody_wrote_is_found(Expectations& t, const Operation& operation) {
  VirtualRanks performed(operation, kRanks, 3, 1);
  performed.perform();
  const VirtualRanks idle(operation, kRanks, 3, 1);
  for (std::size_t r = 0; r < idle.size(); ++r) {
    const std::size_t bytes = idle.need(r).recv_bytes;
    const bool unchanged =
        bytes == 0 || std::memcmp(idle.call(r).recv, performed.call(r).recv, bytes) == 0;
    if (unchanged) {
      t.expect_equal(idle.text(r), "", where(operation, r, "receives nothing"));
    } else if (operation.reads_recv) {
      t.expect(idle.verify(r).has_value(), where(operation, r, "operand left as it was"));
    } else {
      t.expect_contains(idle.text(r), "which nobody wrote", where(operation, r, "no write"));
    }
  }
}

void swapped_blocks_are_found(Expectations& t, const Operation& operation) {
  for (const int count : {1, 3}) {
    VirtualRanks ranks(operation, kRanks, count, 1);
    ranks.perform();
    const Call& call = ranks.call(1);
    if (ranks.need(1).recv_bytes < 2 * call.block_bytes) return;
    std::swap_ranges(call.recv, call.recv + call.block_bytes, call.recv + call.block_bytes);
    t.expect(ranks.verify(1).has_value(), where(operation, 1, "blocks of ranks 0 and 1 swapped"));
  }
}

// An overrun that copies what lies behind another rank's buffer to behind this one.
void copied_guard_zone_is_found(Expectations& t, const Operation& operation) {
  VirtualRanks ranks(operation, kRanks, 3, 1);
  ranks.perform();
  for (std::size_t from = 0; from < ranks.size(); ++from) {
    for (std::size_t to = 0; to < ranks.size(); ++to) {
      std::byte& behind = ranks.call(to).recv[ranks.need(to).recv_bytes];
      const std::byte before = behind;
      behind = ranks.call(from).send[ranks.need(from).send_bytes];
      t.expect(ranks.verify(to).has_value(), where(operation, to, "one element too many"));
      behind = before;
      if (from == to) continue;
      // As an algorithm does that hands on what it has received.
      behind = ranks.call(from).recv[ranks.need(from).recv_bytes];
      t.expect(ranks.verify(to).has_value(),
               where(operation, to, "one element too many handed on"));
      behind = before;
    }
  }
}

// A library that gives what it gave in an earlier visit.
void result_of_another_visit_is_found(Expectations& t, const Operation& operation) {
  constexpr std::uint32_t kVisit = 1000;
  for (const int count : {1, 300}) {
    VirtualRanks now(operation, kRanks, count, 1, pattern_start_of(kVisit));
    const VirtualRanks idle(operation, kRanks, count, 1, pattern_start_of(kVisit));
    now.perform();
    for (const std::uint32_t ago : {1U, 2U, 3U, 50U}) {
      VirtualRanks before(operation, kRanks, count, 1, pattern_start_of(kVisit - ago));
      before.perform();
      for (std::size_t r = 0; r < now.size(); ++r) {
        t.expect_equal(now.text(r), "", where(operation, r, "with the data of a visit"));
        const std::size_t bytes = now.need(r).recv_bytes;
        const bool receives =
            bytes > 0 && std::memcmp(now.call(r).recv, idle.call(r).recv, bytes) != 0;
        if (!receives || is_open(operation, r)) continue;
        std::vector<std::byte> right(now.call(r).recv, now.call(r).recv + bytes);
        std::memcpy(now.call(r).recv, before.call(r).recv, bytes);
        const auto mismatch = now.verify(r);
        t.expect(mismatch && mismatch->buffer == "recv" && mismatch->byte_offset < 4,
                 where(operation, r, "the result of " + std::to_string(ago) + " visits ago"));
        std::copy(right.begin(), right.end(), now.call(r).recv);
      }
    }
  }
}

// The data are compared in pieces: the last byte is in another one than the first.
void first_of_several_wrong_bytes_is_reported(Expectations& t) {
  VirtualRanks ranks(*find_operation("allgather"), kRanks, 20011, 0);
  ranks.perform();
  const auto last = static_cast<std::int64_t>(ranks.need(3).recv_bytes) - 1;
  for (const std::int64_t wrong : {last, last - 40'000, std::int64_t{5}}) {
    ranks.call(3).recv[wrong] ^= std::byte{1};
    const auto mismatch = ranks.verify(3);
    t.expect(mismatch && mismatch->byte_offset == wrong,
             "byte " + std::to_string(wrong) + " is wrong");
  }
}

void check_that_forgets_bytes_is_found(Expectations& t) {
  Operation forgetful = *find_operation("allreduce");
  forgetful.verify = [](const Call&, Checker&) {};
  const VirtualRanks ranks(forgetful, kRanks, 3, 0);
  t.expect_equal(ranks.text(0), "the check of allreduce states 0 of 12 bytes of recv", "forgotten");

  Operation greedy = *find_operation("allreduce");
  greedy.verify = [](const Call&, Checker& checker) { checker.allow_anything(0, 4); };
  t.expect_equal(VirtualRanks(greedy, kRanks, 3, 0).text(0),
                 "the check of allreduce states more than recv holds", "too much");
}

void message_names_buffer_place_and_values(Expectations& t) {
  VirtualRanks ranks(*find_operation("alltoall"), kRanks, 3, 0);
  ranks.perform();
  ranks.call(2).recv[7] = std::byte{200};
  t.expect_equal(ranks.text(2), "recv byte 7 (block of rank 2, element 1): expected 241, found 200",
                 "message");
}

void catalogue_is_consistent(Expectations& t) {
  t.expect(find_operation("bcas") == nullptr && find_operation("") == nullptr, "unknown names");
  for (const Operation* const operation : catalogue()) {
    t.expect(find_operation(operation->name) == operation,
             std::string(operation->name) + " is found under its own name");
    t.expect(std::string_view(operation->summary).size() > 10, "has a summary");
  }
}

void sums_have_the_closed_form(Expectations& t) {
  const ElementType& type = *find_element_type("int32");
  const Reduction& sum = *find_reduction("sum", "int32");
  constexpr std::size_t kElements = 40;
  const auto value = [](std::span<const std::byte> from, std::size_t element) {
    std::int32_t number = 0;
    std::memcpy(&number, &from[element * sizeof number], sizeof number);
    return number;
  };
  std::vector<std::byte> pattern(kElements * type.size_bytes);
  std::vector<std::byte> reduced(pattern.size());
  for (const auto& [first, last] : {std::pair{0, 0}, {0, 6}, {3, 4}, {9990, 30050}, {0, 99999}}) {
    constexpr std::uint64_t kFrom = 9990;  // over the end of a period
    std::vector<std::int64_t> wanted(kElements);
    for (int rank = first; rank <= last; ++rank) {
      type.pattern(pattern, rank, kFrom);
      for (std::size_t e = 0; e < kElements; ++e) wanted[e] += value(pattern, e);
    }
    sum.pattern(reduced, first, last, kFrom);
    for (std::size_t e = 0; e < kElements; ++e) {
      t.expect(value(reduced, e) == wanted[e], "sum of ranks " + std::to_string(first) + " to " +
                                                   std::to_string(last) + " is exact");
    }
  }
}

// Bit by bit, and never all of them: that would be what nobody wrote.
void bits_of_bytes_have_the_closed_form(Expectations& t) {
  const Reduction& bits = *find_reduction("bor", "byte");
  constexpr std::size_t kElements = 700;  // more than two periods
  std::vector<std::byte> input(kElements);
  std::vector<std::byte> reduced(kElements);
  for (const auto& [first, last] : {std::pair{0, 0}, {0, 1}, {3, 6}, {230, 250}, {0, 2000}}) {
    constexpr std::uint64_t kFrom = 9990;
    std::vector<std::byte> wanted(kElements);
    for (int rank = first; rank <= last; ++rank) {
      bits.input(input, rank, kFrom);
      for (std::size_t e = 0; e < kElements; ++e) {
        t.expect(input[e] != std::byte{0}, "a contribution to every element");
        wanted[e] |= input[e];
      }
    }
    bits.pattern(reduced, first, last, kFrom);
    t.expect(reduced == wanted,
             "bits of ranks " + std::to_string(first) + " to " + std::to_string(last));
    t.expect(std::find(reduced.begin(), reduced.end(), kPoison) == reduced.end(), "no poison");
  }
  // In a message of tens of bytes every one of eight contributions is missed.
  std::vector<std::byte> all(64);
  bits.pattern(all, 0, 7, 0);
  for (int absent = 0; absent < 8; ++absent) {
    std::vector<std::byte> without(all.size());
    for (int rank = 0; rank < 8; ++rank) {
      std::vector<std::byte> one(all.size());
      bits.input(one, rank, 0);
      for (std::size_t e = 0; e < all.size() && rank != absent; ++e) without[e] |= one[e];
    }
    t.expect(without != all, "rank " + std::to_string(absent) + " is missed");
  }
}

// Step by step, as a library would do it.
void user_operator_composes_the_ranks_in_order(Expectations& t) {
  const ElementType& type = *find_element_type("contiguous");
  const Reduction& user = *find_reduction("user", "contiguous");
  constexpr std::size_t kElements = 70;  // more than the factors there are
  const auto word = [](std::span<const std::byte> from, std::size_t number) {
    std::uint32_t value = 0;
    std::memcpy(&value, &from[number * sizeof value], sizeof value);
    return value;
  };
  std::vector<std::byte> pattern(kElements * type.extent_bytes);
  std::vector<std::byte> composed(pattern.size());
  for (const auto& [first, last] : {std::pair{0, 0}, {0, 6}, {3, 4}, {0, 20'000}}) {
    std::vector<std::uint32_t> a(2 * kElements, 1);
    std::vector<std::uint32_t> b(2 * kElements, 0);
    for (int rank = first; rank <= last; ++rank) {
      type.pattern(pattern, rank, 5);
      for (std::size_t map = 0; map < a.size(); ++map) {
        b[map] += a[map] * word(pattern, 2 * map + 1);
        a[map] *= word(pattern, 2 * map);
      }
    }
    user.pattern(composed, first, last, 5);
    for (std::size_t map = 0; map < a.size(); ++map) {
      t.expect(word(composed, 2 * map) == a[map] && word(composed, 2 * map + 1) == b[map],
               "composition of ranks " + std::to_string(first) + " to " + std::to_string(last));
    }
  }
}

// Whatever block it is, and also that of a rank nearby.
void patterns_of_visits_in_a_row_share_no_element(Expectations& t) {
  constexpr std::size_t kElements = 12'000;  // more than a period of each
  for (const ElementType& type : element_types()) {
    std::vector<std::byte> now(kElements * type.extent_bytes);
    std::vector<std::byte> before(now.size());
    for (const std::uint32_t visit : {100U, 200'000'000U}) {
      type.pattern(now, 3, pattern_start_of(visit));
      for (std::uint32_t ago = 1; ago <= 80; ++ago) {
        for (const int rank : {0, 2, 3, 4, 9}) {
          if (ago > 7 && rank != 3) continue;
          type.pattern(before, rank, pattern_start_of(visit - ago));
          std::size_t same = 0;
          for (std::size_t e = 0; e < kElements; ++e) {
            const std::size_t at = e * type.extent_bytes;
            const std::size_t piece = type.pieces.front().bytes;
            same += std::memcmp(&now[at], &before[at], piece) == 0 ? 1U : 0U;
          }
          t.expect(same == 0, std::string(type.name) + ": " + std::to_string(same) +
                                  " elements of rank 3 are those of rank " + std::to_string(rank) +
                                  " " + std::to_string(ago) + " visits ago");
        }
      }
    }
  }
}

// Copied from a table, it must be what the walk gives.
void pattern_of_bytes_is_its_walk(Expectations& t) {
  std::vector<std::byte> bytes(3000);
  for (const std::uint64_t first :
       {std::uint64_t{0}, std::uint64_t{100}, pattern_start_of(12345)}) {
    find_element_type("byte")->pattern(bytes, 300, first);
    Walk<241, 41, 17> walk(300 * 97 + 300 / 241 * 59, first);
    for (const std::byte byte : bytes) {
      t.expect(byte == static_cast<std::byte>(1 + walk.value()), "byte of the walk");
      walk.advance();
    }
  }
}

// Whatever piece of it is asked for, and without the values that mean something else.
void patterns_are_the_same_in_pieces(Expectations& t) {
  for (const ElementType& type : element_types()) {
    std::vector<std::byte> whole(25'000 * type.extent_bytes);
    type.pattern(whole, 300, 0);
    for (const std::size_t first : {1U, 240U, 241U, 10006U, 10007U, 24999U}) {
      std::vector<std::byte> rest(whole.size() - first * type.extent_bytes);
      type.pattern(rest, 300, first);
      t.expect(std::equal(rest.begin(), rest.end(), whole.end() - std::ssize(rest)),
               std::string(type.name) + " from element " + std::to_string(first));
    }
  }
  std::vector<std::byte> bytes(100'000);
  find_element_type("byte")->pattern(bytes, 7, 0);
  t.expect(std::all_of(bytes.begin(), bytes.end(),
                       [](std::byte value) {
                         return value != std::byte{0} && value < std::byte{kFirstGuard};
                       }),
           "no byte of the pattern is zero, guard or poison");
}

}  // namespace
}  // namespace invar::ops::test

int main() {
  using namespace invar::ops;
  using namespace invar::ops::test;
  Expectations t;
  for (const Operation* const operation : catalogue()) {
    // See planted_faults.cpp.
    if (std::string_view(operation->name).find("barrier") != std::string_view::npos) continue;
    // See memory_faults_selftest.cpp: nothing is exchanged that a model of ranks could give.
    if (operation->walks > 0) continue;
    right_result_of_every_operation_passes(t, *operation);
    if (!operation->sized) continue;
    for (const int count : {0, 1, 3}) every_wrong_byte_is_found_where_it_is(t, *operation, count);
    result_that_nobody_wrote_is_found(t, *operation);
    result_of_another_visit_is_found(t, *operation);
    swapped_blocks_are_found(t, *operation);
    copied_guard_zone_is_found(t, *operation);
    if (operation->distributes == Distributes::kNothing) continue;
    right_result_of_every_distribution_passes(t, *operation);
    equal_blocks_are_found_where_they_should_differ(t, *operation);
    for (const std::string& name : irregular()) {
      every_wrong_byte_is_found_where_it_is(t, *operation, 3,
                                            *invar::record::parse_distribution(name));
    }
  }
  first_of_several_wrong_bytes_is_reported(t);
  check_that_forgets_bytes_is_found(t);
  message_names_buffer_place_and_values(t);
  catalogue_is_consistent(t);
  sums_have_the_closed_form(t);
  bits_of_bytes_have_the_closed_form(t);
  user_operator_composes_the_ranks_in_order(t);
  patterns_are_the_same_in_pieces(t);
  patterns_of_visits_in_a_row_share_no_element(t);
  messages_of_many_senders_may_come_in_any_order(t);
  pattern_of_bytes_is_its_walk(t);
  return t.finish("verify_selftest");
}
