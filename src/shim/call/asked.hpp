// What a program asks for, whatever the collective. Members that its arguments do not have, or that
// mean nothing on this rank, are not looked at (shim/table/collective.hpp).
#pragma once

#include "shim/library/library.hpp"
#include "shim/table/collective.hpp"

namespace invar::shim {

struct Asked {
  Collective collective = Collective::kBarrier;
  MPI_Comm comm = MPI_COMM_NULL;
  // A block of the buffer has so many elements of the type.
  const void* send = nullptr;
  int send_count = 0;
  MPI_Datatype send_type = MPI_DATATYPE_NULL;
  void* recv = nullptr;
  int recv_count = 0;
  MPI_Datatype recv_type = MPI_DATATYPE_NULL;
  const int* recv_counts = nullptr;  // reduce_scatter
  MPI_Op op = MPI_OP_NULL;
  int root = 0;
};

}  // namespace invar::shim
