#include "ops/buffers/element.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>

#include "ops/buffers/affine.hpp"
#include "ops/buffers/pattern.hpp"
#include "ops/buffers/scattered.hpp"

namespace invar::ops {
namespace {

// Bytes: 1 to 241.
constexpr std::uint64_t kBytePrime = 241;

using ByteWalk = Walk<kBytePrime, 41, 17>;

// Two periods of the walk: any period is a part of it, because each takes every value once.
constexpr auto kBytes = [] {
  std::array<std::byte, 2 * kBytePrime> bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<std::byte>(1 + ByteWalk(0, i % kBytePrime).value());
  }
  return bytes;
}();
// Where a value stands in it first.
constexpr auto kByteAt = [] {
  std::array<std::size_t, kBytePrime> at{};
  for (std::size_t i = 0; i < kBytePrime; ++i) at[ByteWalk(0, i).value()] = i;
  return at;
}();

std::uint64_t byte_offset(int rank) {
  const auto number = static_cast<std::uint64_t>(rank);
  return (number * 97 + number / kBytePrime * 59) % kBytePrime;
}

// Every visit fills its buffers with it: copied, it costs no more than that.
void byte_pattern(std::span<std::byte> to, int rank, std::uint64_t first) {
  const std::uint64_t offset = byte_offset(rank);
  while (!to.empty()) {
    const std::size_t bytes = std::min<std::size_t>(to.size(), kBytePrime - first % kBytePrime);
    std::memcpy(to.data(), &kBytes[kByteAt[ByteWalk(offset, first).value()]], bytes);
    to = to.subspan(bytes);
    first += bytes;
  }
}

// Bits: one of seven is set in every element, so that no result has all eight, which is poison. Of
// up to eight ranks every one's contribution shows in some of a few elements; more ranks set nearly
// all bits, and sums of numbers show what these cannot.
constexpr std::uint64_t kBits = 7;

std::byte one_bit(std::uint64_t value) { return std::byte{1} << (value % kBits); }

void bits_pattern(std::span<std::byte> to, int rank, std::uint64_t first) {
  ByteWalk walk(byte_offset(rank), first);
  for (std::byte& element : to) {
    element = one_bit(walk.value());
    walk.advance();
  }
}

// A rank's element depends on the sum, modulo the prime, of its offset and the element's value.
void any_bits(std::span<std::byte> to, int first_rank, int last_rank, std::uint64_t first) {
  std::array<bool, kBytePrime> has{};
  for (int rank = first_rank; rank <= last_rank; ++rank) has[byte_offset(rank)] = true;
  std::array<std::byte, kBytePrime> of_value{};
  for (std::uint64_t value = 0; value < kBytePrime; ++value) {
    for (std::uint64_t offset = 0; offset < kBytePrime; ++offset) {
      if (has[offset]) of_value[value] |= one_bit((offset + value) % kBytePrime);
    }
  }
  ByteWalk walk(0, first);
  for (std::byte& element : to) {
    element = of_value[walk.value()];
    walk.advance();
  }
}

std::string byte_text(const std::byte* element) {
  return std::to_string(std::to_integer<unsigned>(*element));
}

template <std::size_t Bytes>
constexpr std::array<DataPiece, 1> kInOnePiece{{{.offset_bytes = 0, .bytes = Bytes}}};

constexpr std::size_t kVectorExtent = 32;
constexpr std::array<DataPiece, 2> kVectorPieces{
    {{.offset_bytes = 0, .bytes = 8}, {.offset_bytes = 24, .bytes = 8}}};

using Pattern = void (*)(std::span<std::byte> to, int rank, std::uint64_t first);
using Text = std::string (*)(const std::byte* element);

template <typename Number>
constexpr ElementType number_type(std::string_view name, MPI_Datatype (*handle)(), Pattern pattern,
                                  Text text) {
  return {.name = name,
          .size_bytes = sizeof(Number),
          .extent_bytes = sizeof(Number),
          .pieces = kInOnePiece<sizeof(Number)>,
          .handle = handle,
          .pattern = pattern,
          .text = text,
          .floating = std::is_floating_point_v<Number>};
}

// MPI's handles are no constants in every library, hence the functions.
constexpr std::array<ElementType, 9> kElementTypes{{
    number_type<std::byte>(
        "byte", [] { return MPI_BYTE; }, byte_pattern, byte_text),
    number_type<std::int32_t>(
        "int32", [] { return MPI_INT32_T; }, Int32::pattern, Int32::text),
    number_type<std::int64_t>(
        "int64", [] { return MPI_INT64_T; }, Int64::pattern, Int64::text),
    number_type<float>(
        "float", [] { return MPI_FLOAT; }, Float::pattern, Float::text),
    number_type<double>(
        "double", [] { return MPI_DOUBLE; }, Double::pattern, Double::text),
    {.name = "contiguous",
     .size_bytes = 16,
     .extent_bytes = 16,
     .pieces = kInOnePiece<16>,
     .handle = contiguous_type,
     .pattern = affine_pattern<8>,
     .text = affine_text<8>},
    {.name = "vector",
     .size_bytes = 16,
     .extent_bytes = kVectorExtent,
     .pieces = kVectorPieces,
     .handle = vector_type,
     .pattern = affine_pattern<24>,
     .text = affine_text<24>,
     .moves = kPieceMoves<kVectorPieces, kVectorExtent>},
    {.name = "indexed",
     .size_bytes = kScatteredBytes,
     .extent_bytes = kIndexedExtent,
     .pieces = kIndexedPieces,
     .handle = indexed_type,
     .pattern = scattered_pattern<kIndexedPieces, kIndexedExtent>,
     .text = scattered_text<kIndexedPieces>,
     .moves = kPieceMoves<kIndexedPieces, kIndexedExtent>},
    {.name = "struct",
     .size_bytes = kScatteredBytes,
     .extent_bytes = kStructExtent,
     .pieces = kStructPieces,
     .handle = struct_type,
     .pattern = scattered_pattern<kStructPieces, kStructExtent>,
     .text = scattered_text<kStructPieces>,
     .moves = kPieceMoves<kStructPieces, kStructExtent>},
}};

template <typename Numbers>
constexpr std::array<Reduction, 3> number_reductions(std::string_view datatype) {
  return {{
      {"sum", datatype, [] { return MPI_SUM; }, Numbers::sum},
      {"max", datatype, [] { return MPI_MAX; }, Numbers::max},
      {"min", datatype, [] { return MPI_MIN; }, Numbers::min},
  }};
}

constexpr auto kReductions = [] {
  std::array<Reduction, 15> rows{};
  std::size_t next = 0;
  for (const auto& of_type :
       {number_reductions<Int32>("int32"), number_reductions<Int64>("int64"),
        number_reductions<Float>("float"), number_reductions<Double>("double")}) {
    for (const Reduction& row : of_type) rows[next++] = row;
  }
  rows[next++] = {.name = "bor",
                  .datatype = "byte",
                  .handle = [] { return MPI_BOR; },
                  .pattern = any_bits,
                  .input = bits_pattern};
  // Predefined operators are not defined on derived datatypes.
  rows[next++] = {.name = "user",
                  .datatype = "contiguous",
                  .handle = contiguous_operator,
                  .pattern = affine_composition<8>,
                  .large_handle = contiguous_large_operator,
                  .commutes = false};
  rows[next++] = {.name = "user",
                  .datatype = "vector",
                  .handle = vector_operator,
                  .pattern = affine_composition<24>,
                  .large_handle = vector_large_operator,
                  .commutes = false};
  return rows;
}();

template <typename Row, typename Predicate>
const Row* find_row(std::span<const Row> rows, Predicate predicate) {
  const auto found = std::find_if(rows.begin(), rows.end(), predicate);
  return found == rows.end() ? nullptr : &*found;
}

}  // namespace

