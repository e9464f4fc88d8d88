// All operations that this engine knows.
#pragma once

#include <span>
#include <string_view>

#include "ops/operation.hpp"
#include "ops/schedules/schedule.hpp"

namespace invar::ops {

// In alphabetical order; names are unique (checked at compile time).
std::span<const Operation* const> catalogue();

// The reference algorithms among them, in the same order.
std::span<const Algorithm* const> algorithms();

// Null if there is none of that name.
const Operation* find_operation(std::string_view name);

}  // namespace invar::ops
