// What CallSetup makes of a cell, and what it refuses. Runs on any number of ranks, one is enough.
#include <mpi.h>

#include <algorithm>
#include <vector>

#include "base/random.hpp"
#include "ops/buffers/element.hpp"
#include "ops/buffers/memory.hpp"
#include "ops/call/setup.hpp"
#include "ops/catalogue.hpp"
#include "ops/expect.hpp"

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

void impossible_forms_are_refused(Expectations& t) {
  record::Cell cell = cell_of("bcast", 8);
  cell.in_place = "yes";
  cell.topology = "ring";
  t.expect_contains(errors_of(cell), "bcast has no form in place", "in place");
  t.expect_contains(errors_of(cell), "bcast has no neighbours", "topology");

  cell = cell_of("neighbor_alltoall", 8);
  cell.topology = "star";
  t.expect_contains(errors_of(cell), "unknown topology 'star'", "topology");

  cell = cell_of("bcast_init", 8);
  cell.root = record::kRotatingRoot;
  cell.cache = "cold-cycle";
  t.expect_contains(errors_of(cell), "bcast_init fixes its root", "rotating root");
  t.expect_contains(errors_of(cell), "bcast_init fixes its buffers", "moving buffers");

  cell = cell_of("allreduce", 8);
  cell.datatype = "vector";
  t.expect_contains(errors_of(cell), "no multiple of the 16 bytes", "half an element");
  cell.size_bytes = 32;
  cell.reduction = "sum";
  t.expect_contains(errors_of(cell), "no reduction 'sum' of datatype 'vector'", "predefined");
}

void neighbours_are_those_of_the_topology(Expectations& t) {
  for (const char* topology : {"ring", "cartesian"}) {
    record::Cell cell = cell_of("neighbor_alltoallw", 32);
    cell.topology = topology;
    cell.datatype = "vector";
    const CallSetup setup(cell, *find_operation("neighbor_alltoallw"), MPI_COMM_WORLD);
    t.expect(setup.errors().empty(), topology);
    const Call& call = setup.call();
    t.expect(call.neighbours == (std::string_view(topology) == "ring" ? 2 : 4), "neighbours");
    t.expect(call.address_displacements[1] == 64 && call.count == 2, "extents count in buffers");
    t.expect(setup.need().recv_bytes == static_cast<std::size_t>(call.neighbours) * 64, "need");
  }
}

// Every rank becomes the root.
void rotating_root_needs_buffers_for_every_root(Expectations& t) {
  record::Cell cell = cell_of("gather", 8);
  cell.root = record::kRotatingRoot;
  const CallSetup setup(cell, *find_operation("gather"), MPI_COMM_WORLD);
  const auto ranks = static_cast<std::size_t>(setup.call().ranks);
  t.expect(setup.need().recv_bytes == 8 * ranks, "all blocks on every rank");
}

// As the root it works in place, and otherwise it sends: both inputs are there.
void rotating_root_has_its_input_in_place_and_otherwise(Expectations& t) {
  record::Cell cell = cell_of("gather", 8);
  if (cell.ranks < 2) return;
  cell.root = record::kRotatingRoot;
  cell.in_place = "yes";
  CallSetup setup(cell, *find_operation("gather"), MPI_COMM_WORLD);
  t.expect(setup.errors().empty(), "gather in place from every root");
  const BufferNeed need = setup.need();
  const Arena arena(std::span(&need, 1));
  base::Random random(1);
  constexpr std::uint32_t kVisit = 5;
  setup.place(arena.place(random, need), kVisit);
  const Call& call = setup.call();
  std::vector<std::byte> pattern(8);
  call.element->pattern(pattern, call.rank, pattern_start_of(kVisit));
  t.expect(std::equal(pattern.begin(), pattern.end(), call.send), "what it sends");
  t.expect(std::equal(pattern.begin(), pattern.end(), call.recv + 8 * call.rank),
           "its block of what it gathers");
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
  impossible_forms_are_refused(t);
  neighbours_are_those_of_the_topology(t);
  rotating_root_needs_buffers_for_every_root(t);
  rotating_root_has_its_input_in_place_and_otherwise(t);
  displacements_above_the_largest_int_are_refused(t);
  const int status = t.finish("setup_selftest");
  MPI_Finalize();
  return status;
}
