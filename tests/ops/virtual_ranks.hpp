// All ranks of a call in one process, and what the operations give, written down as plainly as
// possible: the model that the verification is tested against. No MPI call is made.
#pragma once

#include <cstring>
#include <memory>
#include <vector>

#include "ops/buffers/element.hpp"
#include "ops/call/block_arrays.hpp"
#include "ops/shapes.hpp"
#include "ops/verify.hpp"
#include "record/p2p/cell_roles.hpp"
#include "record/p2p/levels.hpp"

namespace invar::ops::test {

class VirtualRanks {
 public:
  // Buffers filled by fill_for_check(), as before the call. Neighbours are those of a ring.
  VirtualRanks(const Operation& operation, int ranks, int count, int root,
               std::uint64_t pattern_start = 0, record::Distribution distribution = {})
      : operation_(operation),
        lengths_(distribution, static_cast<std::uint64_t>(count),
                 static_cast<std::uint64_t>(ranks)),
        ranks_(static_cast<std::size_t>(ranks)) {
    const ElementType& type = *find_element_type(operation.reduces ? "int32" : "byte");
    element_bytes_ = type.size_bytes;
    for (int r = 0; r < ranks; ++r) {
      Rank& rank = ranks_[static_cast<std::size_t>(r)];
      Call& call = rank.call;
      call.rank = r;
      call.ranks = ranks;
      call.root = root;
      call.count = count;
      call.large_count = count;
      call.pattern_start = pattern_start;
      call.block_bytes = static_cast<std::size_t>(count) * type.size_bytes;
      call.element = &type;
      if (operation.reduces) call.reduces_as = find_reduction("sum", "int32");
      if (operation.neighbours) {
        const int left = (r + ranks - 1) % ranks;
        const int right = (r + 1) % ranks;
        rank.destinations = {right, left};
        rank.arrivals = {{.source = left, .block = 0}, {.source = right, .block = 1}};
        call.neighbours = 2;
        call.destinations = rank.destinations.data();
        call.arrivals = rank.arrivals.data();
      }
      if (operation.messages != record::Messages::kNone) meet_peers(rank, r);
      if (operation.arrays != Arrays::kNone) {
        rank.arrays = std::make_unique<BlockArrays>(operation, call, distribution);
        rank.arrays->attach(call);
      }
      rank.need = buffer_need(operation, call);
      rank.send.resize(rank.need.send_bytes + 2 * kGuardBytes);
      rank.recv.resize(rank.need.recv_bytes + 2 * kGuardBytes);
      rank.scratch.resize(rank.need.scratch_bytes + 2 * kGuardBytes);
      call.send = rank.send.data() + kGuardBytes;
      call.recv = rank.recv.data() + kGuardBytes;
      call.scratch = rank.scratch.data() + kGuardBytes;
      fill_for_check(operation, call);
    }
  }

  // What MPI promises.
  void perform() {
    const std::string name = collective();
    const std::size_t block = call(0).block_bytes;
    const auto root = static_cast<std::size_t>(call(0).root);
    const std::size_t last = ranks_.size() - 1;
    if (operation_.messages != record::Messages::kNone) perform_messages(name, block);
    for (std::size_t to = 0; to < ranks_.size(); ++to) {
      if (name == "bcast" && to != root) copy(to, 0, root, 0, block);
      if (name == "scatter" || name == "scatterv") copy(to, 0, root, before(to), bytes_of(to));
      if (name == "reduce_local") add(to, to, 0, block);
      if (name == "reduce" && to == root) sum(to, 0, last, 0, block);
      if (name == "allreduce") sum(to, 0, last, 0, block);
      if (name == "scan") sum(to, 0, to, 0, block);
      if (name == "exscan" && to > 0) sum(to, 0, to - 1, 0, block);
      if (name.starts_with("reduce_scatter")) sum(to, 0, last, before(to), bytes_of(to));
      std::size_t received = 0;
      for (const Arrival& arrival : ranks_[to].arrivals) {
        const auto from = static_cast<std::size_t>(arrival.source);
        const bool own_blocks = name.starts_with("neighbor_alltoall");
        const std::size_t number = own_blocks ? static_cast<std::size_t>(arrival.block) : 0;
        copy(to, received, from, number * bytes_of(from), bytes_of(from));
        received += bytes_of(from);
      }
      for (std::size_t from = 0; from < ranks_.size(); ++from) {
        const bool root_only = name == "gather" || name == "gatherv";
        if (name.starts_with("allgather") || (root_only && to == root)) {
          copy(to, before(from), from, 0, bytes_of(from));
        }
        if (!name.starts_with("alltoall")) continue;
        std::size_t sent = 0;
        for (std::size_t other = 0; other < to; ++other) sent += between(from, other);
        copy(to, received, from, sent, between(from, to));
        received += between(from, to);
      }
    }
  }

  [[nodiscard]] const Call& call(std::size_t rank) const { return ranks_[rank].call; }
  [[nodiscard]] BufferNeed need(std::size_t rank) const { return ranks_[rank].need; }
  [[nodiscard]] std::size_t size() const { return ranks_.size(); }

