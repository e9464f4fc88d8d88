// A duplicate of an operation's communicator, for what is not a message of the operation.
#pragma once

#include <mpi.h>

#include <memory>

namespace invar::ops {

class OtherComm {
 public:
  // Collective; the duplicate returns errors.
  explicit OtherComm(MPI_Comm parent);
  OtherComm(const OtherComm&) = delete;
  OtherComm& operator=(const OtherComm&) = delete;
  // Collective; while an exception unwinds, the duplicate is left to MPI_Abort.
  ~OtherComm();

  // Null: the library made none.
  [[nodiscard]] MPI_Comm get() const { return comm_; }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
};

// Libraries have few communicators: setups on one communicator share its duplicate, as long as some
// of them lives, which the communicator outlives. Collective if there is none: all ranks make and
// end setups in the same order, and so find the same.
std::shared_ptr<const OtherComm> other_comm(MPI_Comm parent);

}  // namespace invar::ops
