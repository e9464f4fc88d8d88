// The functions of MPI that programs find here, in front of the library's. In each of them
// MPI_Bcast is the library's own function (shim/library/library.hpp).
#include "shim/call/asked.hpp"
#include "shim/call/replace.hpp"
#include "shim/communicator/lookup.hpp"
#include "shim/library/find_library.hpp"
#include "shim/library/library.hpp"
#include "shim/start.hpp"
#include "shim/table/collective.hpp"

// `function` of ours has the type of the MPI function, and is found under its name.
// NOLINTBEGIN(bugprone-macro-parentheses): it is declared.
#define INVAR_EXPORT(function, name)                             \
  extern "C" decltype(MPI_##name) function __asm__("MPI_" #name) \
      __attribute__((visibility("default")))
// NOLINTEND(bugprone-macro-parentheses)

INVAR_EXPORT(tuned_init, Init);
INVAR_EXPORT(tuned_init_thread, Init_thread);
INVAR_EXPORT(tuned_finalize, Finalize);
INVAR_EXPORT(tuned_allgather, Allgather);
INVAR_EXPORT(tuned_allreduce, Allreduce);
INVAR_EXPORT(tuned_alltoall, Alltoall);
INVAR_EXPORT(tuned_barrier, Barrier);
INVAR_EXPORT(tuned_bcast, Bcast);
INVAR_EXPORT(tuned_exscan, Exscan);
INVAR_EXPORT(tuned_gather, Gather);
INVAR_EXPORT(tuned_reduce, Reduce);
INVAR_EXPORT(tuned_reduce_scatter, Reduce_scatter);
INVAR_EXPORT(tuned_reduce_scatter_block, Reduce_scatter_block);
INVAR_EXPORT(tuned_scan, Scan);
INVAR_EXPORT(tuned_scatter, Scatter);

namespace {

using invar::shim::Asked;
using invar::shim::Collective;
using invar::shim::Communicator;
using invar::shim::Match;

// Out of line, and with the arguments where they are: without it a collective of which the table
// knows nothing is two instructions and a jump to the library.
template <auto kLibrary, auto kAsk, typename... Arguments>
[[gnu::noinline]] int look_at(Arguments... arguments) {
  const Asked asked = kAsk(arguments...);
  Communicator* const communicator = invar::shim::tuned_for(asked.collective, asked.comm);
  if (communicator == nullptr) return kLibrary(arguments...);
  const Match match = invar::shim::match(*communicator, asked);
  if (match.entry == nullptr) return kLibrary(arguments...);
  const auto done = invar::shim::replaced(*communicator, asked, match);
  return done ? *done : kLibrary(arguments...);
}

// A call of the collective: by what the table says of what is asked, or by the library's function.
template <Collective kCollective, auto kLibrary, auto kAsk, typename... Arguments>
[[gnu::always_inline]] inline int called(Arguments... arguments) {
  if (!invar::shim::is_tuned(kCollective)) [[likely]] {
    return kLibrary(arguments...);
  }
  return look_at<kLibrary, kAsk>(arguments...);
}

template <Collective kCollective>
Asked movement(const void* send, int send_count, MPI_Datatype send_type, void* recv, int recv_count,
               MPI_Datatype recv_type, MPI_Comm comm) {
  return {.collective = kCollective,
          .comm = comm,
          .send = send,
          .send_count = send_count,
          .send_type = send_type,
          .recv = recv,
          .recv_count = recv_count,
          .recv_type = recv_type};
}

template <Collective kCollective>
Asked rooted_movement(const void* send, int send_count, MPI_Datatype send_type, void* recv,
                      int recv_count, MPI_Datatype recv_type, int root, MPI_Comm comm) {
  Asked asked =
      movement<kCollective>(send, send_count, send_type, recv, recv_count, recv_type, comm);
  asked.root = root;
  return asked;
}

template <Collective kCollective>
Asked reduction(const void* send, void* recv, int count, MPI_Datatype type, MPI_Op op,
                MPI_Comm comm) {
  Asked asked = movement<kCollective>(send, count, type, recv, count, type, comm);
  asked.op = op;
  return asked;
}

Asked reduce(const void* send, void* recv, int count, MPI_Datatype type, MPI_Op op, int root,
             MPI_Comm comm) {
  Asked asked = reduction<Collective::kReduce>(send, recv, count, type, op, comm);
  asked.root = root;
  return asked;
}

Asked reduce_scatter(const void* send, void* recv, const int* recv_counts, MPI_Datatype type,
                     MPI_Op op, MPI_Comm comm) {
  // No count: the library complains.
  const int first = recv_counts == nullptr ? -1 : recv_counts[0];
  Asked asked = reduction<Collective::kReduceScatter>(send, recv, first, type, op, comm);
  asked.recv_counts = recv_counts;
  return asked;
}

Asked bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  return rooted_movement<Collective::kBcast>(buffer, count, type, buffer, count, type, root, comm);
}

Asked barrier(MPI_Comm comm) { return {.collective = Collective::kBarrier, .comm = comm}; }

}  // namespace

