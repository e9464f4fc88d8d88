// A call as so many calls of the same operation on consecutive parts of its vector, or of each of
// its blocks.
#pragma once

#include <algorithm>

#include "ops/mockups/mockup.hpp"

namespace invar::ops {

// call(offset, count) of each part, whose lengths are equal (rounded up); of a vector that does not
// fill them all the last ones are shorter, or empty. Returns the first error code.
template <int kParts, typename CallPart>
int in_parts(int count, CallPart call) {
  const int length = body::share_of(count, kParts);
  int begin = 0;
  for (int part = 0; part < kParts; ++part) {
    const int own = std::min(length, count - begin);
    const int error = call(static_cast<std::size_t>(begin), own);
    if (error != MPI_SUCCESS) return error;
    begin += own;
  }
  return MPI_SUCCESS;
}

constexpr Operation split(const Promise& promise, const char* name, const char* summary,
                          std::uint32_t parts, int (*call)(Call&),
                          Equipped (*equip)(const Call&) = nullptr) {
  Operation operation =
      mockup({.of = promise, .name = name, .summary = summary, .equip = equip, .call = call});
  operation.splits = parts;
  return operation;
}

// Where a part of what MPI gets as send buffer begins.
inline const void* part_of_input(const void* input, const Call& c, std::size_t offset) {
  return input == MPI_IN_PLACE ? input : body::at(input, elements_of(c), offset);
}
inline void* part_of_recv(const Call& c, std::size_t offset) {
  return body::at(c.recv, elements_of(c), offset);
}

}  // namespace invar::ops
