// What libinvar-tuned.so, preloaded, adds to a call that it passes on: calls through it (MPI_)
// against the same ones past it (PMPI_), in turns, on one rank, where the library itself has least
// to do. Prints a line a block: which calls, ns of a call through it, ns of a call past it.
//   shim_passes_on       with a table that is about barriers, and about reductions of more than 8 B
#include <mpi.h>
#include <time.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <string_view>

namespace {

constexpr int kCalls = 2000;
constexpr int kBlocks = 400;

struct Comms {
  MPI_Comm one = MPI_COMM_NULL;
  MPI_Comm other = MPI_COMM_NULL;
};

double now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC_RAW, &now);
  return 1e9 * static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec);
}

using Reduction = int (*)(const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm);
using Broadcast = int (*)(void*, int, MPI_Datatype, int, MPI_Comm);

// The table is about it, on so many ranks, not for this size: the communicator and the size are
// looked up. On two communicators in turn as well.
double reductions_ns(Reduction reduce, MPI_Comm one, MPI_Comm other) {
  const std::int64_t in = 1;
  std::int64_t out = 0;
  const double begin = now_ns();
  for (int call = 0; call < kCalls; call += 2) {
    reduce(&in, &out, 1, MPI_INT64_T, MPI_SUM, one);
    reduce(&in, &out, 1, MPI_INT64_T, MPI_SUM, other);
  }
  return (now_ns() - begin) / kCalls;
}

// The table is not about it.
double broadcasts_ns(Broadcast broadcast, MPI_Comm comm) {
  std::int64_t number = 1;
  const double begin = now_ns();
  for (int call = 0; call < kCalls; ++call) broadcast(&number, 1, MPI_INT64_T, 0, comm);
  return (now_ns() - begin) / kCalls;
}

double block_ns(std::string_view kind, bool through, const Comms& comms) {
  if (kind == "another-collective") {
    return broadcasts_ns(through ? MPI_Bcast : PMPI_Bcast, comms.one);
  }
  return reductions_ns(through ? MPI_Allreduce : PMPI_Allreduce, comms.one,
                       kind == "one-communicator" ? comms.one : comms.other);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  Comms comms;
  MPI_Comm_dup(MPI_COMM_SELF, &comms.one);
  MPI_Comm_dup(MPI_COMM_SELF, &comms.other);
  constexpr std::array<std::string_view, 3> kKinds{"another-collective", "one-communicator",
                                                   "two-communicators"};
  for (int block = 0; block < kBlocks; ++block) {
    for (const std::string_view kind : kKinds) {
      // ABBA, so that a slow drift is in both.
      const bool first = block % 2 == 0;
      const double a = block_ns(kind, first, comms);
      const double b = block_ns(kind, !first, comms);
      if (block < 2) continue;
      std::printf("%s %.3f %.3f\n", kind.data(), first ? a : b, first ? b : a);
    }
  }
  MPI_Comm_free(&comms.one);
  MPI_Comm_free(&comms.other);
  MPI_Finalize();
  return 0;
}
