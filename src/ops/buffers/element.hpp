// What filling and verifying know of a datatype and of a reduction on it. A new datatype or
// operator is one row in element.cpp.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "ops/buffers/pieces.hpp"
#include "ops/operation.hpp"

namespace invar::ops {

// Bytes that no pattern and no result of a reduction consists of: what nobody wrote is recognised.
constexpr std::byte kPoison{0xff};
// Bytes 242..254 are in no pattern of bytes either; guard zones are made of them.
constexpr unsigned kFirstGuard = 242;
constexpr unsigned kGuards = 13;

struct ElementType {
  std::string_view name;     // as in record::Cell::datatype
  std::size_t size_bytes;    // of the data of one element
  std::size_t extent_bytes;  // from one element to the next
  // Where the data stand in an element, ascending; between them are gaps. None: unknown.
  std::span<const DataPiece> pieces;
  // A basic datatype's handle is a constant. A derived one is made and committed at the first call,
  // after MPI_Init, and stays until MPI_Finalize.
  MPI_Datatype (*handle)();
  // Writes elements first, first + 1, ... of the rank's pattern until `to` is full; leaves gaps as
  // they are. The pattern depends on rank and element, so that blocks of the wrong rank or place
  // are recognised, and has no zero and no poison.
  void (*pattern)(std::span<std::byte> to, int rank, std::uint64_t first);
  std::string (*text)(const std::byte* element);
  bool floating = false;  // some bytes would be denormal numbers, which are slow to add
  PieceMoves moves = {};  // of elements with gaps

  [[nodiscard]] bool has_gaps() const { return size_bytes != extent_bytes; }
  [[nodiscard]] bool in_gap(std::size_t byte) const {
    const std::size_t at = byte % extent_bytes;
    for (const DataPiece& piece : pieces) {
      if (at >= piece.offset_bytes && at < piece.offset_bytes + piece.bytes) return false;
    }
    return true;
  }
};

struct Reduction {
  std::string_view name;      // as in record::Cell::reduction
  std::string_view datatype;  // ElementType::name; one row for each pair that is known
  MPI_Op (*handle)();         // as ElementType::handle
  // Writes what the elements first, first + 1, ... of the patterns of ranks first_rank..last_rank
  // give together, in the order of the ranks; leaves gaps as they are. Exact for up to 100,000
  // ranks, in whatever order a library adds.
  void (*pattern)(std::span<std::byte> to, int first_rank, int last_rank, std::uint64_t first);
  // For calls with large counts: users' functions get counts as the calls have them. Null: the
  // same.
  MPI_Op (*large_handle)() = nullptr;
  // As ElementType::pattern: what the ranks contribute, where results of the datatype's own pattern
  // would look like poison. Null: that one.
  void (*input)(std::span<std::byte> to, int rank, std::uint64_t first) = nullptr;
  bool commutes = true;
};

std::span<const ElementType> element_types();
std::span<const Reduction> reductions();

// The element that the patterns of a visit begin with: whole periods of each of them, so that in
// visits in a row every element differs, and a neighbouring rank's of a recent visit does, too.
std::uint64_t pattern_start_of(std::uint32_t visit);

// The datatype that an operation has if nobody chooses one; the reduction on it that it has then.
std::string_view usual_datatype(bool reduces);
const Reduction* usual_reduction(std::string_view datatype);

// Whether an operation of this library can be verified with the datatype.
bool can_have(const Operation& operation, const ElementType& type);

// Null if there is none.
const ElementType* find_element_type(std::string_view name);
const Reduction* find_reduction(std::string_view name, std::string_view datatype);

}  // namespace invar::ops
