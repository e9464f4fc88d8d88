#include "analysis/questions/show.hpp"

#include <algorithm>
#include <set>

#include "analysis/machine/diagnostics.hpp"
#include "analysis/questions/grouping.hpp"
#include "analysis/study/scope.hpp"
#include "analysis/study/select.hpp"
#include "analysis/study/spread.hpp"
#include "analysis/study/times.hpp"
#include "analysis/words/words.hpp"
#include "base/text.hpp"
#include "stats/describe/moments.hpp"
#include "stats/describe/quantile.hpp"

namespace invar::analysis {
namespace {

ShownGroup describe(const VisitGroup& bundle, bool global, std::vector<double>& values) {
  ShownGroup row;
  row.levels = bundle.levels;
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
    append_observations(*visit->source, global, values, tally);
  }
  row.observations = values.size();
  row.mean_ns = stats::mean(values);
  row.min_ns = std::ranges::min(values);
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
  for (const std::string& name : usual_grouping(data.cells)) {
    if (differing.contains(name)) names.push_back(name);
  }
  return names;
}

std::string sentence(const Show& show, std::size_t cells, std::size_t arms) {
  std::uint64_t observations = 0;
  for (const ShownGroup& group : show.groups) observations += group.observations;
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
      options.by.empty() ? usual_grouping(data.cells) : checked_grouping(options.by);
  const std::vector<bool> cells = select_cells(data, options.cells);
  require(show_lack(study));
  const Summaries& summaries = study.summaries();

  Show result;
  result.by = by;
  const std::vector<VisitSummary> visits = asked_for(data, summaries, arms, cells);
  std::vector<double> values;
  result.regimes = regimes_of(data, summaries);
  const std::vector<VisitGroup> bundles = group_visits(data, visits, arms, by, result.regimes);
  for (const VisitGroup& bundle : bundles) {
    result.groups.push_back(describe(bundle, summaries.global, values));
  }
  std::vector<bool> seen(data.cells.size(), false);
  for (const VisitSummary& visit : visits) seen[visit.cell] = true;
  result.scope = scope_text(data, data.groups.size() == 1);
  result.sentence =
      sentence(result, static_cast<std::size_t>(std::ranges::count(seen, true)), arms.size());
  result.warnings = data_warnings(data, rules, summaries, arms);
  result.perturbations = find_perturbations(data, summaries, rules.pairing);
  for (auto& warning : perturbation_warnings(result.perturbations)) {
    result.warnings.emplace_back(std::move(warning));
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
  result.confidence = kTimeConfidence;
  result.dir = data.dir;
  result.health = study.health();
  return result;
}

}  // namespace invar::analysis
