// The arrays of a v-form: lengths and places of the blocks that a rank sends and receives. They
// take bytes for every rank of the communicator, so that they are there only while a cell is
// measured.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "ops/operation.hpp"
#include "record/operation/distribution.hpp"

namespace invar::ops {

// Where the blocks of a buffer lie: one behind the other, so that they never overlap.
enum class BlockOrder : std::uint8_t {
  kRanks,     // in the order of the ranks, or neighbours
  kReversed,  // the last one first
};

class BlockArrays {
 public:
  // For the call's rank, ranks, neighbours, large_count and type. Every number must fit what the
  // operation takes.
  BlockArrays(const Operation& operation, const Call& call, record::Distribution distribution,
              BlockOrder order = BlockOrder::kRanks);
  BlockArrays(const BlockArrays&) = delete;
  BlockArrays& operator=(const BlockArrays&) = delete;
  ~BlockArrays() = default;

  // The call points to these arrays, or to none.
  void attach(Call& call) const;
  static void detach(Call& call);

  [[nodiscard]] std::uint64_t held_bytes() const;

 private:
  // The arrays of one side. Those that the operation does not take are empty.
  struct Numbers {
    std::vector<int> counts = {};
    std::vector<int> displacements = {};  // elements, or bytes
    std::vector<MPI_Count> large_counts = {};
    std::vector<MPI_Aint> large_displacements = {};  // elements, or bytes
  };

  // `length(number)` is that of each block, in elements.
  template <typename Length>
  [[nodiscard]] Numbers numbers_of(std::size_t blocks, Length length) const;
  [[nodiscard]] Side side(const Numbers& numbers) const;

  record::BlockLengths lengths_;
  BlockOrder order_;
  bool in_bytes_;             // displacements, those of typed arrays
  bool large_counts_;         // MPI_Count
  bool large_displacements_;  // MPI_Aint
  std::size_t extent_bytes_;
  // What is sent may be told by the same arrays as what is received.
  bool one_side_;
  Numbers sent_ = {};
  Numbers received_ = {};
  std::vector<MPI_Datatype> types_ = {};
};

}  // namespace invar::ops
