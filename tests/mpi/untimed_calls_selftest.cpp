// Calls that nobody times come by the thousand and without a synchronisation: what keeps a sender
// from running ahead of its receiver is the operation's own acknowledgement. Standing in front of
// the MPI library, this file counts the messages that are under way. For two ranks or more.
#include <mpi.h>

#include <algorithm>
#include <span>
#include <string>

#include "base/random.hpp"
#include "engine/timed/settle.hpp"
#include "ops/buffers/memory.hpp"
#include "ops/call/setup.hpp"
#include "ops/catalogue.hpp"
#include "ops/expect.hpp"
#include "ops/p2p/tags.hpp"
#include "ops/p2p/untimed.hpp"
#include "ops/shapes.hpp"
#include "ops/verify.hpp"

namespace {

using namespace invar;  // NOLINT
using engine::Settled;
using ops::Call;
using ops::Operation;
using ops::test::Expectations;

MPI_Comm comm_of_calls = MPI_COMM_NULL;
int sent = 0;  // by this rank, since the last acknowledgement
int most_sent = 0;

void note_send(MPI_Comm comm, int tag) {
  if (comm != comm_of_calls || tag != ops::kMessageTag) return;
  most_sent = std::max(most_sent, ++sent);
}

// An own operation, as a user writes one.
int call_own(Call& c) {
  if (c.role == record::Role::kStarts) {
    return MPI_Send(c.send, c.count, c.type, c.peers->to[0], ops::kMessageTag, c.comm);
  }
  return MPI_Recv(c.recv, c.count, c.type, c.peers->from[0], ops::kMessageTag, c.comm,
                  MPI_STATUS_IGNORE);
}

int acknowledge_own(Call& c) {
  char word = 1;
  if (c.role == record::Role::kStarts) {
    return MPI_Recv(&word, 1, MPI_CHAR, c.peers->to[0], ops::kAckTag, c.peers->other,
                    MPI_STATUS_IGNORE);
  }
  return MPI_Send(&word, 1, MPI_CHAR, c.peers->from[0], ops::kAckTag, c.peers->other);
}

Operation own_one_way() {
  Operation operation{};
  operation.name = "own_one_way";
  operation.buffers = ops::kMessagesToMessages;
  operation.messages = record::Messages::kDirected;
  operation.batches = false;
  operation.call = call_own;
  operation.behind_untimed = acknowledge_own;
  operation.verify = ops::nothing_received;
  return operation;
}

record::Cell cell_of_pair(const std::string& operation) {
  int ranks = 1;
  MPI_Comm_size(comm_of_calls, &ranks);
  record::Cell cell{.operation = operation, .size_bytes = 8};
  cell.ranks = static_cast<std::uint32_t>(ranks);
  return cell;
}

// As a launch settles a cell, but always so many calls.
Settled settled(const record::Cell& cell, const Operation& stated, int calls) {
  const Operation operation = ops::operation_for(stated, cell);
  ops::CallSetup setup(cell, operation, comm_of_calls);
  const ops::BufferNeed need = setup.need();
  const ops::Arena arena(std::span(&need, 1));
  base::Random random(1);
  setup.place(arena.place(random, need));
  sent = most_sent = 0;
  const bool member = setup.call().role != record::Role::kStandsBy;
  MPI_Comm members = MPI_COMM_NULL;
  MPI_Comm_split(comm_of_calls, member ? 0 : MPI_UNDEFINED, 0, &members);
  Settled all;
  if (!member) return all;
  while (all.calls < calls && all.error == MPI_SUCCESS) {
    const Settled some = engine::settle(operation, setup.call(), members);
    all.calls += some.calls;
    all.error = some.error;
  }
  MPI_Comm_free(&members);
  return all;
}

void at_most_one_message_is_under_way(Expectations& t) {
  const Settled own = settled(cell_of_pair("own_one_way"), own_one_way(), 1000);
  t.expect(own.error == MPI_SUCCESS, "an own operation settles");
  t.expect(most_sent <= 1, "of an own operation " + std::to_string(most_sent));
  for (const char* mode : {"standard", "synchronous", "buffered"}) {
    for (const char* form : {"blocking", "non-blocking", "persistent"}) {
      record::Cell cell = cell_of_pair("oneway");
      cell.send_mode = mode;
      cell.form = form;
      const Settled ours = settled(cell, *ops::find_operation("oneway"), 1000);
      const std::string name = std::string(mode) + ", " + form;
      t.expect(ours.error == MPI_SUCCESS, name + " settles");
      t.expect(most_sent <= 1, name + ": " + std::to_string(most_sent));
    }
  }
}

// Whoever's time counts, and also where receives are posted before.
void overheads_are_of_one_message_at_a_time(Expectations& t) {
  for (const char* operation : {"send", "isend", "ssend", "recv"}) {
    for (const char* receives : {"in-call", "before"}) {
      record::Cell cell = cell_of_pair(operation);
      cell.receives = receives;
      const Settled ours = settled(cell, *ops::find_operation(operation), 1000);
      const std::string name = std::string(operation) + ", " + receives;
      t.expect(ours.error == MPI_SUCCESS, name + " settles");
      t.expect(most_sent <= 1, name + ": " + std::to_string(most_sent));
    }
  }
  record::Cell train = cell_of_pair("train");
  train.window = 3;
  t.expect(settled(train, *ops::find_operation("train"), 1000).error == MPI_SUCCESS, "trains do");
  t.expect(most_sent <= 3, "of a train " + std::to_string(most_sent));
}

// So the acknowledgement is what does it.
void without_an_acknowledgement_a_sender_runs_ahead(Expectations& t) {
  Operation flooding = own_one_way();
  flooding.behind_untimed = nullptr;
  const Settled settled_so = settled(cell_of_pair("own_one_way"), flooding, 1000);
  int rank = 0;
  MPI_Comm_rank(comm_of_calls, &rank);
  if (rank != 0) return;
  t.expect(settled_so.error == MPI_SUCCESS && most_sent >= 1000,
           "nothing is ever acknowledged: " + std::to_string(most_sent));
}

// Ready sends are right only where the receive is there: as often as they are called.
void ready_sends_are_certain_of_their_receives(Expectations& t) {
  for (const char* operation : {"oneway", "pingpong", "exchange", "stream"}) {
    record::Cell cell = cell_of_pair(operation);
    cell.send_mode = "ready";
    cell.receives = "before";
    const Settled ready = settled(cell, *ops::find_operation(operation), 1000);
    t.expect(ready.error == MPI_SUCCESS, std::string(operation) + " settles");
  }
}

// A process has one buffer for MPI_Bsend: a second one could not be attached.
void buffers_are_given_back(Expectations& t) {
  record::Cell cell = cell_of_pair("pingpong");
  cell.send_mode = "buffered";
  settled(cell, *ops::find_operation("pingpong"), 10);
  char buffer[MPI_BSEND_OVERHEAD + 64];
  t.expect(MPI_Buffer_attach(buffer, sizeof buffer) == MPI_SUCCESS, "none is attached");
  void* found = nullptr;
  int bytes = 0;
  MPI_Buffer_detach(&found, &bytes);
  t.expect(found == buffer, "but this one");
}

}  // namespace

