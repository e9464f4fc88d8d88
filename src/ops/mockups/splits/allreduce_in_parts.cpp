// An allreduce as several, of consecutive parts of the vector.
#include "ops/mockups/splits/split.hpp"

namespace invar::ops {
namespace {

template <int kParts>
int call_allreduce_in_parts(Call& c) {
  return in_parts<kParts>(c.count, [&](std::size_t offset, int count) {
    return MPI_Allreduce(part_of_input(c.input(), c, offset), part_of_recv(c, offset), count,
                         c.type, c.reduction, c.comm);
  });
}

}  // namespace

extern constexpr Operation kAllreduceIn2Parts =
    split(kPromisedAllreduce, "allreduce=2-parts", "allreduce as 2 calls on parts of its vector", 2,
          call_allreduce_in_parts<2>);
extern constexpr Operation kAllreduceIn4Parts =
    split(kPromisedAllreduce, "allreduce=4-parts", "allreduce as 4 calls on parts of its vector", 4,
          call_allreduce_in_parts<4>);
extern constexpr Operation kAllreduceIn8Parts =
    split(kPromisedAllreduce, "allreduce=8-parts", "allreduce as 8 calls on parts of its vector", 8,
          call_allreduce_in_parts<8>);

}  // namespace invar::ops
