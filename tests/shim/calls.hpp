// The collectives that the shim stands in front of, as a program calls them (MPI_), and past the
// shim (PMPI_). What the library itself returns is what a replaced call must return.
#pragma once

#include <mpi.h>

#include <string_view>
#include <vector>

namespace invar::shim::test {

struct Arguments {
  const void* send = nullptr;
  int send_count = 0;  // elements of a block
  MPI_Datatype send_type = MPI_DATATYPE_NULL;
  void* recv = nullptr;
  int recv_count = 0;
  MPI_Datatype recv_type = MPI_DATATYPE_NULL;
  const int* counts = nullptr;  // of every rank's block
  MPI_Op op = MPI_OP_NULL;
  int root = 0;
  MPI_Comm comm = MPI_COMM_NULL;
};

enum class InPlace { kNever, kAll, kRoot };

struct TestedCollective {
  std::string_view name;
  bool rooted = false;
  bool reduces = false;
  // Blocks of the two buffers: one, or one for every rank; and whether every rank receives.
  bool sends_all = false;
  bool receives_all = false;
  bool root_receives = false;  // it alone
  InPlace in_place = InPlace::kNever;
  int (*through)(const Arguments&) = nullptr;
  int (*past)(const Arguments&) = nullptr;
};

#define INVAR_TESTED(function, ...)                                          \
  .through = [](const Arguments& a) { return MPI_##function(__VA_ARGS__); }, \
  .past = [](const Arguments& a) { return PMPI_##function(__VA_ARGS__); }

inline const std::vector<TestedCollective>& tested_collectives() {
  static const std::vector<TestedCollective> all{
      {.name = "allgather",
       .receives_all = true,
       .in_place = InPlace::kAll,
       INVAR_TESTED(Allgather, a.send, a.send_count, a.send_type, a.recv, a.recv_count, a.recv_type,
                    a.comm)},
      {.name = "allreduce",
       .reduces = true,
       .in_place = InPlace::kAll,
       INVAR_TESTED(Allreduce, a.send, a.recv, a.recv_count, a.recv_type, a.op, a.comm)},
      {.name = "alltoall",
       .sends_all = true,
       .receives_all = true,
       .in_place = InPlace::kAll,
       INVAR_TESTED(Alltoall, a.send, a.send_count, a.send_type, a.recv, a.recv_count, a.recv_type,
                    a.comm)},
      {.name = "barrier", INVAR_TESTED(Barrier, a.comm)},
      {.name = "bcast",
       .rooted = true,
       INVAR_TESTED(Bcast, a.recv, a.recv_count, a.recv_type, a.root, a.comm)},
      {.name = "exscan",
       .reduces = true,
       .in_place = InPlace::kAll,
       INVAR_TESTED(Exscan, a.send, a.recv, a.recv_count, a.recv_type, a.op, a.comm)},
      {.name = "gather",
       .rooted = true,
       .receives_all = true,
       .root_receives = true,
       .in_place = InPlace::kRoot,
       INVAR_TESTED(Gather, a.send, a.send_count, a.send_type, a.recv, a.recv_count, a.recv_type,
                    a.root, a.comm)},
      {.name = "reduce",
       .rooted = true,
       .reduces = true,
       .root_receives = true,
       .in_place = InPlace::kRoot,
       INVAR_TESTED(Reduce, a.send, a.recv, a.recv_count, a.recv_type, a.op, a.root, a.comm)},
      {.name = "reduce_scatter",
       .reduces = true,
       .sends_all = true,
       .in_place = InPlace::kAll,
       INVAR_TESTED(Reduce_scatter, a.send, a.recv, a.counts, a.recv_type, a.op, a.comm)},
      {.name = "reduce_scatter_block",
       .reduces = true,
       .sends_all = true,
       .in_place = InPlace::kAll,
       INVAR_TESTED(Reduce_scatter_block, a.send, a.recv, a.recv_count, a.recv_type, a.op, a.comm)},
      {.name = "scan",
       .reduces = true,
       .in_place = InPlace::kAll,
       INVAR_TESTED(Scan, a.send, a.recv, a.recv_count, a.recv_type, a.op, a.comm)},
      {.name = "scatter",
       .rooted = true,
       .sends_all = true,
       .in_place = InPlace::kRoot,
       INVAR_TESTED(Scatter, a.send, a.send_count, a.send_type, a.recv, a.recv_count, a.recv_type,
                    a.root, a.comm)},
  };
  return all;
}
#undef INVAR_TESTED

inline const TestedCollective& tested_collective(std::string_view name) {
  for (const TestedCollective& one : tested_collectives()) {
    if (one.name == name) return one;
  }
  MPI_Abort(MPI_COMM_WORLD, 1);
  return tested_collectives().front();
}

}  // namespace invar::shim::test
