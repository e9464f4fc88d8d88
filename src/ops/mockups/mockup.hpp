// A mock-up is made from what MPI promises of the operation that it emulates (promises.hpp) and
// what is its own: parts, scratch, calls.
#pragma once

#include <array>

#include "ops/buffers/element.hpp"
#include "ops/mockups/bodies/body.hpp"
#include "ops/mockups/promises.hpp"
#include "ops/operation.hpp"
#include "ops/shapes.hpp"

namespace invar::ops {

// What a call needs beside its buffers. Root: rank 0 where what is emulated has no root.
struct Scratch {
  record::Blocks others = {};
  record::Blocks root = {};
  record::Blocks others_in_place = {};
  record::Blocks root_in_place = {};
};

constexpr Scratch on_all_ranks(record::Blocks blocks) { return {blocks, blocks, blocks, blocks}; }
constexpr Scratch on_the_root(record::Blocks blocks) {
  return {.root = blocks, .root_in_place = blocks};
}
constexpr Scratch in_place_only(record::Blocks blocks) {
  return {.others_in_place = blocks, .root_in_place = blocks};
}

inline constexpr record::Blocks kShare{.shares = 1};
inline constexpr record::Blocks kPadded{.shares_per_rank = 1};
inline constexpr record::Blocks kPaddedAndShare{.shares = 1, .shares_per_rank = 1};

struct Mockup {
  Promise of;
  const char* name;
  const char* summary;
  std::array<Part, kMostParts> parts = {};
  Scratch scratch = {};
  // A block for every rank, as the v-forms have it: with it `blocks_of` is there.
  Arrays arrays = Arrays::kNone;
  record::Blocks counted = kBlock;  // Operation::counted, as is the next one
  bool counts_bytes = false;
  HostNeed hosts = HostNeed::kAny;
  Equipped (*equip)(const Call&) = nullptr;
  int (*call)(Call&);
};

constexpr Operation mockup(const Mockup& own) {
  const Promise& promise = own.of;
  Shape shape = promise.buffers;
  shape.lengths.others.scratch = own.scratch.others;
  shape.lengths.root.scratch = own.scratch.root;
  shape.lengths.others_in_place.scratch = own.scratch.others_in_place;
  shape.lengths.root_in_place.scratch = own.scratch.root_in_place;
  return {.name = own.name,
          .summary = own.summary,
          .sized = promise.sized,
          .rooted = promise.rooted,
          .reduces = promise.reduces,
          .in_place = promise.in_place,
          .emulates = promise.operation,
          .parts = own.parts,
          .arrays = promise.distributes == Distributes::kNothing ? own.arrays : Arrays::kCounts,
          .distributes = promise.distributes,
          .buffers = shape,
          .counted = own.counted,
          .counts_bytes = own.counts_bytes,
          .hosts = own.hosts,
          .equip = own.equip,
          .call = own.call,
          .verify = promise.verify,
          .verify_calls = promise.verify_calls};
}

// What a body is told of a call.
inline body::Group group_of(const Call& c) { return {c.comm, c.rank, c.ranks}; }
inline body::Elements elements_of(const Call& c) {
  return {c.type, c.element->extent_bytes, c.element->has_gaps()};
}
inline body::Shares blocks_of(const Call& c) {
  return {c.received.counts, c.received.displacements};
}
// The root of a bcast sends from `send`, and its other ranks receive into `recv`.
inline void* vector_of_bcast(const Call& c) { return c.rank == c.root ? c.send : c.recv; }

}  // namespace invar::ops
