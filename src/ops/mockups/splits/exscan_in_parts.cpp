// An exscan as several, of consecutive parts of the vector.
#include "ops/mockups/splits/split.hpp"

namespace invar::ops {
namespace {

template <int kParts>
int call_exscan_in_parts(Call& c) {
  return in_parts<kParts>(c.count, [&](std::size_t offset, int count) {
    return MPI_Exscan(part_of_input(c.input(), c, offset), part_of_recv(c, offset), count, c.type,
                      c.reduction, c.comm);
  });
}

}  // namespace

extern constexpr Operation kExscanIn2Parts =
    split(kPromisedExscan, "exscan=2-parts", "exscan as 2 calls on parts of its vector", 2,
          call_exscan_in_parts<2>);
extern constexpr Operation kExscanIn4Parts =
    split(kPromisedExscan, "exscan=4-parts", "exscan as 4 calls on parts of its vector", 4,
          call_exscan_in_parts<4>);
extern constexpr Operation kExscanIn8Parts =
    split(kPromisedExscan, "exscan=8-parts", "exscan as 8 calls on parts of its vector", 8,
          call_exscan_in_parts<8>);

}  // namespace invar::ops
