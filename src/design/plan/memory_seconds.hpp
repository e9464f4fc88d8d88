// What operations take that walk over memory of their own, before anything was measured: round
// guesses of a present machine's order of magnitude (docs/formats.md, "Expected time").
#pragma once

#include "record/cell.hpp"
#include "record/operation/operation_info.hpp"

namespace invar::design {

// The time of one repetition, with all of its passes. The operation's `walks` must be above 0.
double memory_seconds(const record::Cell& cell, const record::OperationInfo& operation);

}  // namespace invar::design
