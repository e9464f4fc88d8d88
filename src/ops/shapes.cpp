#include "ops/shapes.hpp"

namespace invar::ops {
namespace {

std::size_t element_bytes(const Call& call) {
  const ElementType* const type = find_element_type(call.type);
  return type == nullptr ? 0 : type->size_bytes;
}

std::size_t block_bytes(const Call& call) {
  return block_elements(call, call.rank) * element_bytes(call);
}

std::size_t all_bytes(const Call& call) { return all_elements(call) * element_bytes(call); }

}  // namespace

std::uint64_t block_elements(const Call& call, int rank) {
  return static_cast<std::uint64_t>(call.counts == nullptr ? call.count : call.counts[rank]);
}

std::uint64_t block_begin(const Call& call, int rank) {
  if (call.displacements != nullptr) return static_cast<std::uint64_t>(call.displacements[rank]);
  return static_cast<std::uint64_t>(rank) * static_cast<std::uint64_t>(call.count);
}

std::uint64_t all_elements(const Call& call) {
  return block_begin(call, call.ranks - 1) + block_elements(call, call.ranks - 1);
}

BufferNeed no_buffers(const Call& /*call*/) { return {}; }

BufferNeed block_to_block(const Call& call) { return {block_bytes(call), block_bytes(call)}; }

BufferNeed block_to_all(const Call& call) { return {block_bytes(call), all_bytes(call)}; }

BufferNeed all_to_block(const Call& call) { return {all_bytes(call), block_bytes(call)}; }

BufferNeed all_to_all(const Call& call) { return {all_bytes(call), all_bytes(call)}; }

BufferNeed block_to_root_all(const Call& call) {
  return call.rank == call.root ? block_to_all(call) : block_to_block(call);
}

BufferNeed root_all_to_block(const Call& call) {
  return call.rank == call.root ? all_to_block(call) : block_to_block(call);
}

void nothing_received(const Call& /*call*/, Checker& /*checker*/) {}

void block_of_every_rank(const Call& call, Checker& checker) {
  for (int source = 0; source < call.ranks; ++source) {
    checker.expect_block(block_begin(call, source), source, 0, block_elements(call, source));
  }
}

void my_block_of_every_rank(const Call& call, Checker& checker) {
  for (int source = 0; source < call.ranks; ++source) {
    checker.expect_block(block_begin(call, source), source, block_begin(call, call.rank),
                         block_elements(call, source));
  }
}

void my_block_of_root(const Call& call, Checker& checker) {
  checker.expect_block(0, call.root, block_begin(call, call.rank), block_elements(call, call.rank));
}

void reduced_over_all(const Call& call, Checker& checker) {
  checker.expect_reduction(0, 0, call.ranks - 1, 0, block_elements(call, call.rank));
}

void my_block_reduced(const Call& call, Checker& checker) {
  checker.expect_reduction(0, 0, call.ranks - 1, block_begin(call, call.rank),
                           block_elements(call, call.rank));
}

}  // namespace invar::ops
