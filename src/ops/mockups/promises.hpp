// What MPI promises of the operations that mock-ups emulate. The operations themselves say the same
// (ops/collectives; tests/ops/mockup_selftest.cpp compares).
#pragma once

#include "ops/operation.hpp"
#include "ops/shapes.hpp"
#include "ops/waiting.hpp"

namespace invar::ops {

struct Promise {
  const char* operation;
  bool sized = true;
  bool rooted = false;
  bool reduces = false;
  bool in_place = true;
  Distributes distributes = Distributes::kNothing;
  Shape buffers = {};
  void (*verify)(const Call&, Checker&);
  bool verify_calls = false;
};

inline constexpr Promise kPromisedAllgather{
    .operation = "allgather", .buffers = kBlockToAll, .verify = block_of_every_rank};
inline constexpr Promise kPromisedAllreduce{.operation = "allreduce",
                                            .reduces = true,
                                            .buffers = kBlockToBlock,
                                            .verify = reduced_over_all};
inline constexpr Promise kPromisedAlltoall{
    .operation = "alltoall", .buffers = kAllToAll, .verify = my_block_of_every_rank};
inline constexpr Promise kPromisedBcast{.operation = "bcast",
                                        .rooted = true,
                                        .in_place = false,
                                        .buffers = kBlockToBlock,
                                        .verify = root_to_others};
inline constexpr Promise kPromisedExscan{
    .operation = "exscan", .reduces = true, .buffers = kBlockToBlock, .verify = reduced_below};
inline constexpr Promise kPromisedGather{.operation = "gather",
                                         .rooted = true,
                                         .buffers = kBlockToRootAll,
                                         .verify = on_root<block_of_every_rank>};
inline constexpr Promise kPromisedReduce{.operation = "reduce",
                                         .rooted = true,
                                         .reduces = true,
                                         .buffers = kBlockToRootBlock,
                                         .verify = on_root<reduced_over_all>};
inline constexpr Promise kPromisedReduceScatter{.operation = "reduce_scatter",
                                                .reduces = true,
                                                .distributes = Distributes::kRanks,
                                                .buffers = kAllToBlock,
                                                .verify = my_block_reduced};
inline constexpr Promise kPromisedReduceScatterBlock{.operation = "reduce_scatter_block",
                                                     .reduces = true,
                                                     .buffers = kAllToBlock,
                                                     .verify = my_block_reduced};
inline constexpr Promise kPromisedScan{
    .operation = "scan", .reduces = true, .buffers = kBlockToBlock, .verify = reduced_up_to};
inline constexpr Promise kPromisedScatter{
    .operation = "scatter", .rooted = true, .buffers = kRootAllToBlock, .verify = my_block_of_root};

// Verified by calls of its own: whoever shares a clock with a rank that comes late has not left
// before it came.
template <int (*barrier)(Call&)>
constexpr Promise promised_barrier() {
  return {.operation = "barrier",
          .sized = false,
          .in_place = false,
          .buffers = kNoBuffers,
          .verify = nobody_leaves_early<barrier>,
          .verify_calls = true};
}

}  // namespace invar::ops
