// Preloaded under an MPI library by tests of `invar stress`: spoils messages.
//   WRONG_FAULT=bit          one bit of its data is another one
//              =missing      the second quarter of it is not written
//              =stale        it has the data of the message before it from the same rank
//              =swapped      it and the next one have each other's data
//              =shift        its data are 64 bytes further on
//              =length, tag, source   the status tells another one
//              =overrun      a byte behind it is written
//              =error        MPI_Irecv returns an error
//              =silent       from the first one on nothing leaves any more but what ranks agree by
//              =send-buffer  the data that were sent change when MPI_Wait says that they are sent
//              =collective   one bit of what MPI_Bcast, MPI_Allreduce or MPI_Allgather gives is another one
//              =crash        a segmentation fault
//              =abort        abort() in MPI_Send and in MPI_Bcast, instead of it
//              =exit         exit(1) there
//              =kill         SIGKILL there
//   WRONG_EVERY=N            of every N-th message of so many bytes or more:
//   WRONG_BYTES=B            1024 if left out
//   WRONG_SEED=S             at random, of one in N
//   WRONG_EVERYWHERE=1       of what any rank receives
// What is received is spoilt on rank 1 unless that is said, what is sent on rank 0 (silent, send-buffer; abort, exit and kill
// in MPI_Send).
#include <mpi.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { kMostPending = 64 };
// The same as kTag in src/ops/call/agree.cpp.
enum { kTagOfAgreeing = 32001 };
// What a receive may take more than come (src/record/stress).
enum { kRoomBehind = 64 };

// A request that is under way.
struct pending {
  int used;
  MPI_Request request;
  unsigned char* buffer;
  int bytes;
  int sent;                // else received
  unsigned char* before;   // what the buffer held
  unsigned long order;     // in which they were posted
  int done;                // it has come already, with this status
  MPI_Status status;
};

static struct pending pending[kMostPending];
static unsigned long orders;
static unsigned char* last;  // of the message before
static int last_bytes, last_source = -1, last_tag = -1;

static int is_fault(const char* name) {
  static const char* fault;
  if (fault == NULL) fault = getenv("WRONG_FAULT");
  return fault != NULL && strcmp(fault, name) == 0;
}

static long number_of(const char* name, long otherwise) {
  const char* text = getenv(name);
  return text == NULL ? otherwise : atol(text);
}

static int my_rank(void) {
  static int rank = -1;
  if (rank < 0) PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

static int receives(void) {
  static int everywhere = -1;
  if (everywhere < 0) everywhere = getenv("WRONG_EVERYWHERE") != NULL;
  return everywhere || my_rank() == 1;
}

static int sends(void) { return my_rank() == 0; }

static int long_enough(int bytes) {
  static long least = -1;
  if (least < 0) least = number_of("WRONG_BYTES", 1024);
  return bytes >= least;
}

// Whether this one is to be spoilt. `ready`: it can be; else the next one that can is.
static int is_chosen(int ready) {
  static long every = -1, seed;
  static unsigned long seen;
  static uint64_t state;
  static int waits;
  if (every < 0) {
    every = number_of("WRONG_EVERY", 20);
    seed = number_of("WRONG_SEED", 0);
    state = 0x9e3779b97f4a7c15u ^ ((uint64_t)seed * 64 + (uint64_t)my_rank()) * 0xbf58476d1ce4e5b9u;
  }
  if (seed != 0) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    if (state % (uint64_t)every == 0) waits = 1;
  } else if (++seen % (unsigned long)every == 0) {
    waits = 1;
  }
  if (!waits || !ready) return 0;
  waits = 0;
  return 1;
}

static unsigned char* copy_of(const unsigned char* bytes, int count) {
  return memcpy(malloc((size_t)count + 1), bytes, (size_t)count);
}

static int bytes_of(int count, MPI_Datatype type) {
  int size = 0;
  PMPI_Type_size(type, &size);
  return size * count;
}

// A library may give the number of one that is done to the next one: whoever was first is asked for first.
static struct pending* find(MPI_Request request) {
  struct pending* first = NULL;
  for (int i = 0; i < kMostPending; ++i) {
    struct pending* one = &pending[i];
    if (!one->used || one->request != request) continue;
    if (first == NULL || one->order < first->order) first = one;
  }
  return first;
}

static void note(MPI_Request request, void* buffer, int bytes, int sent, unsigned char* before) {
  for (int i = 0; i < kMostPending; ++i) {
    if (pending[i].used) continue;
    const struct pending one = {.used = 1, .request = request, .buffer = buffer, .bytes = bytes,
                                .sent = sent, .before = before, .order = ++orders};
    pending[i] = one;
    return;
  }
  free(before);
}

static unsigned char* held_before(const void* buffer, int bytes) {
  return is_fault("missing") && receives() && long_enough(bytes) ? copy_of(buffer, bytes) : NULL;
}

