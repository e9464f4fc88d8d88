// One arm's visits of one cell: what is planned, measured, decided and left out.
#pragma once

#include <compare>
#include <cstdint>

namespace invar::record {

struct ArmCell {
  std::uint32_t cell = 0;  // Cell::id, or its index where the place says so
  std::uint32_t arm = 0;   // index of the arm

  auto operator<=>(const ArmCell&) const = default;
};

}  // namespace invar::record
