// What a reading of the library's clock costs.
#include "ops/p2p/lone_call.hpp"

namespace invar::ops {
namespace {

int read_library_clock(Call& /*c*/) {
  static_cast<void>(MPI_Wtime());
  return MPI_SUCCESS;
}

}  // namespace

extern constexpr Operation kWtime =
    lone_call<read_library_clock>("wtime", "rank 0 reads the library's clock: MPI_Wtime");

}  // namespace invar::ops
