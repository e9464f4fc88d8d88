// Does the check find a library that delivers messages wrongly? This program stands between the two
// (PMPI): each fault is planted where a receive is over, or where a send begins, and must be found
// for each operation between single ranks. A message that never comes lets its receiver wait for
// ever, as does one with another tag: `invar stress` is about these.
#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "ops/catalogue.hpp"
#include "ops/check/check.hpp"
#include "ops/expect.hpp"
#include "ops/p2p/tags.hpp"

namespace {

enum class Fault {
  kNone,
  kWrongByte,     // the first byte of every message to rank 1
  kMissingWrite,  // the receive is over, and nothing was written
  kStale,         // the message before comes once more
  kOverrun,       // a byte behind the buffer is written
  kModifiedSend,  // a send changes what it sends
  kError,         // a receive returns an error
  kSwapped,       // of several messages the first two change places
  kShifted,       // of several messages each lies a slot further
  kDuplicated,    // of several messages the first comes twice, and the second never
};

Fault planted = Fault::kNone;

bool is_rank_1(MPI_Comm comm) {
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  return rank == 1;
}

// Whether an operation sends it: what the check itself sends travels on MPI_COMM_WORLD.
bool is_message(MPI_Comm comm, int tag) {
  return comm != MPI_COMM_WORLD && (tag == invar::ops::kMessageTag || tag == MPI_ANY_TAG);
}

std::size_t bytes_of(int count, MPI_Datatype type) {
  MPI_Aint begin = 0;
  MPI_Aint extent = 0;
  PMPI_Type_get_extent(type, &begin, &extent);
  return static_cast<std::size_t>(extent) * static_cast<std::size_t>(count);
}

// A receive of a message, and what its buffer held before.
struct Receive {
  unsigned char* data = nullptr;
  std::vector<unsigned char> before = {};
  bool started = false;
  bool persistent = false;

  void start() {
    std::copy_n(data, before.size(), before.begin());
    started = true;
  }
};

Receive receive_of(void* data, int count, MPI_Datatype type) {
  return {.data = static_cast<unsigned char*>(data),
          .before = std::vector<unsigned char>(bytes_of(count, type))};
}

std::map<std::size_t, std::vector<unsigned char>> last_of_length;

void spoil(Receive& receive) {
  const std::size_t bytes = receive.before.size();
  if (bytes == 0) return;
  std::vector<unsigned char> now(receive.data, receive.data + bytes);
  std::vector<unsigned char>& last = last_of_length[bytes];
  if (planted == Fault::kWrongByte) receive.data[0] ^= 1U;
  if (planted == Fault::kMissingWrite) std::ranges::copy(receive.before, receive.data);
  if (planted == Fault::kOverrun) receive.data[bytes] ^= 1U;
  if (planted == Fault::kStale && !last.empty()) std::ranges::copy(last, receive.data);
  last = std::move(now);
}

// Receives that are over at once.
void spoil_order(const std::vector<Receive*>& receives) {
  if (receives.size() < 2 || receives[0]->before.empty()) return;
  const std::size_t bytes = receives[0]->before.size();
  std::vector<std::vector<unsigned char>> came;
  for (const Receive* one : receives) {
    if (one->before.size() != bytes) return;
    came.emplace_back(one->data, one->data + bytes);
  }
  if (planted == Fault::kSwapped) std::swap(came[0], came[1]);
  if (planted == Fault::kShifted) std::rotate(came.begin(), came.end() - 1, came.end());
  if (planted == Fault::kDuplicated) came[1] = came[0];
  for (std::size_t i = 0; i < came.size(); ++i) std::ranges::copy(came[i], receives[i]->data);
}

int ended(int code, MPI_Comm comm, Receive& receive) {
  if (planted == Fault::kNone || !is_rank_1(comm)) return code;
  spoil(receive);
  return planted == Fault::kError ? MPI_ERR_OTHER : code;
}

// By the place of their requests, which is another one for every request that a call holds.
std::map<const MPI_Request*, Receive> requested;

void request_receive(MPI_Request* request, void* data, int count, MPI_Datatype type, int tag,
                     MPI_Comm comm, bool persistent) {
  requested.erase(request);
  if (!is_message(comm, tag) || !is_rank_1(comm)) return;
  Receive receive = receive_of(data, count, type);
  receive.persistent = persistent;
  if (!persistent) receive.start();
  requested.emplace(request, std::move(receive));
}

int all_ended(int code, const MPI_Request* requests, int count) {
  std::vector<Receive*> over;
  for (int i = 0; i < count; ++i) {
    const auto found = requested.find(&requests[i]);
    if (found == requested.end() || !found->second.started) continue;
    found->second.started = false;
    over.push_back(&found->second);
  }
  if (over.empty() || planted == Fault::kNone) return code;
  for (Receive* const receive : over) spoil(*receive);
  spoil_order(over);
  return planted == Fault::kError ? MPI_ERR_OTHER : code;
}

void spoil_send(const void* data, int count, MPI_Datatype type, int tag, MPI_Comm comm) {
  if (planted != Fault::kModifiedSend || !is_message(comm, tag) || bytes_of(count, type) == 0)
    return;
  static_cast<unsigned char*>(const_cast<void*>(data))[0] ^= 1U;
}

}  // namespace

