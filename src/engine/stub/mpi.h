/* MPI of one process: what the engine needs where there is no library. Collectives of basic types
   copy, messages go to the process itself, and what has no meaning for one process returns
   MPI_ERR_UNSUPPORTED_OPERATION; operations that would call it are missing (ops/catalogue.cpp). */
#ifndef INVAR_STUB_MPI_H
#define INVAR_STUB_MPI_H

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

/* What engines that are compiled with it have no library for. */
#define INVAR_NO_MPI "there is no MPI: one process"

#define MPI_VERSION 3
#define MPI_SUBVERSION 1

typedef int MPI_Comm;
typedef int MPI_Datatype; /* bytes of one element; several types of one length differ above */
typedef int MPI_Op;
typedef int MPI_Request;
typedef int MPI_Errhandler;
typedef int MPI_Info;
typedef int MPI_Message;
typedef std::intptr_t MPI_Aint;
typedef long long MPI_Count;
struct MPI_Status {
  int MPI_SOURCE;
  int MPI_TAG;
  int MPI_ERROR;
};
typedef void(MPI_User_function)(void*, void*, int*, MPI_Datatype*);

#define MPI_SUCCESS 0
#define MPI_ERR_COUNT 2
#define MPI_ERR_REQUEST 7
#define MPI_ERR_OTHER 15
#define MPI_ERR_IN_STATUS 17
#define MPI_ERR_UNSUPPORTED_OPERATION 44

#define MPI_COMM_NULL 0
#define MPI_COMM_WORLD 1
#define MPI_DATATYPE_NULL 0
#define MPI_BYTE 0x0101
#define MPI_CHAR 0x0201
#define MPI_C_BOOL 0x0301
#define MPI_PACKED 0x0401
#define MPI_UINT16_T 0x0502
#define MPI_INT 0x0604
#define MPI_INT32_T 0x0704
#define MPI_UINT32_T 0x0804
#define MPI_UNSIGNED 0x0904
#define MPI_FLOAT 0x0a04
#define MPI_LONG 0x0b08
#define MPI_INT64_T 0x0c08
#define MPI_UINT64_T 0x0d08
#define MPI_UNSIGNED_LONG 0x0e08
#define MPI_UNSIGNED_LONG_LONG 0x0f08
#define MPI_DOUBLE 0x1008
#define MPI_COUNT 0x1108
#define MPI_OP_NULL 0
#define MPI_MAX 1
#define MPI_MIN 2
#define MPI_SUM 3
#define MPI_BOR 4
#define MPI_REQUEST_NULL 0
#define MPI_MESSAGE_NULL 0
#define MPI_INFO_NULL 0
#define MPI_ERRORS_ARE_FATAL 1
#define MPI_ERRORS_RETURN 2
#define MPI_ANY_SOURCE (-2)
#define MPI_PROC_NULL (-1)
#define MPI_ANY_TAG (-1)
#define MPI_UNDEFINED (-32766)
#define MPI_IN_PLACE (reinterpret_cast<void*>(-1))
#define MPI_STATUS_IGNORE (static_cast<MPI_Status*>(nullptr))
#define MPI_STATUSES_IGNORE (static_cast<MPI_Status*>(nullptr))
#define MPI_UNWEIGHTED (static_cast<int*>(nullptr))
#define MPI_WTIME_IS_GLOBAL 1
#define MPI_MAX_PROCESSOR_NAME 256
#define MPI_MAX_ERROR_STRING 256
#define MPI_MAX_LIBRARY_VERSION_STRING 256
#define MPI_BSEND_OVERHEAD 0
#define MPI_THREAD_SINGLE 0