std::span<const ElementType> element_types() { return kElementTypes; }
std::span<const Reduction> reductions() { return kReductions; }

std::uint64_t pattern_start_of(std::uint32_t visit) {
  constexpr std::uint64_t kPeriods = kBytePrime * IntTerms::kPrime * SmallTerms::kPrime;
  // No other factor up to 500 keeps equal numbers of ranks up to 7 apart for longer.
  constexpr std::uint64_t kStep = 111;
  // What the patterns count fits 64 bits so: up to two numbers an element.
  constexpr std::uint64_t kVisits = std::uint64_t{1} << 28U;
  static_assert(kPeriods * kStep < (std::uint64_t{1} << 62U) / kVisits * 2);
  return (visit % kVisits + 1) * kStep * kPeriods;
}

std::string_view usual_datatype(bool reduces) { return reduces ? "int32" : "byte"; }

const Reduction* usual_reduction(std::string_view datatype) {
  return find_row(reductions(),
                  [&](const Reduction& reduction) { return reduction.datatype == datatype; });
}

bool can_have(const Operation& operation, const ElementType& type) {
  if (operation.walks > 0) return !type.has_gaps();
  if (!operation.reduces) return true;
  return usual_reduction(type.name) != nullptr;
}

const ElementType* find_element_type(std::string_view name) {
  return find_row(element_types(), [&](const ElementType& type) { return type.name == name; });
}

const Reduction* find_reduction(std::string_view name, std::string_view datatype) {
  return find_row(reductions(), [&](const Reduction& reduction) {
    return reduction.name == name && reduction.datatype == datatype;
  });
}

}  // namespace invar::ops
