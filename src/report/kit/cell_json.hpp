// A cell's levels as JSON, the same in every answer.
#pragma once

#include "base/json_writer.hpp"
#include "record/cell.hpp"

namespace invar::report {

// "operation", "size_bytes" (null: an operation without a size), "ranks", and "factors": an object
// of all other factors that this cell has, numbers as numbers. The object must be open.
void write_levels(base::JsonWriter& json, const record::Cell& cell);

}  // namespace invar::report
