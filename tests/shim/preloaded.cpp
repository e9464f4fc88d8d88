// A program of somebody else's, to be preloaded: a few collectives, whose results it checks. As a
// program it does that at once; as a library (late.cpp) when it is told to. Says how many were
// wrong.
#include <mpi.h>

#include <cstdio>
#include <cstdlib>

extern "C" int run(int calls) {
  MPI_Init(nullptr, nullptr);
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int wrong = 0;
  for (int call = 0; call < calls; ++call) {
    const int one = call;
    int sum = 0;
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    wrong += sum == call * ranks ? 0 : 1;
    int of_root = rank == 0 ? call : -1;
    MPI_Bcast(&of_root, 1, MPI_INT, 0, MPI_COMM_WORLD);
    wrong += of_root == call ? 0 : 1;
    MPI_Barrier(MPI_COMM_WORLD);
  }
  if (rank == 0) std::printf("%d calls, %d wrong\n", 3 * calls, wrong);
  MPI_Finalize();
  return wrong == 0 ? 0 : 1;
}

int main(int argc, char** argv) { return run(argc > 1 ? std::atoi(argv[1]) : 1); }
