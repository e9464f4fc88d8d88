#include "analysis/compare/method_table.hpp"

#include "analysis/suites/reported.hpp"
#include "analysis/suites/reprompi.hpp"

namespace invar::analysis {
namespace {

// Tests that were named themselves look at what ReproMPI's does.
design::Processing processing_of(const Rules& rules) {
  return rules.preset == nullptr ? design::Processing::kFilteredMedian : rules.preset->processing;
}

}  // namespace

const Summaries& summaries_by_method(const Study& study, std::size_t campaign) {
  if (study.rules().method == Method::kInvar) return study.summaries(campaign);
  const ValueRuntime runtime = value_runtime(study, campaign, processing_of(study.rules()));
  // Where some cells are local, they are ours.
  if (!runtime.local_cells.empty()) {
    return study.summaries_of({.kind = TimeChoice::Kind::kWhole}, campaign);
  }
  return study.summaries_by(runtime.global ? Runtime::kGlobal : Runtime::kLocal, campaign);
}

CellTable table_by_method(const Study& study, std::size_t campaign) {
  const Rules& rules = study.rules();
  const store::Data& own = study.data(campaign);
  switch (rules.method) {
    case Method::kLaunchTest:
      return launch_value_table(own, processing_of(rules) == design::Processing::kFilteredMedian,
                                value_runtime(study, campaign, processing_of(rules)),
                                design::launch_test_info(rules.test).value == "mean"
                                    ? LaunchValue::kMean
                                    : LaunchValue::kMedian);
    case Method::kReported:
      return reported_table(PresetValues(study, campaign), *rules.preset);
    case Method::kInvar:
      break;
  }
  return sort_visits(summaries_by_method(study, campaign).visits, own.cells.size(),
                     own.arms.size());
}

std::optional<Lack> lack_of_method(const Study& study, std::size_t campaign) {
  // What a suite reports rests on visits of its own.
  if (study.rules().method == Method::kReported) {
    return lack_of_reports(PresetValues(study, campaign), *study.rules().preset);
  }
  return lack_of_repetitions(study.data(campaign), summaries_by_method(study, campaign));
}

}  // namespace invar::analysis
