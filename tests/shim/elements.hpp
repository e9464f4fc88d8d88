// Elements of calls: numbers that are added, and maps x -> a x + b, whose composition does not
// commute, with gaps between their parts and without.
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace invar::shim::test {

// What stands in gaps, and where nobody has written.
constexpr std::byte kUntouched{0x5a};

struct ElementKind {
  std::string_view name;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Op op = MPI_OP_NULL;
  bool commutes = true;
  std::size_t extent_bytes = 0;
  std::size_t second_bytes = 0;  // where the second number of an element begins; 0: it has one
};

using Bytes = std::vector<std::byte>;

inline void put(Bytes& to, std::size_t at, std::int64_t number) {
  std::memcpy(&to[at], &number, sizeof number);
}

// The map of `in`, then that of `in_out`. Numbers wrap around.
template <std::size_t Extent, std::size_t Second>
void compose(void* in, void* in_out, int* count, MPI_Datatype* /*type*/) {
  for (int i = 0; i < *count; ++i) {
    std::array<std::uint64_t, 2> f{};
    std::array<std::uint64_t, 2> g{};
    auto* const first = static_cast<std::byte*>(in) + static_cast<std::size_t>(i) * Extent;
    auto* const second = static_cast<std::byte*>(in_out) + static_cast<std::size_t>(i) * Extent;
    std::memcpy(&f[0], first, 8);
    std::memcpy(&f[1], first + Second, 8);
    std::memcpy(&g[0], second, 8);
    std::memcpy(&g[1], second + Second, 8);
    const std::array<std::uint64_t, 2> both{f[0] * g[0], f[0] * g[1] + f[1]};
    std::memcpy(second, &both[0], 8);
    std::memcpy(second + Second, &both[1], 8);
  }
}

// Made after MPI_Init, never freed.
inline const std::vector<ElementKind>& element_kinds() {
  static const std::vector<ElementKind> kinds = [] {
    std::vector<ElementKind> made;
    made.push_back({.name = "numbers", .type = MPI_INT64_T, .op = MPI_SUM, .extent_bytes = 8});
    ElementKind maps{.name = "maps", .commutes = false, .extent_bytes = 16, .second_bytes = 8};
    MPI_Type_contiguous(2, MPI_INT64_T, &maps.type);
    MPI_Type_commit(&maps.type);
    MPI_Op_create(compose<16, 8>, 0, &maps.op);
    made.push_back(maps);
    ElementKind gaps{
        .name = "maps with gaps", .commutes = false, .extent_bytes = 32, .second_bytes = 16};
    MPI_Datatype pair = MPI_DATATYPE_NULL;
    MPI_Type_vector(2, 1, 2, MPI_INT64_T, &pair);
    MPI_Type_create_resized(pair, 0, 32, &gaps.type);
    MPI_Type_commit(&gaps.type);
    MPI_Type_free(&pair);
    MPI_Op_create(compose<32, 16>, 0, &gaps.op);
    made.push_back(gaps);
    return made;
  }();
  return kinds;
}

// Elements of a rank: others on every rank and at every place. Factors are odd and no powers of one
// another, so that an operand at a wrong place shows.
inline Bytes elements_of(const ElementKind& kind, int rank, std::size_t elements) {
  Bytes bytes(elements * kind.extent_bytes, kUntouched);
  for (std::size_t i = 0; i < elements; ++i) {
    const auto number = static_cast<std::int64_t>(1000 * (rank + 1)) + static_cast<std::int64_t>(i);
    put(bytes, i * kind.extent_bytes, kind.second_bytes == 0 ? number : 2 * number + 1);
    if (kind.second_bytes > 0) put(bytes, i * kind.extent_bytes + kind.second_bytes, -7 * number);
  }
  return bytes;
}

inline Bytes untouched(const ElementKind& kind, std::size_t elements) {
  return Bytes(elements * kind.extent_bytes, kUntouched);
}

}  // namespace invar::shim::test
