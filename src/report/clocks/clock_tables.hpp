// Tables of the clock experiments on a real library, as text and as CSV.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/clocks/clock_barriers.hpp"
#include "analysis/clocks/clock_drift.hpp"
#include "analysis/clocks/clock_resolution.hpp"
#include "analysis/clocks/clock_runtime.hpp"

namespace invar::report {

// What every table says first and every row of CSV repeats.
struct ClockRunContext {
  std::string library = {};  // "mpich 4.0.2"
  std::uint32_t ranks = 0;
  double virtual_skew = 0;  // asked for; 0: none
};

std::string resolution_text(const std::vector<analysis::ClockSourceRow>& rows,
                            const ClockRunContext& context);
std::string resolution_csv(const std::vector<analysis::ClockSourceRow>& rows,
                           const ClockRunContext& context);

std::string drift_text(const std::vector<analysis::DriftRow>& rows, const ClockRunContext& context);
// Every point.
std::string drift_csv(const std::vector<analysis::DriftPoint>& points,
                      const ClockRunContext& context);

std::string barriers_text(const analysis::Barriers& barriers, const ClockRunContext& context);
std::string barriers_csv(const analysis::Barriers& barriers, const ClockRunContext& context);

// Bins of all synchronisations side by side, and at the end which of them drift.
std::string run_time_text(const std::vector<analysis::RunTimeSeries>& series,
                          const ClockRunContext& context, std::string_view operation);
std::string run_time_csv(const std::vector<analysis::RunTimeSeries>& series,
                         const ClockRunContext& context, std::string_view operation);
// "Drifting: skampi by +13.0 us a second [12.9, 13.1]. Not: mesh."
std::string drift_sentence(const std::vector<analysis::RunTimeSeries>& series);

}  // namespace invar::report
