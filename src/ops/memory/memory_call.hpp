// A call of a memory operation: which kernel, what it is told, and what checks must know.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "ops/memory/kernels/chains.hpp"
#include "ops/memory/kernels/kernels.hpp"
#include "ops/operation.hpp"
#include "record/cell.hpp"
#include "record/memory/levels.hpp"

namespace invar::ops {

// Lives with the call's setup.
struct MemoryCall {
  KernelFunction kernel = nullptr;
  KernelOrder order = {};
  WalkKernel walk = WalkKernel::kRead;  // of what walks
  WalkOrder walk_order = WalkOrder::kPacked;
  std::uint32_t width_bytes = 0;  // of one load or store; of chase those of an address
  std::uint64_t elements = 0;     // of a pass, over all pages and chains
  record::Loops loops = {};
  std::uint64_t passes = 1;  // of a call; "auto" has 1 until somebody decides
  ChainOrder chains = {};
  // As they were before the last call.
  std::uint32_t draws_before = 0;
  ChainHeads heads_before = {};
  // Where chains were made since buffers were placed (null: nowhere), a line of them and what stood
  // in it: filling a buffer overwrites them.
  const std::byte* chains_at = nullptr;
  const std::byte* a_line = nullptr;
  const std::byte* a_next = nullptr;
  base::Random random{0};
};

// What the cell asks for, and in `errors` why it cannot be had here. `call` has its size.
MemoryCall memory_call_of(const Operation& operation, const record::Cell& cell, const Call& call,
                          std::vector<std::string>& errors);

// The calls of operations that walk, and of chase.
int walk_memory(Call& c);
int chase_memory(Call& c);

// Chains are in the buffer as it lies now: made anew where it was filled or lies elsewhere. Before
// every call that nobody times, and before a visit. Returns MPI_SUCCESS.
int ensure_chains(Call& c);

}  // namespace invar::ops
