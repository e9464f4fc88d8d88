// From one launch's repetitions to what a suite prints of its run: the processing schemes of Hunold
// and Carpen-Amarie 2016, table 4, each as the suites do it (docs/methods.md, "Presets").
#pragma once

#include <string_view>
#include <vector>

#include "analysis/suites/preset_sample.hpp"
#include "design/campaign/presets.hpp"

namespace invar::analysis {

// A number that a suite prints: "avg", "t_max", "p99".
struct ReportedNumber {
  std::string_view name;
  double time_ns = 0;
};

// The headline first. Empty where the sample lacks what the suite looks at: no repetition, no
// single ranks, no comparable clocks. Intervals that one repetition cannot give are left out.
std::vector<ReportedNumber> process(design::Processing processing, const PresetSample& sample);

}  // namespace invar::analysis