  // What the verification finds on one rank.
  [[nodiscard]] std::optional<Mismatch> verify(std::size_t rank) const {
    Checker checker(operation_, call(rank));
    operation_.verify(call(rank), checker);
    return checker.finish();
  }
  [[nodiscard]] std::string text(std::size_t rank) const {
    const auto mismatch = verify(rank);
    return mismatch ? mismatch->text() : "";
  }

 private:
  struct Rank {
    Call call;
    std::vector<int> destinations;  // of operations with neighbours, as are these
    std::vector<Arrival> arrivals;
    record::P2pLevels levels;  // of operations that send messages, as are these
    std::vector<int> send_to;
    std::vector<int> receive_from;
    Peers peers;
    std::unique_ptr<BlockArrays> arrays;
    BufferNeed need;
    std::vector<std::byte> send;
    std::vector<std::byte> recv;
    std::vector<std::byte> scratch;
  };

  // In the usual pattern: ranks 0 and 1, or all on a circle, down and up.
  void meet_peers(Rank& rank, int r) {
    const record::Cell cell{.ranks = static_cast<std::uint32_t>(ranks_.size())};
    const int ranks = static_cast<int>(ranks_.size());
    rank.levels = record::p2p_levels(cell, operation_.messages);
    rank.call.role = record::roles_of({}, operation_.messages, cell)[static_cast<std::size_t>(r)];
    const bool both = operation_.messages == record::Messages::kMatched;
    if (operation_.messages == record::Messages::kPartners) {
      rank.send_to = rank.receive_from = {(r + ranks - 1) % ranks, (r + 1) % ranks};
    } else if (r < 2) {
      if (both || r == 0) rank.send_to = {1 - r};
      if (both || r == 1) rank.receive_from = {1 - r};
    }
    rank.peers.to = rank.send_to;
    rank.peers.from = rank.receive_from;
    rank.peers.messages = record::messages_of(cell, operation_.messages);
    rank.call.peers = &rank.peers;
    rank.call.levels = &rank.levels;
  }

  void perform_messages(const std::string& name, std::size_t block) {
    if (name == "memcpy") copy(0, 0, 0, 0, block);
    if (name == "halo") {
      for (std::size_t to = 0; to < ranks_.size(); ++to) {
        copy(to, 0, (to + ranks_.size() - 1) % ranks_.size(), block, block);
        copy(to, block, (to + 1) % ranks_.size(), 0, block);
      }
    }
    // By whatever call it is sent or received.
    const bool one_way =
        name == "oneway" || name == "stream" || operation_.messages == record::Messages::kPairs;
    if (one_way) copy(1, 0, 0, 0, block);
    if (name == "pingpong" || name == "exchange" || name == "bistream") {
      copy(0, 0, 1, 0, block);
      copy(1, 0, 0, 0, block);
    }
  }

  void copy(std::size_t to, std::size_t to_byte, std::size_t from, std::size_t from_byte,
            std::size_t bytes) {
    std::memcpy(call(to).recv + to_byte, call(from).send + from_byte, bytes);
  }

  // All forms of a collective give the same, and whatever emulates it.
  [[nodiscard]] std::string collective() const {
    if (operation_.emulates != nullptr) return operation_.emulates;
    std::string name = operation_.name;
    if (operation_.form == Form::kNonBlocking) name.erase(0, 1);
    if (operation_.form == Form::kPersistent) name.resize(name.size() - 5);
    if (operation_.form == Form::kLargeCounts) name.resize(name.size() - 2);
    return name;
  }

  // Bytes of the block of that number, of those in front of it, and of what a rank sends to
  // another.
  [[nodiscard]] std::size_t bytes_of(std::size_t number) const {
    return lengths_.of(number) * element_bytes_;
  }
  [[nodiscard]] std::size_t before(std::size_t number) const {
    std::size_t bytes = 0;
    for (std::size_t other = 0; other < number; ++other) bytes += bytes_of(other);
    return bytes;
  }
  [[nodiscard]] std::size_t between(std::size_t from, std::size_t to) const {
    return bytes_of(to >= from ? to - from : to + ranks_.size() - from);
  }

  // recv of `to` += the vector of `from` from that byte on.
  void add(std::size_t to, std::size_t from, std::size_t from_byte, std::size_t bytes) {
    for (std::size_t at = 0; at < bytes; at += sizeof(std::int32_t)) {
      std::int32_t sum = 0;
      std::int32_t term = 0;
      std::memcpy(&sum, call(to).recv + at, sizeof sum);
      std::memcpy(&term, call(from).send + from_byte + at, sizeof term);
      sum += term;
      std::memcpy(call(to).recv + at, &sum, sizeof sum);
    }
  }

  void sum(std::size_t to, std::size_t first, std::size_t last, std::size_t from_byte,
           std::size_t bytes) {
    std::memset(call(to).recv, 0, bytes);
    for (std::size_t from = first; from <= last; ++from) add(to, from, from_byte, bytes);
  }

  const Operation& operation_;
  record::BlockLengths lengths_;
  std::size_t element_bytes_ = 1;
  std::vector<Rank> ranks_;
};

}  // namespace invar::ops::test
