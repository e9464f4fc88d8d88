// What a rank that sends spins between the messages of a window: the levels of the factor
// `train_delay`.
#pragma once

#include <optional>
#include <string_view>

#include "record/amount.hpp"
#include "record/cell.hpp"

namespace invar::record {

constexpr std::string_view kNoTrainDelay = "off";

// As in plans: "off" (nothing of either), "10000ns", "1x" (times the cell's own call without any
// delay). Nothing for other texts.
std::optional<Amount> parse_train_delay(std::string_view text);

// As people write it: with any unit of time, up to 1 s or 1000 calls.
LevelText train_delay_level(std::string_view written);

// One delay, and all delays of a call. The cell's level must have been checked. `calls_s`: what a
// call takes without them.
double train_delay_s(const Cell& cell, double calls_s);
double train_delays_s(const Cell& cell, double calls_s);

}  // namespace invar::record
