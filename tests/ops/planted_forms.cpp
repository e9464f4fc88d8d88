// Is every form of every collective checked? As planted_faults.cpp, with a fault in every function
// that is an operation's only call: blocking, non-blocking, persistent. Those with large counts
// have theirs in planted_large_counts.cpp. For two ranks or more.
#include <mpi.h>

#include <string>

#include "ops/catalogue.hpp"
#include "ops/checked.hpp"
#include "ops/expect.hpp"
#include "ops/forms.hpp"

namespace {

enum class Fault {
  kNone,
  kWrongByte,    // the first byte of the last rank's result
  kErrorOfWait,  // an error code from every rank, where it waits
  kNoRequest,    // the last rank gets an error instead of a persistent request
  kNobodyWaits   // barriers return at once; a persistent one is not even started
};

Fault planted = Fault::kNone;
int starts = 0;
// The byte that will be wrong when the request is done that this rank has: it has one at a time.
unsigned char* requested = nullptr;

bool is_rank(MPI_Comm comm, int wanted) {
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  return rank == wanted;
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

// The first byte of the result, if it has `count` elements; null on other ranks than the last one,
// and where the result stays in the other buffer.
unsigned char* in_block(MPI_Comm comm, void* recv, int count) {
  const bool any = count > 0 && recv != MPI_IN_PLACE && is_rank(comm, ranks_of(comm) - 1);
  return any ? static_cast<unsigned char*>(recv) : nullptr;
}

unsigned char* at_root(MPI_Comm comm, int root, void* recv, int count) {
  return is_rank(comm, root) ? in_block(comm, recv, count) : nullptr;
}

// That of the first of `blocks` blocks that has any elements; displacements are so many bytes each.
template <typename Displacement>
unsigned char* in_blocks(MPI_Comm comm, void* recv, int blocks, const int counts[],
                         const Displacement displacements[], MPI_Aint displacement_bytes) {
  if (!is_rank(comm, ranks_of(comm) - 1)) return nullptr;
  for (int block = 0; block < blocks; ++block) {
    if (counts[block] == 0) continue;
    return static_cast<unsigned char*>(recv) + displacements[block] * displacement_bytes;
  }
  return nullptr;
}

// Only the root is told of counts and displacements.
unsigned char* in_roots_blocks(MPI_Comm comm, int root, void* recv, const int counts[],
                               const int displacements[], MPI_Datatype type) {
  if (!is_rank(comm, root)) return nullptr;
  return in_blocks(comm, recv, ranks_of(comm), counts, displacements, extent_of(type));
}

int own_count(MPI_Comm comm, const int counts[]) {
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  return counts[rank];
}

void spoil(unsigned char* byte) {
  if (planted == Fault::kWrongByte && byte != nullptr) *byte ^= 1U;
}

#if defined(INVAR_INIT_OF)
int no_request(MPI_Comm comm, MPI_Request* request) {
  *request = MPI_REQUEST_NULL;
  return is_rank(comm, ranks_of(comm) - 1) ? MPI_ERR_OTHER : MPI_SUCCESS;
}
#endif

// On a ring and on a torus there are two neighbours at least.
constexpr int kLeastNeighbours = 2;

}  // namespace

#define PLANTED_LIST(...) __VA_ARGS__
#define PLANTED_JOINED(left, right) left##right
#define PLANTED_JOIN(left, right) PLANTED_JOINED(left, right)

#if defined(INVAR_INIT_OF)
#define PLANTED_PERSISTENT(Function, PARAMETERS, ARGUMENTS, BYTE)                              \
  int INVAR_INIT_OF(Function)(PLANTED_LIST PARAMETERS, MPI_Info info, MPI_Request * request) { \
    if (planted == Fault::kNoRequest) return no_request(comm, request);                        \
    requested = BYTE;                                                                          \
    return PLANTED_JOIN(P, INVAR_INIT_OF(Function))(PLANTED_LIST ARGUMENTS, info, request);    \
  }
#else
#define PLANTED_PERSISTENT(Function, PARAMETERS, ARGUMENTS, BYTE)
#endif

// Three functions with the same parameters; BYTE is where the fault is.
#define PLANTED(Function, function, PARAMETERS, ARGUMENTS, BYTE)       \
  int MPI_##Function(PLANTED_LIST PARAMETERS) {                        \
    const int code = PMPI_##Function(PLANTED_LIST ARGUMENTS);          \
    spoil(BYTE);                                                       \
    return code;                                                       \
  }                                                                    \
  int MPI_I##function(PLANTED_LIST PARAMETERS, MPI_Request* request) { \
    requested = BYTE;                                                  \
    return PMPI_I##function(PLANTED_LIST ARGUMENTS, request);          \
  }                                                                    \
  PLANTED_PERSISTENT(Function, PARAMETERS, ARGUMENTS, BYTE)

// What several functions have in common.
#define OF_EXCHANGES                                                                \
  (const void* send, int send_count, MPI_Datatype send_type, void* recv, int count, \
   MPI_Datatype type, MPI_Comm comm),                                               \
      (send, send_count, send_type, recv, count, type, comm)
