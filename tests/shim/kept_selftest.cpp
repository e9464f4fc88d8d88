// What the shim keeps for communicators, and gives back; how errors find their way. For any number
// of ranks.
#include <dlfcn.h>
#include <mpi.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "ops/expect.hpp"
#include "shim/communicator/kept.hpp"
#include "shim/communicator/scratch.hpp"
#include "shim/comparison.hpp"
#include "shim/tables.hpp"

namespace {

// The library's MPI_Reduce fails from now on, on all ranks; MPI_Comm_split gives the last rank no
// communicator.
bool reductions_fail = false;
bool none_left = false;
std::vector<MPI_Comm> withheld;
int handled = 0;
MPI_Comm handled_comm = MPI_COMM_NULL;

template <typename Function>
Function* behind(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

// In front of the library's own, which the shim calls.
extern "C" int PMPI_Reduce(const void* send, void* recv, int count, MPI_Datatype type, MPI_Op op,
                           int root, MPI_Comm comm) {
  static auto* const library = behind<decltype(MPI_Reduce)>("PMPI_Reduce");
  return reductions_fail ? MPI_ERR_OTHER : library(send, recv, count, type, op, root, comm);
}

extern "C" int PMPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* made) {
  static auto* const library = behind<decltype(MPI_Comm_split)>("PMPI_Comm_split");
  const int error = library(comm, color, key, made);
  if (!none_left || invar::shim::test::rank_of(comm) + 1 < invar::shim::test::ranks_of(comm)) {
    return error;
  }
  withheld.push_back(*made);
  *made = MPI_COMM_NULL;
  return MPI_ERR_OTHER;
}

namespace invar::shim::test {
namespace {

using ops::test::Expectations;

const ElementKind& numbers() { return element_kinds().front(); }

TestedCall call_of(const char* collective, int count = 4) {
  return {.collective = &tested_collective(collective), .kind = &numbers(), .count = count};
}

void expect_same(Expectations& t, const TestedCall& call, MPI_Comm comm, const std::string& what) {
  const std::string wrong = difference(call, comm);
  t.expect(wrong.empty(), what + ": " + wrong);
}

std::int64_t resident_bytes() {
  std::FILE* const file = std::fopen("/proc/self/statm", "r");
  long pages = 0;
  long resident = 0;
  if (file == nullptr || std::fscanf(file, "%ld %ld", &pages, &resident) != 2) std::abort();
  std::fclose(file);
  return static_cast<std::int64_t>(resident) * sysconf(_SC_PAGESIZE);
}

// Makes and frees communicators, with two calls on each; what that made the process grow by.
// `twice`: and another one of each, as the shim does.
std::int64_t growth_bytes(Expectations& t, int communicators, bool twice) {
  const std::int64_t before = resident_bytes();
  const std::int64_t one = 1;
  std::int64_t wrong = 0;
  for (int i = 0; i < communicators; ++i) {
    MPI_Comm comm = another(MPI_COMM_WORLD);
    if (twice) {
      MPI_Comm other = MPI_COMM_NULL;
      PMPI_Comm_split(comm, 0, rank_of(comm), &other);
      MPI_Comm_free(&other);
    }
    for (int call = 0; call < 2; ++call) {
      std::int64_t sum = 0;
      MPI_Allreduce(&one, &sum, 1, MPI_INT64_T, MPI_SUM, comm);
      if (sum != ranks_of(comm)) ++wrong;
    }
    MPI_Comm_free(&comm);
  }
  t.expect(wrong == 0, std::to_string(wrong) + " wrong sums");
  return resident_bytes() - before;
}

// A library's own memory may grow, with the shim and without: what counts is that a hundred
// thousand communicators with calls that were replaced add nothing to it. Where ranks wait for
// cores making them takes too long.
void communicators_leave_nothing_behind(Expectations& t) {
  const int many = ranks_of(MPI_COMM_WORLD) > 2 ? 2'000 : 100'000;
  constexpr std::int64_t kOfALibrary = std::int64_t{4} << 20U;
  const std::string line =
      line_of("allreduce", ranks_of(MPI_COMM_WORLD), "reference:allreduce@recursive-doubling");
  t.expect_equal(take_table(line), "", "a table");
  growth_bytes(t, many / 10, false);
  const std::int64_t alive = communicators_alive();
  const std::size_t scratch_bytes = kept_scratch_bytes();
  const std::uint64_t before = replaced_calls();
  const std::int64_t grown = growth_bytes(t, many, false);
  t.expect(replaced_calls() == before + static_cast<std::uint64_t>(many),
           "one call of each is replaced");
  t.expect(communicators_alive() == alive, "no communicator is left");
  t.expect(kept_scratch_bytes() == scratch_bytes, "no scratch is left");
  t.expect_equal(take_table(""), "", "an empty table");
  const std::int64_t without = growth_bytes(t, many / 10, true);
  t.expect(grown <= 10 * without + kOfALibrary, std::to_string(grown) +
                                                    " bytes more, for a tenth without the shim " +
                                                    std::to_string(without));
}

// A communicator that is freed makes room for another one with its handle: nothing that a thread
// remembers of the old one may serve the new one.
void handles_that_come_again_are_other_communicators(Expectations& t) {
  const int ranks = ranks_of(MPI_COMM_WORLD);
  t.expect_equal(take_table(line_of("allreduce", ranks, "mockup:allreduce=reduce+bcast")), "",
                 "a table");
  for (int i = 0; i < 100; ++i) {
    MPI_Comm comm = another(i % 2 == 0 ? MPI_COMM_WORLD : MPI_COMM_SELF);
    const std::uint64_t before = replaced_calls();
    expect_same(t, call_of("allreduce"), comm, "the first call");
    expect_same(t, call_of("allreduce"), comm, "the second call");
    const bool replaced = ranks_of(comm) == ranks;
    t.expect(replaced_calls() == before + (replaced ? 1 : 0), "by its own number of ranks");
    MPI_Comm_free(&comm);
  }
}

// The program's own attributes are nobody else's business: no duplicate of its communicator is
// made, and what is duplicated begins anew.
void attributes_are_not_touched(Expectations& t) {
  static int copied = 0;
  int keyval = 0;
  MPI_Comm_create_keyval(
      [](MPI_Comm, int, void*, void* value, void* copy, int* is_copied) {
        ++copied;
        *static_cast<void**>(copy) = value;
        *is_copied = 1;
        return static_cast<int>(MPI_SUCCESS);
      },
      MPI_COMM_NULL_DELETE_FN, &keyval, nullptr);
  t.expect_equal(take_table(line_of("bcast", ranks_of(MPI_COMM_WORLD), "reference:bcast@binomial")),
                 "", "a table");
  MPI_Comm comm = another(MPI_COMM_WORLD);
  MPI_Comm_set_attr(comm, keyval, &copied);
  for (int i = 0; i < 3; ++i) expect_same(t, call_of("bcast"), comm, "with an attribute");
  t.expect(copied == 0, "nothing is copied");
  const std::int64_t alive = communicators_alive();
  MPI_Comm duplicate = another(comm);
  t.expect(copied == 1 && communicators_alive() == alive, "but by the program");
  expect_same(t, call_of("bcast"), duplicate, "the duplicate");
  t.expect(communicators_alive() == alive + 1, "which is another communicator");
  MPI_Comm_free(&duplicate);
  MPI_Comm_free(&comm);
  MPI_Comm_free_keyval(&keyval);
}

// A receive from anybody, with any tag, gets the program's messages alone.
void messages_of_the_program_stay_its_own(Expectations& t) {
  const int ranks = ranks_of(MPI_COMM_WORLD);
  for (const char* name : {"allreduce@recursive-doubling", "alltoall@pairwise", "scan@linear"}) {
    const std::string collective = collective_of(name);
    t.expect_equal(take_table(line_of(collective, ranks, candidate_of(name))), "", name);
    MPI_Comm comm = another(MPI_COMM_WORLD);
    const int rank = rank_of(comm);
    int got = -1;
    const int mine = rank;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &request);
    for (int i = 0; i < 3; ++i) expect_same(t, call_of(collective.c_str()), comm, name);
    MPI_Send(&mine, 1, MPI_INT, (rank + 1) % ranks, 1, comm);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    t.expect(got == (rank + ranks - 1) % ranks, std::string(name) + ": the neighbour's message");
    MPI_Comm_free(&comm);
  }
}

// Long vectors, short ones, other roots: no more is kept than there may be.
void memory_is_bounded(Expectations& t) {
  const int ranks = ranks_of(MPI_COMM_WORLD);
  if (ranks > 3) return;  // 350 MB each
  t.expect_equal(
      take_table("gather," + std::to_string(ranks) + ",0,99999999,mockup:gather=allgather\n"), "",
      "a table");
  std::vector<MPI_Comm> comms;
  for (int i = 0; i < 4; ++i) comms.push_back(another(MPI_COMM_WORLD));
  // Every rank but the root needs all blocks; together that is more than the shim keeps.
  const int count = static_cast<int>(kMostKeptBytes / 8 / 3) / ranks;
  const std::size_t all = static_cast<std::size_t>(count) * static_cast<std::size_t>(ranks);
  const std::vector<std::int64_t> send(static_cast<std::size_t>(count), 1);
  std::vector<std::int64_t> recv(rank_of(MPI_COMM_WORLD) == 0 ? all : 0);
  for (MPI_Comm comm : comms) {
    for (int i = 0; i < 2; ++i) {
      MPI_Gather(send.data(), count, MPI_INT64_T, recv.data(), count, MPI_INT64_T, 0, comm);
    }
    t.expect(kept_scratch_bytes() <= kMostKeptBytes, "what is kept together");
  }
  t.expect(replaced_calls() == comms.size(), "calls are replaced all the same");
  for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
  t.expect(kept_scratch_bytes() == 0, "and nothing is kept in the end");
}

// More kinds of calls than are prepared at a time: counts and roots.
void calls_of_many_kinds_are_right(Expectations& t) {
  const int ranks = ranks_of(MPI_COMM_WORLD);
  for (const char* candidate :
       {"reference:bcast@binomial", "mockup:bcast=full-lane", "mockup:bcast=scatterv+allgatherv"}) {
    t.expect_equal(take_table(line_of("bcast", ranks, candidate)), "", candidate);
    MPI_Comm comm = another(MPI_COMM_WORLD);
    for (int count = 1; count <= 50; ++count) {
      TestedCall call = call_of("bcast", count);
      call.root = count % ranks;
      expect_same(t, call, comm, candidate);
    }
    t.expect(replaced_calls() == 49, std::string(candidate) + ": all but the first");
    MPI_Comm_free(&comm);
  }
}

void handle(MPI_Comm* comm, int* /*error*/, ...) {
  ++handled;
  handled_comm = *comm;
}

// Inside a mock-up calls go to a communicator of the shim's own, of which the program knows
// nothing.
void errors_reach_the_handler_of_the_programs_communicator(Expectations& t) {
  t.expect_equal(
      take_table(line_of("allreduce", ranks_of(MPI_COMM_WORLD), "mockup:allreduce=reduce+bcast")),
      "", "a table");
  MPI_Comm comm = another(MPI_COMM_WORLD);
  MPI_Errhandler ours{};
  MPI_Comm_create_errhandler(handle, &ours);
  MPI_Comm_set_errhandler(comm, ours);
  const int one = 1;
  int sum = 0;
  for (int i = 0; i < 2; ++i) MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
  t.expect(handled == 0, "no error yet");
  reductions_fail = true;
  int error_class = MPI_SUCCESS;
  MPI_Error_class(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm), &error_class);
  reductions_fail = false;
  t.expect(error_class == MPI_ERR_OTHER, "the error is returned");
  t.expect(handled == 1, "handled once");
  t.expect(handled_comm == comm, "for the program's communicator");
  t.expect(
      MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm) == MPI_SUCCESS && sum == ranks_of(comm),
      "the next call");
  MPI_Errhandler_free(&ours);
  MPI_Comm_free(&comm);
}

