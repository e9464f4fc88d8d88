// The example of docs/adding-an-operation.md, run as an operation of the catalogue would be. What
// follows, to the end of its namespace, is the document's text (tests/docs_test.py).

// Every rank sends its block to its right neighbour.
#include "ops/shapes.hpp"

namespace invar::ops {
namespace {

int call_shift(Call& c) {
  const int right = (c.rank + 1) % c.ranks;
  const int left = (c.rank + c.ranks - 1) % c.ranks;
  return MPI_Sendrecv(c.send, c.count, c.type, right, 0, c.recv, c.count, c.type, left, 0, c.comm,
                      MPI_STATUS_IGNORE);
}

void block_of_left(const Call& c, Checker& checker) {
  const int left = (c.rank + c.ranks - 1) % c.ranks;
  checker.expect_block(0, left, 0, block_elements(c, left));
}

}  // namespace

extern constexpr Operation kShift{
    .name = "shift",
    .summary = "every rank sends its block to its right neighbour",
    .buffers = kBlockToBlock,
    .call = call_shift,
    .verify = block_of_left,
};

}  // namespace invar::ops

#include <mpi.h>

#include "ops/call/setup.hpp"
#include "ops/expect.hpp"

namespace invar::ops::test {
namespace {

// What is checked must also be able to fail.
void block_of_right(const Call& c, Checker& checker) {
  const int right = (c.rank + 1) % c.ranks;
  checker.expect_block(0, right, 0, block_elements(c, right));
}

Outcome outcome_of(const Operation& operation, std::uint64_t size_bytes, int ranks) {
  record::Cell cell;
  cell.operation = operation.name;
  cell.size_bytes = size_bytes;
  cell.ranks = static_cast<std::uint32_t>(ranks);
  CallSetup setup(cell, operation, MPI_COMM_WORLD);
  const BufferNeed need = setup.need();
  const Arena arena(std::span(&need, 1));
  base::Random random(size_bytes);
  setup.place(arena.place(random, need));
  return check_once(operation, setup.call(), {.comm = MPI_COMM_WORLD});
}

int run() {
  Expectations t;
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  for (const std::uint64_t size_bytes : {0U, 1U, 7U, 1024U, 100'003U}) {
    const std::string size = std::to_string(size_bytes) + " bytes";
    t.expect_equal(outcome_of(kShift, size_bytes, ranks).text(), "", size);
    Operation wrong = kShift;
    wrong.verify = block_of_right;
    const bool differs = size_bytes > 0 && ranks > 2;
    t.expect(outcome_of(wrong, size_bytes, ranks).passed() != differs, size + ", wrong neighbour");
  }
  return t.finish("added_operation");
}

}  // namespace
}  // namespace invar::ops::test

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int status = invar::ops::test::run();
  MPI_Finalize();
  return status;
}