// The data of the message and of the one that was posted behind it, if that comes soon.
static int swap_with_next(unsigned long order, unsigned char* buffer, int bytes) {
  struct pending* next = NULL;
  for (int i = 0; i < kMostPending; ++i) {
    struct pending* one = &pending[i];
    if (!one->used || one->sent || one->done || one->order <= order) continue;
    if (next == NULL || one->order < next->order) next = one;
  }
  if (next == NULL || !long_enough(next->bytes)) return 0;
  const clock_t end = clock() + CLOCKS_PER_SEC / 5;
  int come = 0;
  MPI_Request request = next->request;  // whoever has posted it still has its number
  while (!come && clock() < end) PMPI_Test(&request, &come, &next->status);
  if (!come) return 0;
  next->done = 1;
  int other = 0;
  PMPI_Get_count(&next->status, MPI_BYTE, &other);
  const int both = other < bytes ? other : bytes;
  for (int i = 0; i < both; ++i) {
    const unsigned char byte = buffer[i];
    buffer[i] = next->buffer[i];
    next->buffer[i] = byte;
  }
  return 1;
}

static void crash(void) {
  signal(SIGSEGV, SIG_DFL);
  *(volatile int*)0 = 1;
}

// This rank does not come back from such a call: its process ends in it.
static void end_in(int here, int bytes) {
  const int ends = is_fault("abort") || is_fault("exit") || is_fault("kill");
  if (!ends || !here || !long_enough(bytes) || !is_chosen(1)) return;
  if (is_fault("abort")) abort();
  if (is_fault("exit")) exit(1);
  raise(SIGKILL);
}

static void spoil(unsigned char* buffer, int bytes, MPI_Status* status, const unsigned char* before) {
  if (is_fault("bit")) buffer[bytes / 3] ^= 8;
  if (is_fault("missing") && before != NULL) memcpy(buffer + bytes / 4, before + bytes / 4, (size_t)(bytes / 4));
  if (is_fault("shift")) memmove(buffer + 64, buffer, (size_t)bytes - 64);
  if (is_fault("length")) PMPI_Status_set_elements(status, MPI_BYTE, bytes - 8);
  if (is_fault("tag")) status->MPI_TAG ^= 1;
  if (is_fault("source")) {
    int ranks = 1;
    PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
    status->MPI_SOURCE = (status->MPI_SOURCE + 1) % ranks;
  }
  if (is_fault("overrun")) buffer[bytes] ^= 1;
  if (is_fault("crash")) crash();
}

// A message has come. `order`: of its request; 0: it had none.
static void arrived(unsigned char* buffer, MPI_Status* status, const unsigned char* before, unsigned long order) {
  int bytes = 0;
  if (!receives() || PMPI_Get_count(status, MPI_BYTE, &bytes) != MPI_SUCCESS || !long_enough(bytes)) return;
  if (is_fault("swapped")) {
    if (order != 0 && is_chosen(1)) swap_with_next(order, buffer, bytes);
  } else if (is_fault("stale")) {
    // The one before it, and long enough to be recognised.
    const int ready = last != NULL && last_source == status->MPI_SOURCE && last_tag + 1 == status->MPI_TAG;
    unsigned char* now = copy_of(buffer, bytes);
    if (is_chosen(ready)) memcpy(buffer, last, (size_t)(last_bytes < bytes ? last_bytes : bytes));
    free(last);
    last = now;
    last_bytes = bytes;
    last_source = status->MPI_SOURCE;
    last_tag = status->MPI_TAG;
  } else if (is_chosen(!is_fault("missing") || before != NULL)) {
    spoil(buffer, bytes, status, before);
  }
}

// What was posted is over: as its status says.
static void over(struct pending one, MPI_Status* status) {
  if (one.sent) {
    if (is_fault("send-buffer") && is_chosen(1)) one.buffer[one.bytes / 2] ^= 1;
  } else if (!one.done) {
    arrived(one.buffer, status, one.before, one.order);
  }
  free(one.before);
}

int MPI_Irecv(void* buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request* request) {
  const int bytes = bytes_of(count, type);
  if (is_fault("error") && receives() && long_enough(bytes - kRoomBehind) && is_chosen(1)) return MPI_ERR_OTHER;
  unsigned char* before = held_before(buffer, bytes);
  const int code = PMPI_Irecv(buffer, count, type, from, tag, comm, request);
  if (receives()) {
    note(*request, buffer, bytes, 0, before);
  } else {
    free(before);
  }
  return code;
}

// To whom a message goes: to nobody, once this rank has fallen silent.
static int goes_to(int to, int bytes, int tag) {
  static int silent;
  if (!is_fault("silent") || !sends() || tag == kTagOfAgreeing) return to;
  if (!silent) silent = long_enough(bytes) && is_chosen(1);
  return silent ? MPI_PROC_NULL : to;
}

