// Which files of an MPI library and its transports this process has mapped.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace invar::host {

// True for shared libraries and plug-ins of MPI, its run-time system and its transports (libmpi,
// libpmix, mca_*, libucp, libfabric, libibverbs, ...), by file name.
bool is_transport_library(std::string_view file_name);

// Paths of those in the text of a /proc/PID/maps, sorted, each once.
std::vector<std::string> transport_libraries(std::string_view maps);

// Those of this process.
std::vector<std::string> mapped_libraries();

int process_id();

}  // namespace invar::host
