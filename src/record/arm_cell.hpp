// One arm's visits of one cell: what is planned, measured, decided and left out.
#pragma once

#include <compare>
#include <cstdint>

namespace invar::record {

struct ArmCell {
  std::uint32_t cell = 0;  // Cell::id, or its index where the place says so
  std::uint32_t arm = 0;   // index of the arm

  // clang-tidy 14 takes the 0 of the comparison that this stands for.
  auto operator<=>(const ArmCell&) const = default;  // NOLINT(modernize-use-nullptr)
};

}  // namespace invar::record
