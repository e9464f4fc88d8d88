// Are forms with large counts checked? As planted_faults.cpp, for all functions that MPI 4 has for
// them. For two ranks or more; a library without these functions is skipped.
#include <mpi.h>

#include <cstddef>
#include <cstdio>
#include <string>

#include "ops/catalogue.hpp"
#include "ops/checked.hpp"
#include "ops/expect.hpp"

namespace {

bool wrong = false;

}  // namespace

#if MPI_VERSION >= 4
namespace {

// The last rank's result is wrong from that byte on.
void spoil(MPI_Comm comm, void* recv, std::ptrdiff_t byte) {
  int rank = 0;
  int ranks = 1;
  PMPI_Comm_rank(comm, &rank);
  PMPI_Comm_size(comm, &ranks);
  if (wrong && rank == ranks - 1) static_cast<unsigned char*>(recv)[byte] ^= 1;
}

// The first of `blocks` blocks that has any elements; displacements are so many bytes each.
void spoil_first_block(MPI_Comm comm, void* recv, int blocks, const MPI_Count counts[],
                       const MPI_Aint displacements[], MPI_Aint displacement_bytes) {
  for (int block = 0; block < blocks; ++block) {
    if (counts[block] == 0) continue;
    spoil(comm, recv, displacements[block] * displacement_bytes);
    return;
  }
}

int ranks_of(MPI_Comm comm) {
  int ranks = 1;
  PMPI_Comm_size(comm, &ranks);
  return ranks;
}

MPI_Aint extent_of(MPI_Datatype type) {
  MPI_Aint begin = 0;
  MPI_Aint extent = 0;
  PMPI_Type_get_extent(type, &begin, &extent);
  return extent;
}

bool is_root(MPI_Comm comm, int root) {
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  return rank == root;
}

// On a ring and on a torus there are two neighbours at least.
constexpr int kLeastNeighbours = 2;

}  // namespace

