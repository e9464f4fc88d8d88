// Preloaded under an MPI library by tests: one that has taken a message and sends it when it is called the next time, as
// libraries may that make progress in calls only.
//   SHIM_LATE_COUNT=N   MPI_Bcast of N elements is made of such messages: its root returns when it has taken them. They
//                       leave with any further call of the root, MPI_Iprobe included; without one the others wait for ever
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#define TAG 30017

struct message {
  void* data;
  int bytes;
  int root;
  MPI_Comm comm;
};

// The message that the root has taken. One is enough, because the next call sends it.
static struct message taken = {NULL, 0, 0, MPI_COMM_NULL};

static void send_what_was_taken(void) {
  if (taken.data == NULL) return;
  struct message now = taken;
  taken.data = NULL;
  int ranks = 1;
  PMPI_Comm_size(now.comm, &ranks);
  for (int rank = 0; rank < ranks; ++rank) {
    if (rank != now.root) PMPI_Send(now.data, now.bytes, MPI_BYTE, rank, TAG, now.comm);
  }
  free(now.data);
}

int MPI_Bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  send_what_was_taken();
  const char* late = getenv("SHIM_LATE_COUNT");
  if (late == NULL || atoi(late) != count) return PMPI_Bcast(buffer, count, type, root, comm);
  int rank = 0, size = 0;
  PMPI_Comm_rank(comm, &rank);
  PMPI_Type_size(type, &size);
  const int bytes = size * count;
  if (rank != root) return PMPI_Recv(buffer, bytes, MPI_BYTE, root, TAG, comm, MPI_STATUS_IGNORE);
  taken.data = memcpy(malloc((size_t)bytes), buffer, (size_t)bytes);
  taken.bytes = bytes;
  taken.root = root;
  taken.comm = comm;
  return MPI_SUCCESS;
}

int MPI_Iprobe(int from, int tag, MPI_Comm comm, int* flag, MPI_Status* status) {
  send_what_was_taken();
  return PMPI_Iprobe(from, tag, comm, flag, status);
}

int MPI_Barrier(MPI_Comm comm) {
  send_what_was_taken();
  return PMPI_Barrier(comm);
}

int MPI_Allreduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  send_what_was_taken();
  return PMPI_Allreduce(send, receive, count, type, op, comm);
}

int MPI_Reduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) {
  send_what_was_taken();
  return PMPI_Reduce(send, receive, count, type, op, root, comm);
}

int MPI_Gather(const void* send, int send_count, MPI_Datatype send_type, void* receive, int receive_count,
               MPI_Datatype receive_type, int root, MPI_Comm comm) {
  send_what_was_taken();
  return PMPI_Gather(send, send_count, send_type, receive, receive_count, receive_type, root, comm);
}

int MPI_Send(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  send_what_was_taken();
  return PMPI_Send(data, count, type, to, tag, comm);
}

int MPI_Recv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status* status) {
  send_what_was_taken();
  return PMPI_Recv(data, count, type, from, tag, comm, status);
}

int MPI_Irecv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request* request) {
  send_what_was_taken();
  return PMPI_Irecv(data, count, type, from, tag, comm, request);
}

int MPI_Issend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request) {
  send_what_was_taken();
  return PMPI_Issend(data, count, type, to, tag, comm, request);
}

int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]) {
  send_what_was_taken();
  return PMPI_Waitall(count, requests, statuses);
}

int MPI_Sendrecv(const void* send, int send_count, MPI_Datatype send_type, int to, int send_tag, void* receive,
                 int receive_count, MPI_Datatype receive_type, int from, int receive_tag, MPI_Comm comm,
                 MPI_Status* status) {
  send_what_was_taken();
  return PMPI_Sendrecv(send, send_count, send_type, to, send_tag, receive, receive_count, receive_type, from,
                       receive_tag, comm, status);
}