int MPI_Isend(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request) {
  const int bytes = bytes_of(count, type);
  const int code = PMPI_Isend(buffer, count, type, goes_to(to, bytes, tag), tag, comm, request);
  if (is_fault("send-buffer") && sends() && long_enough(bytes)) {
    note(*request, (void*)(uintptr_t)buffer, bytes, 1, NULL);
  }
  return code;
}

int MPI_Issend(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
               MPI_Request* request) {
  return PMPI_Issend(buffer, count, type, goes_to(to, bytes_of(count, type), tag), tag, comm, request);
}

int MPI_Send(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  end_in(sends() && tag != kTagOfAgreeing, bytes_of(count, type));
  return PMPI_Send(buffer, count, type, goes_to(to, bytes_of(count, type), tag), tag, comm);
}

int MPI_Send_init(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                  MPI_Request* request) {
  return PMPI_Send_init(buffer, count, type, goes_to(to, bytes_of(count, type), tag), tag, comm, request);
}

int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  MPI_Status own;
  MPI_Status* told = status == MPI_STATUS_IGNORE ? &own : status;
  struct pending* found = *request == MPI_REQUEST_NULL ? NULL : find(*request);
  if (found == NULL) return PMPI_Wait(request, status);
  struct pending one = *found;
  found->used = 0;
  int code = MPI_SUCCESS;
  if (one.done) {
    *told = one.status;
    *request = MPI_REQUEST_NULL;
  } else {
    code = PMPI_Wait(request, told);
  }
  over(one, told);
  return code;
}

int MPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
  MPI_Status own;
  MPI_Status* told = status == MPI_STATUS_IGNORE ? &own : status;
  struct pending* found = *request == MPI_REQUEST_NULL ? NULL : find(*request);
  if (found == NULL) return PMPI_Test(request, flag, status);
  struct pending one = *found;
  int code = MPI_SUCCESS;
  if (one.done) {
    *told = one.status;
    *request = MPI_REQUEST_NULL;
    *flag = 1;
  } else {
    code = PMPI_Test(request, flag, told);
  }
  if (!*flag) return code;
  found->used = 0;
  over(one, told);
  return code;
}

int MPI_Recv(void* buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status* status) {
  MPI_Status own;
  MPI_Status* told = status == MPI_STATUS_IGNORE ? &own : status;
  unsigned char* before = held_before(buffer, bytes_of(count, type));
  const int code = PMPI_Recv(buffer, count, type, from, tag, comm, told);
  arrived(buffer, told, before, 0);
  free(before);
  return code;
}

int MPI_Mrecv(void* buffer, int count, MPI_Datatype type, MPI_Message* message, MPI_Status* status) {
  MPI_Status own;
  MPI_Status* told = status == MPI_STATUS_IGNORE ? &own : status;
  unsigned char* before = held_before(buffer, bytes_of(count, type));
  const int code = PMPI_Mrecv(buffer, count, type, message, told);
  arrived(buffer, told, before, 0);
  free(before);
  return code;
}

int MPI_Sendrecv(const void* send, int send_count, MPI_Datatype send_type, int to, int send_tag, void* receive,
                 int receive_count, MPI_Datatype receive_type, int from, int receive_tag, MPI_Comm comm,
                 MPI_Status* status) {
  MPI_Status own;
  MPI_Status* told = status == MPI_STATUS_IGNORE ? &own : status;
  unsigned char* before = held_before(receive, bytes_of(receive_count, receive_type));
  to = goes_to(to, bytes_of(send_count, send_type), send_tag);
  const int code = PMPI_Sendrecv(send, send_count, send_type, to, send_tag, receive, receive_count, receive_type,
                                 from, receive_tag, comm, told);
  arrived(receive, told, before, 0);
  free(before);
  return code;
}

// Byte 0 belongs to the data of every datatype.
static int spoilt_collective(int code, void* result, int count, MPI_Datatype type) {
  const int victim = is_fault("collective") && receives() && long_enough(bytes_of(count, type));
  if (victim && is_chosen(1)) ((unsigned char*)result)[0] ^= 1;
  return code;
}

int MPI_Bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  end_in(receives(), bytes_of(count, type));
  return spoilt_collective(PMPI_Bcast(buffer, count, type, root, comm), buffer, count, type);
}

int MPI_Allreduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  return spoilt_collective(PMPI_Allreduce(send, receive, count, type, op, comm), receive, count, type);
}

int MPI_Allgather(const void* send, int send_count, MPI_Datatype send_type, void* receive, int receive_count,
                  MPI_Datatype receive_type, MPI_Comm comm) {
  const int code = PMPI_Allgather(send, send_count, send_type, receive, receive_count, receive_type, comm);
  return spoilt_collective(code, receive, receive_count, receive_type);
}