extern "C" {

int MPI_Send(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  note_send(comm, tag);
  return PMPI_Send(data, count, type, to, tag, comm);
}
int MPI_Ssend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  note_send(comm, tag);
  return PMPI_Ssend(data, count, type, to, tag, comm);
}
int MPI_Bsend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  note_send(comm, tag);
  return PMPI_Bsend(data, count, type, to, tag, comm);
}
int MPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request* request) {
  note_send(comm, tag);
  return PMPI_Isend(data, count, type, to, tag, comm, request);
}
int MPI_Issend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
               MPI_Request* request) {
  note_send(comm, tag);
  return PMPI_Issend(data, count, type, to, tag, comm, request);
}
int MPI_Ibsend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
               MPI_Request* request) {
  note_send(comm, tag);
  return PMPI_Ibsend(data, count, type, to, tag, comm, request);
}

// An acknowledgement: what was sent before has come.
int MPI_Recv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
             MPI_Status* status) {
  const int code = PMPI_Recv(data, count, type, from, tag, comm, status);
  if (tag == ops::kAckTag) sent = 0;
  return code;
}

}  // extern "C"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm_of_calls);
  MPI_Comm_set_errhandler(comm_of_calls, MPI_ERRORS_RETURN);
  Expectations t;
  at_most_one_message_is_under_way(t);
  overheads_are_of_one_message_at_a_time(t);
  without_an_acknowledgement_a_sender_runs_ahead(t);
  ready_sends_are_certain_of_their_receives(t);
  buffers_are_given_back(t);
  MPI_Comm_free(&comm_of_calls);
  const int status = t.finish("untimed_calls_selftest");
  MPI_Finalize();
  return status;
}
