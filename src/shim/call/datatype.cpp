#include "shim/call/datatype.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace invar::shim {
namespace {

// What MPI's operators tell apart (MPI 4.0, 6.9.2 and 6.9.4); bits.
constexpr unsigned kInteger = 1;
constexpr unsigned kFloating = 2;
constexpr unsigned kComplex = 4;
constexpr unsigned kLogical = 8;
constexpr unsigned kBytes = 16;
constexpr unsigned kAddress = 32;
constexpr unsigned kPair = 64;  // a value and an index

struct KnownType {
  MPI_Datatype handle;
  unsigned kind;
  // What the library says of it, asked once: MPI's own types stay what they are.
  std::optional<Datatype> description = {};
};

std::optional<Datatype> ask_library(MPI_Datatype type) {
  Datatype found{.handle = type};
  int size_bytes = 0;
  if (MPI_Type_size(type, &size_bytes) != MPI_SUCCESS || size_bytes < 0) return std::nullopt;
  found.size_bytes = static_cast<std::size_t>(size_bytes);
  int integers = 0;
  int addresses = 0;
  int types = 0;
  int combiner = MPI_UNDEFINED;
  if (MPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner) != MPI_SUCCESS) {
    return std::nullopt;
  }
  MPI_Aint lower = 0;
  MPI_Aint extent = 0;
  if (MPI_Type_get_extent(type, &lower, &extent) != MPI_SUCCESS) return std::nullopt;
  found.extent_bytes = extent;
  found.named = combiner == MPI_COMBINER_NAMED;
  found.dense = found.named && lower == 0 && extent == size_bytes;
  found.plain = found.dense;
  if (!found.plain) {
    MPI_Aint true_lower = 0;
    MPI_Aint true_extent = 0;
    found.plain = MPI_Type_get_true_extent(type, &true_lower, &true_extent) == MPI_SUCCESS &&
                  lower == 0 && true_lower == 0 && true_extent >= size_bytes &&
                  true_extent == extent;
  }
  return found;
}

template <std::size_t kCount>
std::array<KnownType, kCount> described(std::array<KnownType, kCount> types) {
  for (KnownType& type : types) {
    if (type.handle != MPI_DATATYPE_NULL) type.description = ask_library(type.handle);
  }
  return types;
}

// Handles are no constants in every library, hence the function. Fortran's are here because
// programs in C have arrays of Fortran's; a library without Fortran has MPI_DATATYPE_NULL for them.
const auto& known_types() {
  static const std::array known = described(std::array{
      KnownType{MPI_INT, kInteger},
      KnownType{MPI_DOUBLE, kFloating},
      KnownType{MPI_FLOAT, kFloating},
      KnownType{MPI_LONG, kInteger},
      KnownType{MPI_UNSIGNED, kInteger},
      KnownType{MPI_UNSIGNED_LONG, kInteger},
      KnownType{MPI_LONG_LONG, kInteger},
      KnownType{MPI_UNSIGNED_LONG_LONG, kInteger},
      KnownType{MPI_INT64_T, kInteger},
      KnownType{MPI_UINT64_T, kInteger},
      KnownType{MPI_INT32_T, kInteger},
      KnownType{MPI_UINT32_T, kInteger},
      KnownType{MPI_INT16_T, kInteger},
      KnownType{MPI_UINT16_T, kInteger},
      KnownType{MPI_INT8_T, kInteger},
      KnownType{MPI_UINT8_T, kInteger},
      KnownType{MPI_SHORT, kInteger},
      KnownType{MPI_UNSIGNED_SHORT, kInteger},
      KnownType{MPI_SIGNED_CHAR, kInteger},
      KnownType{MPI_UNSIGNED_CHAR, kInteger},
      KnownType{MPI_LONG_DOUBLE, kFloating},
      KnownType{MPI_BYTE, kBytes},
      KnownType{MPI_C_BOOL, kLogical},
      KnownType{MPI_C_FLOAT_COMPLEX, kComplex},
      KnownType{MPI_C_DOUBLE_COMPLEX, kComplex},
      KnownType{MPI_C_LONG_DOUBLE_COMPLEX, kComplex},
      KnownType{MPI_AINT, kAddress},
      KnownType{MPI_OFFSET, kAddress},
      KnownType{MPI_COUNT, kAddress},
      KnownType{MPI_DOUBLE_INT, kPair},
      KnownType{MPI_2INT, kPair},
      KnownType{MPI_FLOAT_INT, kPair},
      KnownType{MPI_LONG_INT, kPair},
      KnownType{MPI_SHORT_INT, kPair},
      KnownType{MPI_LONG_DOUBLE_INT, kPair},
      KnownType{MPI_INTEGER, kInteger},
      KnownType{MPI_REAL, kFloating},
      KnownType{MPI_DOUBLE_PRECISION, kFloating},
      KnownType{MPI_COMPLEX, kComplex},
      KnownType{MPI_DOUBLE_COMPLEX, kComplex},
      KnownType{MPI_LOGICAL, kLogical},
  });
  return known;
}

// Null: none of MPI's own, or one that is seldom met.
const KnownType* find_known(MPI_Datatype type) {
  const auto found = std::ranges::find(known_types(), type, &KnownType::handle);
  return found == known_types().end() ? nullptr : &*found;
}

struct KnownOperator {
  MPI_Op handle;
  unsigned kinds;  // of types
};

const auto& known_operators() {
  constexpr unsigned kOrdered = kInteger | kFloating | kAddress;
  constexpr unsigned kNumbers = kOrdered | kComplex;
  constexpr unsigned kTruth = kInteger | kLogical;
  constexpr unsigned kBits = kInteger | kBytes | kAddress;
  static const std::array known{
      KnownOperator{MPI_SUM, kNumbers}, KnownOperator{MPI_MAX, kOrdered},
      KnownOperator{MPI_MIN, kOrdered}, KnownOperator{MPI_PROD, kNumbers},
      KnownOperator{MPI_LAND, kTruth},  KnownOperator{MPI_LOR, kTruth},
      KnownOperator{MPI_LXOR, kTruth},  KnownOperator{MPI_BAND, kBits},
      KnownOperator{MPI_BOR, kBits},    KnownOperator{MPI_BXOR, kBits},
      KnownOperator{MPI_MAXLOC, kPair}, KnownOperator{MPI_MINLOC, kPair},
      KnownOperator{MPI_REPLACE, 0},    KnownOperator{MPI_NO_OP, 0},
  };
  return known;
}

}  // namespace

std::optional<Datatype> describe(MPI_Datatype type) {
  const KnownType* const known = find_known(type);
  return known != nullptr && known->description ? known->description : ask_library(type);
}

Operator describe(MPI_Op op, const Datatype& type) {
  const auto known = std::ranges::find(known_operators(), op, &KnownOperator::handle);
  if (known != known_operators().end()) {
    if (!type.named) return {};
    const KnownType* const of_type = find_known(type.handle);
    const bool defined = of_type != nullptr && (of_type->kind & known->kinds) != 0;
    return {.kind = defined ? OperatorKind::kMpi : OperatorKind::kUnknown};
  }
  int commutes = 0;
  if (MPI_Op_commutative(op, &commutes) != MPI_SUCCESS) return {};
  return {.kind = OperatorKind::kOfProgram, .commutes = commutes != 0};
}

}  // namespace invar::shim
