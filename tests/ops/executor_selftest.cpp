// Reference algorithms as they are run: steps of every root, marks, failures, and nothing that is
// allocated in a call. Runs on any number of ranks; alone there are no messages.
#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <string>
#include <vector>

#include "ops/catalogue.hpp"
#include "ops/expect.hpp"
#include "ops/placed.hpp"
#include "ops/verify.hpp"

namespace {

bool sends_fail = false;
std::uint64_t allocations = 0;

}  // namespace

void* operator new(std::size_t bytes) {
  ++allocations;
  if (void* const memory = std::malloc(bytes)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

extern "C" int MPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag,
                         MPI_Comm comm, MPI_Request* request) {
  if (sends_fail) return MPI_ERR_OTHER;
  return PMPI_Isend(data, count, type, to, tag, comm, request);
}

namespace invar::ops::test {
namespace {

// A root that moves on has steps of its own for every rank that it becomes.
void algorithms_have_their_steps_for_every_root(Expectations& t) {
  record::Cell cell = cell_of("bcast@binomial", 64);
  cell.root = record::kRotatingRoot;
  Placed placed(cell);
  Call& call = placed.setup.call();
  const Operation& operation = *find_operation(cell.operation);
  for (int root = 0; root < call.ranks; ++root) {
    call.root = root;
    t.expect_equal(check_once(operation, call, {.comm = MPI_COMM_WORLD}).text(), "",
                   "root " + std::to_string(root));
  }
}

// What a call that failed was to receive, would take the next call's messages.
void algorithms_that_failed_leave_nothing_under_way(Expectations& t) {
  const record::Cell cell = cell_of("allgather@ring", 64);
  if (cell.ranks < 2) return;
  Placed placed(cell);
  Call& call = placed.setup.call();
  const Operation& operation = *find_operation(cell.operation);
  sends_fail = true;
  const Outcome failed = check_once(operation, call, {.comm = MPI_COMM_WORLD});
  sends_fail = false;
  t.expect_contains(failed.text(), "returned error", "no rank can send");
  t.expect_equal(check_once(operation, call, {.comm = MPI_COMM_WORLD}).text(), "", "the next call");
}

// A clock that counts its readings.
std::int64_t next_reading(const void* count) {
  return ++*const_cast<std::int64_t*>(static_cast<const std::int64_t*>(count));
}

// Also on ranks that have nothing to do in a phase.
void phases_are_marked_in_their_order_on_all_ranks(Expectations& t) {
  for (const Operation* const operation : catalogue()) {
    if (!operation->optional_marks) continue;
    record::Cell cell = cell_of(operation->name, 64);
    for (const char* marks : {"off", "on"}) {
      cell.marks = marks;
      Placed placed(cell);
      t.expect(placed.setup.errors().empty(), operation->name);
      if (!placed.setup.errors().empty()) continue;
      std::int64_t count = 0;
      std::vector<std::int64_t> ticks(operation->marks.size(), 0);
      Call& call = placed.setup.call();
      call.marks = ticks.data();
      call.read_clock = next_reading;
      call.clock = &count;
      t.expect(operation->call(call) == MPI_SUCCESS, operation->name);
      const bool on = cell.marks == "on";
      t.expect(marks_in(cell, *operation) == (on ? ticks.size() : 0), operation->name);
      for (std::size_t i = 0; i < ticks.size(); ++i) {
        t.expect(ticks[i] == (on ? static_cast<std::int64_t>(i) + 1 : 0),
                 std::string(operation->name) + ", marks " + marks + ", mark " + std::to_string(i));
      }
    }
  }
}

// Requests, steps and scratch are there before; what the library allocates is its own.
void calls_allocate_nothing(Expectations& t) {
  for (const Operation* const operation : catalogue()) {
    if (std::string(operation->name).find('@') == std::string::npos) continue;
    record::Cell cell = cell_of(operation->name, 64);
    Placed placed(cell);
    if (!placed.setup.errors().empty()) continue;  // not for so many ranks
    const std::uint64_t before = allocations;
    const int code = operation->call(placed.setup.call());
    const std::uint64_t made = allocations - before;
    t.expect(code == MPI_SUCCESS && made == 0,
             std::string(operation->name) + " allocates " + std::to_string(made) + " times");
  }
}

}  // namespace
}  // namespace invar::ops::test

int main(int argc, char** argv) {
  using namespace invar::ops::test;
  MPI_Init(&argc, &argv);
  Expectations t;
  algorithms_have_their_steps_for_every_root(t);
  algorithms_that_failed_leave_nothing_under_way(t);
  phases_are_marked_in_their_order_on_all_ranks(t);
  calls_allocate_nothing(t);
  const int status = t.finish("executor_selftest");
  MPI_Finalize();
  return status;
}
