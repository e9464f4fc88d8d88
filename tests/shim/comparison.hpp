// A call through the shim against the same call past it.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "shim/calls.hpp"
#include "shim/elements.hpp"

namespace invar::shim::test {

struct TestedCall {
  const TestedCollective* collective = nullptr;
  const ElementKind* kind = nullptr;
  int count = 0;
  int root = 0;
  bool in_place = false;
  // This rank describes what it sends, or what it receives, as so many numbers, others do not.
  bool sends_numbers = false;
  bool receives_numbers = false;
};

inline int rank_of(MPI_Comm comm) {
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  return rank;
}
inline int ranks_of(MPI_Comm comm) {
  int ranks = 1;
  PMPI_Comm_size(comm, &ranks);
  return ranks;
}

// What a call on this communicator works on.
class CallBuffers {
 public:
  CallBuffers(const TestedCall& call, MPI_Comm comm, bool in_place)
      : call_(call), rank_(rank_of(comm)), ranks_(ranks_of(comm)) {
    const TestedCollective& collective = *call.collective;
    const ElementKind& kind = *call.kind;
    const auto block = static_cast<std::size_t>(call.count);
    const std::size_t all = block * static_cast<std::size_t>(ranks_);
    block_bytes_ = block * kind.extent_bytes;
    send_ = elements_of(kind, rank_, all);
    recv_ = untouched(kind, all);
    const bool root = rank_ == call.root;
    const bool here = in_place && (collective.in_place == InPlace::kAll ||
                                   (collective.in_place == InPlace::kRoot && root));
    in_place_scatter_ = here && collective.name == "scatter";
    counts_.assign(static_cast<std::size_t>(ranks_), call.count);
    arguments_ = {.send = here && !in_place_scatter_ ? MPI_IN_PLACE : send_.data(),
                  .send_count = numbers(call.count, call.sends_numbers),
                  .send_type = type(call.sends_numbers),
                  .recv = in_place_scatter_ ? MPI_IN_PLACE : recv_.data(),
                  .recv_count = numbers(call.count, call.receives_numbers),
                  .recv_type = type(call.receives_numbers),
                  .counts = counts_.data(),
                  .op = kind.op,
                  .root = call.root,
                  .comm = comm};
    leave_out_what_means_nothing(root);
    if (collective.name == "bcast" && root) std::ranges::copy(first_block(), recv_.begin());
    if (here && !in_place_scatter_) put_input_in_place();
  }

  [[nodiscard]] const Arguments& arguments() const { return arguments_; }

  // What MPI says of the receive buffer after the call.
  [[nodiscard]] Bytes result() const {
    const TestedCollective& collective = *call_.collective;
    if (collective.name == "barrier" || in_place_scatter_) return {};
    if (collective.name == "exscan" && rank_ == 0) return {};
    if (collective.root_receives && rank_ != call_.root) return {};
    const std::size_t bytes =
        collective.receives_all ? block_bytes_ * static_cast<std::size_t>(ranks_) : block_bytes_;
    return {recv_.begin(), recv_.begin() + static_cast<std::ptrdiff_t>(bytes)};
  }
  // The scatter's root has nothing to compare in place, and in_place() tells which ranks do not.
  [[nodiscard]] bool in_place_scatter() const { return in_place_scatter_; }
  [[nodiscard]] bool input_is_unchanged() const {
    return send_ ==
           elements_of(*call_.kind, rank_,
                       static_cast<std::size_t>(call_.count) * static_cast<std::size_t>(ranks_));
  }

 private:
  [[nodiscard]] Bytes first_block() const {
    return {send_.begin(), send_.begin() + static_cast<std::ptrdiff_t>(block_bytes_)};
  }
  // Numbers can be said of elements without gaps alone.
  [[nodiscard]] bool says_numbers(bool wanted) const {
    return wanted && call_.kind->extent_bytes == 16 && !call_.collective->reduces;
  }
  [[nodiscard]] int numbers(int count, bool wanted) const {
    return says_numbers(wanted) ? 2 * count : count;
  }
  [[nodiscard]] MPI_Datatype type(bool wanted) const {
    return says_numbers(wanted) ? MPI_INT64_T : call_.kind->type;
  }
  // Programs have no such buffers on ranks other than the root.
  void leave_out_what_means_nothing(bool root) {
    const TestedCollective& collective = *call_.collective;
    if (root) return;
    if (collective.root_receives) {
      arguments_.recv = nullptr;
      if (!collective.reduces) arguments_.recv_count = 0;
    }
    if (collective.name == "scatter") {
      arguments_.send = nullptr;
      arguments_.send_count = 0;
    }
  }
  void put_input_in_place() {
    const TestedCollective& collective = *call_.collective;
    const bool own_block_alone = collective.receives_all && !collective.sends_all;
    const std::size_t at = own_block_alone ? block_bytes_ * static_cast<std::size_t>(rank_) : 0;
    const std::size_t bytes = collective.sends_all ? send_.size() : block_bytes_;
    std::copy_n(send_.begin(), bytes, recv_.begin() + static_cast<std::ptrdiff_t>(at));
  }

  const TestedCall& call_;
  int rank_;
  int ranks_;
  std::size_t block_bytes_ = 0;
  bool in_place_scatter_ = false;
  Bytes send_ = {};
  Bytes recv_ = {};
  std::vector<int> counts_ = {};
  Arguments arguments_ = {};
};

// What is wrong on this rank; empty: nothing. Collective. The library itself is never asked in
// place, where some crash (ops/collectives/reduce.cpp).
inline std::string difference(const TestedCall& call, MPI_Comm comm) {
  CallBuffers expected(call, comm, false);
  CallBuffers found(call, comm, call.in_place);
  const int past = call.collective->past(expected.arguments());
  const int through = call.collective->through(found.arguments());
  std::string text;
  if (past != MPI_SUCCESS || through != MPI_SUCCESS) text += " an error;";
  if (!found.in_place_scatter() && found.result() != expected.result()) {
    text += " another result;";
  }
  if (!found.input_is_unchanged()) text += " its input is changed;";
  if (text.empty()) return {};
  return std::string(call.collective->name) + ", count " + std::to_string(call.count) + " of " +
         std::string(call.kind->name) + ", root " + std::to_string(call.root) +
         (call.in_place ? ", in place" : "") + " on rank " + std::to_string(rank_of(comm)) +
         " of " + std::to_string(ranks_of(comm)) + ":" + text;
}

}  // namespace invar::shim::test
