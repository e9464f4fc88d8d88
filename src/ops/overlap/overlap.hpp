// What a rank computes between the start and the end of a call (the factors `compute`,
// `compute_kernel`, `compute_side`, `progress_calls`).
#pragma once

#include <cstddef>
#include <cstdint>

namespace invar::ops {

struct Call;

// Lives with the call's setup; `steps` are set by the visit, once it is known what a step takes.
struct Overlap {
  int (*start)(Call&) = nullptr;
  int (*finish)(Call&) = nullptr;
  std::uint64_t steps = 0;   // of the kernel, in all pieces together
  std::uint32_t pieces = 1;  // MPI_Testall between them
  bool here = true;          // this rank computes
  bool memory = false;       // the kernel streams `region`; else it computes in registers
  std::byte* region = nullptr;
  std::size_t region_bytes = 0;
};

}  // namespace invar::ops