namespace invar_stub {

inline int& state() { /* 0: not begun, 1: between MPI_Init and MPI_Finalize, 2: over */
  static int now = 0;
  return now;
}

inline std::size_t bytes_of(int count, MPI_Datatype type) {
  return static_cast<std::size_t>(count) * static_cast<std::size_t>(type & 0xff);
}

/* From a place to another one, which may be the same. */
inline int copied(const void* from, int count, MPI_Datatype type, void* to) {
  const std::size_t bytes = bytes_of(count, type);
  if (from == MPI_IN_PLACE || to == MPI_IN_PLACE || from == to || bytes == 0) return MPI_SUCCESS;
  std::memmove(to, from, bytes);
  return MPI_SUCCESS;
}

/* Where the only block lies in a buffer of a form with displacements. */
inline void* displaced(void* buffer, const int* displacements, MPI_Datatype type) {
  return static_cast<char*>(buffer) + bytes_of(displacements[0], type);
}
inline const void* displaced(const void* buffer, const int* displacements, MPI_Datatype type) {
  return static_cast<const char*>(buffer) + bytes_of(displacements[0], type);
}

}  // namespace invar_stub

/* The process. */
inline int MPI_Init(int*, char***) {
  invar_stub::state() = 1;
  return MPI_SUCCESS;
}
inline int MPI_Finalize() {
  invar_stub::state() = 2;
  return MPI_SUCCESS;
}
inline int MPI_Initialized(int* flag) {
  *flag = invar_stub::state() >= 1 ? 1 : 0;
  return MPI_SUCCESS;
}
inline int MPI_Finalized(int* flag) {
  *flag = invar_stub::state() == 2 ? 1 : 0;
  return MPI_SUCCESS;
}
[[noreturn]] inline int MPI_Abort(MPI_Comm, int status) {
  std::fflush(nullptr);
  std::_Exit(status);
}
inline double MPI_Wtime() {
  std::timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}
inline double MPI_Wtick() {
  std::timespec step{};
  clock_getres(CLOCK_MONOTONIC, &step);
  return static_cast<double>(step.tv_sec) + static_cast<double>(step.tv_nsec) * 1e-9;
}
inline int MPI_Get_version(int* version, int* subversion) {
  *version = MPI_VERSION;
  *subversion = MPI_SUBVERSION;
  return MPI_SUCCESS;
}
inline int MPI_Get_library_version(char* text, int* length) {
  *length = std::snprintf(text, MPI_MAX_LIBRARY_VERSION_STRING, "no MPI: one process");
  return MPI_SUCCESS;
}
inline int MPI_Error_string(int code, char* text, int* length) {
  *length = std::snprintf(text, MPI_MAX_ERROR_STRING, "error %d: %s", code, INVAR_NO_MPI);
  return MPI_SUCCESS;
}

/* Communicators: all have the one process. */
inline int MPI_Comm_rank(MPI_Comm, int* rank) {
  *rank = 0;
  return MPI_SUCCESS;
}
inline int MPI_Comm_size(MPI_Comm, int* size) {
  *size = 1;
  return MPI_SUCCESS;
}
inline int MPI_Comm_dup(MPI_Comm, MPI_Comm* made) {
  static MPI_Comm last = MPI_COMM_WORLD;
  *made = ++last;
  return MPI_SUCCESS;
}
inline int MPI_Comm_split(MPI_Comm comm, int colour, int, MPI_Comm* made) {
  if (colour != MPI_UNDEFINED) return MPI_Comm_dup(comm, made);
  *made = MPI_COMM_NULL;
  return MPI_SUCCESS;
}
inline int MPI_Comm_free(MPI_Comm* comm) {
  *comm = MPI_COMM_NULL;
  return MPI_SUCCESS;
}
inline int MPI_Comm_set_errhandler(MPI_Comm, MPI_Errhandler) { return MPI_SUCCESS; }
inline int MPI_Comm_get_attr(MPI_Comm, int, void* value, int* found) {
  static int yes = 1; /* one process, one clock */
  *static_cast<void**>(value) = &yes;
  *found = 1;
  return MPI_SUCCESS;
}