// Libraries have few communicators, and may have none left for the last rank.
void programs_go_on_where_no_communicator_is_left(Expectations& t) {
  t.expect_equal(take_table(line_of("scan", ranks_of(MPI_COMM_WORLD), "reference:scan@linear")), "",
                 "a table");
  MPI_Comm comm = another(MPI_COMM_WORLD);
  expect_same(t, call_of("scan"), comm, "the first call");
  none_left = true;
  for (int i = 0; i < 3; ++i) expect_same(t, call_of("scan"), comm, "without a communicator");
  none_left = false;
  expect_same(t, call_of("scan"), comm, "it is not asked for again");
  t.expect(replaced_calls() == 0 && passed_on_calls(PassedOn::kNoCommunicator) == 4, "said");
  MPI_Errhandler handler{};
  MPI_Comm_get_errhandler(comm, &handler);
  t.expect(handler == MPI_ERRORS_ARE_FATAL, "the program's error handler is there again");
  MPI_Errhandler_free(&handler);
  for (MPI_Comm& one : withheld) MPI_Comm_free(&one);
  withheld.clear();
  MPI_Comm_free(&comm);
}

int run() {
  Expectations t;
  handles_that_come_again_are_other_communicators(t);
  attributes_are_not_touched(t);
  messages_of_the_program_stay_its_own(t);
  memory_is_bounded(t);
  calls_of_many_kinds_are_right(t);
  errors_reach_the_handler_of_the_programs_communicator(t);
  programs_go_on_where_no_communicator_is_left(t);
  communicators_leave_nothing_behind(t);
  return t.finish("kept_selftest");
}

}  // namespace
}  // namespace invar::shim::test

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int status = invar::shim::test::run();
  MPI_Finalize();
  return status;
}
