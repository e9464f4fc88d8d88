// Derived datatypes whose gaps are irregular: some numbers of an array (MPI_Type_indexed), the
// members of a structure (MPI_Type_create_struct). For messages: nothing reduces them.
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>

#include "ops/buffers/pattern.hpp"
#include "ops/buffers/pieces.hpp"

namespace invar::ops {

// Two numbers of 64 bits, cut into the pieces.
constexpr std::size_t kScatteredBytes = 16;

// int32[8], of which an element has those of number 0, 3, 4 and 7.
constexpr std::size_t kIndexedExtent = 32;
inline constexpr std::array<DataPiece, 3> kIndexedPieces{{{.offset_bytes = 0, .bytes = 4},
                                                          {.offset_bytes = 12, .bytes = 8},
                                                          {.offset_bytes = 28, .bytes = 4}}};
// struct { int32 number; int64 value; int32 further; }, with the gaps that a compiler leaves.
constexpr std::size_t kStructExtent = 24;
inline constexpr std::array<DataPiece, 3> kStructPieces{{{.offset_bytes = 0, .bytes = 4},
                                                         {.offset_bytes = 8, .bytes = 8},
                                                         {.offset_bytes = 16, .bytes = 4}}};

// Made at the first call, kept until MPI_Finalize.
MPI_Datatype indexed_type();
MPI_Datatype struct_type();

// As ElementType::pattern and text.
template <const auto& Pieces, std::size_t Extent>
void scattered_pattern(std::span<std::byte> to, int rank, std::uint64_t first) {
  constexpr std::size_t kNumbers = kScatteredBytes / sizeof(std::uint64_t);
  constexpr std::uint64_t kBothHalves = (std::uint64_t{1} << 32U) + 1;
  const std::uint64_t of_rank = IntTerms::of_rank(static_cast<std::uint64_t>(rank));
  IntTerms::Elements term(0, first * kNumbers);
  for (std::size_t at = 0; at + Extent <= to.size(); at += Extent) {
    std::array<std::uint64_t, kNumbers> numbers{};
    for (std::uint64_t& number : numbers) {
      number = kBothHalves * (of_rank + term.value());
      term.advance();
    }
    std::array<std::byte, kScatteredBytes> data{};
    std::memcpy(data.data(), numbers.data(), data.size());
    PieceLoops<Pieces, Extent>::unpack(data.data(), 1, &to[at]);
  }
}

// The numbers, which both halves of 64 bits are.
template <const auto& Pieces>
std::string scattered_text(const std::byte* element) {
  std::array<std::byte, kScatteredBytes> data{};
  PieceLoops<Pieces, 0>::pack(element, 1, data.data());
  std::string text;
  for (std::size_t at = 0; at < data.size(); at += sizeof(std::uint32_t)) {
    std::uint32_t number = 0;
    std::memcpy(&number, &data[at], sizeof number);
    text += (text.empty() ? "(" : ", ") + std::to_string(number);
  }
  return text + ")";
}

}  // namespace invar::ops
