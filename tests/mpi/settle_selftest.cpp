// When a launch takes the library's memory for touched. Operations that touch pages of their own
// stand for the library.
#include "engine/timed/settle.hpp"

#include <sys/mman.h>

#include <cstddef>
#include <string>

#include "ops/expect.hpp"

namespace {

using invar::engine::Settled;
using invar::ops::Call;
using invar::ops::Operation;
using invar::ops::test::Expectations;

constexpr std::size_t kPage = 4096;
constexpr std::size_t kPages = 8192;

struct Touching {
  int every = 1;        // a call in so many touches
  int until = 0;        // calls
  int pages = 1;        // that a call touches
  int only_rank = -1;   // -1: all of them
  int error_from = -1;  // call from which rank 0 fails
};

Touching plan;
volatile char* memory = nullptr;
std::size_t touched = 0;
int calls = 0;

int touch(Call& call) {
  const int number = calls++;
  const bool here = plan.only_rank < 0 || plan.only_rank == call.rank;
  if (here && number < plan.until && number % plan.every == 0) {
    for (int i = 0; i < plan.pages && touched < kPages; ++i) memory[kPage * touched++] = 1;
  }
  const bool fails = plan.error_from >= 0 && number >= plan.error_from && call.rank == 0;
  return fails ? MPI_ERR_OTHER : MPI_SUCCESS;
}

Settled settle(const Touching& wanted) {
  plan = wanted;
  touched = 0;
  calls = 0;
  void* pages = mmap(nullptr, kPage * kPages, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  madvise(pages, kPage * kPages, MADV_NOHUGEPAGE);
  memory = static_cast<volatile char*>(pages);
  Operation operation{};
  operation.name = "touch";
  operation.call = touch;
  Call call;
  call.comm = MPI_COMM_WORLD;
  MPI_Comm_rank(MPI_COMM_WORLD, &call.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &call.ranks);
  // A machine that is busy must not end it.
  const Settled settled =
      invar::engine::settle(operation, call, MPI_COMM_WORLD, {.duration_ns = 60'000'000'000});
  munmap(pages, kPage * kPages);
  return settled;
}

void expect_calls(Expectations& t, int low, int high, const char* what) {
  t.expect(calls >= low && calls <= high,
           std::string(what) + ": " + std::to_string(calls) + " calls");
}

void what_touches_nothing_is_called_a_dozen_times(Expectations& t) {
  const Settled settled = settle({});
  // A page of the process itself may come in between.
  expect_calls(t, 10, 60, "no page");
  t.expect(settled.at_rest, "that is rest");
}

void faults_in_every_second_of_many_calls_are_waited_for(Expectations& t) {
  const Settled settled = settle({.every = 2, .until = 250});
  expect_calls(t, 250, 330, "every second of 250");
  t.expect(settled.at_rest, "the rest behind them is told");
  t.expect(settled.calls == calls, "calls are told: " + std::to_string(settled.calls));
  // What the process itself does takes a page now and then.
  t.expect(settled.page_faults >= 125 && settled.page_faults < 200,
           "faults are told: " + std::to_string(settled.page_faults));
  t.expect(settled.duration_ns > 0, "and their time");
}

void many_faults_in_every_call_are_waited_for(Expectations& t) {
  settle({.until = 50, .pages = 5});
  expect_calls(t, 50, 130, "five in each of 50");
}

void what_never_ends_is_left_after_a_thousand_calls(Expectations& t) {
  const Settled settled = settle({.until = 1 << 30});
  expect_calls(t, 1000, 1010, "for ever");
  t.expect(!settled.at_rest, "it is not at rest");
}

void all_ranks_go_on_until_the_last_one_is_ready(Expectations& t) {
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const Settled settled = settle({.until = 150, .only_rank = ranks - 1});
  int most = calls;
  MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  t.expect(calls == most, "all ranks call as often");
  expect_calls(t, 150, 230, "one rank's 150");
  t.expect(settled.page_faults >= 150, "the faults of the one that took most");
}

void an_error_of_one_rank_is_one_of_all(Expectations& t) {
  t.expect(settle({.until = 500, .error_from = 20}).error != MPI_SUCCESS, "it is told everywhere");
  expect_calls(t, 20, 40, "and ends the calls");
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  Expectations t;
  what_touches_nothing_is_called_a_dozen_times(t);
  faults_in_every_second_of_many_calls_are_waited_for(t);
  many_faults_in_every_call_are_waited_for(t);
  what_never_ends_is_left_after_a_thousand_calls(t);
  all_ranks_go_on_until_the_last_one_is_ready(t);
  an_error_of_one_rank_is_one_of_all(t);
  const int status = t.finish("settle_selftest");
  MPI_Finalize();
  return status;
}
