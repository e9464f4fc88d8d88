#include "ops/buffers/affine.hpp"

#include <array>
#include <cstring>
#include <optional>

#include "ops/buffers/pattern.hpp"

namespace invar::ops {
namespace {

constexpr std::size_t kMapsPerElement = 2;

struct Map {
  std::uint32_t a = 1;
  std::uint32_t b = 0;
};

constexpr std::size_t kMapBytes = 8;

// From the start of a map to that of the next one in the element, and to the end of both.
template <std::size_t Step>
constexpr std::size_t kElementBytes = Step + kMapBytes;

Map load(const std::byte* from) {
  Map map;
  std::memcpy(&map.a, from, sizeof map.a);
  std::memcpy(&map.b, from + sizeof map.a, sizeof map.b);
  return map;
}

void store(std::byte* to, Map map) {
  std::memcpy(to, &map.a, sizeof map.a);
  std::memcpy(to + sizeof map.a, &map.b, sizeof map.b);
}

// x -> f(g(x)).
Map compose(Map f, Map g) { return {f.a * g.a, f.a * g.b + f.b}; }

template <std::size_t Step>
void compose_elements(const void* in, void* in_out, std::size_t elements) {
  const auto* first = static_cast<const std::byte*>(in);
  auto* second = static_cast<std::byte*>(in_out);
  for (std::size_t i = 0; i < elements; ++i) {
    for (std::size_t map = 0; map < kMapsPerElement; ++map) {
      const std::size_t at = i * kElementBytes<Step> + map * Step;
      store(second + at, compose(load(first + at), load(second + at)));
    }
  }
}

// The signature is MPI's.
template <std::size_t Step>
void operate(void* in, void* in_out, int* elements, MPI_Datatype* /*type*/) {
  compose_elements<Step>(in, in_out, static_cast<std::size_t>(*elements));
}

template <std::size_t Step>
MPI_Op make_operator() {
  MPI_Op op = MPI_OP_NULL;
  MPI_Op_create(operate<Step>, 0, &op);
  return op;
}

template <std::size_t Step>
MPI_Op make_large_operator() {
  MPI_Op op = MPI_OP_NULL;
#if MPI_VERSION >= 4
  MPI_Op_create_c(
      [](void* in, void* in_out, MPI_Count* elements, MPI_Datatype* /*type*/) {
        compose_elements<Step>(in, in_out, static_cast<std::size_t>(*elements));
      },
      0, &op);
#endif
  return op;
}

// The factor depends on the number of the map alone and is odd, so that no composition loses what b
// was; b depends on the rank and on the number of the map: powers of a weight the ranks, so that
// their order shows.
constexpr std::size_t kFactors = 61;

std::uint32_t factor(std::size_t number) {
  return static_cast<std::uint32_t>(0x9e3779b1U * (number + 1)) | 1U;
}

// The composition over ranks first..last of maps with one factor a, b = rank term + e:
// a^n, sum of a^k * term of rank k, sum of a^k.
struct Composed {
  std::uint32_t power = 1;
  std::uint32_t terms = 0;
  std::uint32_t ones = 0;
};

using Table = std::array<Composed, kFactors>;

Table composed_over(int first_rank, int last_rank) {
  Table table{};
  for (int rank = first_rank; rank <= last_rank; ++rank) {
    const auto term =
        static_cast<std::uint32_t>(IntTerms::of_rank(static_cast<std::uint64_t>(rank)));
    for (std::size_t i = 0; i < kFactors; ++i) {
      Composed& one = table[i];
      one.terms += one.power * term;
      one.ones += one.power;
      one.power *= factor(i);
    }
  }
  return table;
}

template <std::size_t Step>
void write_maps(std::span<std::byte> to, const Table& table, std::uint64_t first) {
  std::uint64_t number = first * kMapsPerElement;
  IntTerms::Elements term(0, number);
  for (std::size_t at = 0; at + kElementBytes<Step> <= to.size(); at += kElementBytes<Step>) {
    for (std::size_t map = 0; map < kMapsPerElement; ++map) {
      const Composed& one = table[number % kFactors];
      store(&to[at + map * Step],
            {one.power, one.terms + one.ones * static_cast<std::uint32_t>(term.value())});
      term.advance();
      ++number;
    }
  }
}

}  // namespace

MPI_Datatype contiguous_type() {
  static const MPI_Datatype type = [] {
    MPI_Datatype made = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(4, MPI_INT32_T, &made);
    MPI_Type_commit(&made);
    return made;
  }();
  return type;
}

// No resized extent: MPICH (4.0 to 5.0) allocates for the bytes from the first to the last datum of
// each element only where it reduces and scatters with an operator that does not commute, and
// writes beyond that if an element ends with a gap.
MPI_Datatype vector_type() {
  static const MPI_Datatype type = [] {
    MPI_Datatype made = MPI_DATATYPE_NULL;
    MPI_Type_vector(2, 2, 6, MPI_INT32_T, &made);
    MPI_Type_commit(&made);
    return made;
  }();
  return type;
}

MPI_Op contiguous_operator() {
  static const MPI_Op op = make_operator<8>();
  return op;
}

MPI_Op vector_operator() {
  static const MPI_Op op = make_operator<24>();
  return op;
}

MPI_Op contiguous_large_operator() {
  static const MPI_Op op = make_large_operator<8>();
  return op;
}

MPI_Op vector_large_operator() {
  static const MPI_Op op = make_large_operator<24>();
  return op;
}

template <std::size_t Step>
void affine_pattern(std::span<std::byte> to, int rank, std::uint64_t first) {
  write_maps<Step>(to, composed_over(rank, rank), first);
}

template <std::size_t Step>
std::string affine_text(const std::byte* element) {
  const Map one = load(element);
  const Map other = load(element + Step);
  return "(" + std::to_string(one.a) + ", " + std::to_string(one.b) + ", " +
         std::to_string(other.a) + ", " + std::to_string(other.b) + ")";
}

template <std::size_t Step>
void affine_composition(std::span<std::byte> to, int first_rank, int last_rank,
                        std::uint64_t first) {
  // Long results are asked for piece by piece; with many ranks the table is the longer work.
  struct Last {
    int first_rank;
    int last_rank;
    Table table;
  };
  static std::optional<Last> last;
  if (!last || last->first_rank != first_rank || last->last_rank != last_rank) {
    last = Last{first_rank, last_rank, composed_over(first_rank, last_rank)};
  }
  write_maps<Step>(to, last->table, first);
}

template void affine_pattern<8>(std::span<std::byte>, int, std::uint64_t);
template void affine_pattern<24>(std::span<std::byte>, int, std::uint64_t);
template std::string affine_text<8>(const std::byte*);
template std::string affine_text<24>(const std::byte*);
template void affine_composition<8>(std::span<std::byte>, int, int, std::uint64_t);
template void affine_composition<24>(std::span<std::byte>, int, int, std::uint64_t);

}  // namespace invar::ops
