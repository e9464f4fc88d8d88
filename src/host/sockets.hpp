// Which socket a CPU is on.
#pragma once

#include <cstdint>
#include <string>

namespace invar::host {

// The system does not tell the CPU's socket, or the rank is bound to no CPU.
constexpr std::int32_t kUnknownSocket = -1;

// The number of the CPU's socket (Linux's physical_package_id); `sys`: "/sys".
std::int32_t socket_of_cpu(std::uint32_t cpu, const std::string& sys = "/sys");

}  // namespace invar::host
