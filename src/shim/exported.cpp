// The functions of MPI that programs find here, in front of the library's. In each of them
// MPI_Bcast is the library's own function (shim/library/library.hpp).
#include <optional>
#include <type_traits>

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

// `make` makes what is asked for, where anybody wants to know it.
template <typename Make>
std::optional<int> replaced_on(MPI_Comm comm, Collective collective, Make make) {
  Communicator* const communicator = invar::shim::tuned_for(collective, comm);
  if (communicator == nullptr) [[likely]] {
    return std::nullopt;
  }
  return invar::shim::replaced(*communicator, make());
}

Asked movement(Collective collective, const void* send, int send_count, MPI_Datatype send_type,
               void* recv, int recv_count, MPI_Datatype recv_type, int root = 0) {
  return {.collective = collective,
          .send = send,
          .send_count = send_count,
          .send_type = send_type,
          .recv = recv,
          .recv_count = recv_count,
          .recv_type = recv_type,
          .root = root};
}

Asked reduction(Collective collective, const void* send, void* recv, int count, MPI_Datatype type,
                MPI_Op op, int root = 0) {
  return {.collective = collective,
          .send = send,
          .send_count = count,
          .send_type = type,
          .recv = recv,
          .recv_count = count,
          .recv_type = type,
          .op = op,
          .root = root};
}

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
  const auto done = replaced_on(comm, Collective::kAllgather, [&] {
    return movement(Collective::kAllgather, send, send_count, send_type, recv, recv_count,
                    recv_type);
  });
  return done ? *done
              : MPI_Allgather(send, send_count, send_type, recv, recv_count, recv_type, comm);
}

int tuned_allreduce(const void* send, void* recv, int count, MPI_Datatype type, MPI_Op op,
                    MPI_Comm comm) {
  const auto done = replaced_on(comm, Collective::kAllreduce, [&] {
    return reduction(Collective::kAllreduce, send, recv, count, type, op);
  });
  return done ? *done : MPI_Allreduce(send, recv, count, type, op, comm);
}

int tuned_alltoall(const void* send, int send_count, MPI_Datatype send_type, void* recv,
                   int recv_count, MPI_Datatype recv_type, MPI_Comm comm) {
  const auto done = replaced_on(comm, Collective::kAlltoall, [&] {
    return movement(Collective::kAlltoall, send, send_count, send_type, recv, recv_count,
                    recv_type);
  });
  return done ? *done
              : MPI_Alltoall(send, send_count, send_type, recv, recv_count, recv_type, comm);
}

int tuned_barrier(MPI_Comm comm) {
  const auto done = replaced_on(comm, Collective::kBarrier,
                                [] { return Asked{.collective = Collective::kBarrier}; });
  return done ? *done : MPI_Barrier(comm);
}

int tuned_bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  const auto done = replaced_on(comm, Collective::kBcast, [&] {
    return Asked{.collective = Collective::kBcast,
                 .send = buffer,
                 .send_count = count,
                 .send_type = type,
                 .recv = buffer,
                 .recv_count = count,
                 .recv_type = type,
                 .root = root};
  });
  return done ? *done : MPI_Bcast(buffer, count, type, root, comm);
}

int tuned_exscan(const void* send, void* recv, int count, MPI_Datatype type, MPI_Op op,
                 MPI_Comm comm) {
  const auto done = replaced_on(comm, Collective::kExscan, [&] {
    return reduction(Collective::kExscan, send, recv, count, type, op);
  });
  return done ? *done : MPI_Exscan(send, recv, count, type, op, comm);
}

int tuned_gather(const void* send, int send_count, MPI_Datatype send_type, void* recv,
                 int recv_count, MPI_Datatype recv_type, int root, MPI_Comm comm) {
  const auto done = replaced_on(comm, Collective::kGather, [&] {
    return movement(Collective::kGather, send, send_count, send_type, recv, recv_count, recv_type,
                    root);
  });
  return done ? *done
              : MPI_Gather(send, send_count, send_type, recv, recv_count, recv_type, root, comm);
}

int tuned_reduce(const void* send, void* recv, int count, MPI_Datatype type, MPI_Op op, int root,
                 MPI_Comm comm) {
  const auto done = replaced_on(comm, Collective::kReduce, [&] {
    return reduction(Collective::kReduce, send, recv, count, type, op, root);
  });
  return done ? *done : MPI_Reduce(send, recv, count, type, op, root, comm);
}

int tuned_reduce_scatter(const void* send, void* recv, const int* recv_counts, MPI_Datatype type,
                         MPI_Op op, MPI_Comm comm) {
  const auto done = replaced_on(comm, Collective::kReduceScatter, [&] {
    // No count: the library complains.
    const int first = recv_counts == nullptr ? -1 : recv_counts[0];
    Asked asked = reduction(Collective::kReduceScatter, send, recv, first, type, op);
    asked.recv_counts = recv_counts;
    return asked;
  });
  return done ? *done : MPI_Reduce_scatter(send, recv, recv_counts, type, op, comm);
}

int tuned_reduce_scatter_block(const void* send, void* recv, int recv_count, MPI_Datatype type,
                               MPI_Op op, MPI_Comm comm) {
  const auto done = replaced_on(comm, Collective::kReduceScatterBlock, [&] {
    return reduction(Collective::kReduceScatterBlock, send, recv, recv_count, type, op);
  });
  return done ? *done : MPI_Reduce_scatter_block(send, recv, recv_count, type, op, comm);
}

int tuned_scan(const void* send, void* recv, int count, MPI_Datatype type, MPI_Op op,
               MPI_Comm comm) {
  const auto done = replaced_on(comm, Collective::kScan, [&] {
    return reduction(Collective::kScan, send, recv, count, type, op);
  });
  return done ? *done : MPI_Scan(send, recv, count, type, op, comm);
}

int tuned_scatter(const void* send, int send_count, MPI_Datatype send_type, void* recv,
                  int recv_count, MPI_Datatype recv_type, int root, MPI_Comm comm) {
  const auto done = replaced_on(comm, Collective::kScatter, [&] {
    return movement(Collective::kScatter, send, send_count, send_type, recv, recv_count, recv_type,
                    root);
  });
  return done ? *done
              : MPI_Scatter(send, send_count, send_type, recv, recv_count, recv_type, root, comm);
}
