// A reduce as several, of consecutive parts of the vector.
#include "ops/mockups/splits/split.hpp"

namespace invar::ops {
namespace {

template <int kParts>
int call_reduce_in_parts(Call& c) {
  return in_parts<kParts>(c.count, [&](std::size_t offset, int count) {
    return MPI_Reduce(part_of_input(c.root_input(), c, offset), part_of_recv(c, offset), count,
                      c.type, c.reduction, c.root, c.comm);
  });
}

// Where MPI_Reduce in place crashes, parts of it do as well (ops/collectives/reduce.cpp).
constexpr bool kPartsInPlace =
#if defined(MPICH_NUMVERSION) && !defined(I_MPI_VERSION) && MPICH_NUMVERSION < 40100000
    false;
#else
    true;
#endif

constexpr Promise kPromisedParts = [] {
  Promise promise = kPromisedReduce;
  promise.in_place = kPartsInPlace;
  return promise;
}();

}  // namespace

extern constexpr Operation kReduceIn2Parts =
    split(kPromisedParts, "reduce=2-parts", "reduce as 2 calls on parts of its vector", 2,
          call_reduce_in_parts<2>);
extern constexpr Operation kReduceIn4Parts =
    split(kPromisedParts, "reduce=4-parts", "reduce as 4 calls on parts of its vector", 4,
          call_reduce_in_parts<4>);
extern constexpr Operation kReduceIn8Parts =
    split(kPromisedParts, "reduce=8-parts", "reduce as 8 calls on parts of its vector", 8,
          call_reduce_in_parts<8>);

}  // namespace invar::ops
