#include "ops/element.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

namespace invar::ops {
namespace {

// Patterns are linear in rank and element modulo a prime: neighbours, transposed blocks and shifted
// blocks all differ, and walking along the elements costs an addition. Every whole period of
// elements starts elsewhere, so that a shift by a period is found too.
template <std::uint64_t Prime, std::uint64_t Step, std::uint64_t PeriodStep>
class Walk {
  static_assert(Step + PeriodStep < Prime);

 public:
  Walk(std::uint64_t offset, std::uint64_t element)
      : element_(element % Prime),
        value_((offset + element_ * Step + element / Prime * PeriodStep) % Prime) {}

  // Between 0 and Prime - 1.
  [[nodiscard]] std::uint64_t value() const { return value_; }
  void advance() {
    value_ += Step;
    if (++element_ == Prime) {  // Prime * Step is 0 modulo Prime: only the period moves on
      element_ = 0;
      value_ += PeriodStep;
    }
    if (value_ >= Prime) value_ -= Prime;
  }

 private:
  std::uint64_t element_;
  std::uint64_t value_;
};

// Bytes: 1 to 241.
constexpr std::uint64_t kBytePrime = 241;

void byte_pattern(std::span<std::byte> to, int rank, std::uint64_t first) {
  const auto number = static_cast<std::uint64_t>(rank);
  Walk<kBytePrime, 41, 17> walk(number * 97 + number / kBytePrime * 59, first);
  for (std::byte& element : to) {
    element = static_cast<std::byte>(1 + walk.value());
    walk.advance();
  }
}

std::string byte_text(const std::byte* element) {
  return std::to_string(std::to_integer<unsigned>(*element));
}

// int32: rank_term + element_term, so that sums over ranks have a closed form. Each term is below
// 10008: the sum over 100,000 ranks stays below 2^31.
constexpr std::uint64_t kIntPrime = 10007;
static_assert(100'000 * (2 * kIntPrime - 1) <= std::numeric_limits<std::int32_t>::max());

using ElementTerm = Walk<kIntPrime, 6007, 101>;

std::uint64_t rank_term(std::uint64_t rank) { return 1 + rank * 7919 % kIntPrime; }  // 1..kIntPrime

// Sum of rank_term over 0..ranks - 1.
std::uint64_t rank_terms(std::uint64_t ranks) {
  std::uint64_t sum = ranks / kIntPrime * (kIntPrime * (kIntPrime + 1) / 2);
  for (std::uint64_t rank = 0; rank < ranks % kIntPrime; ++rank) sum += rank_term(rank);
  return sum;
}

void write_int32(std::span<std::byte> to, std::uint64_t offset, std::uint64_t factor,
                 std::uint64_t first) {
  ElementTerm term(0, first);
  for (std::size_t at = 0; at + sizeof(std::int32_t) <= to.size(); at += sizeof(std::int32_t)) {
    const auto value = static_cast<std::int32_t>(offset + factor * term.value());
    std::memcpy(&to[at], &value, sizeof value);
    term.advance();
  }
}

void int32_pattern(std::span<std::byte> to, int rank, std::uint64_t first) {
  write_int32(to, rank_term(static_cast<std::uint64_t>(rank)), 1, first);
}

void int32_sum(std::span<std::byte> to, int first_rank, int last_rank, std::uint64_t first) {
  const auto begin = static_cast<std::uint64_t>(first_rank);
  const auto end = static_cast<std::uint64_t>(last_rank) + 1;
  write_int32(to, rank_terms(end) - rank_terms(begin), end - begin, first);
}

std::string int32_text(const std::byte* element) {
  std::int32_t value = 0;
  std::memcpy(&value, element, sizeof value);
  return std::to_string(value);
}

// MPI's handles are no constants in every library, hence the functions.
constexpr std::array<ElementType, 2> kElementTypes{{
    {"byte", 1, [] { return MPI_BYTE; }, byte_pattern, byte_text},
    {"int32", 4, [] { return MPI_INT32_T; }, int32_pattern, int32_text},
}};

constexpr std::array<Reduction, 1> kReductions{{
    {"sum", "int32", [] { return MPI_SUM; }, int32_sum},
}};

template <typename Row, typename Predicate>
const Row* find_row(std::span<const Row> rows, Predicate predicate) {
  const auto found = std::find_if(rows.begin(), rows.end(), predicate);
  return found == rows.end() ? nullptr : &*found;
}

}  // namespace

std::span<const ElementType> element_types() { return kElementTypes; }
std::span<const Reduction> reductions() { return kReductions; }

const ElementType* find_element_type(std::string_view name) {
  return find_row(element_types(), [&](const ElementType& type) { return type.name == name; });
}

const ElementType* find_element_type(MPI_Datatype handle) {
  return find_row(element_types(),
                  [&](const ElementType& type) { return type.handle() == handle; });
}

const Reduction* find_reduction(std::string_view name, std::string_view datatype) {
  return find_row(reductions(), [&](const Reduction& reduction) {
    return reduction.name == name && reduction.datatype == datatype;
  });
}

const Reduction* find_reduction(MPI_Op handle, std::string_view datatype) {
  return find_row(reductions(), [&](const Reduction& reduction) {
    return reduction.handle() == handle && reduction.datatype == datatype;
  });
}

}  // namespace invar::ops
