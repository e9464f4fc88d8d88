#include "analysis/overlap/overlap.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <span>
#include <utility>

#include "analysis/compare/contest.hpp"
#include "analysis/compare/reference_regime.hpp"
#include "analysis/machine/diagnostics.hpp"
#include "analysis/machine/perturbations.hpp"
#include "analysis/machine/reference.hpp"
#include "analysis/study/scope.hpp"
#include "analysis/study/select.hpp"
#include "analysis/study/times.hpp"
#include "analysis/words/regimes_clause.hpp"
#include "record/p2p/overlap_cells.hpp"
#include "stats/describe/moments.hpp"
#include "stats/describe/quantile.hpp"
#include "stats/test/student.hpp"

namespace invar::analysis {
namespace {

// Medians of the three visits of one round, whose times are compared: whatever else a launch was
// like is in all of them.
struct RoundTimes {
  double call_ns = 0;
  double compute_ns = 0;
  double both_ns = 0;

  [[nodiscard]] bool whole() const { return call_ns > 0 && compute_ns > 0 && both_ns > 0; }
  [[nodiscard]] double hidden_ns() const { return call_ns + compute_ns - both_ns; }
};

// One value a launch group of each; of a single group one a round.
struct OverlapValues {
  std::vector<double> hidden_ns = {};
  std::vector<double> overlap = {};
  std::vector<double> availability = {};
  std::vector<double> of_longer = {};
  std::size_t groups = 0;
};

struct ThreeVisits {
  const CellVisits& call;
  const CellVisits& computation;
  const CellVisits& both;
};

void take_rounds(const CellVisits& visits, double RoundTimes::*time,
                 std::map<std::uint32_t, std::map<std::uint32_t, RoundTimes>>& groups) {
  for (const LaunchVisits& launch : visits.launches) {
    for (const VisitSummary& visit : launch.visits) {
      groups[launch.group][visit.round].*time = visit.median_ns;
    }
  }
}

OverlapValues of_rounds(std::span<const RoundTimes> rounds) {
  OverlapValues values;
  for (const RoundTimes& round : rounds) {
    const double hidden_ns = round.hidden_ns();
    values.hidden_ns.push_back(hidden_ns);
    values.overlap.push_back(hidden_ns / std::min(round.call_ns, round.compute_ns));
    values.availability.push_back(hidden_ns / round.call_ns);
    values.of_longer.push_back(hidden_ns / std::max(round.call_ns, round.compute_ns));
  }
  return values;
}

OverlapValues values_of(const ThreeVisits& visits) {
  std::map<std::uint32_t, std::map<std::uint32_t, RoundTimes>> groups;
  take_rounds(visits.call, &RoundTimes::call_ns, groups);
  take_rounds(visits.computation, &RoundTimes::compute_ns, groups);
  take_rounds(visits.both, &RoundTimes::both_ns, groups);
  OverlapValues values;
  OverlapValues last;
  for (const auto& [group, times] : groups) {
    std::vector<RoundTimes> whole;
    for (const auto& [round, three] : times) {
      if (three.whole()) whole.push_back(three);
    }
    if (whole.empty()) continue;
    ++values.groups;
    last = of_rounds(whole);
    for (const auto member : {&OverlapValues::hidden_ns, &OverlapValues::overlap,
                              &OverlapValues::availability, &OverlapValues::of_longer}) {
      (values.*member).push_back(stats::median(last.*member));
    }
  }
  if (values.groups != 1) return values;
  last.groups = 1;
  return last;
}

// Least variance of a group's hidden time that the clock's step allows, in ns squared.
double hidden_floor(const ThreeVisits& visits) {
  double floor = 0;
  for (const CellVisits* const one : {&visits.call, &visits.computation, &visits.both}) {
    floor += one->variance_floor() * one->typical_ns() * one->typical_ns();
  }
  return floor;
}

// `floor`: least variance of a value.
OverlapEstimate estimate_of(std::span<const double> values, bool one_group, double floor,
                            double confidence) {
  const double mean = stats::mean(values);
  OverlapEstimate estimate{.value = one_group ? stats::median(values) : mean};
  const auto n = static_cast<double>(values.size());
  const double squared = std::max(stats::variance(values).value_or(0), floor);
  if (values.size() < 2 || !(squared > 0)) return estimate;
  stats::Interval interval = stats::t_interval(mean, std::sqrt(squared / n), n - 1, confidence);
  interval.low = std::min(interval.low, estimate.value);
  interval.high = std::max(interval.high, estimate.value);
  estimate.interval = interval;
  return estimate;
}

// Both ends as well: a formula that cuts off does so with every value.
OverlapEstimate cut_off(OverlapEstimate estimate, double least, double most) {
  estimate.value = std::clamp(estimate.value, least, most);
  if (estimate.interval) {
    estimate.interval->low = std::clamp(estimate.interval->low, least, most);
    estimate.interval->high = std::clamp(estimate.interval->high, least, most);
  }
  return estimate;
}

// None: no launch group has all three.
std::optional<OverlapRow> row_of_three(const ThreeVisits& visits, double confidence) {
  if (visits.call.empty() || visits.computation.empty() || visits.both.empty()) {
    return std::nullopt;
  }
  const OverlapValues values = values_of(visits);
  if (values.groups == 0) return std::nullopt;
  OverlapRow row{.groups = values.groups, .this_launch_only = values.groups == 1};
  row.call_time = *time_estimate(visits.call, confidence);
  row.compute_time = *time_estimate(visits.computation, confidence);
  row.both_time = *time_estimate(visits.both, confidence);
  const double floor = hidden_floor(visits);
  const double call_ns = visits.call.typical_ns();
  const double compute_ns = visits.computation.typical_ns();
  const auto estimate = [&](const std::vector<double>& of, double unit_ns) {
    return estimate_of(of, row.this_launch_only, floor / (unit_ns * unit_ns), confidence);
  };
  row.hidden_ns = estimate(values.hidden_ns, 1);
  row.overlap = estimate(values.overlap, std::min(call_ns, compute_ns));
  row.availability = estimate(values.availability, call_ns);
  constexpr double kNoLimit = std::numeric_limits<double>::infinity();
  row.osu = cut_off(row.availability, 0, kNoLimit);
  row.imb = cut_off(estimate(values.of_longer, std::max(call_ns, compute_ns)), 0, 1);
  return row;
}

// All rows are of one arm and one call.
OverlapKnee knee_of(std::vector<OverlapRow> rows, double tolerance) {
  std::ranges::stable_sort(rows, {},
                           [](const OverlapRow& row) { return row.compute_time.median_ns; });
  OverlapKnee knee{.arm = rows.front().arm,
                   .call = rows.front().call,
                   .call_time = rows.front().call_time,
                   .shortest_ns = rows.front().compute_time.median_ns,
                   .longest_ns = rows.back().compute_time.median_ns};
  for (const OverlapRow& row : rows) {
    const double ratio = row.both_time.median_ns / row.call_time.median_ns;
    if (!knee.costs_ns && ratio <= 1 + tolerance) {
      knee.free_ns = row.compute_time.median_ns;
    } else if (!knee.costs_ns) {
      knee.costs_ns = row.compute_time.median_ns;
    }
    if (knee.knee_ns || !is_beyond_knee(row)) continue;
    knee.computation = row.computation;
    knee.knee_ns = row.hidden_ns;
    knee.availability = row.availability;
  }
  return knee;
}

std::vector<OverlapKnee> knees_of(std::span<const OverlapRow> rows, double tolerance) {
  std::vector<std::vector<OverlapRow>> calls;
  for (const OverlapRow& row : rows) {
    const auto known = std::ranges::find_if(calls, [&](const std::vector<OverlapRow>& others) {
      return others.front().arm == row.arm && others.front().call.id == row.call.id;
    });
    if (known == calls.end()) {
      calls.push_back({row});
    } else {
      known->push_back(row);
    }
  }
  std::vector<OverlapKnee> knees;
  knees.reserve(calls.size());
  for (std::vector<OverlapRow>& call : calls) knees.push_back(knee_of(std::move(call), tolerance));
  return knees;
}

// What a family has of three cells, but no arm has measured.
std::optional<Lack> lack_of_rows(const store::Data& data, bool any) {
  if (any) return std::nullopt;
  return Lack{.status = base::Exit::kMeasurementFailed,
              .faults = {{.place = data.dir.string(),
                          .what = "no launch group has a call, its computation and both",
                          .remedy = "invar show has the times that there are"}}};
}

}  // namespace

bool is_beyond_knee(const OverlapRow& row) {
  return row.both_time.median_ns > kBeyondKnee * row.call_time.median_ns;
}

std::optional<Lack> overlap_lack(const Study& study) {
  const store::Data& data = study.data();
  if (std::optional<Lack> lack = lack_of_groups(data)) return lack;
  if (record::overlap_cells(data.cells).empty()) {
    return Lack{.faults = {{.place = data.dir.string(),
                            .what = "no family has a call, a computation and both at once",
                            .remedy = "write compute = [\"off\", \"1x\"] into [[cells]], and "
                                      "together = [\"compute\"] into [design]"}}};
  }
  const Summaries& summaries = study.summaries();
  if (std::optional<Lack> lack = lack_of_repetitions(data, summaries)) return lack;
  return lack_of_regime(data, summaries, study.rules());
}

Overlaps overlaps(const Study& study) {
  require(overlap_lack(study));
  const store::Data& data = study.data();
  const Summaries& summaries = study.summaries();
  const Rules rules = judging_rules(study, summaries);
  const double confidence = 1 - rules.decision.alpha;
  std::vector<std::uint32_t> arms(data.arms.size());
  std::iota(arms.begin(), arms.end(), 0U);
  const Regimes regimes = regimes_by(data, summaries, rules);
  const ReferenceChoice reference = reference_of(data, summaries, regimes, rules);
  const Contest contest =
      contest_of(data, sort_visits(summaries.visits, data.cells.size(), data.arms.size()), arms,
                 reference.band);
  std::vector<record::OverlapCells> places = record::overlap_cells(data.cells);
  // Every call's computations one below the other.
  std::ranges::stable_sort(places, {}, &record::OverlapCells::call);

  Overlaps found;
  for (const std::uint32_t arm : arms) {
    for (const record::OverlapCells& place : places) {
      const auto visits = [&](std::uint32_t cell) -> const CellVisits& {
        return contest.table()[cell][arm];
      };
      std::optional<OverlapRow> row = row_of_three({.call = visits(place.call),
                                                    .computation = visits(place.computation),
                                                    .both = visits(place.both)},
                                                   confidence);
      if (!row) continue;
      row->arm = contest.labels[arm];
      row->call = data.cells[place.call];
      row->computation = data.cells[place.both].compute;
      found.rows.push_back(std::move(*row));
    }
  }
  require(lack_of_rows(data, !found.rows.empty()));
  found.tolerance = rules.decision.min_effect;
  found.knees = knees_of(found.rows, found.tolerance);
  found.arms = compared_arms(data, arms);
  const bool one_launch = std::ranges::all_of(found.rows, &OverlapRow::this_launch_only);
  found.regimes = regimes;
  found.reference = reference_regime(contest);
  found.reference_named = is_fixed(data, rules);
  found.scope = scope_text(data, one_launch, study.starts()) + regime_scope(found.reference);
  found.warnings = data_warnings(data, rules, summaries, arms, contest.split_by());
  for (Warning& doubt : perturbation_warnings(find_perturbations(data, summaries, rules.pairing))) {
    found.warnings.push_back(std::move(doubt));
  }
  if (!reference.moved.empty()) {
    found.warnings.emplace_back(moved_words(reference.moved, contest.is_split()), Gravity::kDoubt);
  } else if (rules.method == Method::kInvar && !reference.band && regimes.found.size() > 1) {
    found.warnings.push_back(untold_regimes_warning(regimes));
  }
  found.global_runtime = summaries.global;
  found.local_cells = local_cell_texts(data, summaries);
  found.alpha = rules.decision.alpha;
  found.no_verdict = rules.no_verdict;
  found.dir = data.dir;
  found.health = study.health();
  found.sentence = overlap_sentence(found);
  return found;
}

}  // namespace invar::analysis