int tuned_init(int* argc, char*** argv) {
  invar::shim::reach_library();
  const int error = MPI_Init(argc, argv);
  if (error == MPI_SUCCESS) invar::shim::begin();
  return error;
}

int tuned_init_thread(int* argc, char*** argv, int required, int* provided) {
  invar::shim::reach_library();
  const int error = MPI_Init_thread(argc, argv, required, provided);
  if (error == MPI_SUCCESS) invar::shim::begin();
  return error;
}

int tuned_finalize() {
  invar::shim::end();
  return MPI_Finalize();
}

int tuned_allgather(const void* send, int send_count, MPI_Datatype send_type, void* recv,
                    int recv_count, MPI_Datatype recv_type, MPI_Comm comm) {
  return called<Collective::kAllgather, MPI_Allgather, movement<Collective::kAllgather>>(
      send, send_count, send_type, recv, recv_count, recv_type, comm);
}

int tuned_allreduce(const void* send, void* recv, int count, MPI_Datatype type, MPI_Op op,
                    MPI_Comm comm) {
  return called<Collective::kAllreduce, MPI_Allreduce, reduction<Collective::kAllreduce>>(
      send, recv, count, type, op, comm);
}

int tuned_alltoall(const void* send, int send_count, MPI_Datatype send_type, void* recv,
                   int recv_count, MPI_Datatype recv_type, MPI_Comm comm) {
  return called<Collective::kAlltoall, MPI_Alltoall, movement<Collective::kAlltoall>>(
      send, send_count, send_type, recv, recv_count, recv_type, comm);
}

int tuned_barrier(MPI_Comm comm) {
  return called<Collective::kBarrier, MPI_Barrier, barrier>(comm);
}

int tuned_bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  return called<Collective::kBcast, MPI_Bcast, bcast>(buffer, count, type, root, comm);
}

int tuned_exscan(const void* send, void* recv, int count, MPI_Datatype type, MPI_Op op,
                 MPI_Comm comm) {
  return called<Collective::kExscan, MPI_Exscan, reduction<Collective::kExscan>>(send, recv, count,
                                                                                 type, op, comm);
}

int tuned_gather(const void* send, int send_count, MPI_Datatype send_type, void* recv,
                 int recv_count, MPI_Datatype recv_type, int root, MPI_Comm comm) {
  return called<Collective::kGather, MPI_Gather, rooted_movement<Collective::kGather>>(
      send, send_count, send_type, recv, recv_count, recv_type, root, comm);
}

int tuned_reduce(const void* send, void* recv, int count, MPI_Datatype type, MPI_Op op, int root,
                 MPI_Comm comm) {
  return called<Collective::kReduce, MPI_Reduce, reduce>(send, recv, count, type, op, root, comm);
}

int tuned_reduce_scatter(const void* send, void* recv, const int* recv_counts, MPI_Datatype type,
                         MPI_Op op, MPI_Comm comm) {
  return called<Collective::kReduceScatter, MPI_Reduce_scatter, reduce_scatter>(
      send, recv, recv_counts, type, op, comm);
}

int tuned_reduce_scatter_block(const void* send, void* recv, int recv_count, MPI_Datatype type,
                               MPI_Op op, MPI_Comm comm) {
  return called<Collective::kReduceScatterBlock, MPI_Reduce_scatter_block,
                reduction<Collective::kReduceScatterBlock>>(send, recv, recv_count, type, op, comm);
}

int tuned_scan(const void* send, void* recv, int count, MPI_Datatype type, MPI_Op op,
               MPI_Comm comm) {
  return called<Collective::kScan, MPI_Scan, reduction<Collective::kScan>>(send, recv, count, type,
                                                                           op, comm);
}

int tuned_scatter(const void* send, int send_count, MPI_Datatype send_type, void* recv,
                  int recv_count, MPI_Datatype recv_type, int root, MPI_Comm comm) {
  return called<Collective::kScatter, MPI_Scatter, rooted_movement<Collective::kScatter>>(
      send, send_count, send_type, recv, recv_count, recv_type, root, comm);
}
