// Calls in two parts with a computation between them: is every result right, is what is measured by
// itself really by itself, and do the ranks compute that should? Standing in front of the MPI
// library, this file counts the calls for progress.
#include "ops/overlap/overlap.hpp"

#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "ops/buffers/memory.hpp"
#include "ops/call/setup.hpp"
#include "ops/catalogue.hpp"
#include "ops/expect.hpp"
#include "ops/placed.hpp"
#include "ops/verify.hpp"

namespace {

int tests = 0;

}  // namespace

extern "C" {

int MPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
  ++tests;
  return PMPI_Test(request, flag, status);
}

int MPI_Testall(int count, MPI_Request requests[], int* flag, MPI_Status statuses[]) {
  ++tests;
  return PMPI_Testall(count, requests, flag, statuses);
}

}  // extern "C"

namespace invar::ops::test {
namespace {

constexpr std::uint64_t kSteps = 10'000;  // some 10 us
constexpr std::uint64_t kSizeBytes = 64;

// A cell's call in buffers of its own, as a launch makes it.
struct OverlappedCall {
  explicit OverlappedCall(const record::Cell& cell)
      : operation(overlapped(operation_for(*find_operation(cell.operation), cell), cell)),
        setup(cell, operation, MPI_COMM_WORLD),
        need(setup.need()),
        arena(std::span(&need, 1)) {
    base::Random random(1);
    if (setup.errors().empty()) setup.place(arena.place(random, need));
  }
  [[nodiscard]] Overlap& overlap() { return *setup.call().overlap; }
  Outcome checked() { return check_once(operation, setup.call(), {.comm = MPI_COMM_WORLD}); }

