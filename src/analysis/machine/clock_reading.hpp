// What a reading of the clock takes.
#pragma once

#include <cstdint>
#include <optional>

#include "store/reader.hpp"

namespace invar::analysis {

// Nanoseconds, median of the empty operation, which is timed once a round: what lies between two
// readings of a clock one after the other, and so is in every time that is taken between two. Of
// all arms together, or of one (index into Data::arms), whose engine reads the clock as its library
// was compiled. None: no visit has one.
std::optional<double> clock_reading_ns(const store::Data& data,
                                       std::optional<std::uint32_t> arm = {});

}  // namespace invar::analysis
