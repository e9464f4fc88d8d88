// What calls cost one rank: which calls they are, who makes them, what is between them and where
// marks stand. Standing in front of the MPI library, this file sees the calls, and lets some find
// what is not there. For two ranks or more.
#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "clock/ticks.hpp"
#include "ops/buffers/memory.hpp"
#include "ops/call/hook.hpp"
#include "ops/call/setup.hpp"
#include "ops/catalogue.hpp"
#include "ops/checked.hpp"
#include "ops/expect.hpp"
#include "ops/overlap/kernels.hpp"
#include "ops/p2p/tags.hpp"
#include "ops/placed.hpp"

namespace {

struct Event {
  std::string name = {};
  std::int64_t at_ns = 0;
};
std::vector<Event> events;
bool looking = false;
bool finds_something = false;  // MPI_Test and MPI_Iprobe do

void note(const char* name) {
  if (looking) events.push_back({.name = name, .at_ns = invar::clock::monotonic_raw_ns()});
}

}  // namespace

extern "C" {

int MPI_Send(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  note("Send");
  return PMPI_Send(data, count, type, to, tag, comm);
}
int MPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request* request) {
  note("Isend");
  return PMPI_Isend(data, count, type, to, tag, comm, request);
}
int MPI_Recv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
             MPI_Status* status) {
  note("Recv");
  return PMPI_Recv(data, count, type, from, tag, comm, status);
}
int MPI_Irecv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
              MPI_Request* request) {
  note("Irecv");
  return PMPI_Irecv(data, count, type, from, tag, comm, request);
}
int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  note("Wait");
  return PMPI_Wait(request, status);
}
int MPI_Cancel(MPI_Request* request) {
  note("Cancel");
  return PMPI_Cancel(request);
}
int MPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
  note("Test");
  const int code = PMPI_Test(request, flag, status);
  if (finds_something) *flag = 1;
  return code;
}
int MPI_Iprobe(int from, int tag, MPI_Comm comm, int* flag, MPI_Status* status) {
  note("Iprobe");
  const int code = PMPI_Iprobe(from, tag, comm, flag, status);
  if (finds_something) *flag = 1;
  return code;
}
double MPI_Wtime(void) {
  note("Wtime");
  return PMPI_Wtime();
}

}  // extern "C"

namespace invar::ops::test {
namespace {

std::string event_names() {
  std::string text;
  for (const Event& event : events) text += (text.empty() ? "" : " ") + event.name;
  return text;
}

// A cell's call in buffers of its own.
class OwnCall {
 public:
  explicit OwnCall(const record::Cell& cell)
      : cell_(cell),
        operation_(operation_for(*find_operation(cell.operation), cell)),
        setup_(cell_, operation_, MPI_COMM_WORLD),
        need_(setup_.need()),
        arena_(std::span(&need_, 1)) {
    base::Random random(1);
    setup_.place(arena_.place(random, need_));
  }

  [[nodiscard]] Call& call() { return setup_.call(); }
  [[nodiscard]] bool calls() { return call().role != record::Role::kStandsBy; }
  [[nodiscard]] bool starts() { return call().role == record::Role::kStarts; }
  [[nodiscard]] std::unique_ptr<Hook> visit() {
    return calls() ? operation_.hooks.visit(cell_, call()) : nullptr;
  }

  // Notes the events of the call itself.
  int seen_call() {
    events.clear();
    looking = true;
    const int code = operation_.call(call());
    looking = false;
    return code;
  }

