// The experiments of `invar clocks` on a real MPI library, one file each: clock_NAME.cpp. Every one
// is collective and returns the text of clocks.csv on rank 0 (elsewhere anything); its columns
// stand in record/clock_spec.hpp. To add one: a file, and a line in the table of
// clock_experiment.cpp. The engine only measures: what follows from the rows is in
// src/analysis/clocks.
#pragma once

#include <string>

#include "base/error.hpp"
#include "engine/experiments/clock_setting.hpp"

namespace invar::engine {

// All ranks have found that what was asked makes no sense here, and nothing was measured: the user
// is told so, with the option in place (exit 2).
class ClockRefusal : public base::UserError {
 public:
  using base::UserError::UserError;
};

std::string clock_accuracy(ClockSetting& setting);    // record::kRawAccuracy
std::string clock_pareto(ClockSetting& setting);      // record::kRawAccuracy
std::string clock_scaling(ClockSetting& setting);     // record::kRawAccuracy
std::string clock_tracking(ClockSetting& setting);    // record::kRawTracking
std::string clock_resolution(ClockSetting& setting);  // record::kRawResolution
std::string clock_drift(ClockSetting& setting);       // record::kRawDrift
std::string clock_barriers(ClockSetting& setting);    // record::kRawBarriers
std::string clock_runtime(ClockSetting& setting);     // record::kRawRunTimes

}  // namespace invar::engine
