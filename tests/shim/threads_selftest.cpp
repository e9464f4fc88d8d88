// MPI_THREAD_MULTIPLE: threads that call collectives at the same time, each on communicators of its
// own, which come and go.
#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "ops/expect.hpp"
#include "shim/communicator/kept.hpp"
#include "shim/comparison.hpp"
#include "shim/tables.hpp"

namespace invar::shim::test {
namespace {

using ops::test::Expectations;

constexpr int kThreads = 2;
constexpr int kRounds = 10;

// Each thread looks for itself: Expectations are no one's but the main thread's.
std::string work_of_a_thread(MPI_Comm of) {
  std::string wrong;
  for (int round = 0; round < kRounds && wrong.empty(); ++round) {
    MPI_Comm comm = another(of);
    for (const TestedCollective& collective : tested_collectives()) {
      for (const ElementKind& kind : element_kinds()) {
        wrong += difference({.collective = &collective, .kind = &kind, .count = 5}, comm);
      }
    }
    MPI_Comm_free(&comm);
  }
  return wrong;
}

std::string table_for(int ranks) {
  std::string lines;
  for (const char* name :
       {"allgather=hierarchical", "allreduce=hierarchical", "alltoall@spread", "barrier=allreduce",
        "bcast=full-lane", "exscan=scan+sendrecv", "gather@binomial", "reduce=full-lane",
        "reduce_scatter=allreduce", "reduce_scatter_block=alltoall+reduce_local",
        "scan@recursive-doubling", "scatter=scatterv"}) {
    lines += line_of(collective_of(name), ranks, candidate_of(name));
  }
  return lines;
}

void threads_call_at_the_same_time(Expectations& t) {
  t.expect_equal(take_table(table_for(ranks_of(MPI_COMM_WORLD))), "", "a table");
  static_cast<void>(element_kinds());
  std::vector<MPI_Comm> comms;
  for (int i = 0; i < kThreads; ++i) comms.push_back(another(MPI_COMM_WORLD));
  const std::int64_t alive = communicators_alive();
  std::vector<std::string> wrong(kThreads);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] { wrong[i] = work_of_a_thread(comms[i]); });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& text : wrong) t.expect_equal(text, "", "a thread");
  t.expect(communicators_alive() == alive, "all communicators are gone");
  for (const ActiveEntry& entry : table_in_use()->entries()) {
    t.expect(entry.replaced.load() > 0, entry.text + " was called");
  }
  for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
}

}  // namespace
}  // namespace invar::shim::test

int main(int argc, char** argv) {
  using namespace invar::shim::test;
  int provided = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  if (provided < MPI_THREAD_MULTIPLE) {
    std::printf("skipped: this library has no MPI_THREAD_MULTIPLE\n");
    MPI_Finalize();
    return 0;
  }
  invar::ops::test::Expectations t;
  threads_call_at_the_same_time(t);
  const int status = t.finish("threads_selftest");
  MPI_Finalize();
  return status;
}
