// Preloaded under an MPI library by bench/limits.py: one operation at one size takes longer by a known time.
//   PLANT_OPERATION=allreduce, bcast, alltoall, reduce, allgather
//   PLANT_BYTES=N     the cell's size
//   PLANT_NS=N        0: nothing is planted, so that the other arm has the same wrapper
// The delay is a chain of multiplications, each of which needs the result of the one before, timed once in MPI_Init: no
// clock is read in a call.
#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char* operation = "";
static long bytes = -1;
static uint64_t steps = 0;

static void chain(uint64_t left) {
  uint64_t value = 0x9e3779b97f4a7c15;
  for (; left > 0; --left) {
    value *= 0x9e3779b97f4a7c15;
    __asm__ volatile("" : "+r"(value));
  }
}

static double now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC_RAW, &now);
  return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

// The shortest of many tries: most of them are not interrupted.
static double step_ns(void) {
  enum { kSteps = 20000, kTries = 100 };
  double least = 0;
  for (int i = 0; i < kTries; ++i) {
    const double begin = now_ns();
    chain(kSteps);
    const double taken = now_ns() - begin;
    if (i == 0 || taken < least) least = taken;
  }
  return least / kSteps;
}

static void get_ready(void) {
  const char* wanted = getenv("PLANT_OPERATION");
  const char* size = getenv("PLANT_BYTES");
  const char* delay_ns = getenv("PLANT_NS");
  if (wanted == NULL || size == NULL || delay_ns == NULL || atof(delay_ns) <= 0) return;
  operation = wanted;
  bytes = atol(size);
  steps = (uint64_t)(atof(delay_ns) / step_ns() + 0.5);
}

int MPI_Init(int* argc, char*** argv) {
  get_ready();
  return PMPI_Init(argc, argv);
}

int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  get_ready();
  return PMPI_Init_thread(argc, argv, required, provided);
}

static int done(int error, const char* name, int count, MPI_Datatype type) {
  int size = 0;
  PMPI_Type_size(type, &size);
  if ((long)count * size == bytes && strcmp(name, operation) == 0) chain(steps);
  return error;
}

int MPI_Allreduce(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  return done(PMPI_Allreduce(in, out, count, type, op, comm), "allreduce", count, type);
}

int MPI_Reduce(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) {
  return done(PMPI_Reduce(in, out, count, type, op, root, comm), "reduce", count, type);
}

int MPI_Bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  return done(PMPI_Bcast(buffer, count, type, root, comm), "bcast", count, type);
}

int MPI_Alltoall(const void* in, int count, MPI_Datatype type, void* out, int out_count, MPI_Datatype out_type,
                 MPI_Comm comm) {
  return done(PMPI_Alltoall(in, count, type, out, out_count, out_type, comm), "alltoall", count, type);
}

int MPI_Allgather(const void* in, int count, MPI_Datatype type, void* out, int out_count, MPI_Datatype out_type,
                  MPI_Comm comm) {
  return done(PMPI_Allgather(in, count, type, out, out_count, out_type, comm), "allgather", count, type);
}
