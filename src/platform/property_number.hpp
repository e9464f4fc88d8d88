// Numbers in platform files: what smpirun reads as people mean it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/units.hpp"

namespace invar::platform {

// A finite decimal number and what stands behind it. None: no number, or one so near 0 (below
// 2.2e-308) that smpirun aborts.
struct PropertyNumber {
  double value = 0;
  std::string_view unit = {};
};
std::optional<PropertyNumber> property_number(std::string_view text);

// Whole numbers from 0 to 2^31 - 1, in digits alone.
base::Parsed<std::uint64_t> property_whole(std::string_view text);
// Seconds: "5us", "1e-06s", "1e-06".
base::Parsed<double> property_time_s(std::string_view text);
// Bytes a second: "1.25GBps", "10Gbps", "1250000000Bps".
base::Parsed<double> property_bandwidth_bps(std::string_view text);

}  // namespace invar::platform
