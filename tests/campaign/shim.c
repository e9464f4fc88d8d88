// Preloaded under an MPI library by tests of campaigns: counts calls, and does wrong on purpose.
//   SHIM_COUNT=N            the allreduce or bcast whose count is N is the victim; others pass
//   SHIM_FAULT=corrupt      one byte of its result on rank 1 is changed
//   SHIM_FAULT=abort        rank 1 ends by abort() in it
//   SHIM_FAULT=error        it returns an error
//   SHIM_CALLS=FILE         rank 0 writes "NAME NUMBER" of the calls that libraries use to synchronise
//                           to FILE in MPI_Finalize
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long barriers, others;

static int rank_of_world(void) {
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

static int is_victim(int count) {
  const char* wanted = getenv("SHIM_COUNT");
  return wanted != NULL && getenv("SHIM_FAULT") != NULL && atoi(wanted) == count;
}

// What becomes of the victim's call, whose result is in `buffer`.
static int spoil(int error, void* buffer) {
  const char* fault = getenv("SHIM_FAULT");
  if (strcmp(fault, "error") == 0) return MPI_ERR_OTHER;
  if (rank_of_world() != 1) return error;
  if (strcmp(fault, "abort") == 0) abort();
  if (strcmp(fault, "corrupt") == 0) ((unsigned char*)buffer)[0] ^= 1;
  return error;
}

int MPI_Allreduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  ++others;
  const int error = PMPI_Allreduce(send, receive, count, type, op, comm);
  return is_victim(count) ? spoil(error, receive) : error;
}

int MPI_Bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  ++others;
  const int error = PMPI_Bcast(buffer, count, type, root, comm);
  return is_victim(count) ? spoil(error, buffer) : error;
}

int MPI_Barrier(MPI_Comm comm) {
  ++barriers;
  return PMPI_Barrier(comm);
}

int MPI_Sendrecv(const void* send, int send_count, MPI_Datatype send_type, int to, int send_tag, void* receive,
                 int receive_count, MPI_Datatype receive_type, int from, int receive_tag, MPI_Comm comm,
                 MPI_Status* status) {
  ++others;
  return PMPI_Sendrecv(send, send_count, send_type, to, send_tag, receive, receive_count, receive_type, from,
                       receive_tag, comm, status);
}

int MPI_Reduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) {
  ++others;
  return PMPI_Reduce(send, receive, count, type, op, root, comm);
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
  return PMPI_Finalize();
}
