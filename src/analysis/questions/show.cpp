#include "analysis/questions/show.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "analysis/machine/diagnostics.hpp"
#include "analysis/machine/reference.hpp"
#include "analysis/p2p/rates.hpp"
#include "analysis/questions/grouping.hpp"
#include "analysis/study/scope.hpp"
#include "analysis/study/select.hpp"
#include "analysis/study/spread.hpp"
#include "analysis/study/times.hpp"
#include "analysis/words/regimes_clause.hpp"
#include "analysis/words/words.hpp"
#include "base/text.hpp"
#include "record/arm_cell.hpp"
#include "stats/describe/moments.hpp"
#include "stats/describe/quantile.hpp"

namespace invar::analysis {
namespace {

// What the visits' times are called: rows may pool operations.
std::string time_of(const VisitGroup& bundle) {
  std::vector<std::string> names;
  for (const VisitSummary* visit : bundle.visits) {
    std::string name = visit->time_name();
    if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
  }
  return list_text(names);
}

std::optional<double> only_moved(const VisitGroup& bundle, const store::Data& data) {
  std::map<record::ArmCell, std::optional<double>> known;
  for (const VisitSummary* visit : bundle.visits) {
    const auto [of_cell, is_new] =
        known.try_emplace(record::ArmCell{.cell = visit->cell, .arm = visit->arm});
    if (!is_new) continue;
    of_cell->second = moved_bytes(data, visit->arm, data.cells[visit->cell], of_pair(*visit));
  }
  const std::optional<double> moved = known.begin()->second;
  const bool all =
      std::ranges::all_of(known, [&](const auto& of_cell) { return of_cell.second == moved; });
  return all ? moved : std::nullopt;
}

// `values`: scratch.
ShownGroup describe(const VisitGroup& bundle, const store::Data& data, bool global,
                    bool with_bandwidth, std::vector<double>& values) {
  ShownGroup row;
  if (with_bandwidth) row.moved = only_moved(bundle, data);
  row.levels = bundle.levels;
  row.time = time_of(bundle);
  row.visits = bundle.visits.size();
  const CellVisits visits = collect_visits(bundle.visits, &VisitSummary::launch);
  row.launches = visits.launches.size();
  row.this_launch_only = row.launches == 1;
  row.median = *time_estimate(visits, kTimeConfidence);
  row.sd_launches = sd_between_launches(visits);
  row.sd_visits = sd_between_visits(visits);
  values.clear();
  Tally tally;
  for (const VisitSummary* visit : bundle.visits) {
    append_observations(*visit, global, values, tally);
  }
  row.observations = values.size();
  row.mean_ns = stats::mean(values);
  const auto [least, most] = std::ranges::minmax(values);
  row.min_ns = least;
  row.max_ns = most;
  row.q1_ns = stats::quantile_in_place(values, 0.25);
  row.q3_ns = stats::quantile_in_place(values, 0.75);
  row.p95_ns = stats::quantile_in_place(values, 0.95);
  row.p99_ns = stats::quantile_in_place(values, 0.99);
  return row;
}

std::vector<VisitSummary> asked_for(const store::Data& data, const Summaries& summaries,
                                    std::span<const std::uint32_t> arms,
                                    const std::vector<bool>& cells) {
  std::vector<VisitSummary> visits;
  for (const VisitSummary& visit : summaries.visits) {
    const bool failed = std::ranges::any_of(data.failed_cells, [&](const store::FailedCell& cell) {
      return cell.cell == data.cells[visit.cell].id && cell.arm == data.arms[visit.arm].label;
    });
    if (!failed && cells[visit.cell] && std::ranges::find(arms, visit.arm) != arms.end()) {
      visits.push_back(visit);
    }
  }
  return visits;
}

// Factors of the cells, and the arm, that differ inside a row: its numbers are of a mixture.
std::vector<std::string> pooled_factors(const store::Data& data,
                                        std::span<const VisitGroup> bundles) {
  std::set<std::string> differing;
  for (const VisitGroup& bundle : bundles) {
    const VisitSummary& first = *bundle.visits.front();
    for (const VisitSummary* visit : bundle.visits) {
      if (visit->arm != first.arm) differing.insert("arm");
      if (visit->cell == first.cell) continue;
      for (const record::Factor& factor : record::factors()) {
        if (factor.text(data.cells[visit->cell]) == factor.text(data.cells[first.cell])) continue;
        differing.insert(std::string(factor.name));
      }
    }
  }
  // What follows from the operation, as the default datatype does, is not told again.
  std::vector<std::string> names;
  for (const std::string& name : usual_grouping(measured_cells(data))) {
    if (differing.contains(name)) names.push_back(name);
  }
  return names;
}

// Some row is of visits in several regimes of the machine, more of them than stragglers.
bool any_mixes_regimes(std::span<const VisitGroup> bundles, const Regimes& regimes) {
  constexpr double kFew = 0.05;
  return std::ranges::any_of(bundles, [&](const VisitGroup& bundle) {
    std::vector<std::size_t> counts(regimes.found.size());
    for (const VisitSummary* visit : bundle.visits) {
      if (const auto regime = regimes.of(*visit)) ++counts[*regime];
    }
    const double few = kFew * static_cast<double>(bundle.visits.size());
    return std::ranges::count_if(
               counts, [few](std::size_t count) { return static_cast<double>(count) > few; }) > 1;
  });
}

// The operation has a time of that name, which nothing told.
bool has_time(const store::Data& data, const UntoldVisits& untold, const std::string& name) {
  const record::OperationInfo info = data.operation(untold.arm, data.cells[untold.cell].operation);
  return std::ranges::find(info.times, name, &record::TimeInfo::name) != info.times.end();
}

// By this choice the visits' time is the one of that name.
bool is_chosen(const store::Data& data, const UntoldVisits& untold, const std::string& name,
               const TimeChoice& choice) {
  if (choice.kind == TimeChoice::Kind::kNamed) return choice.name == name;
  const record::Cell& cell = data.cells[untold.cell];
  const record::OperationInfo info = data.operation(untold.arm, cell.operation);
  return choice.kind == TimeChoice::Kind::kHeadline && info.times.front().name == name;
}

// Behind each row those of the other times of its visits. `seen`: the cells that have a row.
void add_other_times(const Study& study, const ShowOptions& options,
                     std::span<const std::uint32_t> arms, const std::vector<bool>& cells,
                     Show& result, std::vector<bool>& seen) {
  const store::Data& data = study.data();
  std::vector<double> values;
  for (const std::string& name : time_names(data)) {
    const Summaries& summaries =
        study.summaries_of({.kind = TimeChoice::Kind::kNamed, .name = name});
    const std::vector<VisitSummary> visits = asked_for(data, summaries, arms, cells);
    for (const VisitSummary& visit : visits) seen[visit.cell] = true;
    for (const VisitGroup& bundle : group_visits(data, visits, arms, result.by, result.regimes)) {
      // The headline is one of them.
      const auto same = [&](const ShownGroup& row) { return row.levels == bundle.levels; };
      const std::string time = time_of(bundle);
      if (std::ranges::any_of(result.groups, [&](const ShownGroup& row) {
            return same(row) && row.time == time;
          })) {
        continue;
      }
      const auto last = std::find_if(result.groups.rbegin(), result.groups.rend(), same);
      // Where the headline cannot be told these visits have no row yet.
      const auto at = last == result.groups.rend() ? result.groups.end() : last.base();
      result.groups.insert(at, describe(bundle, data, summaries.global, options.bandwidth, values));
    }
    // What the headline lacks is told with it.
    std::vector<UntoldVisits> untold;
    for (const UntoldVisits& one : summaries.untold) {
      if (cells[one.cell] && has_time(data, one, name) &&
          !is_chosen(data, one, name, study.rules().time)) {
        untold.push_back(one);
      }
    }
    warn_of_untold_times(data, summaries, untold, arms, result.warnings);
  }
}

std::string sentence(const Show& show, std::size_t cells, std::size_t arms) {
  // Other times of the same visits are behind their first row, and observed nothing more.
  std::set<std::vector<std::pair<std::string, std::string>>> counted;
  std::uint64_t observations = 0;
  for (const ShownGroup& group : show.groups) {
    if (counted.insert(group.levels).second) observations += group.observations;
  }
  return count_text(cells, "cell") + " of " + count_text(arms, "arm") + ", " +
         count_text(observations, "observation") + ": " + show.scope + ".";
}

}  // namespace

std::optional<Lack> show_lack(const Study& study) {
  if (std::optional<Lack> lack = lack_of_groups(study.data())) return lack;
  return lack_of_repetitions(study.data(), study.summaries());
}

Show show(const Study& study, const ShowOptions& options) {
  const store::Data& data = study.data();
  const Rules& rules = study.rules();
  const std::vector<std::uint32_t> arms = select_labels(labels_of(data), options.arms, "--arms");
  const std::vector<std::string> by =
      options.by.empty() ? usual_grouping(measured_cells(data)) : checked_grouping(options.by);
  const std::vector<bool> cells = select_cells(data, options.cells);
  require(show_lack(study));
  const Summaries& summaries = study.summaries();

  Show result;
  result.by = by;
  result.arms = compared_arms(data, arms);
  const std::vector<VisitSummary> visits = asked_for(data, summaries, arms, cells);
  std::vector<double> values;
  result.regimes = regimes_by(data, summaries, rules);
  const std::vector<VisitGroup> bundles = group_visits(data, visits, arms, by, result.regimes);
  for (const VisitGroup& bundle : bundles) {
    result.groups.push_back(describe(bundle, data, summaries.global, options.bandwidth, values));
  }
  std::vector<bool> seen(data.cells.size(), false);
  for (const VisitSummary& visit : visits) seen[visit.cell] = true;
  if (options.all_times) add_other_times(study, options, arms, cells, result, seen);
  result.has_times =
      std::ranges::any_of(result.groups, [](const ShownGroup& row) { return is_named(row.time); });
  if (rules.time.kind == TimeChoice::Kind::kNamed) result.time = rules.time.name;
  if (options.all_times) result.time = "all";
  result.scope = scope_text(data, data.groups.size() == 1, study.starts());
  result.sentence =
      sentence(result, static_cast<std::size_t>(std::ranges::count(seen, true)), arms.size());
  for (auto& warning : data_warnings(data, rules, summaries, arms)) {
    result.warnings.emplace_back(std::move(warning));
  }
  result.perturbations = find_perturbations(data, summaries, rules.pairing);
  for (auto& warning : perturbation_warnings(result.perturbations)) {
    result.warnings.emplace_back(std::move(warning));
  }
  if (any_mixes_regimes(bundles, result.regimes)) {
    result.warnings.push_back(mixed_regimes_warning(
        result.regimes,
        "and rows mix them: with --by regime," + base::join(by, ",") + " each has its own"));
  }
  const bool two =
      std::ranges::any_of(result.groups, [](const ShownGroup& row) { return row.launches == 2; });
  if (two) result.warnings.emplace_back(two_launches_text("launch"));
  if (const auto pooled = pooled_factors(data, bundles); !pooled.empty()) {
    result.warnings.insert(result.warnings.begin(),
                           "rows pool what differs in " + list_text(pooled) +
                               ": their times are of a mixture; with --by " +
                               base::join(pooled, ",") + "," + base::join(by, ",") +
                               " each has its own row");
  }
  result.global_runtime = summaries.global;
  result.local_cells = local_cell_texts(data, summaries);
  result.has_bandwidth = options.bandwidth;
  result.confidence = kTimeConfidence;
  result.dir = data.dir;
  result.health = study.health();
  return result;
}

}  // namespace invar::analysis
