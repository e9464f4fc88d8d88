// Preloaded under an MPI library by tests: counts calls, and does wrong on purpose, inside MPI.
//   SHIM_COUNT=N            the allreduce, bcast or sendrecv whose count is N is the victim, and so are non-blocking
//                           and persistent allreduces, whose fault comes where they are waited for; others pass
//   SHIM_AFTER=N            the first N calls of the victim pass (verification, warm-up)
//   SHIM_ONCE=FILE          only once in a campaign: whoever makes FILE does wrong
//   SHIM_FAULT=error        it returns an error, on all ranks
//             =corrupt      one byte of its result on rank 1 is changed
//             =stale        rank 1 keeps the first such result and gives that ever after
//             =no-request   rank 1 gets an error instead of a persistent request (calls are right; SHIM_AFTER counts requests)
//             =abort, segv  rank 1 ends by abort(), by a segmentation fault in it
//             =exit, _exit  rank 1 calls exit(7), _exit(0) in it
//             =hang, spin   rank 1 never comes back from it, asleep or busy
//             =stop         rank 1 stops (SIGSTOP) in it
//   SHIM_END=hang           rank 0 never comes back from the gather of 64-bit numbers that ends a launch
//   SHIM_FINALIZE=hang, segv   rank 1 does so in MPI_Finalize of a launch that measures (probes call little)
//   SHIM_CALLS=FILE         rank 0 writes "NAME NUMBER" of the calls that libraries use to synchronise
//                           to FILE in MPI_Finalize
#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// As src/ops/forms.hpp.
#if MPI_VERSION >= 4 || (defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5)
#define ALLREDUCE_INIT MPI_Allreduce_init
#define REAL_ALLREDUCE_INIT PMPI_Allreduce_init
#elif defined(OMPI_MAJOR_VERSION)
#include <mpi-ext.h>
#if defined(OMPI_HAVE_MPI_EXT_PCOLLREQ)
#define ALLREDUCE_INIT MPIX_Allreduce_init
#define REAL_ALLREDUCE_INIT PMPIX_Allreduce_init
#endif
#endif

static long barriers, others, victims;

static int rank_of_world(void) {
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

static int is_wanted(int count) {
  const char* wanted = getenv("SHIM_COUNT");
  return wanted != NULL && getenv("SHIM_FAULT") != NULL && atoi(wanted) == count;
}

static int is_victim(int count) {
  if (!is_wanted(count)) return 0;
  const char* after = getenv("SHIM_AFTER");
  return ++victims > (after == NULL ? 0 : atol(after));
}

static int is_first(void) {
  const char* once = getenv("SHIM_ONCE");
  if (once == NULL) return 1;
  const int file = open(once, O_WRONLY | O_CREAT | O_EXCL, 0600);
  if (file >= 0) close(file);
  return file >= 0;
}

static void crash(void) {
  // Libraries that print a back trace would only make it longer.
  signal(SIGSEGV, SIG_DFL);
  *(volatile int*)0 = 1;
}

static void give_old(void* buffer, int count, MPI_Datatype type) {
  static void* old = NULL;
  int bytes = 0;
  PMPI_Type_size(type, &bytes);
  const size_t length = (size_t)bytes * (size_t)count;
  if (old != NULL) {
    memcpy(buffer, old, length);
  } else {
    old = memcpy(malloc(length), buffer, length);
  }
}

// What becomes of the victim's call, whose result is in `buffer`.
static int spoil(int error, void* buffer, int count, MPI_Datatype type) {
  const char* fault = getenv("SHIM_FAULT");
  if (strcmp(fault, "error") == 0) return MPI_ERR_OTHER;
  if (rank_of_world() != 1 || !is_first()) return error;
  if (strcmp(fault, "abort") == 0) abort();
  if (strcmp(fault, "segv") == 0) crash();
  if (strcmp(fault, "exit") == 0) exit(7);
  if (strcmp(fault, "_exit") == 0) _exit(0);
  while (strcmp(fault, "hang") == 0) sleep(1000);
  while (strcmp(fault, "spin") == 0) continue;
  if (strcmp(fault, "stop") == 0) raise(SIGSTOP);
  if (strcmp(fault, "corrupt") == 0) ((unsigned char*)buffer)[0] ^= 1;
  if (strcmp(fault, "stale") == 0) give_old(buffer, count, type);
  return error;
}

int MPI_Allreduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  ++others;
  const int error = PMPI_Allreduce(send, receive, count, type, op, comm);
  return is_victim(count) ? spoil(error, receive, count, type) : error;
}

