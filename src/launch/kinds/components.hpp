// What a library chose to carry messages and to do collectives, from what it says of itself when it
// is asked to. Rows of kind.cpp point here.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "launch/process/command.hpp"

namespace invar::launch {

// ("pml", "ob1"), ("btl", "vader"), ("coll", "tuned, basic, libnbc"), in the order of telling.
using Components = std::vector<std::pair<std::string, std::string>>;

// Variables that make a launch of two ranks write the lines that the reader below looks for. Both
// of Open MPI 4 and 5.
Environment open_mpi_told();
Components open_mpi_components(std::string_view said);

// What MPICH 4 and 5 say: over UCX their transports, over libfabric the provider.
Environment mpich_told();
Components mpich_components(std::string_view said);

// The provider over several hosts, and for which fabric its collectives are tuned.
Environment intel_told();
Components intel_components(std::string_view said);

}  // namespace invar::launch
