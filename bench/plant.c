// Preloaded under an MPI library by bench/limits.py and bench/guidelines.py: operations at some sizes take longer by known
// times.
//   PLANT=OPERATION:BYTES:NS+OPERATION:BYTES:NS...   of cells, by name and size; `nothing`: the same wrapper, and no delay
// Who calls MPI_Bcast is delayed. Who calls PMPI_Bcast comes through the same lines and is not: such are the operations of
// bench/second-names. So both sides of a rule `bcast(n) <= bcast=again(n)` pay for the wrapper, and only the left one for
// what is planted.
// The delay is a chain of multiplications, each of which needs the result of the one before, timed once in MPI_Init: no
// clock is read in a call.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { kMostDelays = 16 };

typedef struct {
  long bytes;
  uint64_t steps;
} Delay;

typedef struct {
  const char* name;
  int count;
  Delay delays[kMostDelays];
} Planted;

// Which steps a caller waits for: of MPI_ all, of PMPI_ none.
enum { kOfMpi, kOfPmpi };
static const uint64_t kStepsOf[] = {~(uint64_t)0, 0};
// Who calls. The engine calls from one thread.
static int caller;

// Name of the cell's operation, of the function, its parameters and arguments, and the bytes of the cell's size.
#define OPERATIONS(ROW)                                                                                                  \
  ROW(allgather, Allgather,                                                                                              \
      (const void* in, int count, MPI_Datatype type, void* out, int out_count, MPI_Datatype out_type, MPI_Comm comm),    \
      (in, count, type, out, out_count, out_type, comm), bytes_of(count, type))                                          \
  ROW(allreduce, Allreduce, (const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),         \
      (in, out, count, type, op, comm), bytes_of(count, type))                                                           \
  ROW(alltoall, Alltoall,                                                                                                \
      (const void* in, int count, MPI_Datatype type, void* out, int out_count, MPI_Datatype out_type, MPI_Comm comm),    \
      (in, count, type, out, out_count, out_type, comm), bytes_of(count, type))                                          \
  ROW(bcast, Bcast, (void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm),                               \
      (buffer, count, type, root, comm), bytes_of(count, type))                                                          \
  ROW(gather, Gather,                                                                                                    \
      (const void* in, int count, MPI_Datatype type, void* out, int out_count, MPI_Datatype out_type, int root,          \
       MPI_Comm comm),                                                                                                   \
      (in, count, type, out, out_count, out_type, root, comm), bytes_of(count, type))                                    \
  ROW(reduce, Reduce, (const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm),     \
      (in, out, count, type, op, root, comm), bytes_of(count, type))                                                     \
  ROW(reduce_scatter, Reduce_scatter,                                                                                    \
      (const void* in, void* out, const int counts[], MPI_Datatype type, MPI_Op op, MPI_Comm comm),                      \
      (in, out, counts, type, op, comm), bytes_of(counts[0], type))                                                      \
  ROW(reduce_scatter_block, Reduce_scatter_block,                                                                        \
      (const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),                               \
      (in, out, count, type, op, comm), bytes_of(count, type))                                                           \
  ROW(scan, Scan, (const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),                   \
      (in, out, count, type, op, comm), bytes_of(count, type))                                                           \
  ROW(scatter, Scatter,                                                                                                  \
      (const void* in, int count, MPI_Datatype type, void* out, int out_count, MPI_Datatype out_type, int root,          \
       MPI_Comm comm),                                                                                                   \
      (in, count, type, out, out_count, out_type, root, comm), bytes_of(out_count, out_type))

#define DECLARED(name, Function, parameters, arguments, bytes) \
  static Planted name = {#name, 0, {{0, 0}}};                  \
  static int(*next_##Function) parameters;
OPERATIONS(DECLARED)

#define LISTED(name, Function, parameters, arguments, bytes) &name,
static Planted* const all[] = {OPERATIONS(LISTED)};

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

static void give_up(const char* what, const char* about) {
  fprintf(stderr, "bench/plant.c: %s: %s\n", about, what);
  exit(2);
}

static Planted* planted_of(const char* name) {
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i) {
    if (strcmp(all[i]->name, name) == 0) return all[i];
  }
  return NULL;
}

static void read_plant(const char* plant) {
  const double one_ns = step_ns();
  while (*plant != '\0') {
    char name[32];
    long bytes = 0;
    double delay_ns = 0;
    int length = 0;
    if (sscanf(plant, "%31[a-z_]:%ld:%lf%n", name, &bytes, &delay_ns, &length) != 3) {
      give_up("not OPERATION:BYTES:NS", plant);
    }
    Planted* const planted = planted_of(name);
    if (planted == NULL) give_up("no such operation here", name);
    if (planted->count == kMostDelays) give_up("too many sizes", name);
    planted->delays[planted->count++] = (Delay){bytes, (uint64_t)(delay_ns / one_ns + 0.5)};
    plant += length;
    if (*plant == '+') ++plant;
  }
}

static void get_ready(void) {
#define LOADED(name, Function, parameters, arguments, bytes)             \
  *(void**)&next_##Function = dlsym(RTLD_NEXT, "PMPI_" #Function);       \
  if (next_##Function == NULL) give_up("not found in the library", "PMPI_" #Function);
  OPERATIONS(LOADED)
  const char* plant = getenv("PLANT");
  if (plant != NULL && strcmp(plant, "nothing") != 0) read_plant(plant);
}

int MPI_Init(int* argc, char*** argv) {
  get_ready();
  return PMPI_Init(argc, argv);
}

int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  get_ready();
  return PMPI_Init_thread(argc, argv, required, provided);
}

static long bytes_of(int count, MPI_Datatype type) {
  int size = 0;
  PMPI_Type_size(type, &size);
  return (long)count * size;
}

static int done(int error, const Planted* planted, long bytes) {
  for (int i = 0; i < planted->count; ++i) {
    if (planted->delays[i].bytes == bytes) chain(planted->delays[i].steps & kStepsOf[caller]);
  }
  return error;
}

// One body for both: as two copies, elsewhere in the cache, MPI_Reduce_scatter took 0.2 % longer than PMPI_Reduce_scatter,
// which is enough to violate a rule without tolerance.
#define WRAPPED(name, Function, parameters, arguments, bytes)               \
  static __attribute__((noinline)) int both_##Function parameters {         \
    const int error = next_##Function arguments;                            \
    return done(error, &name, bytes);                                       \
  }                                                                         \
  int MPI_##Function parameters {                                           \
    caller = kOfMpi;                                                        \
    return both_##Function arguments;                                       \
  }                                                                         \
  int PMPI_##Function parameters {                                          \
    caller = kOfPmpi;                                                       \
    return both_##Function arguments;                                       \
  }
OPERATIONS(WRAPPED)