#define PLANTED_SEND(name)                                                                         \
  int MPI_##name(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) { \
    const int code = PMPI_##name(data, count, type, to, tag, comm);                                \
    spoil_send(data, count, type, tag, comm);                                                      \
    return code;                                                                                   \
  }
#define PLANTED_SEND_REQUEST(name)                                                               \
  int MPI_##name(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, \
                 MPI_Request* request) {                                                         \
    requested.erase(request);                                                                    \
    spoil_send(data, count, type, tag, comm);                                                    \
    return PMPI_##name(data, count, type, to, tag, comm, request);                               \
  }

extern "C" {

PLANTED_SEND(Send)
PLANTED_SEND(Ssend)
PLANTED_SEND(Rsend)
PLANTED_SEND(Bsend)
PLANTED_SEND_REQUEST(Isend)
PLANTED_SEND_REQUEST(Issend)
PLANTED_SEND_REQUEST(Irsend)
PLANTED_SEND_REQUEST(Ibsend)
PLANTED_SEND_REQUEST(Send_init)
PLANTED_SEND_REQUEST(Ssend_init)
PLANTED_SEND_REQUEST(Rsend_init)
PLANTED_SEND_REQUEST(Bsend_init)

int MPI_Recv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
             MPI_Status* status) {
  Receive receive;
  const bool is_ours = is_message(comm, tag);
  if (is_ours) {
    receive = receive_of(data, count, type);
    receive.start();
  }
  const int code = PMPI_Recv(data, count, type, from, tag, comm, status);
  return is_ours ? ended(code, comm, receive) : code;
}

// Only operations probe.
int MPI_Mrecv(void* data, int count, MPI_Datatype type, MPI_Message* message, MPI_Status* status) {
  Receive receive = receive_of(data, count, type);
  receive.start();
  const int code = PMPI_Mrecv(data, count, type, message, status);
  return ended(code, MPI_COMM_WORLD, receive);
}

int MPI_Sendrecv(const void* data, int count, MPI_Datatype type, int to, int tag, void* received,
                 int most, MPI_Datatype received_type, int from, int received_tag, MPI_Comm comm,
                 MPI_Status* status) {
  Receive receive;
  const bool is_ours = is_message(comm, received_tag);
  if (is_ours) {
    spoil_send(data, count, type, tag, comm);
    receive = receive_of(received, most, received_type);
    receive.start();
  }
  const int code = PMPI_Sendrecv(data, count, type, to, tag, received, most, received_type, from,
                                 received_tag, comm, status);
  return is_ours ? ended(code, comm, receive) : code;
}

int MPI_Irecv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
              MPI_Request* request) {
  request_receive(request, data, count, type, tag, comm, false);
  return PMPI_Irecv(data, count, type, from, tag, comm, request);
}

