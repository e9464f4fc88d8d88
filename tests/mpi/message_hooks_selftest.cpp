// What a visit prepares for messages between single ranks: receives that are posted before, pending
// ones, messages that nobody expects, a buffer. Standing in front of the MPI library, this file
// sees what is posted, cancelled, and sent. For two ranks or more.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "engine/launch/factor_hooks.hpp"
#include "ops/buffers/cold.hpp"
#include "ops/buffers/memory.hpp"
#include "ops/call/setup.hpp"
#include "ops/catalogue.hpp"
#include "ops/expect.hpp"
#include "ops/p2p/hooks.hpp"
#include "ops/p2p/tags.hpp"
#include "ops/verify.hpp"

namespace {

using namespace invar;  // NOLINT
using ops::Call;
using ops::Operation;
using ops::test::Expectations;

MPI_Comm comm_of_calls = MPI_COMM_NULL;

// What is seen of the library.
struct Posted {
  int source = 0;
  int tag = 0;
  MPI_Comm comm = MPI_COMM_NULL;
};
std::vector<Posted> posted;
int cancels = 0;           // asked for
int cancelled = 0;         // and done
int attached_buffers = 0;  // at the moment
int given_back = 0;        // how often a buffer was
bool in_call = false;      // the operation is
bool receives_are_there = false;
int messages_of_others = 0;  // on the operation's communicator, while its receives are posted

void note_message(MPI_Comm comm) {
  if (comm == comm_of_calls && receives_are_there && !in_call) ++messages_of_others;
}

record::Cell cell_of_messages(const std::string& operation) {
  int ranks = 1;
  MPI_Comm_size(comm_of_calls, &ranks);
  record::Cell cell{.operation = operation, .size_bytes = 64};
  cell.ranks = static_cast<std::uint32_t>(ranks);
  return cell;
}

// Counts what is flushed.
class CountingMemory final : public ops::MemorySpace {
 public:
  [[nodiscard]] std::string_view name() const override { return host().name(); }
  [[nodiscard]] std::size_t page_bytes() const override { return host().page_bytes(); }
  [[nodiscard]] std::byte* allocate(std::size_t bytes) const override {
    return host().allocate(bytes);
  }
  void release(std::byte* memory, std::size_t bytes) const noexcept override {
    host().release(memory, bytes);
  }
  void write(std::byte* to, std::span<const std::byte> from) const override {
    host().write(to, from);
  }
  void read(const std::byte* from, std::span<std::byte> to) const override {
    host().read(from, to);
  }
  void flush(const std::byte* from, std::size_t bytes) const override {
    ++flushes;
    host().flush(from, bytes);
  }
  mutable int flushes = 0;

 private:
  static const ops::MemorySpace& host() { return ops::host_memory(); }
};

// A cell whose visits are made without an engine.
class VisitedCell {
 public:
  explicit VisitedCell(const record::Cell& cell)
      : cell_(cell),
        operation_(ops::operation_for(*ops::find_operation(cell.operation), cell)),
        setup_(cell_, operation_, comm_of_calls),
        need_(setup_.need()),
        arena_(std::span(&need_, 1)),
        cold_(false, need_, memory_) {
    base::Random random(1);
    placement_ = arena_.place(random, need_);
    setup_.place(placement_);
    ops::fill_for_check(operation_, setup_.call());
  }

  [[nodiscard]] Call& call() { return setup_.call(); }
  [[nodiscard]] bool calls() { return call().role != record::Role::kStandsBy; }
  [[nodiscard]] const record::Cell& cell() const { return cell_; }
  [[nodiscard]] int flushes() const { return memory_.flushes; }

  // With all hooks of its factors, in the order of the engine's loop.
  void visit(int repetitions) {
    if (!calls()) {
      for (int i = 0; i <= repetitions; ++i) MPI_Barrier(MPI_COMM_WORLD);
      return;
    }
    ops::Hooks hooks;
    engine::add_visit_hooks(
        {.cell = cell_, .setup = setup_, .placement = placement_, .cold = cold_}, operation_,
        hooks);
    for (int i = 0; i <= repetitions; ++i) {
      hooks.before(call(), static_cast<std::uint32_t>(i));
      receives_are_there = true;
      MPI_Barrier(
          MPI_COMM_WORLD);  // as a synchronisation, which comes once more than there are calls
      if (i == repetitions) break;
      in_call = true;
      operation_.call(call());
      in_call = false;
      receives_are_there = false;
      hooks.behind(call(), static_cast<std::uint32_t>(i));
    }
    receives_are_there = false;
  }

