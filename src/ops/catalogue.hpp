// All operations that this engine knows.
#pragma once

#include <span>
#include <string_view>

#include "ops/operation.hpp"

namespace invar::ops {

// In alphabetical order; names are unique (checked at compile time).
std::span<const Operation* const> catalogue();

// Null if there is none of that name.
const Operation* find_operation(std::string_view name);

}  // namespace invar::ops