extern "C" {

int MPI_Allreduce_c(const void* send, void* recv, MPI_Count count, MPI_Datatype type, MPI_Op op,
                    MPI_Comm comm) {
  const int code = PMPI_Allreduce_c(send, recv, count, type, op, comm);
  if (count > 0) spoil(comm, recv, 0);
  return code;
}

int MPI_Alltoallv_c(const void* send, const MPI_Count send_counts[],
                    const MPI_Aint send_displacements[], MPI_Datatype send_type, void* recv,
                    const MPI_Count counts[], const MPI_Aint displacements[], MPI_Datatype type,
                    MPI_Comm comm) {
  const int code = PMPI_Alltoallv_c(send, send_counts, send_displacements, send_type, recv, counts,
                                    displacements, type, comm);
  spoil_first_block(comm, recv, ranks_of(comm), counts, displacements, extent_of(type));
  return code;
}

int MPI_Bcast_c(void* buffer, MPI_Count count, MPI_Datatype type, int root, MPI_Comm comm) {
  const int code = PMPI_Bcast_c(buffer, count, type, root, comm);
  if (count > 0) spoil(comm, buffer, 0);
  return code;
}

int MPI_Allgather_c(const void* send, MPI_Count send_count, MPI_Datatype send_type, void* recv,
                    MPI_Count count, MPI_Datatype type, MPI_Comm comm) {
  const int code = PMPI_Allgather_c(send, send_count, send_type, recv, count, type, comm);
  if (count > 0) spoil(comm, recv, 0);
  return code;
}

int MPI_Alltoall_c(const void* send, MPI_Count send_count, MPI_Datatype send_type, void* recv,
                   MPI_Count count, MPI_Datatype type, MPI_Comm comm) {
  const int code = PMPI_Alltoall_c(send, send_count, send_type, recv, count, type, comm);
  if (count > 0) spoil(comm, recv, 0);
  return code;
}

int MPI_Scan_c(const void* send, void* recv, MPI_Count count, MPI_Datatype type, MPI_Op op,
               MPI_Comm comm) {
  const int code = PMPI_Scan_c(send, recv, count, type, op, comm);
  if (count > 0) spoil(comm, recv, 0);
  return code;
}

int MPI_Reduce_scatter_c(const void* send, void* recv, const MPI_Count counts[], MPI_Datatype type,
                         MPI_Op op, MPI_Comm comm) {
  const int code = PMPI_Reduce_scatter_c(send, recv, counts, type, op, comm);
  if (counts[ranks_of(comm) - 1] > 0) spoil(comm, recv, 0);
  return code;
}

int MPI_Allgatherv_c(const void* send, MPI_Count send_count, MPI_Datatype send_type, void* recv,
                     const MPI_Count counts[], const MPI_Aint displacements[], MPI_Datatype type,
                     MPI_Comm comm) {
  const int code =
      PMPI_Allgatherv_c(send, send_count, send_type, recv, counts, displacements, type, comm);
  spoil_first_block(comm, recv, ranks_of(comm), counts, displacements, extent_of(type));
  return code;
}

int MPI_Alltoallw_c(const void* send, const MPI_Count send_counts[],
                    const MPI_Aint send_displacements[], const MPI_Datatype send_types[],
                    void* recv, const MPI_Count counts[], const MPI_Aint displacements[],
                    const MPI_Datatype types[], MPI_Comm comm) {
  const int code = PMPI_Alltoallw_c(send, send_counts, send_displacements, send_types, recv, counts,
                                    displacements, types, comm);
  spoil_first_block(comm, recv, ranks_of(comm), counts, displacements, 1);
  return code;
}

int MPI_Neighbor_allgatherv_c(const void* send, MPI_Count send_count, MPI_Datatype send_type,
                              void* recv, const MPI_Count counts[], const MPI_Aint displacements[],
                              MPI_Datatype type, MPI_Comm comm) {
  const int code = PMPI_Neighbor_allgatherv_c(send, send_count, send_type, recv, counts,
                                              displacements, type, comm);
  spoil_first_block(comm, recv, kLeastNeighbours, counts, displacements, extent_of(type));
  return code;
}

int MPI_Neighbor_alltoallw_c(const void* send, const MPI_Count send_counts[],
                             const MPI_Aint send_displacements[], const MPI_Datatype send_types[],
                             void* recv, const MPI_Count counts[], const MPI_Aint displacements[],
                             const MPI_Datatype types[], MPI_Comm comm) {
  const int code = PMPI_Neighbor_alltoallw_c(send, send_counts, send_displacements, send_types,
                                             recv, counts, displacements, types, comm);
  spoil_first_block(comm, recv, kLeastNeighbours, counts, displacements, 1);
  return code;
}

int MPI_Exscan_c(const void* send, void* recv, MPI_Count count, MPI_Datatype type, MPI_Op op,
                 MPI_Comm comm) {
  const int code = PMPI_Exscan_c(send, recv, count, type, op, comm);
  if (count > 0) spoil(comm, recv, 0);
  return code;
}

int MPI_Gather_c(const void* send, MPI_Count send_count, MPI_Datatype send_type, void* recv,
                 MPI_Count count, MPI_Datatype type, int root, MPI_Comm comm) {
  const int code = PMPI_Gather_c(send, send_count, send_type, recv, count, type, root, comm);
  if (count > 0 && is_root(comm, root)) spoil(comm, recv, 0);
  return code;
}

int MPI_Gatherv_c(const void* send, MPI_Count send_count, MPI_Datatype send_type, void* recv,
                  const MPI_Count counts[], const MPI_Aint displacements[], MPI_Datatype type,
                  int root, MPI_Comm comm) {
  const int code =
      PMPI_Gatherv_c(send, send_count, send_type, recv, counts, displacements, type, root, comm);
  if (is_root(comm, root)) {
    spoil_first_block(comm, recv, ranks_of(comm), counts, displacements, extent_of(type));
  }
  return code;
}

int MPI_Neighbor_allgather_c(const void* send, MPI_Count send_count, MPI_Datatype send_type,
                             void* recv, MPI_Count count, MPI_Datatype type, MPI_Comm comm) {
  const int code = PMPI_Neighbor_allgather_c(send, send_count, send_type, recv, count, type, comm);
  if (count > 0) spoil(comm, recv, 0);
  return code;
}

int MPI_Neighbor_alltoall_c(const void* send, MPI_Count send_count, MPI_Datatype send_type,
                            void* recv, MPI_Count count, MPI_Datatype type, MPI_Comm comm) {
  const int code = PMPI_Neighbor_alltoall_c(send, send_count, send_type, recv, count, type, comm);
  if (count > 0) spoil(comm, recv, 0);
  return code;
}

int MPI_Neighbor_alltoallv_c(const void* send, const MPI_Count send_counts[],
                             const MPI_Aint send_displacements[], MPI_Datatype send_type,
                             void* recv, const MPI_Count counts[], const MPI_Aint displacements[],
                             MPI_Datatype type, MPI_Comm comm) {
  const int code = PMPI_Neighbor_alltoallv_c(send, send_counts, send_displacements, send_type, recv,
                                             counts, displacements, type, comm);
  spoil_first_block(comm, recv, kLeastNeighbours, counts, displacements, extent_of(type));
  return code;
}

int MPI_Reduce_c(const void* send, void* recv, MPI_Count count, MPI_Datatype type, MPI_Op op,
                 int root, MPI_Comm comm) {
  const int code = PMPI_Reduce_c(send, recv, count, type, op, root, comm);
  if (count > 0 && is_root(comm, root)) spoil(comm, recv, 0);
  return code;
}

int MPI_Reduce_local_c(const void* in, void* inout, MPI_Count count, MPI_Datatype type, MPI_Op op) {
  const int code = PMPI_Reduce_local_c(in, inout, count, type, op);
  if (count > 0) spoil(MPI_COMM_WORLD, inout, 0);
  return code;
}

int MPI_Reduce_scatter_block_c(const void* send, void* recv, MPI_Count count, MPI_Datatype type,
                               MPI_Op op, MPI_Comm comm) {
  const int code = PMPI_Reduce_scatter_block_c(send, recv, count, type, op, comm);
  if (count > 0) spoil(comm, recv, 0);
  return code;
}

// In place the root has its block where it is, in `send`.
int MPI_Scatter_c(const void* send, MPI_Count send_count, MPI_Datatype send_type, void* recv,
                  MPI_Count count, MPI_Datatype type, int root, MPI_Comm comm) {
  const int code = PMPI_Scatter_c(send, send_count, send_type, recv, count, type, root, comm);
  if (count > 0 && recv != MPI_IN_PLACE) spoil(comm, recv, 0);
  return code;
}

int MPI_Scatterv_c(const void* send, const MPI_Count send_counts[],
                   const MPI_Aint send_displacements[], MPI_Datatype send_type, void* recv,
                   MPI_Count count, MPI_Datatype type, int root, MPI_Comm comm) {
  const int code = PMPI_Scatterv_c(send, send_counts, send_displacements, send_type, recv, count,
                                   type, root, comm);
  if (count > 0 && recv != MPI_IN_PLACE) spoil(comm, recv, 0);
  return code;
}

}  // extern "C"
#endif

