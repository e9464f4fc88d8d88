#include "analysis/compare/method_table.hpp"

#include "analysis/suites/reported.hpp"
#include "analysis/suites/reprompi.hpp"

namespace invar::analysis {

CellTable table_by_method(const store::Data& all, const store::Data& own, const Rules& rules,
                          const std::vector<std::string>& presets, const Summaries& summaries) {
  switch (rules.method) {
    case Method::kReprompi:
      return launch_median_table(
          own, rules.preset == nullptr ||
                   rules.preset->processing == design::Processing::kFilteredMedian);
    case Method::kReported:
      return reported_table(PresetValues(all, presets), *rules.preset);
    case Method::kInvar:
      break;
  }
  return sort_visits(summaries.visits, own.cells.size(), own.arms.size());
}

}  // namespace invar::analysis
