// The experiments of `invar clocks` on a real MPI library, one file each: clock_NAME.cpp. Every one
// is collective and returns the text of clocks.csv on rank 0 (elsewhere anything). To add one:
// a file, and a line in the table of clock_experiment.cpp. The engine only measures; statistics and
// tables are in src/analysis and src/report (clock_*).
#pragma once

#include <string>

#include "engine/experiments/clock_setting.hpp"

namespace invar::engine {

// algorithm,repetition,seconds,after_s,rank,error_ns,half_width_ns,tracking_share: the error of
// every algorithm's model against rank 0, some time after its end; mesh also tracked. seconds: that
// the synchronisation took; half_width_ns: of what the error is known by; tracking_share: of the
// time, 0 where nothing is tracked.
std::string clock_accuracy(ClockSetting& setting);

// seconds,untracked_ns,predicted_ns,smoothed_ns,sigma_ns,half_width_ns,tracking_share: the worst
// rank's error of the first model, of the prediction and of the smoothed clock, over the time.
std::string clock_tracking(ClockSetting& setting);

// rank,source,quantity,value,text: what each clock costs and resolves (see clock_resolution.cpp).
std::string clock_resolution(ClockSetting& setting);

// seconds,rank,offset_ns,half_width_ns,truth_ns: every rank's clock - rank 0's (one rank a host,
// where there are several); truth_ns is empty where it is not known.
std::string clock_drift(ClockSetting& setting);

// row,method,number,flags,entry_skew_ns,exit_imbalance_ns,time_ns,sigma_ns. row "repetition":
// number counts them, time_ns from the last entry to the last exit; row "rank": number is a rank,
// exit_imbalance_ns its median exit after the first one's.
std::string clock_barriers(ClockSetting& setting);

// sync,bin,repetition,seconds,flags,local_ns,global_ns,true_ns: run-times of an operation under
// MPI_Barrier and under windows by every algorithm's clocks; empty: not known.
std::string clock_runtime(ClockSetting& setting);

}  // namespace invar::engine
