// What a rank computes between the start and the end of a call (the factors `compute`,
// `compute_kernel`, `compute_side`, `progress_calls`).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "ops/buffers/memory.hpp"
#include "ops/operation.hpp"
#include "ops/overlap/kernels.hpp"
#include "record/cell.hpp"

namespace invar::ops {

// Lives with the call's setup. Nothing is computed until a visit sets `steps`, once it is known how
// long a step takes; checks and calls that nobody times have none.
struct Overlap {
  int (*start)(Call&) = nullptr;
  int (*finish)(Call&) = nullptr;
  std::uint64_t steps = 0;  // of the kernel, in all pieces together
  bool here = true;         // this rank computes
  bool alone = false;       // no message is sent: start and finish do nothing
  // Calls of MPI_Test, or of MPI_Testall where there are several requests, between equal pieces of
  // the computation.
  std::uint32_t progress_calls = 0;
  int requests = 0;                  // that these look at
  StreamedRegion* region = nullptr;  // the kernel streams it; null: it computes in registers
};

// The operation as a cell calls it that computes meanwhile, or that is compared with one that does
// (record::called_in_parts): start, computation, finish. Where the computation is measured by
// itself, nothing is sent, and no byte may change. `operation` is the one that the cell calls
// (operation_for()) and has a start.
Operation overlapped(Operation operation, const record::Cell& cell);
bool is_overlapped(const Operation& operation);

// What the calls of such an operation need, for this rank's role.
Overlap overlap_of(const Operation& operation, const record::Cell& cell, record::Role role);

// A region beyond the last-level cache of this host. One per launch, shared by all cells.
class ComputeMemory {
 public:
  // Throws UserError where the size of the cache is unknown, CommandError where there is not enough
  // memory.
  explicit ComputeMemory(const MemorySpace& space = host_memory());
  ComputeMemory(const ComputeMemory&) = delete;
  ComputeMemory& operator=(const ComputeMemory&) = delete;
  ~ComputeMemory();

  // Its address does not change.
  [[nodiscard]] StreamedRegion& region() { return region_; }

 private:
  const MemorySpace& space_;
  std::size_t bytes_ = 0;
  std::byte* memory_ = nullptr;
  StreamedRegion region_ = {};
};

}  // namespace invar::ops
