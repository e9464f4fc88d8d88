// Preloaded under an MPI library by tests: one direction of one pair of ranks is slow, in messages of operations alone.
//   SLOW_FROM=A, SLOW_TO=B   ranks of MPI_COMM_WORLD, which number those of the cell alike
//   SLOW_NS=T                how much longer rank B is in MPI_Recv of a message from rank A: asleep, so that ranks which share
//                            cores with it are not slower as well
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <stdlib.h>
#include <time.h>

// kMessageTag of src/ops/p2p/tags.hpp: barriers and agreements have others.
enum { kMessageTag = 1 };

static long number(const char* name) {
  const char* text = getenv(name);
  return text == NULL ? -1 : atol(text);
}

static int rank_of_world(void) {
  static int rank = -1;
  if (rank < 0) PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

int MPI_Recv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status* status) {
  static long slow_from = -2, slow_to = -2, slow_ns = 0;
  if (slow_from == -2) {
    slow_ns = number("SLOW_NS");
    slow_to = number("SLOW_TO");
    slow_from = number("SLOW_FROM");
  }
  const int error = PMPI_Recv(data, count, type, from, tag, comm, status);
  if (tag == kMessageTag && from == slow_from && rank_of_world() == slow_to) {
    const struct timespec nap = {slow_ns / 1000000000L, slow_ns % 1000000000L};
    nanosleep(&nap, NULL);
  }
  return error;
}
