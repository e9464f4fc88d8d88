// Cells of tests on all ranks, and their calls in buffers of their own.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "base/random.hpp"
#include "ops/buffers/memory.hpp"
#include "ops/call/setup.hpp"
#include "ops/catalogue.hpp"

namespace invar::ops::test {

inline record::Cell cell_of(const std::string& operation, std::optional<std::uint64_t> size_bytes) {
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  record::Cell cell;
  cell.operation = operation;
  cell.size_bytes = size_bytes;
  cell.ranks = static_cast<std::uint32_t>(ranks);
  return cell;
}

// In buffers of its own.
struct Placed {
  explicit Placed(const record::Cell& cell)
      : setup(cell, *find_operation(cell.operation), MPI_COMM_WORLD),
        need(setup.need()),
        arena(std::span(&need, 1)) {
    base::Random random(1);
    if (setup.errors().empty()) setup.place(arena.place(random, need));
  }
  CallSetup setup;
  BufferNeed need;
  Arena arena;
};

}  // namespace invar::ops::test
