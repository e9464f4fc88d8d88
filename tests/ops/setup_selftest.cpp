// What CallSetup makes of a cell, and what it refuses. Runs on any number of ranks, one is enough.
#include <mpi.h>

#include "ops/catalogue.hpp"
#include "ops/expect.hpp"
#include "ops/setup.hpp"

namespace invar::ops::test {
namespace {

record::Cell cell_of(const std::string& operation, std::optional<std::uint64_t> size_bytes) {
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  record::Cell cell;
  cell.operation = operation;
  cell.size_bytes = size_bytes;
  cell.ranks = static_cast<std::uint32_t>(ranks);
  return cell;
}

std::string errors_of(const record::Cell& cell) {
  const CallSetup setup(cell, *find_operation(cell.operation), MPI_COMM_WORLD);
  std::string all;
  for (const std::string& error : setup.errors()) all += error + "\n";
  return all;
}

void size_becomes_a_count_of_elements(Expectations& t) {
  const record::Cell bytes = cell_of("bcast", 12);
  const CallSetup moved(bytes, *find_operation("bcast"), MPI_COMM_WORLD);
  t.expect(moved.errors().empty() && moved.call().count == 12 && moved.call().type == MPI_BYTE,
           "12 bytes");
  const record::Cell ints = cell_of("allreduce", 12);
  const CallSetup reduced(ints, *find_operation("allreduce"), MPI_COMM_WORLD);
  t.expect(reduced.errors().empty() && reduced.call().count == 3 &&
               reduced.call().type == MPI_INT32_T && reduced.call().reduction == MPI_SUM &&
               reduced.call().block_bytes == 12,
           "3 int32, sum");
}

void typed_arrays_are_in_bytes(Expectations& t) {
  record::Cell cell = cell_of("alltoallw", 12);
  cell.datatype = "int32";
  const CallSetup setup(cell, *find_operation("alltoallw"), MPI_COMM_WORLD);
  t.expect(setup.errors().empty(), "alltoallw of int32");
  for (int r = 0; r < setup.call().ranks; ++r) {
    t.expect(setup.call().counts[r] == 3 && setup.call().displacements[r] == 3 * r &&
                 setup.call().byte_displacements[r] == 12 * r &&
                 setup.call().types[r] == MPI_INT32_T,
             "entry " + std::to_string(r));
  }
}

void impossible_cells_are_refused_with_the_reason(Expectations& t) {
  t.expect_contains(errors_of(cell_of("allreduce", 10)),
                    "a size of 10 bytes is no multiple of the 4 bytes of the datatype", "multiple");
  t.expect_contains(errors_of(cell_of("bcast", std::uint64_t{1} << 31U)),
                    "a count of 2147483648, above the largest", "count");
  t.expect_equal(errors_of(cell_of("bcast", (std::uint64_t{1} << 31U) - 1)), "", "largest count");
  t.expect_contains(errors_of(cell_of("bcast", {})), "bcast needs a size", "no size");
  t.expect_contains(errors_of(cell_of("barrier", 8)), "barrier has no size", "size");

  record::Cell cell = cell_of("bcast", 8);
  cell.root = cell.ranks;
  t.expect_contains(errors_of(cell), "is no rank", "root");
  cell.operation = "allgather";
  t.expect_equal(errors_of(cell), "", "an operation without a root does not look at it");

  cell = cell_of("bcast", 8);
  cell.datatype = "int3";
  cell.reduction = "sum";
  ++cell.ranks;
  const std::string all = errors_of(cell);
  t.expect_contains(all, "unknown datatype 'int3'; did you mean 'int32'?", "all at once");
  t.expect_contains(all, "bcast reduces nothing", "all at once");
  t.expect_contains(all, "the cell is for", "all at once");

  cell = cell_of("allreduce", 8);
  cell.reduction = "sun";
  t.expect_contains(errors_of(cell), "no reduction 'sun' of datatype 'int32'; did you mean 'sum'?",
                    "reduction");
}

void displacements_above_the_largest_int_are_refused(Expectations& t) {
  record::Cell cell = cell_of("allgatherv", std::uint64_t{1} << 30U);
  if (cell.ranks < 2) return;
  t.expect_contains(errors_of(cell), "needs displacements of", "allgatherv");
  cell.operation = "allgather";
  t.expect_equal(errors_of(cell), "", "allgather takes none");
  cell.operation = "alltoallw";
  cell.datatype = "int32";
  t.expect_contains(errors_of(cell), " bytes, above the largest", "alltoallw");
}

}  // namespace
}  // namespace invar::ops::test

int main(int argc, char** argv) {
  using namespace invar::ops::test;
  MPI_Init(&argc, &argv);
  Expectations t;
  size_becomes_a_count_of_elements(t);
  typed_arrays_are_in_bytes(t);
  impossible_cells_are_refused_with_the_reason(t);
  displacements_above_the_largest_int_are_refused(t);
  const int status = t.finish("setup_selftest");
  MPI_Finalize();
  return status;
}