/* Collectives of one process: its input is the result. */
inline int MPI_Barrier(MPI_Comm) { return MPI_SUCCESS; }
inline int MPI_Bcast(void*, int, MPI_Datatype, int, MPI_Comm) { return MPI_SUCCESS; }
inline int MPI_Allreduce(const void* from, void* to, int count, MPI_Datatype type, MPI_Op,
                         MPI_Comm) {
  return invar_stub::copied(from, count, type, to);
}
inline int MPI_Reduce(const void* from, void* to, int count, MPI_Datatype type, MPI_Op, int,
                      MPI_Comm) {
  return invar_stub::copied(from, count, type, to);
}
inline int MPI_Scan(const void* from, void* to, int count, MPI_Datatype type, MPI_Op, MPI_Comm) {
  return invar_stub::copied(from, count, type, to);
}
inline int MPI_Exscan(const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm) {
  return MPI_SUCCESS; /* what the first process gets is undefined */
}
inline int MPI_Gather(const void* from, int count, MPI_Datatype type, void* to, int, MPI_Datatype,
                      int, MPI_Comm) {
  return invar_stub::copied(from, count, type, to);
}
inline int MPI_Allgather(const void* from, int count, MPI_Datatype type, void* to, int,
                         MPI_Datatype, MPI_Comm) {
  return invar_stub::copied(from, count, type, to);
}
inline int MPI_Gatherv(const void* from, int count, MPI_Datatype type, void* to, const int*,
                       const int* displacements, MPI_Datatype to_type, int, MPI_Comm) {
  return invar_stub::copied(from, count, type, invar_stub::displaced(to, displacements, to_type));
}
inline int MPI_Allgatherv(const void* from, int count, MPI_Datatype type, void* to, const int*,
                          const int* displacements, MPI_Datatype to_type, MPI_Comm) {
  return invar_stub::copied(from, count, type, invar_stub::displaced(to, displacements, to_type));
}
inline int MPI_Scatter(const void* from, int, MPI_Datatype, void* to, int count, MPI_Datatype type,
                       int, MPI_Comm) {
  return invar_stub::copied(from, count, type, to);
}
inline int MPI_Scatterv(const void* from, const int*, const int* displacements,
                        MPI_Datatype from_type, void* to, int count, MPI_Datatype type, int,
                        MPI_Comm) {
  return invar_stub::copied(invar_stub::displaced(from, displacements, from_type), count, type, to);
}
inline int MPI_Alltoall(const void* from, int count, MPI_Datatype type, void* to, int, MPI_Datatype,
                        MPI_Comm) {
  return invar_stub::copied(from, count, type, to);
}
inline int MPI_Reduce_scatter_block(const void* from, void* to, int count, MPI_Datatype type,
                                    MPI_Op, MPI_Comm) {
  return invar_stub::copied(from, count, type, to);
}

/* Messages: only a call that sends and receives meets itself; nothing is ever on its way. */
inline int MPI_Sendrecv(const void* from, int count, MPI_Datatype type, int, int, void* to, int,
                        MPI_Datatype, int, int tag, MPI_Comm, MPI_Status* status) {
  if (status != nullptr) *status = {0, tag, MPI_SUCCESS};
  return invar_stub::copied(from, count, type, to);
}
inline int MPI_Iprobe(int, int, MPI_Comm, int* flag, MPI_Status*) {
  *flag = 0;
  return MPI_SUCCESS;
}
inline int MPI_Wait(MPI_Request* request, MPI_Status*) {
  *request = MPI_REQUEST_NULL;
  return MPI_SUCCESS;
}
inline int MPI_Waitall(int, MPI_Request*, MPI_Status*) { return MPI_SUCCESS; }
inline int MPI_Test(MPI_Request*, int* flag, MPI_Status*) {
  *flag = 1;
  return MPI_SUCCESS;
}
inline int MPI_Testall(int, MPI_Request*, int* flag, MPI_Status*) {
  *flag = 1;
  return MPI_SUCCESS;
}
inline int MPI_Request_free(MPI_Request* request) {
  *request = MPI_REQUEST_NULL;
  return MPI_SUCCESS;
}

/* Everything else. */
#define INVAR_STUB_ABSENT(name)                \
  template <typename... Arguments>             \
  inline int name(Arguments... /*unused*/) {   \
    return MPI_ERR_UNSUPPORTED_OPERATION;      \
  }