#define OF_ROOTED_EXCHANGES                                                         \
  (const void* send, int send_count, MPI_Datatype send_type, void* recv, int count, \
   MPI_Datatype type, int root, MPI_Comm comm),                                     \
      (send, send_count, send_type, recv, count, type, root, comm)
#define OF_GATHERING                                                                         \
  (const void* send, int send_count, MPI_Datatype send_type, void* recv, const int counts[], \
   const int displacements[], MPI_Datatype type, MPI_Comm comm),                             \
      (send, send_count, send_type, recv, counts, displacements, type, comm)
#define OF_COUNTED_EXCHANGES                                                          \
  (const void* send, const int send_counts[], const int send_displacements[],         \
   MPI_Datatype send_type, void* recv, const int counts[], const int displacements[], \
   MPI_Datatype type, MPI_Comm comm),                                                 \
      (send, send_counts, send_displacements, send_type, recv, counts, displacements, type, comm)
#define OF_TYPED_EXCHANGES(Displacement)                                                      \
  (const void* send, const int send_counts[], const Displacement send_displacements[],        \
   const MPI_Datatype send_types[], void* recv, const int counts[],                           \
   const Displacement displacements[], const MPI_Datatype types[], MPI_Comm comm),            \
      (send, send_counts, send_displacements, send_types, recv, counts, displacements, types, \
       comm)
#define OF_REDUCTIONS                                                                     \
  (const void* send, void* recv, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm), \
      (send, recv, count, type, op, comm)
// As PLANTED, for parameters and arguments in one macro.
#define PLANTED_IN(Function, function, COMMON, BYTE) PLANTED_OF(Function, function, COMMON, BYTE)
#define PLANTED_OF(Function, function, PARAMETERS, ARGUMENTS, BYTE) \
  PLANTED(Function, function, PARAMETERS, ARGUMENTS, BYTE)

extern "C" {

PLANTED_IN(Allgather, allgather, OF_EXCHANGES, in_block(comm, recv, count))
PLANTED_IN(Alltoall, alltoall, OF_EXCHANGES, in_block(comm, recv, count))
PLANTED_IN(Neighbor_allgather, neighbor_allgather, OF_EXCHANGES, in_block(comm, recv, count))
PLANTED_IN(Neighbor_alltoall, neighbor_alltoall, OF_EXCHANGES, in_block(comm, recv, count))
PLANTED_IN(Gather, gather, OF_ROOTED_EXCHANGES, at_root(comm, root, recv, count))
PLANTED_IN(Scatter, scatter, OF_ROOTED_EXCHANGES, in_block(comm, recv, count))
PLANTED_IN(Allgatherv, allgatherv, OF_GATHERING,
           in_blocks(comm, recv, ranks_of(comm), counts, displacements, extent_of(type)))
PLANTED_IN(Neighbor_allgatherv, neighbor_allgatherv, OF_GATHERING,
           in_blocks(comm, recv, kLeastNeighbours, counts, displacements, extent_of(type)))
PLANTED_IN(Alltoallv, alltoallv, OF_COUNTED_EXCHANGES,
           in_blocks(comm, recv, ranks_of(comm), counts, displacements, extent_of(type)))
PLANTED_IN(Neighbor_alltoallv, neighbor_alltoallv, OF_COUNTED_EXCHANGES,
           in_blocks(comm, recv, kLeastNeighbours, counts, displacements, extent_of(type)))
PLANTED_IN(Alltoallw, alltoallw, OF_TYPED_EXCHANGES(int),
           in_blocks(comm, recv, ranks_of(comm), counts, displacements, 1))
PLANTED_IN(Neighbor_alltoallw, neighbor_alltoallw, OF_TYPED_EXCHANGES(MPI_Aint),
           in_blocks(comm, recv, kLeastNeighbours, counts, displacements, 1))
PLANTED_IN(Allreduce, allreduce, OF_REDUCTIONS, in_block(comm, recv, count))
PLANTED_IN(Exscan, exscan, OF_REDUCTIONS, in_block(comm, recv, count))
PLANTED_IN(Scan, scan, OF_REDUCTIONS, in_block(comm, recv, count))
PLANTED_IN(Reduce_scatter_block, reduce_scatter_block, OF_REDUCTIONS, in_block(comm, recv, count))
PLANTED(Reduce_scatter, reduce_scatter,
        (const void* send, void* recv, const int counts[], MPI_Datatype type, MPI_Op op,
         MPI_Comm comm),
        (send, recv, counts, type, op, comm), in_block(comm, recv, own_count(comm, counts)))
PLANTED(Reduce, reduce,
        (const void* send, void* recv, int count, MPI_Datatype type, MPI_Op op, int root,
         MPI_Comm comm),
        (send, recv, count, type, op, root, comm), at_root(comm, root, recv, count))
PLANTED(Bcast, bcast, (void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm),
        (buffer, count, type, root, comm), in_block(comm, buffer, count))
PLANTED(Gatherv, gatherv,
        (const void* send, int send_count, MPI_Datatype send_type, void* recv, const int counts[],
         const int displacements[], MPI_Datatype type, int root, MPI_Comm comm),
        (send, send_count, send_type, recv, counts, displacements, type, root, comm),
        in_roots_blocks(comm, root, recv, counts, displacements, type))
PLANTED(Scatterv, scatterv,
        (const void* send, const int send_counts[], const int send_displacements[],
         MPI_Datatype send_type, void* recv, int count, MPI_Datatype type, int root, MPI_Comm comm),
        (send, send_counts, send_displacements, send_type, recv, count, type, root, comm),
        in_block(comm, recv, count))

int MPI_Reduce_local(const void* in, void* inout, int count, MPI_Datatype type, MPI_Op op) {
  const int code = PMPI_Reduce_local(in, inout, count, type, op);
  spoil(in_block(MPI_COMM_WORLD, inout, count));
  return code;
}

int MPI_Barrier(MPI_Comm comm) {
  return planted == Fault::kNobodyWaits ? MPI_SUCCESS : PMPI_Barrier(comm);
}

int MPI_Ibarrier(MPI_Comm comm, MPI_Request* request) {
  requested = nullptr;
  if (planted != Fault::kNobodyWaits) return PMPI_Ibarrier(comm, request);
  *request = MPI_REQUEST_NULL;  // what is null is done
  return MPI_SUCCESS;
}

PLANTED_PERSISTENT(Barrier, (MPI_Comm comm), (comm), nullptr)

int MPI_Start(MPI_Request* request) {
  ++starts;
  return planted == Fault::kNobodyWaits ? MPI_SUCCESS : PMPI_Start(request);
}

int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  // What was never started is done, but MPICH 4.0.2 waits for it.
  if (planted == Fault::kNobodyWaits) return MPI_SUCCESS;
  const int code = PMPI_Wait(request, status);
  spoil(requested);
  return planted == Fault::kErrorOfWait ? MPI_ERR_OTHER : code;
}

}  // extern "C"

