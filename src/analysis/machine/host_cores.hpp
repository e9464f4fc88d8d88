// How many cores a host had where a campaign was measured, whoever reads it.
#pragma once

#include <cstdint>
#include <string_view>

namespace invar::analysis {

// CPUs that were online and that the launch was allowed to use, on the first host in its env.json.
// It is half of them where each core runs two threads. 0: it is not recorded, or not as engines
// write it.
std::uint32_t recorded_cores(std::string_view env_json);

}  // namespace invar::analysis
