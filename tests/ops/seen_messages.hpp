// What programs that stand between the operations and the library (PMPI) see of messages: which MPI
// function was called, and with what. For one source alone: it defines the functions.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <string>
#include <vector>

namespace invar::ops::test {

struct SeenMessage {
  std::string function = {};  // without "MPI_"
  const std::byte* data = nullptr;
  std::size_t bytes = 0;  // from the first to behind the last, gaps included
  int peer = 0;
  int tag = 0;
  MPI_Comm comm = MPI_COMM_NULL;

  [[nodiscard]] bool is_send() const {
    if (function == "Sendrecv") return false;  // seen as the receive that it is as well
    return function.find("send") != std::string::npos || function.find("Send") == 0;
  }
};

inline std::vector<SeenMessage> seen;
inline bool looking = false;

inline void see(const char* function, const void* data, int count, MPI_Datatype type, int peer,
                int tag, MPI_Comm comm) {
  if (!looking) return;
  MPI_Aint begin = 0;
  MPI_Aint extent = 0;
  PMPI_Type_get_extent(type, &begin, &extent);
  seen.push_back({.function = function,
                  .data = static_cast<const std::byte*>(data),
                  .bytes = static_cast<std::size_t>(extent) * static_cast<std::size_t>(count),
                  .peer = peer,
                  .tag = tag,
                  .comm = comm});
}

inline void see(const char* function) {
  if (looking) seen.push_back({.function = function});
}

// "Isend Wait Irecv Wait".
inline std::string seen_functions() {
  std::string text;
  for (const SeenMessage& message : seen) text += (text.empty() ? "" : " ") + message.function;
  return text;
}

}  // namespace invar::ops::test

#define SEEN_SEND(name)                                                                            \
  int MPI_##name(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) { \
    invar::ops::test::see(#name, data, count, type, to, tag, comm);                                \
    return PMPI_##name(data, count, type, to, tag, comm);                                          \
  }
#define SEEN_SEND_REQUEST(name)                                                                  \
  int MPI_##name(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, \
                 MPI_Request* request) {                                                         \
    invar::ops::test::see(#name, data, count, type, to, tag, comm);                              \
    return PMPI_##name(data, count, type, to, tag, comm, request);                               \
  }
#define SEEN_RECEIVE_REQUEST(name)                                                           \
  int MPI_##name(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, \
                 MPI_Request* request) {                                                     \
    invar::ops::test::see(#name, data, count, type, from, tag, comm);                        \
    return PMPI_##name(data, count, type, from, tag, comm, request);                         \
  }

// One program includes them, in the place of its library's.
// NOLINTBEGIN(misc-definitions-in-headers)
extern "C" {

SEEN_SEND(Send)
SEEN_SEND(Ssend)
SEEN_SEND(Rsend)
SEEN_SEND(Bsend)
SEEN_SEND_REQUEST(Isend)
SEEN_SEND_REQUEST(Issend)
SEEN_SEND_REQUEST(Irsend)
SEEN_SEND_REQUEST(Ibsend)
SEEN_SEND_REQUEST(Send_init)
SEEN_SEND_REQUEST(Ssend_init)
SEEN_SEND_REQUEST(Rsend_init)
SEEN_SEND_REQUEST(Bsend_init)
SEEN_RECEIVE_REQUEST(Irecv)
SEEN_RECEIVE_REQUEST(Recv_init)

int MPI_Recv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
             MPI_Status* status) {
  invar::ops::test::see("Recv", data, count, type, from, tag, comm);
  return PMPI_Recv(data, count, type, from, tag, comm, status);
}

int MPI_Mrecv(void* data, int count, MPI_Datatype type, MPI_Message* message, MPI_Status* status) {
  invar::ops::test::see("Mrecv", data, count, type, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_NULL);
  return PMPI_Mrecv(data, count, type, message, status);
}

int MPI_Sendrecv(const void* data, int count, MPI_Datatype type, int to, int tag, void* received,
                 int most, MPI_Datatype received_type, int from, int received_tag, MPI_Comm comm,
                 MPI_Status* status) {
  invar::ops::test::see("Sendrecv", received, most, received_type, from, received_tag, comm);
  return PMPI_Sendrecv(data, count, type, to, tag, received, most, received_type, from,
                       received_tag, comm, status);
}

int MPI_Mprobe(int from, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status) {
  invar::ops::test::see("Mprobe");
  return PMPI_Mprobe(from, tag, comm, message, status);
}

int MPI_Start(MPI_Request* request) {
  invar::ops::test::see("Start");
  return PMPI_Start(request);
}

int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  invar::ops::test::see("Wait");
  return PMPI_Wait(request, status);
}

int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]) {
  invar::ops::test::see("Waitall");
  return PMPI_Waitall(count, requests, statuses);
}

int MPI_Pack(const void* data, int count, MPI_Datatype type, void* packed, int bytes, int* position,
             MPI_Comm comm) {
  invar::ops::test::see("Pack");
  return PMPI_Pack(data, count, type, packed, bytes, position, comm);
}

int MPI_Unpack(const void* packed, int bytes, int* position, void* data, int count,
               MPI_Datatype type, MPI_Comm comm) {
  invar::ops::test::see("Unpack");
  return PMPI_Unpack(packed, bytes, position, data, count, type, comm);
}

}  // extern "C"
// NOLINTEND(misc-definitions-in-headers)