INVAR_STUB_ABSENT(MPI_Alltoallv)
INVAR_STUB_ABSENT(MPI_Alltoallw)
INVAR_STUB_ABSENT(MPI_Bcast_c)
INVAR_STUB_ABSENT(MPI_Bcast_init)
INVAR_STUB_ABSENT(MPI_Bsend)
INVAR_STUB_ABSENT(MPI_Bsend_init)
INVAR_STUB_ABSENT(MPI_Buffer_attach)
INVAR_STUB_ABSENT(MPI_Buffer_detach)
INVAR_STUB_ABSENT(MPI_Cancel)
INVAR_STUB_ABSENT(MPI_Cart_create)
INVAR_STUB_ABSENT(MPI_Cart_shift)
INVAR_STUB_ABSENT(MPI_Dims_create)
INVAR_STUB_ABSENT(MPI_Dist_graph_create_adjacent)
INVAR_STUB_ABSENT(MPI_Gather_init)
INVAR_STUB_ABSENT(MPI_Get_count)
INVAR_STUB_ABSENT(MPI_Iallgather)
INVAR_STUB_ABSENT(MPI_Iallgatherv)
INVAR_STUB_ABSENT(MPI_Iallreduce)
INVAR_STUB_ABSENT(MPI_Ialltoall)
INVAR_STUB_ABSENT(MPI_Ialltoallv)
INVAR_STUB_ABSENT(MPI_Ialltoallw)
INVAR_STUB_ABSENT(MPI_Ibarrier)
INVAR_STUB_ABSENT(MPI_Ibcast)
INVAR_STUB_ABSENT(MPI_Ibsend)
INVAR_STUB_ABSENT(MPI_Iexscan)
INVAR_STUB_ABSENT(MPI_Igather)
INVAR_STUB_ABSENT(MPI_Igatherv)
INVAR_STUB_ABSENT(MPI_Ineighbor_allgather)
INVAR_STUB_ABSENT(MPI_Ineighbor_allgatherv)
INVAR_STUB_ABSENT(MPI_Ineighbor_alltoall)
INVAR_STUB_ABSENT(MPI_Ineighbor_alltoallv)
INVAR_STUB_ABSENT(MPI_Ineighbor_alltoallw)
INVAR_STUB_ABSENT(MPI_Irecv)
INVAR_STUB_ABSENT(MPI_Ireduce)
INVAR_STUB_ABSENT(MPI_Ireduce_scatter)
INVAR_STUB_ABSENT(MPI_Ireduce_scatter_block)
INVAR_STUB_ABSENT(MPI_Irsend)
INVAR_STUB_ABSENT(MPI_Iscan)
INVAR_STUB_ABSENT(MPI_Iscatter)
INVAR_STUB_ABSENT(MPI_Iscatterv)
INVAR_STUB_ABSENT(MPI_Isend)
INVAR_STUB_ABSENT(MPI_Issend)
INVAR_STUB_ABSENT(MPI_Mprobe)
INVAR_STUB_ABSENT(MPI_Mrecv)
INVAR_STUB_ABSENT(MPI_Neighbor_allgather)
INVAR_STUB_ABSENT(MPI_Neighbor_allgatherv)
INVAR_STUB_ABSENT(MPI_Neighbor_alltoall)
INVAR_STUB_ABSENT(MPI_Neighbor_alltoallv)
INVAR_STUB_ABSENT(MPI_Neighbor_alltoallw)
INVAR_STUB_ABSENT(MPI_Op_commutative)
INVAR_STUB_ABSENT(MPI_Op_create)
INVAR_STUB_ABSENT(MPI_Op_create_c)
INVAR_STUB_ABSENT(MPI_Pack)
INVAR_STUB_ABSENT(MPI_Pack_size)
INVAR_STUB_ABSENT(MPI_Probe)
INVAR_STUB_ABSENT(MPI_Recv)
INVAR_STUB_ABSENT(MPI_Recv_init)
INVAR_STUB_ABSENT(MPI_Reduce_local)
INVAR_STUB_ABSENT(MPI_Reduce_scatter)
INVAR_STUB_ABSENT(MPI_Rsend)
INVAR_STUB_ABSENT(MPI_Rsend_init)
INVAR_STUB_ABSENT(MPI_Send)
INVAR_STUB_ABSENT(MPI_Send_init)
INVAR_STUB_ABSENT(MPI_Ssend)
INVAR_STUB_ABSENT(MPI_Ssend_init)
INVAR_STUB_ABSENT(MPI_Start)
INVAR_STUB_ABSENT(MPI_Startall)
INVAR_STUB_ABSENT(MPI_Type_commit)
INVAR_STUB_ABSENT(MPI_Type_contiguous)
INVAR_STUB_ABSENT(MPI_Type_create_hvector)
INVAR_STUB_ABSENT(MPI_Type_create_resized)
INVAR_STUB_ABSENT(MPI_Type_create_struct)
INVAR_STUB_ABSENT(MPI_Type_free)
INVAR_STUB_ABSENT(MPI_Type_indexed)
INVAR_STUB_ABSENT(MPI_Type_vector)
INVAR_STUB_ABSENT(MPI_Unpack)
#undef INVAR_STUB_ABSENT

