// All ranks of a call in one process, and what the operations give, written down as plainly as
// possible: the model that the verification is tested against. No MPI call is made.
#pragma once

#include <cstring>
#include <memory>
#include <vector>

#include "ops/buffers/element.hpp"
#include "ops/shapes.hpp"
#include "ops/verify.hpp"

namespace invar::ops::test {

class VirtualRanks {
 public:
  // Buffers filled by fill_for_check(), as before the call.
  VirtualRanks(const Operation& operation, int ranks, int count, int root,
               std::uint64_t pattern_start = 0)
      : operation_(operation), ranks_(static_cast<std::size_t>(ranks)) {
    const ElementType& type = *find_element_type(operation.reduces ? "int32" : "byte");
    counts_.assign(ranks_.size(), count);
    for (int r = 0; r < ranks; ++r) displacements_.push_back(r * count);
    for (int r = 0; r < ranks; ++r) {
      Rank& rank = ranks_[static_cast<std::size_t>(r)];
      Call& call = rank.call;
      call.rank = r;
      call.ranks = ranks;
      call.root = root;
      call.count = count;
      call.pattern_start = pattern_start;
      call.block_bytes = static_cast<std::size_t>(count) * type.size_bytes;
      call.element = &type;
      if (operation.reduces) call.reduces_as = find_reduction("sum", "int32");
      if (operation.arrays != Arrays::kNone) {
        call.counts = counts_.data();
        call.displacements = displacements_.data();
      }
      rank.need = buffer_need(operation, call);
      rank.send.resize(rank.need.send_bytes + 2 * kGuardBytes);
      rank.recv.resize(rank.need.recv_bytes + 2 * kGuardBytes);
      call.send = rank.send.data() + kGuardBytes;
      call.recv = rank.recv.data() + kGuardBytes;
      fill_for_check(operation, call);
    }
  }

  // What MPI promises.
  void perform() {
    const std::string name = collective();
    const std::size_t block = call(0).block_bytes;
    const auto root = static_cast<std::size_t>(call(0).root);
    for (std::size_t to = 0; to < ranks_.size(); ++to) {
      if (name == "bcast" && to != root) copy(to, 0, root, 0, block);
      if (name == "scatter" || name == "scatterv") copy(to, 0, root, to * block, block);
      if (name == "reduce_local") add(to, to, 0);
      if (name == "reduce" && to == root) sum(to, 0, ranks_.size() - 1, 0);
      if (name == "allreduce") sum(to, 0, ranks_.size() - 1, 0);
      if (name == "scan") sum(to, 0, to, 0);
      if (name == "exscan" && to > 0) sum(to, 0, to - 1, 0);
      if (name.starts_with("reduce_scatter")) sum(to, 0, ranks_.size() - 1, to * block);
      for (std::size_t from = 0; from < ranks_.size(); ++from) {
        const bool root_only = name == "gather" || name == "gatherv";
        if (name.starts_with("allgather") || (root_only && to == root)) {
          copy(to, from * block, from, 0, block);
        }
        if (name.starts_with("alltoall")) copy(to, from * block, from, to * block, block);
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
    BufferNeed need;
    std::vector<std::byte> send;
    std::vector<std::byte> recv;
  };

  void copy(std::size_t to, std::size_t to_byte, std::size_t from, std::size_t from_byte,
            std::size_t bytes) {
    std::memcpy(call(to).recv + to_byte, call(from).send + from_byte, bytes);
  }

  // All forms of a collective give the same.
  [[nodiscard]] std::string collective() const {
    std::string name = operation_.name;
    if (operation_.form == Form::kNonBlocking) name.erase(0, 1);
    if (operation_.form == Form::kPersistent) name.resize(name.size() - 5);
    return name;
  }

  // recv of `to` += the vector of `from` from that byte on.
  void add(std::size_t to, std::size_t from, std::size_t from_byte) {
    for (std::size_t at = 0; at < call(to).block_bytes; at += sizeof(std::int32_t)) {
      std::int32_t sum = 0;
      std::int32_t term = 0;
      std::memcpy(&sum, call(to).recv + at, sizeof sum);
      std::memcpy(&term, call(from).send + from_byte + at, sizeof term);
      sum += term;
      std::memcpy(call(to).recv + at, &sum, sizeof sum);
    }
  }

  void sum(std::size_t to, std::size_t first, std::size_t last, std::size_t from_byte) {
    std::memset(call(to).recv, 0, call(to).block_bytes);
    for (std::size_t from = first; from <= last; ++from) add(to, from, from_byte);
  }

  const Operation& operation_;
  std::vector<Rank> ranks_;
  std::vector<int> counts_ = {};
  std::vector<int> displacements_ = {};
};

}  // namespace invar::ops::test
