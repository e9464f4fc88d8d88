// Data with gaps: where they stand in an element, and loops that move them, as a program would
// write them for its own type: the pieces are constants, so that each is a load and a store.
#pragma once

#include <cstddef>
#include <cstring>
#include <utility>

namespace invar::ops {

// A piece of the data of one element.
struct DataPiece {
  std::size_t offset_bytes = 0;
  std::size_t bytes = 0;
};

// All of so many elements; the two places do not overlap, and gaps stay as they are.
struct PieceMoves {
  // Into one piece without gaps, out of one, and from gaps to gaps. Null where there are no gaps.
  void (*pack)(const std::byte* elements, std::size_t count, std::byte* packed) = nullptr;
  void (*unpack)(const std::byte* packed, std::size_t count, std::byte* elements) = nullptr;
  void (*copy)(const std::byte* from, std::size_t count, std::byte* to) = nullptr;
};

// `Pieces`: a constant std::array<DataPiece, N>.
template <const auto& Pieces, std::size_t Extent>
struct PieceLoops {
  static void pack(const std::byte* elements, std::size_t count, std::byte* packed) {
    for (; count > 0; --count, elements += Extent, packed += kBytes) {
      each([&]<std::size_t I>() {
        std::memcpy(packed + before<I>(), elements + Pieces[I].offset_bytes, Pieces[I].bytes);
      });
    }
  }
  static void unpack(const std::byte* packed, std::size_t count, std::byte* elements) {
    for (; count > 0; --count, elements += Extent, packed += kBytes) {
      each([&]<std::size_t I>() {
        std::memcpy(elements + Pieces[I].offset_bytes, packed + before<I>(), Pieces[I].bytes);
      });
    }
  }
  static void copy(const std::byte* from, std::size_t count, std::byte* to) {
    for (; count > 0; --count, from += Extent, to += Extent) {
      each([&]<std::size_t I>() {
        std::memcpy(to + Pieces[I].offset_bytes, from + Pieces[I].offset_bytes, Pieces[I].bytes);
      });
    }
  }

 private:
  // Bytes of data in front of a piece.
  template <std::size_t Number>
  static constexpr std::size_t before() {
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < Number; ++i) bytes += Pieces[i].bytes;
    return bytes;
  }
  static constexpr std::size_t kBytes = before<Pieces.size()>();

  template <typename Move>
  static void each(Move move) {
    [&]<std::size_t... I>(std::index_sequence<I...>) { (move.template operator()<I>(), ...); }
    (std::make_index_sequence<Pieces.size()>());
  }
};

template <const auto& Pieces, std::size_t Extent>
constexpr PieceMoves kPieceMoves{.pack = PieceLoops<Pieces, Extent>::pack,
                                 .unpack = PieceLoops<Pieces, Extent>::unpack,
                                 .copy = PieceLoops<Pieces, Extent>::copy};

}  // namespace invar::ops