  [[nodiscard]] std::string mismatch() {
    ops::Checker checker(operation_, call());
    operation_.verify(call(), checker);
    const auto found = checker.finish();
    return found ? found->text() : "";
  }

 private:
  record::Cell cell_;
  Operation operation_;
  ops::CallSetup setup_;
  ops::BufferNeed need_;
  ops::Arena arena_;
  CountingMemory memory_ = {};
  ops::ColdCache cold_;
  ops::Placement placement_ = {};
};

void forget() {
  posted.clear();
  cancels = cancelled = messages_of_others = 0;
}

// Libraries keep receives by communicator, and some of them by sender: the kind says which queue
// grows.
void pending_receives_are_as_many_as_asked_for_of_the_named_kind(Expectations& t) {
  for (const char* pending : {"none", "same:5", "any:5", "other:5"}) {
    record::Cell cell = cell_of_messages("oneway");
    cell.pending = pending;
    VisitedCell visited(cell);
    const Call& c = visited.call();
    const bool receives = visited.calls() && !c.peers->from.empty();
    const std::string kind = std::string(pending).substr(0, std::string(pending).find(':'));
    forget();
    {
      const std::unique_ptr<ops::Hook> hook =
          visited.calls() ? ops::make_pending(cell, visited.call()) : nullptr;
      const std::size_t wanted = receives && kind != "none" ? 5 : 0;
      t.expect(posted.size() == wanted,
               std::string(pending) + ": " + std::to_string(posted.size()) + " receives");
      for (const Posted& one : posted) {
        t.expect(one.tag == ops::kPendingTag, "of a tag that nobody sends");
        t.expect(one.source == (kind == "any" ? MPI_ANY_SOURCE : c.peers->from[0]), "of the kind");
        t.expect(one.comm == (kind == "other" ? c.peers->other : c.comm), "on the communicator");
      }
      t.expect(cancels == 0, "while the visit lasts");
    }
    t.expect(cancels == static_cast<int>(posted.size()) && cancelled == cancels,
             std::string(pending) + ": none is left behind it, and none matched anything");
  }
}

void posted_receives_are_those_of_the_next_call(Expectations& t) {
  for (const char* form : {"blocking", "non-blocking", "persistent"}) {
    record::Cell cell = cell_of_messages("stream");
    cell.form = form;
    cell.window = 4;
    cell.receives = "before";
    VisitedCell visited(cell);
    const bool receives = visited.calls() && !visited.call().peers->from.empty();
    forget();
    visited.visit(3);
    t.expect_equal(visited.mismatch(), "", std::string(form) + ": what came is right");
    t.expect(cancelled == (receives ? 4 : 0) && cancels == cancelled,
             std::string(form) + ": those of the repetition that there was not are cancelled");
    t.expect(!visited.call().peers->posted, "and nothing is posted any more");
    const int left = static_cast<int>(std::ranges::count_if(
        posted, [](const Posted& one) { return one.tag == ops::kMessageTag; }));
    if (std::string(form) != "persistent") {
      t.expect(left == (receives ? 4 * 4 : 0), "four for each of three calls, and four more");
    }
  }
}

// In pairs in which one rank alone sends, the other one alone receives.
void posted_receives_of_pairs_are_the_receivers(Expectations& t) {
  for (const char* operation : {"send", "isend", "ssend", "recv", "train"}) {
    record::Cell cell = cell_of_messages(operation);
    cell.receives = "before";
    if (ops::find_operation(operation)->windowed) cell.window = 3;
    VisitedCell visited(cell);
    const int messages = static_cast<int>(cell.window);
    const bool receives = visited.call().role == record::Role::kAnswers;
    forget();
    visited.visit(3);
    const int left = static_cast<int>(std::ranges::count_if(
        posted, [](const Posted& one) { return one.tag == ops::kMessageTag; }));
    t.expect(left == (receives ? 4 * messages : 0), std::string(operation) + ": posts its own");
    t.expect(cancelled == (receives ? messages : 0) && cancels == cancelled,
             std::string(operation) + ": and takes back the last ones");
    t.expect_equal(visited.mismatch(), "", operation);
  }
}

bool is_there(int source, int tag, MPI_Comm comm) {
  int there = 0;
  MPI_Iprobe(source, tag, comm, &there, MPI_STATUS_IGNORE);
  return there != 0;
}

void unexpected_messages_are_there_when_the_visit_begins(Expectations& t) {
  for (const char* unexpected : {"same:7", "other:7"}) {
    for (const char* operation : {"oneway", "pingpong", "halo"}) {
      record::Cell cell = cell_of_messages(operation);
      cell.unexpected = unexpected;
      VisitedCell visited(cell);
      const Call& c = visited.call();
      const bool same = std::string(unexpected).starts_with("same");
      const MPI_Comm comm = same ? c.comm : c.peers->other;
      const std::string name = std::string(operation) + ", " + unexpected;
      {
        const std::unique_ptr<ops::Hook> hook =
            visited.calls() ? ops::make_unexpected(cell, visited.call()) : nullptr;
        // At the first look: the library has met them.
        for (const int source : c.peers->from) {
          t.expect(is_there(source, ops::kUnexpectedTag, comm), name + ": it is there");
          t.expect(!is_there(source, ops::kSeenTag, comm), name + ": the last one is received");
        }
      }
      MPI_Barrier(MPI_COMM_WORLD);
      for (const int source : c.peers->from) {
        t.expect(!is_there(source, ops::kUnexpectedTag, comm), name + ": none is left");
      }
    }
  }
}

void a_buffer_is_attached_while_a_visit_lasts(Expectations& t) {
  record::Cell cell = cell_of_messages("stream");
  cell.send_mode = "buffered";
  cell.window = 32;
  cell.form = "non-blocking";
  VisitedCell visited(cell);
  visited.visit(50);
  t.expect_equal(visited.mismatch(), "", "all messages found room");
  t.expect(attached_buffers == 0, "and it is given back");
  const bool sends = visited.calls() && !visited.call().peers->to.empty();
  const std::unique_ptr<ops::Hook> hook =
      visited.calls() ? ops::make_attached_buffer(cell, visited.call()) : nullptr;
  t.expect(attached_buffers == (sends ? 1 : 0), "on ranks that send");
}

// A library sends the rest of a long message when it is called, and a rank that waits for its next
// start does not call it: what is in the buffer goes before.
void nothing_is_left_in_the_buffer_behind_a_repetition(Expectations& t) {
  for (const char* operation : {"oneway", "pingpong", "exchange", "halo"}) {
    record::Cell cell = cell_of_messages(operation);
    cell.send_mode = "buffered";
    cell.size_bytes = 1 << 20;
    VisitedCell visited(cell);
    given_back = 0;
    visited.visit(5);
    const bool sends = visited.calls() && !visited.call().peers->to.empty();
    t.expect(given_back == (sends ? 5 + 1 : 0),
             std::string(operation) + ": behind each of five, and in the end");
    t.expect(attached_buffers == 0, std::string(operation) + ": none is attached any more");
    t.expect_equal(visited.mismatch(), "", operation);
  }
}

// Everything at once, and receives that would take whatever comes: what is not the operation's
// travels elsewhere.
void nothing_of_ours_is_on_the_communicator_while_receives_are_posted(Expectations& t) {
  for (const char* operation : {"pingpong", "oneway", "exchange", "stream", "bistream", "halo",
                                "send", "isend", "ssend", "recv", "train"}) {
    record::Cell cell = cell_of_messages(operation);
    const bool forms =
        ops::call_choice(*ops::find_operation(operation)) == record::CallChoice::kCalls;
    if (forms) cell.form = "non-blocking";
    cell.receives = "before";
    cell.source = cell.tag = "any";
    cell.pending = "any:3";
    cell.unexpected = "other:3";
    if (ops::find_operation(operation)->windowed) cell.window = 3;
    VisitedCell visited(cell);
    forget();
    visited.visit(20);
    t.expect(messages_of_others == 0, std::string(operation) + ": " +
                                          std::to_string(messages_of_others) + " other messages");
    t.expect_equal(visited.mismatch(), "", operation);
  }
}

void one_side_may_be_cold(Expectations& t) {
  for (const char* side : {"both", "sender", "receiver"}) {
    record::Cell cell = cell_of_messages("pingpong");
    cell.cache = "cold-flush";
    cell.cold_side = side;
    VisitedCell visited(cell);
    visited.visit(2);
    const bool sends = visited.call().role == record::Role::kStarts;
    const std::string word = side;
    const bool is_cold = visited.calls() && (word == "both" || (word == "sender") == sends);
    t.expect((visited.flushes() > 0) == is_cold, word + " is cold");
  }
}

void usual_levels_do_nothing(Expectations& t) {
  const record::Cell cell = cell_of_messages("pingpong");
  VisitedCell visited(cell);
  Call& c = visited.call();
  t.expect(ops::make_attached_buffer(cell, c) == nullptr, "no buffer");
  t.expect(ops::make_unexpected(cell, c) == nullptr, "no messages");
  t.expect(ops::make_pending(cell, c) == nullptr, "no pending receives");
  t.expect(ops::make_posted_receives(cell, c) == nullptr, "no posted ones");
}

}  // namespace

