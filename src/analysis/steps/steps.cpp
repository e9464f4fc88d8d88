#include "analysis/steps/steps.hpp"

#include "analysis/study/study.hpp"

namespace invar::analysis {

// Nothing is looked for yet: curves without points, and so no steps.
Steps find_steps(const Study& /*study*/) { return {}; }

std::vector<TidyTable> steps_tables(const Steps& /*steps*/) { return {}; }

}  // namespace invar::analysis