namespace invar::ops::test {
namespace {

Checked check(const std::string& name, Fault fault) {
  planted = fault;
  starts = 0;
  Checked found = checked({name});
  planted = Fault::kNone;
  return found;
}

// The text is of rank 0 only.
void expect_found(Expectations& t, const std::string& name, Fault fault, const std::string& part) {
  const Checked found = check(name, fault);
  t.expect(found.failures > 0, name);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) t.expect_contains(found.text, part, name);
}

// Whatever the size, the place of the result and the lengths of its blocks.
void wrong_results_are_found(Expectations& t, const Operation& operation) {
  const std::string name = operation.name;
  const Checked found = check(name, Fault::kWrongByte);
  t.expect(found.failures > 0, name);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank != 0) return;
  for (const char* count : {"count 1,", "count 7,", "count 1024,"}) {
    t.expect_contains(found.text, "FAILED " + name + ", " + count, name);
  }
  if (operation.in_place) t.expect_contains(found.text, ", in place", name);
  if (operation.distributes != Distributes::kNothing) {
    t.expect_contains(found.text, ", random:1, ", name);
  }
}

}  // namespace
}  // namespace invar::ops::test

int main(int argc, char** argv) {
  using namespace invar::ops;
  using namespace invar::ops::test;
  MPI_Init(&argc, &argv);
  Expectations t;
  int blocking = 0;
  int nonblocking = 0;
  // Whatever the catalogue has: a function that is new there needs a fault here.
  for (const Operation* const operation : catalogue()) {
    if (operation->missing != nullptr || operation->form == Form::kLargeCounts) continue;
    // Mock-ups and algorithms call several functions, and are verified as what they emulate
    // (mockup_selftest.cpp).
    if (operation->emulates != nullptr) continue;
    // Messages between single ranks have forms of their own (planted_messages.cpp).
    if (operation->messages != invar::record::Messages::kNone) continue;
    // Kernels on memory call no function of MPI (memory_faults_selftest.cpp).
    if (operation->walks > 0) continue;
    if (operation->sized) {
      wrong_results_are_found(t, *operation);
    } else if (operation->verify_calls) {  // barriers
      expect_found(t, operation->name, Fault::kNobodyWaits, "had entered");
    }
    blocking += operation->form == Form::kBlocking ? 1 : 0;
    nonblocking += operation->form == Form::kNonBlocking ? 1 : 0;
    if (operation->form != Form::kPersistent) continue;
    // Where one rank has no request, nobody starts one.
    expect_found(t, operation->name, Fault::kNoRequest, "returned error");
    t.expect(starts == 0, std::string(operation->name) + " is started without its request");
  }
  t.expect(blocking >= 24, std::to_string(blocking) + " blocking forms");
  t.expect(nonblocking >= 22, std::to_string(nonblocking) + " non-blocking forms");
  for (const char* name : {"iallreduce", "ialltoallw", "ibarrier", "ineighbor_alltoallv"}) {
    expect_found(t, name, Fault::kErrorOfWait, "returned error");
  }
  for (const char* name : {"allreduce_init", "alltoallw_init", "barrier_init"}) {
    if (find_operation(name)->missing != nullptr) continue;
    expect_found(t, name, Fault::kErrorOfWait, "returned error");
  }
  const int status = t.finish("planted_forms");
  MPI_Finalize();
  return status;
}
