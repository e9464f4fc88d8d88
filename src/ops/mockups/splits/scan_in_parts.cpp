// A scan as several, of consecutive parts of the vector.
#include "ops/mockups/splits/split.hpp"

namespace invar::ops {
namespace {

template <int kParts>
int call_scan_in_parts(Call& c) {
  return in_parts<kParts>(c.count, [&](std::size_t offset, int count) {
    return MPI_Scan(part_of_input(c.input(), c, offset), part_of_recv(c, offset), count, c.type,
                    c.reduction, c.comm);
  });
}

}  // namespace

extern constexpr Operation kScanIn2Parts =
    split(kPromisedScan, "scan=2-parts", "scan as 2 calls on parts of its vector", 2,
          call_scan_in_parts<2>);
extern constexpr Operation kScanIn4Parts =
    split(kPromisedScan, "scan=4-parts", "scan as 4 calls on parts of its vector", 4,
          call_scan_in_parts<4>);
extern constexpr Operation kScanIn8Parts =
    split(kPromisedScan, "scan=8-parts", "scan as 8 calls on parts of its vector", 8,
          call_scan_in_parts<8>);

}  // namespace invar::ops
