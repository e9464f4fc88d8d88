// What is to be known of the datatypes and operators of a program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "shim/library/library.hpp"

namespace invar::shim {

struct Datatype {
  MPI_Datatype handle = MPI_DATATYPE_NULL;
  std::size_t size_bytes = 0;       // of the data of an element
  std::ptrdiff_t extent_bytes = 0;  // from one element to the next
  bool named = false;               // one of MPI's own
  // Elements lie one behind the other, without gaps and in their order: as they are packed.
  bool dense = false;
  // Data are nowhere in front of an element's begin or behind its end: copying whole elements, or
  // elements with MPI calls one behind the other, does no harm.
  bool plain = false;
};

// Nothing: the library knows no such type, or its size fits no int.
std::optional<Datatype> describe(MPI_Datatype type);

enum class OperatorKind : std::uint8_t {
  kUnknown,  // MPI's, but not for this datatype, or neither is known here
  kMpi,
  kOfProgram,
};

struct Operator {
  OperatorKind kind = OperatorKind::kUnknown;
  bool commutes = true;
};

// MPI's operators are defined on certain types. Given another one they raise an error, on some
// ranks in the middle of a mock-up: such calls are the library's.
Operator describe(MPI_Op op, const Datatype& type);

}  // namespace invar::shim