// The victim's request, of which there is one at a time, and whether what it does now is to be spoilt.
static struct {
  MPI_Request request;
  void* buffer;
  int count;
  MPI_Datatype type;
  int spoilt;
} later;

int MPI_Iallreduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                   MPI_Request* request) {
  ++others;
  const int error = PMPI_Iallreduce(send, receive, count, type, op, comm, request);
  if (is_victim(count)) {
    later.request = *request;
    later.buffer = receive;
    later.count = count;
    later.type = type;
    later.spoilt = 1;
  }
  return error;
}

static int loses_requests(void) {
  const char* fault = getenv("SHIM_FAULT");
  return fault != NULL && strcmp(fault, "no-request") == 0;
}

#if defined(ALLREDUCE_INIT)
int ALLREDUCE_INIT(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                   MPI_Info info, MPI_Request* request) {
  const int error = REAL_ALLREDUCE_INIT(send, receive, count, type, op, comm, info, request);
  if (loses_requests() && is_victim(count) && rank_of_world() == 1) {
    *request = MPI_REQUEST_NULL;
    return MPI_ERR_OTHER;
  }
  if (is_wanted(count)) {
    later.request = *request;
    later.buffer = receive;
    later.count = count;
    later.type = type;
    later.spoilt = 0;
  }
  return error;
}
#endif

// Only a persistent request is started.
int MPI_Start(MPI_Request* request) {
  const int wanted = later.buffer != NULL && *request == later.request && !loses_requests();
  later.spoilt = wanted && is_victim(later.count);
  return PMPI_Start(request);
}

int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  const int spoilt = later.spoilt && *request == later.request;
  const int error = PMPI_Wait(request, status);
  if (!spoilt) return error;
  later.spoilt = 0;
  return spoil(error, later.buffer, later.count, later.type);
}

int MPI_Bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  ++others;
  const int error = PMPI_Bcast(buffer, count, type, root, comm);
  return is_victim(count) ? spoil(error, buffer, count, type) : error;
}

int MPI_Barrier(MPI_Comm comm) {
  ++barriers;
  return PMPI_Barrier(comm);
}

int MPI_Sendrecv(const void* send, int send_count, MPI_Datatype send_type, int to, int send_tag, void* receive,
                 int receive_count, MPI_Datatype receive_type, int from, int receive_tag, MPI_Comm comm,
                 MPI_Status* status) {
  ++others;
  const int error = PMPI_Sendrecv(send, send_count, send_type, to, send_tag, receive, receive_count, receive_type,
                                  from, receive_tag, comm, status);
  return is_victim(receive_count) ? spoil(error, receive, receive_count, receive_type) : error;
}

int MPI_Reduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) {
  ++others;
  return PMPI_Reduce(send, receive, count, type, op, root, comm);
}

int MPI_Gather(const void* send, int send_count, MPI_Datatype send_type, void* receive, int receive_count,
               MPI_Datatype receive_type, int root, MPI_Comm comm) {
  const int error = PMPI_Gather(send, send_count, send_type, receive, receive_count, receive_type, root, comm);
  const char* end = getenv("SHIM_END");
  if (end == NULL || strcmp(end, "hang") != 0 || send_type != MPI_UINT64_T) return error;
  if (rank_of_world() == 0 && is_first()) {
    while (1) sleep(1000);
  }
  return error;
}

int MPI_Finalize(void) {
  const char* file = getenv("SHIM_CALLS");
  if (file != NULL && rank_of_world() == 0) {
    FILE* out = fopen(file, "w");
    if (out != NULL) {
      fprintf(out, "barriers %ld\nothers %ld\n", barriers, others);
      fclose(out);
    }
  }
  const char* finalize = getenv("SHIM_FINALIZE");
  if (finalize != NULL && rank_of_world() == 1 && barriers + others > 100) {
    if (strcmp(finalize, "segv") == 0) crash();
    while (strcmp(finalize, "hang") == 0) sleep(1000);
  }
  return PMPI_Finalize();
}
