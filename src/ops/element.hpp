// What filling and verifying know of a datatype and of a reduction on it. A new datatype or
// operator is one row in element.cpp.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace invar::ops {

// Bytes that no pattern and no result of a reduction consists of: what nobody wrote is recognised.
constexpr std::byte kPoison{0xff};
// Bytes 242..254 are in no pattern of bytes either; guard zones are made of them.
constexpr unsigned kFirstGuard = 242;
constexpr unsigned kGuards = 13;

struct ElementType {
  std::string_view name;  // as in record::Cell::datatype
  std::size_t size_bytes;
  MPI_Datatype (*handle)();
  // Writes elements first, first + 1, ... of the rank's pattern until `to` is full. The pattern
  // depends on rank and element, so that blocks of the wrong rank or place are recognised, and has
  // no zero and no poison.
  void (*pattern)(std::span<std::byte> to, int rank, std::uint64_t first);
  std::string (*text)(const std::byte* element);
};

struct Reduction {
  std::string_view name;      // as in record::Cell::reduction
  std::string_view datatype;  // ElementType::name; one row for each pair that is known
  MPI_Op (*handle)();
  // Writes what the elements first, first + 1, ... of the patterns of ranks first_rank..last_rank
  // give together, exact for up to 100,000 ranks.
  void (*pattern)(std::span<std::byte> to, int first_rank, int last_rank, std::uint64_t first);
};

std::span<const ElementType> element_types();
std::span<const Reduction> reductions();

// Null if there is none.
const ElementType* find_element_type(std::string_view name);
const ElementType* find_element_type(MPI_Datatype handle);
const Reduction* find_reduction(std::string_view name, std::string_view datatype);
const Reduction* find_reduction(MPI_Op handle, std::string_view datatype);

}  // namespace invar::ops
