// A bcast as several, of consecutive parts of the vector.
#include "ops/mockups/splits/split.hpp"

namespace invar::ops {
namespace {

template <int kParts>
int call_bcast_in_parts(Call& c) {
  return in_parts<kParts>(c.count, [&](std::size_t offset, int count) {
    return MPI_Bcast(body::at(vector_of_bcast(c), elements_of(c), offset), count, c.type, c.root,
                     c.comm);
  });
}

}  // namespace

extern constexpr Operation kBcastIn2Parts =
    split(kPromisedBcast, "bcast=2-parts", "bcast as 2 calls on parts of its vector", 2,
          call_bcast_in_parts<2>);
extern constexpr Operation kBcastIn4Parts =
    split(kPromisedBcast, "bcast=4-parts", "bcast as 4 calls on parts of its vector", 4,
          call_bcast_in_parts<4>);
extern constexpr Operation kBcastIn8Parts =
    split(kPromisedBcast, "bcast=8-parts", "bcast as 8 calls on parts of its vector", 8,
          call_bcast_in_parts<8>);

}  // namespace invar::ops