extern "C" {

int MPI_Irecv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
              MPI_Request* request) {
  posted.push_back({.source = from, .tag = tag, .comm = comm});
  return PMPI_Irecv(data, count, type, from, tag, comm, request);
}

int MPI_Cancel(MPI_Request* request) {
  ++cancels;
  return PMPI_Cancel(request);
}

int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]) {
  static_cast<void>(statuses);  // nobody of ours looks at them
  std::vector<MPI_Status> found(static_cast<std::size_t>(count));
  const int code = PMPI_Waitall(count, requests, found.data());
  if (cancels == 0) return code;
  for (const MPI_Status& status : found) {
    int flag = 0;
    PMPI_Test_cancelled(&status, &flag);
    cancelled += flag;
  }
  return code;
}

int MPI_Buffer_attach(void* buffer, int bytes) {
  ++attached_buffers;
  return PMPI_Buffer_attach(buffer, bytes);
}

int MPI_Buffer_detach(void* buffer, int* bytes) {
  --attached_buffers;
  ++given_back;
  return PMPI_Buffer_detach(buffer, bytes);
}

int MPI_Send(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  note_message(comm);
  return PMPI_Send(data, count, type, to, tag, comm);
}

int MPI_Recv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
             MPI_Status* status) {
  note_message(comm);
  return PMPI_Recv(data, count, type, from, tag, comm, status);
}

int MPI_Barrier(MPI_Comm comm) {
  note_message(comm);
  return PMPI_Barrier(comm);
}

int MPI_Allreduce(const void* send, void* recv, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm) {
  note_message(comm);
  return PMPI_Allreduce(send, recv, count, type, op, comm);
}

}  // extern "C"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm_of_calls);
  MPI_Comm_set_errhandler(comm_of_calls, MPI_ERRORS_RETURN);
  Expectations t;
  {
    // Setups share what lives as long as one of them.
    VisitedCell first(cell_of_messages("pingpong"));
    pending_receives_are_as_many_as_asked_for_of_the_named_kind(t);
    posted_receives_are_those_of_the_next_call(t);
    posted_receives_of_pairs_are_the_receivers(t);
    unexpected_messages_are_there_when_the_visit_begins(t);
    a_buffer_is_attached_while_a_visit_lasts(t);
    nothing_is_left_in_the_buffer_behind_a_repetition(t);
    nothing_of_ours_is_on_the_communicator_while_receives_are_posted(t);
    one_side_may_be_cold(t);
    usual_levels_do_nothing(t);
  }
  MPI_Comm_free(&comm_of_calls);
  const int status = t.finish("message_hooks_selftest");
  MPI_Finalize();
  return status;
}
