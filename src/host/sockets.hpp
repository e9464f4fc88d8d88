// Which socket a CPU is on.
#pragma once

#include <cstdint>
#include <string>

namespace invar::host {

// Of a CPU of which the system does not tell, or of a rank that is bound to none.
constexpr std::int32_t kUnknownSocket = -1;

// The number of the CPU's socket (Linux's physical_package_id); `sys`: "/sys".
std::int32_t socket_of_cpu(std::uint32_t cpu, const std::string& sys = "/sys");

}  // namespace invar::host
