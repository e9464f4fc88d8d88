// Preloaded under an MPI library by tests: every MPI_Bcast of more bytes than so many takes so much
// longer, on all ranks.
//   STEP_BYTES=N   the last size that takes no longer
//   STEP_NS=T      how much longer the others take, by the monotonic clock
// What the times over sizes do there is a step, whatever the library does.
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <stdlib.h>
#include <time.h>

static long number(const char* name) {
  const char* text = getenv(name);
  return text == NULL ? 0 : atol(text);
}

static long long now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000LL + now.tv_nsec;
}

int MPI_Bcast(void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm) {
  static long step_bytes = -1;
  static long step_ns = 0;
  if (step_bytes < 0) {
    step_ns = number("STEP_NS");
    step_bytes = number("STEP_BYTES");
  }
  const int status = PMPI_Bcast(buffer, count, datatype, root, comm);
  int size = 0;
  MPI_Type_size(datatype, &size);
  if ((long)count * size > step_bytes) {
    const long long until_ns = now_ns() + step_ns;
    while (now_ns() < until_ns) {
    }
  }
  return status;
}