 private:
  record::Cell cell_;
  Operation operation_;
  CallSetup setup_;
  BufferNeed need_;
  Arena arena_;
};

void one_rank_makes_the_call_and_its_partner_returns_at_once(Expectations& t) {
  for (const auto& [operation, function] : {std::pair{"wtime", "Wtime"}, {"iprobe", "Iprobe"}}) {
    OwnCall own(cell_of(operation, {}));
    if (!own.calls()) continue;
    t.expect(own.seen_call() == MPI_SUCCESS, operation);
    t.expect_equal(event_names(), own.starts() ? function : "", operation);
  }
  record::Cell alone = cell_of("wtime", {});
  alone.ranks = 1;
  const CallSetup setup(alone, *find_operation("wtime"), MPI_COMM_SELF);
  t.expect_contains(std::string(setup.errors().front()), "wtime needs more ranks than 1", "alone");
}

// In a queue it would cost the other cells, too.
void a_tested_request_is_there_during_a_visit_alone(Expectations& t) {
  OwnCall own(cell_of("test", {}));
  looking = true;
  events.clear();
  std::unique_ptr<Hook> visit = own.visit();
  looking = false;
  t.expect_equal(event_names(), own.starts() ? "Irecv" : "", "posted before the visit");
  t.expect((own.call().requests[0] != MPI_REQUEST_NULL) == own.starts(), "by the rank that calls");
  for (int call = 0; call < 1000 && own.calls(); ++call) {
    t.expect(own.seen_call() == MPI_SUCCESS, "it stays open");
  }
  if (own.calls()) t.expect_equal(event_names(), own.starts() ? "Test" : "", "one call");
  looking = true;
  events.clear();
  visit.reset();
  looking = false;
  t.expect_equal(event_names(), own.starts() ? "Cancel Wait" : "", "taken back behind it");
  t.expect(own.call().requests[0] == MPI_REQUEST_NULL, "none is left");
}

// A request that is complete, or a message that is there, is another cost.
void what_should_find_nothing_and_does_is_found(Expectations& t) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (const char* operation : {"test", "iprobe"}) {
    finds_something = false;
    const Checked clean = checked({operation});
    t.expect(clean.failures == 0, std::string(operation) + ":\n" + clean.text);
    finds_something = true;
    const Checked spoilt = checked({operation});
    finds_something = false;
    t.expect(spoilt.failures > 0, std::string(operation) + " finds something");
    if (rank == 0) t.expect_contains(spoilt.text, "returned error", operation);
  }
  OwnCall probe(cell_of("iprobe", {}));
  MPI_Comm comm = probe.call().comm;
  constexpr int kAnyTagOfOurs = kUnexpectedTag;
  if (rank == 1) MPI_Send(nullptr, 0, MPI_BYTE, 0, kAnyTagOfOurs, comm);
  if (rank == 0) {
    MPI_Probe(1, kAnyTagOfOurs, comm, MPI_STATUS_IGNORE);
    t.expect(probe.seen_call() != MPI_SUCCESS, "a message that is there");
    MPI_Recv(nullptr, 0, MPI_BYTE, 1, kAnyTagOfOurs, comm, MPI_STATUS_IGNORE);
    t.expect(probe.seen_call() == MPI_SUCCESS, "and is there no more");
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

// What stands behind the mark is not part of what MPI_Isend costs.
void the_mark_of_a_posted_message_is_in_front_of_its_wait(Expectations& t) {
  OwnCall own(cell_of("isend", 64));
  if (!own.calls()) return;
  own.call().read_clock = [](const void*) {
    note("mark");
    return std::int64_t{7};
  };
  std::int64_t mark = 0;
  own.call().marks = &mark;
  t.expect(own.seen_call() == MPI_SUCCESS, "a message");
  t.expect_equal(event_names(), own.starts() ? "Isend mark Wait" : "Recv", "in this order");
  t.expect(mark == (own.starts() ? 7 : 0), "of the sender alone");
}

std::int64_t chain_ns(std::uint64_t steps) {
  std::int64_t least_ns = std::numeric_limits<std::int64_t>::max();
  for (int i = 0; i < 5; ++i) {
    const std::int64_t begin_ns = clock::monotonic_raw_ns();
    run_chain(steps);
    least_ns = std::min(least_ns, clock::monotonic_raw_ns() - begin_ns);
  }
  return least_ns;
}

// The shortest of several tries, from one event to the next; the first from the call's begin.
std::vector<std::int64_t> least_gaps_ns(OwnCall& train) {
  std::vector<std::int64_t> least;
  for (int i = 0; i < 7; ++i) {
    std::int64_t before_ns = clock::monotonic_raw_ns();
    train.seen_call();
    least.resize(events.size(), std::numeric_limits<std::int64_t>::max());
    for (std::size_t event = 0; event < events.size(); ++event) {
      least[event] = std::min(least[event], events[event].at_ns - before_ns);
      before_ns = events[event].at_ns;
    }
  }
  return least;
}

// Not before the first one, nor behind the last.
void the_delays_of_a_train_are_between_its_messages(Expectations& t) {
  constexpr std::uint64_t kSteps = 5'000'000;
  record::Cell cell = cell_of("train", 64);
  cell.window = 3;
  OwnCall train(cell);
  if (!train.calls()) return;
  train.call().peers->delay_steps = kSteps;
  const std::int64_t half_ns = chain_ns(kSteps) / 2;
  const std::vector<std::int64_t> gaps_ns = least_gaps_ns(train);
  if (!train.starts()) return;
  t.expect_equal(event_names(), "Send Send Send Recv", "three messages, and their answer");
  if (gaps_ns.size() != 4) return;
  t.expect(gaps_ns[0] < half_ns, "nothing before the first");
  t.expect(gaps_ns[1] > half_ns && gaps_ns[2] > half_ns, "a delay between two");
  t.expect(gaps_ns[3] < half_ns, "nothing behind the last");
}

}  // namespace
}  // namespace invar::ops::test

int main(int argc, char** argv) {
  using namespace invar::ops::test;
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  Expectations t;
  one_rank_makes_the_call_and_its_partner_returns_at_once(t);
  a_tested_request_is_there_during_a_visit_alone(t);
  what_should_find_nothing_and_does_is_found(t);
  the_mark_of_a_posted_message_is_in_front_of_its_wait(t);
  the_delays_of_a_train_are_between_its_messages(t);
  const int status = t.finish("overheads_selftest");
  MPI_Finalize();
  return status;
}