int MPI_Recv_init(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
                  MPI_Request* request) {
  request_receive(request, data, count, type, tag, comm, true);
  return PMPI_Recv_init(data, count, type, from, tag, comm, request);
}

int MPI_Start(MPI_Request* request) {
  const auto found = requested.find(request);
  if (found != requested.end() && found->second.persistent) found->second.start();
  return PMPI_Start(request);
}

int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  const int code = PMPI_Wait(request, status);
  return all_ended(code, request, 1);
}

int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]) {
  const int code = PMPI_Waitall(count, requests, statuses);
  return all_ended(code, requests, count);
}

}  // extern "C"

namespace invar::ops::test {
namespace {

struct Checked {
  int failures = 0;
  std::string text = {};  // on rank 0
};

Checked checked(const std::string& name, Fault fault) {
  constexpr std::uint64_t kCounts[] = {1, 7};
  const std::vector<std::string> names{name};
  std::FILE* const out = std::tmpfile();
  planted = fault;
  last_of_length.clear();
  Checked checked;
  checked.failures =
      check_operations(MPI_COMM_WORLD, {.operations = names, .counts = kCounts}, out);
  planted = Fault::kNone;
  std::rewind(out);
  for (int c = std::fgetc(out); c != EOF; c = std::fgetc(out)) {
    checked.text += static_cast<char>(c);
  }
  std::fclose(out);
  return checked;
}

struct Planted {
  Fault fault;
  const char* what;
  const char* told;
};

constexpr Planted kOfOne[] = {
    {Fault::kWrongByte, "a wrong byte", "expected"},
    {Fault::kMissingWrite, "a missing write", "which nobody wrote"},
    {Fault::kStale, "a stale message", "expected"},
    {Fault::kOverrun, "an overrun", " byte "},
    {Fault::kModifiedSend, "a changed send buffer", "(modified"},
};
// Where a call receives several messages at once.
constexpr Planted kOfSeveral[] = {
    {Fault::kSwapped, "two swapped messages", "expected"},
    {Fault::kShifted, "messages a slot further", "expected"},
    {Fault::kDuplicated, "a message that comes twice", "expected"},
};

// Where nobody waits for what a rank does behind its receive.
constexpr Planted kOfTheLast[] = {{Fault::kError, "an error", "returned error"}};

// With more ranks than cores a check takes seconds: one fault of each kind then.
void faults_are_found(Expectations& t, const std::string& name, std::span<const Planted> faults,
                      int ranks, bool speaks) {
  for (const Planted& one : faults.first(ranks > 2 ? 1 : faults.size())) {
    const std::string what = name + ", " + one.what;
    const Checked found = checked(name, one.fault);
    t.expect(found.failures > 0, what + " is found");
    if (speaks) t.expect_contains(found.text, one.told, what);
  }
}

}  // namespace
}  // namespace invar::ops::test

int main(int argc, char** argv) {
  using namespace invar::ops::test;
  MPI_Init(&argc, &argv);
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  Expectations t;
  int operations = 0;
  for (const invar::ops::Operation* const operation : invar::ops::catalogue()) {
    if (operation->messages == invar::record::Messages::kNone || operation->copies) continue;
    ++operations;
    const std::string name = operation->name;
    const Checked clean = checked(name, Fault::kNone);
    t.expect(clean.failures == 0, name + " of an unspoilt library passes:\n" + clean.text);
    faults_are_found(t, name, kOfOne, ranks, rank == 0);
    const bool several =
        operation->windowed || operation->messages == invar::record::Messages::kPartners;
    if (several) faults_are_found(t, name, kOfSeveral, ranks, rank == 0);
    const bool ends_so = name == "oneway" || name == "exchange" || name == "send" ||
                         name == "isend" || name == "recv";
    if (ends_so && ranks == 2) faults_are_found(t, name, kOfTheLast, ranks, rank == 0);
  }
  t.expect(operations == 11, std::to_string(operations) + " operations between single ranks");
  const int status = t.finish("planted_messages");
  MPI_Finalize();
  return status;
}
