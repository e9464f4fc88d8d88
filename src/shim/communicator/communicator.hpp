// A communicator of the program, as the shim knows it: an attribute of it, made at the first
// collective that the table is about, gone when the program frees it.
//
// Calls on one communicator come one after the other (MPI asks for that, whatever the threads), so
// nothing here needs a lock.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "shim/call/setup.hpp"
#include "shim/communicator/scratch.hpp"
#include "shim/library/library.hpp"
#include "shim/table/active_table.hpp"

namespace invar::shim {

class Communicator {
 public:
  // Local. `table` stays.
  Communicator(MPI_Comm comm, int rank, int ranks, ActiveTable& table);
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  // Collective, as is freeing the program's own.
  ~Communicator();

  [[nodiscard]] MPI_Comm comm() const { return comm_; }
  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int ranks() const { return ranks_; }
  // Whether the table has entries for the collective, or for any, on so many ranks.
  [[nodiscard]] bool is_about(Collective collective) const {
    return (collectives_ & bit_of(collective)) != 0;
  }
  [[nodiscard]] bool is_about_anything() const { return collectives_ != 0; }
  [[nodiscard]] std::span<ActiveEntry> entries(Collective collective) const {
    return entries_[number_of(collective)];
  }

  // Whether no call was replaced on it, nor would have been. Communicators that live for one call
  // would pay more for what is made for them than they gain.
  [[nodiscard]] bool begins() { return !std::exchange(begun_, true); }

  // The same ranks, and nobody's messages but ours; its errors are returned. MPI_COMM_NULL: the
  // library makes no more, and all ranks know. Collective when it is first asked for.
  [[nodiscard]] MPI_Comm own();

  // Whether making the operation ready was refused once, as it is on all ranks.
  [[nodiscard]] bool refuses(const ops::Operation& operation, bool commutes) const;
  void refuse(const ops::Operation& operation, bool commutes);

  [[nodiscard]] Setups& setups() { return setups_; }
  [[nodiscard]] Scratch& scratch() { return scratch_; }

 private:
  MPI_Comm comm_;
  int rank_;
  int ranks_;
  std::array<std::span<ActiveEntry>, kCollectives.size()> entries_ = {};
  std::uint32_t collectives_ = 0;
  bool begun_ = false;
  bool own_was_asked_for_ = false;
  MPI_Comm own_ = MPI_COMM_NULL;
  std::vector<std::pair<const ops::Operation*, bool>> refused_ = {};
  Setups setups_ = {};
  Scratch scratch_ = {};
};

}  // namespace invar::shim
