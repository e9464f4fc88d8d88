#include "ops/call/rank_host.hpp"

#include <mpi.h>

#include <array>

#include "base/crc32c.hpp"
#include "host/identity.hpp"

namespace invar::ops {

#ifdef SMPI_H  // SimGrid's mpi.h

// Also before MPI_Init: a simulated process knows its host from the beginning.
std::string rank_host_name() {
  std::array<char, MPI_MAX_PROCESSOR_NAME + 1> name{};
  int length = 0;
  MPI_Get_processor_name(name.data(), &length);
  return name.data();
}

std::uint64_t rank_host_hash() {
  const std::string name = rank_host_name();
  return (std::uint64_t{base::crc32c(name)} << 32U) | base::crc32c(name, 0x12345678U);
}

#else

std::string rank_host_name() { return host::host_name(); }

std::uint64_t rank_host_hash() { return host::host_hash(); }

#endif

}  // namespace invar::ops
