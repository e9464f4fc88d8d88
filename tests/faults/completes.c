// Preloaded under an MPI library by tests: non-blocking and persistent broadcasts take a known time, of which a known part
// passes by itself, so that it is known how much of them computation can hide.
//   SHIM_TAKES_NS=N      nanoseconds that a call takes from its start on, on every rank
//   SHIM_BY_ITSELF=P     percent of them that pass whatever the process does; for the others it has to be in MPI_Wait. Until
//                        both are over, MPI_Test says that nothing is done
#include <mpi.h>
#include <stdlib.h>
#include <time.h>

// As src/ops/forms.hpp.
#if MPI_VERSION >= 4 || (defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5)
#define BCAST_INIT MPI_Bcast_init
#define REAL_BCAST_INIT PMPI_Bcast_init
#elif defined(OMPI_MAJOR_VERSION)
#include <mpi-ext.h>
#if defined(OMPI_HAVE_MPI_EXT_PCOLLREQ)
#define BCAST_INIT MPIX_Bcast_init
#define REAL_BCAST_INIT PMPIX_Bcast_init
#endif
#endif

// The engine has one call under way at a time.
static struct {
  int under_way;
  MPI_Request request;
  long long by_itself_until_ns;
  long long in_wait_ns;  // that are left
} call;

// Requests of persistent broadcasts, one for each cell. MPI_Start leaves others as they are.
enum { MOST_PERSISTENT = 64 };
static MPI_Request persistent[MOST_PERSISTENT];
static int persistent_count;

static int place_of(MPI_Request request) {
  int place = 0;
  while (place < persistent_count && persistent[place] != request) ++place;
  return place;
}

static long long now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC_RAW, &now);
  return 1000000000LL * now.tv_sec + now.tv_nsec;
}

static long long number_of(const char* name) {
  const char* text = getenv(name);
  return text == NULL ? 0 : atoll(text);
}

static void begin(MPI_Request request) {
  static long long takes_ns, by_itself_ns;
  if (takes_ns == 0) {
    takes_ns = number_of("SHIM_TAKES_NS");
    by_itself_ns = takes_ns * number_of("SHIM_BY_ITSELF") / 100;
  }
  call.under_way = 1;
  call.request = request;
  call.by_itself_until_ns = now_ns() + by_itself_ns;
  call.in_wait_ns = takes_ns - by_itself_ns;
}

int MPI_Ibcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request* request) {
  const int error = PMPI_Ibcast(buffer, count, type, root, comm, request);
  if (error == MPI_SUCCESS) begin(*request);
  return error;
}

#if defined(BCAST_INIT)
int BCAST_INIT(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  const int error = REAL_BCAST_INIT(buffer, count, type, root, comm, info, request);
  if (error != MPI_SUCCESS) return error;
  if (persistent_count == MOST_PERSISTENT) abort();
  persistent[persistent_count++] = *request;
  return error;
}
#endif

// Its number may become another one's.
int MPI_Request_free(MPI_Request* request) {
  const int place = place_of(*request);
  if (place < persistent_count) persistent[place] = persistent[--persistent_count];
  return PMPI_Request_free(request);
}

int MPI_Start(MPI_Request* request) {
  const int wanted = place_of(*request) < persistent_count;
  const int error = PMPI_Start(request);
  if (error == MPI_SUCCESS && wanted) begin(*request);
  return error;
}

int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  if (call.under_way && *request == call.request) {
    while (now_ns() < call.by_itself_until_ns) continue;
    const long long end_ns = now_ns() + call.in_wait_ns;
    while (now_ns() < end_ns) continue;
    call.under_way = 0;
  }
  return PMPI_Wait(request, status);
}

int MPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
  const int wanted = call.under_way && *request == call.request;
  if (wanted && (call.in_wait_ns > 0 || now_ns() < call.by_itself_until_ns)) {
    *flag = 0;
    return MPI_SUCCESS;
  }
  const int error = PMPI_Test(request, flag, status);
  if (wanted && *flag) call.under_way = 0;
  return error;
}
