#include "analysis/answer/health.hpp"

namespace invar::analysis {

Health& Health::operator+=(const Health& other) {
  damaged += other.damaged;
  unfinished += other.unfinished;
  failed_groups += other.failed_groups;
  failed_cells += other.failed_cells;
  dropped_arms += other.dropped_arms;
  missed_runs += other.missed_runs;
  empty_visits += other.empty_visits;
  without_data += other.without_data;
  refuted = refuted || other.refuted;
  return *this;
}

base::Exit status_of(const Health& health) {
  if (health.damaged > 0) return base::Exit::kDamaged;
  if (health.unfinished > 0) return base::Exit::kIncomplete;
  return health.measurement_failed() ? base::Exit::kMeasurementFailed : base::Exit::kDone;
}

}  // namespace invar::analysis