inline int MPI_Get_processor_name(char* name, int* length) {
  *length = std::snprintf(name, MPI_MAX_PROCESSOR_NAME, "localhost");
  return MPI_SUCCESS;
}

/* Tools: there is nothing to be told. */
typedef int MPI_T_enum;
typedef int MPI_T_cvar_handle;
typedef int MPI_T_pvar_handle;
typedef int MPI_T_pvar_session;
#define MPI_T_ENUM_NULL 0
#define MPI_T_CVAR_HANDLE_NULL 0
#define MPI_T_PVAR_HANDLE_NULL 0
#define MPI_T_PVAR_SESSION_NULL 0
#define MPI_T_BIND_NO_OBJECT 0
#define MPI_T_BIND_MPI_COMM 1
#define MPI_T_PVAR_CLASS_SIZE 2
#define MPI_T_SCOPE_CONSTANT 0
#define MPI_T_SCOPE_READONLY 1
#define MPI_T_SCOPE_LOCAL 2
#define MPI_T_SCOPE_GROUP 3
#define MPI_T_SCOPE_GROUP_EQ 4
#define MPI_T_SCOPE_ALL 5
#define MPI_T_SCOPE_ALL_EQ 6
inline int MPI_T_init_thread(int, int*) { return MPI_SUCCESS; }
inline int MPI_T_finalize() { return MPI_SUCCESS; }
inline int MPI_T_cvar_get_num(int* count) {
  *count = 0;
  return MPI_SUCCESS;
}
#define INVAR_STUB_ABSENT(name)                \
  template <typename... Arguments>             \
  inline int name(Arguments... /*unused*/) {   \
    return MPI_ERR_UNSUPPORTED_OPERATION;      \
  }
INVAR_STUB_ABSENT(MPI_T_cvar_get_index)
INVAR_STUB_ABSENT(MPI_T_cvar_get_info)
INVAR_STUB_ABSENT(MPI_T_cvar_handle_alloc)
INVAR_STUB_ABSENT(MPI_T_cvar_handle_free)
INVAR_STUB_ABSENT(MPI_T_cvar_read)
INVAR_STUB_ABSENT(MPI_T_cvar_write)
INVAR_STUB_ABSENT(MPI_T_enum_get_info)
INVAR_STUB_ABSENT(MPI_T_enum_get_item)
INVAR_STUB_ABSENT(MPI_T_pvar_get_index)
INVAR_STUB_ABSENT(MPI_T_pvar_handle_alloc)
INVAR_STUB_ABSENT(MPI_T_pvar_session_create)
INVAR_STUB_ABSENT(MPI_T_pvar_start)
INVAR_STUB_ABSENT(MPI_T_pvar_stop)
#undef INVAR_STUB_ABSENT

#endif