int main(int argc, char** argv) {
  using namespace invar::ops;
  using namespace invar::ops::test;
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (const char* const missing = find_operation("allreduce_c")->missing) {
    if (rank == 0) std::printf("skipped: %s\n", missing);
    MPI_Finalize();
    return 0;
  }
  Expectations t;
  // As many checks as of the forms with int (planted_faults.cpp), less those without elements; of
  // alltoallv_c also those with blocks that differ in length or are in reverse order.
  struct Function {
    const char* name;
    int failures;
    const char* part;
  };
  for (const Function& f :
       {Function{"allreduce_c", 102, "count 7, vector, user, in place"},
        Function{"alltoallv_c", 92, "count 1024, one-big"}, Function{"allreduce", 0, "0 failed"},
        Function{"alltoallv", 0, "0 failed"}}) {
    wrong = false;
    const Checked clean = checked({f.name});
    t.expect(clean.failures == 0, std::string(f.name) + " unspoilt:\n" + clean.text);
    wrong = true;
    const Checked spoilt = checked({f.name});
    t.expect(
        spoilt.failures == f.failures,
        std::string(f.name) + ": " + std::to_string(spoilt.failures) + " failures\n" + spoilt.text);
    if (rank == 0) t.expect_contains(spoilt.text, f.part, f.name);
  }
  // Whatever the catalogue has: a form that is new there needs a fault here.
  int forms = 0;
  for (const Operation* const operation : catalogue()) {
    if (operation->form != Form::kLargeCounts || operation->missing != nullptr) continue;
    ++forms;
    const std::string name = operation->name;
    wrong = false;
    const Checked clean = checked({name});
    t.expect(clean.failures == 0, name + " unspoilt:\n" + clean.text);
    wrong = true;
    const Checked spoilt = checked({name});
    for (const char* count : {"count 1,", "count 7,", "count 1024,"}) {
      if (rank == 0) t.expect_contains(spoilt.text, "FAILED " + name + ", " + count, name);
    }
  }
  t.expect(forms >= 22, std::to_string(forms) + " forms with large counts");
  const int status = t.finish("planted_large_counts");
  MPI_Finalize();
  return status;
}
