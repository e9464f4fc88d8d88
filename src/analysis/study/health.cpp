#include "analysis/study/health.hpp"

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

Health health_of(const store::Data& data, const Summaries& own) {
  Health health{.damaged = data.damage.size(),
                .unfinished = data.ended ? 0U : 1U,
                .failed_groups = data.failed_groups.size(),
                .failed_cells = data.failed_cells.size(),
                .dropped_arms = data.dropped_arms.size(),
                .missed_runs = data.missed.size(),
                .without_data = data.ended && data.groups.empty() ? 1U : 0U};
  for (const EmptyVisits& empty : own.empty) health.empty_visits += empty.visits;
  // What was asked for besides the headline may be missing by design.
  if (own.time.kind != TimeChoice::Kind::kNamed) {
    for (const UntoldVisits& untold : own.untold) health.empty_visits += untold.visits;
  }
  return health;
}

base::Exit status_of(const Health& health) {
  if (health.damaged > 0) return base::Exit::kDamaged;
  if (health.unfinished > 0) return base::Exit::kIncomplete;
  return health.measurement_failed() ? base::Exit::kMeasurementFailed : base::Exit::kDone;
}

}  // namespace invar::analysis
