// Every rank sends its block to its right neighbour, on a communicator with a hook around its
// making. Standing in front of the MPI library, this file writes down on the output of world rank 0
// what happens around it: tests/campaign/described_test.py reads that.
#include <cstdio>
#include <memory>

#include "base/error.hpp"
#include "ops/shapes.hpp"

namespace invar::ops {
namespace {

constexpr std::uint64_t kFailingBytes = 13;  // the making of its communicator ends in an error

struct Doorbell {
  int hooks = 0;  // that are there
  bool fails = false;
  MPI_Comm comm = MPI_COMM_NULL;  // of the calls
};
Doorbell doorbell;

void tell(const char* what) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank != 0) return;
  std::printf("doorbell: %s\n", what);
  std::fflush(stdout);
}

class DoorbellHook final : public Hook {
 public:
  explicit DoorbellHook(const record::Cell& cell) {
    ++doorbell.hooks;
    doorbell.fails = cell.size_bytes == kFailingBytes;
    tell("hook");
  }
  ~DoorbellHook() override {
    --doorbell.hooks;
    tell("undone");
  }
};

std::unique_ptr<Hook> make_hook(const record::Cell& cell) {
  return std::make_unique<DoorbellHook>(cell);
}

int call_doorbell(Call& c) {
  doorbell.comm = c.comm;
  const int right = (c.rank + 1) % c.ranks;
  const int left = (c.rank + c.ranks - 1) % c.ranks;
  return MPI_Sendrecv(c.send, c.count, c.type, right, 0, c.recv, c.count, c.type, left, 0, c.comm,
                      MPI_STATUS_IGNORE);
}

void from_the_left(const Call& c, Checker& checker) {
  const int left = (c.rank + c.ranks - 1) % c.ranks;
  checker.expect_block(0, left, 0, block_elements(c, left));
}

}  // namespace

extern constexpr Operation kDoorbell{
    .name = "doorbell",
    .summary = "every rank sends its block to its right neighbour",
    .chain = record::Chain::kOne,
    .buffers = kBlockToBlock,
    .hooks = {.communicator = make_hook},
    .call = call_doorbell,
    .verify = from_the_left,
};

}  // namespace invar::ops

extern "C" int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* made) {
  using invar::ops::doorbell;
  if (doorbell.hooks > 0) {
    invar::ops::tell("communicator");
    if (doorbell.fails) throw invar::base::UserError("doorbell", "13 bytes are unlucky");
  }
  return PMPI_Comm_split(comm, color, key, made);
}

// Calls send by MPI_Sendrecv: by this only the engine can.
extern "C" int MPI_Send(const void* from, int count, MPI_Datatype type, int to, int tag,
                        MPI_Comm comm) {
  if (comm == invar::ops::doorbell.comm)
    std::fprintf(stderr, "doorbell: a message of the engine\n");
  return PMPI_Send(from, count, type, to, tag, comm);
}