  Operation operation;
  CallSetup setup;
  BufferNeed need;
  Arena arena;
};

record::Cell cell_of_overlap(const Operation& operation, const std::string& compute) {
  record::Cell cell =
      cell_of(operation.name, operation.sized ? std::optional(kSizeBytes) : std::nullopt);
  cell.compute = compute;
  if (operation.messages != record::Messages::kNone) cell.form = "non-blocking";
  return cell;
}

// Those of the catalogue that can be called here.
std::vector<const Operation*> overlapping() {
  std::vector<const Operation*> found;
  for (const Operation* const operation : catalogue()) {
    if (operation->start == nullptr || operation->missing != nullptr) continue;
    const record::Cell cell = cell_of_overlap(*operation, "off");
    const Operation called = operation_for(*operation, cell);
    if (called.start == nullptr) continue;
    if (CallSetup(cell, called, MPI_COMM_WORLD).errors().empty()) found.push_back(operation);
  }
  return found;
}

void expect_right(Expectations& t, OverlappedCall& one, const std::string& what) {
  const Outcome outcome = one.checked();
  t.expect(outcome.passed(), what + ": " + outcome.text());
}

void expect_right_result(Expectations& t, const record::Cell& cell) {
  const std::string what = cell.operation + ", " + cell.form + ", compute " + cell.compute + ", " +
                           std::to_string(cell.progress_calls) + " progress calls";
  OverlappedCall one(cell);
  t.expect(one.setup.errors().empty(), what);
  if (!one.setup.errors().empty()) return;
  one.overlap().steps = cell.compute == "off" ? 0 : kSteps;
  expect_right(t, one, what);
}

void every_result_is_right_whatever_is_computed(Expectations& t) {
  const std::vector<const Operation*> operations = overlapping();
  t.expect(operations.size() >= 17, "the non-blocking collectives, at least");
  for (const Operation* const operation : operations) {
    for (const std::string compute : {"off", "1x", "only:1x"}) {
      for (const std::uint32_t progress_calls : {0U, 6U}) {
        record::Cell cell = cell_of_overlap(*operation, compute);
        cell.progress_calls = progress_calls;
        expect_right_result(t, cell);
        if (operation->messages == record::Messages::kNone) continue;
        cell.form = "persistent";
        expect_right_result(t, cell);
      }
    }
  }
}

void every_form_of_a_collective_can_be_overlapped(Expectations& t) {
  for (const Operation* const operation : catalogue()) {
    const bool apart =
        operation->form == Form::kNonBlocking || operation->form == Form::kPersistent;
    if (!apart || operation->messages != record::Messages::kNone) continue;
    t.expect(operation->start != nullptr && operation->finish != nullptr, operation->name);
  }
}

// Progress is asked for between equal pieces, and not where nothing is computed or sent.
void progress_calls_stand_between_the_pieces(Expectations& t) {
  const auto tests_in = [](const char* compute, std::uint64_t steps,
                           const char* operation = "iallreduce") {
    record::Cell cell = cell_of_overlap(*find_operation(operation), compute);
    cell.progress_calls = 6;
    OverlappedCall one(cell);
    one.overlap().steps = steps;
    const int before = tests;
    make_call(one.operation, one.setup.call());
    return tests - before;
  };
  t.expect(tests_in("1x", kSteps) == 6, "six of them");
  t.expect(tests_in("1x", 3) == 6, "also of a computation shorter than that");
  t.expect(tests_in("1x", kSteps, "halo") == 6, "and of several requests");
  t.expect(tests_in("off", 0) == 0, "without computation there is nothing between the parts");
  t.expect(tests_in("only:1x", kSteps) == 0, "and without a message nothing to ask for");
}

// The verification of "only:" must find a call that sends all the same.
void computation_by_itself_sends_nothing(Expectations& t) {
  record::Cell cell = cell_of("iallreduce", kSizeBytes);
  cell.compute = "only:1x";
  OverlappedCall one(cell);
  expect_right(t, one, "nothing is sent");
  const Operation& real = *find_operation("iallreduce");
  one.overlap().start = real.start;
  one.overlap().finish = real.finish;
  t.expect(!one.checked().passed(), "what sends all the same is found");
}

void buffers_in_place_stay_as_they_were(Expectations& t) {
  for (const char* name : {"iallreduce", "ireduce_scatter_block", "iallgather"}) {
    record::Cell cell = cell_of(name, kSizeBytes);
    cell.compute = "only:1x";
    cell.in_place = "yes";
    OverlappedCall one(cell);
    t.expect(one.setup.errors().empty(), name);
    expect_right(t, one, std::string(name) + ", in place");
  }
}

void memory_is_streamed_where_a_region_is_given(Expectations& t) {
  record::Cell cell = cell_of("ibcast", kSizeBytes);
  cell.compute = "1x";
  cell.compute_kernel = "memory";
  OverlappedCall one(cell);
  std::vector<std::uint64_t> words(4 * StreamedRegion::kLineBytes / sizeof(std::uint64_t), 0);
  StreamedRegion region{.words = words.data(), .lines = 4};
  one.overlap().region = &region;
  one.overlap().steps = 6;
  expect_right(t, one, "the result");
  t.expect(region.at == 2 && words.front() == 2 && words.back() == 1, "six of four lines");
}

void ranks_compute_on_the_side_that_is_asked_for(Expectations& t) {
  const Operation& operation = *find_operation("ibcast");
  const auto computes = [&](const char* side, record::Role role) {
    record::Cell cell;
    cell.compute = "1x";
    cell.compute_side = side;
    return overlap_of(operation, cell, role).here;
  };
  using record::Role;
  t.expect(computes("both", Role::kStarts) && computes("both", Role::kAnswers), "both");
  t.expect(computes("starts", Role::kStarts) && !computes("starts", Role::kAnswers), "starts");
  t.expect(!computes("answers", Role::kStarts) && computes("answers", Role::kAnswers), "answers");
  for (const char* side : {"both", "starts", "answers"}) {
    t.expect(!computes(side, Role::kStandsBy), "nobody computes who stands by");
  }
}

}  // namespace
}  // namespace invar::ops::test

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  using namespace invar::ops::test;  // NOLINT
  Expectations t;
  every_form_of_a_collective_can_be_overlapped(t);
  every_result_is_right_whatever_is_computed(t);
  progress_calls_stand_between_the_pieces(t);
  computation_by_itself_sends_nothing(t);
  buffers_in_place_stay_as_they_were(t);
  memory_is_streamed_where_a_region_is_given(t);
  ranks_compute_on_the_side_that_is_asked_for(t);
  const int status = t.finish("overlap_selftest");
  MPI_Finalize();
  return status;
}
