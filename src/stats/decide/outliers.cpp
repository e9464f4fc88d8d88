#include "stats/decide/outliers.hpp"

#include <map>
#include <utility>

#include "stats/decide/inference.hpp"
#include "stats/describe/quantile.hpp"

namespace invar::stats {
namespace {

using SetPlace = std::pair<std::size_t, SeriesPlace>;

// Medians of every set and place that has enough series.
std::map<SetPlace, double> medians_of_sets(std::span<const AlikeSeries> series) {
  std::map<SetPlace, std::vector<double>> values;
  for (const AlikeSeries& one : series) {
    for (const AlikeSeries::Point& point : one.points) {
      values[{one.set, point.place}].push_back(point.log_time);
    }
  }
  std::map<SetPlace, double> medians;
  for (auto& [place, logs] : values) {
    if (logs.size() >= kFewestAlike) medians[place] = median_in_place(logs);
  }
  return medians;
}

struct GroupDeviations {
  std::vector<double> d = {};       // one a group
  std::vector<double> rounds = {};  // of the latest group
};

GroupDeviations deviations_of(const AlikeSeries& series,
                              const std::map<SetPlace, double>& medians) {
  std::map<std::uint32_t, std::vector<double>> by_group;
  for (const AlikeSeries::Point& point : series.points) {
    const auto of_set = medians.find({series.set, point.place});
    if (of_set == medians.end()) continue;
    by_group[point.place.group].push_back(point.log_time - of_set->second);
  }
  GroupDeviations deviations;
  for (const auto& [group, rounds] : by_group) {
    deviations.d.push_back(median(rounds));
    deviations.rounds = rounds;
  }
  return deviations;
}

}  // namespace

std::vector<Outlier> find_outliers(std::span<const AlikeSeries> series, const DecisionRule& rule) {
  const std::map<SetPlace, double> medians = medians_of_sets(series);
  std::vector<GroupDeviations> deviations;
  std::vector<TableCell> cells;
  std::vector<std::size_t> judged;  // index of the series
  deviations.reserve(series.size());
  for (std::size_t i = 0; i < series.size(); ++i) {
    deviations.push_back(deviations_of(series[i], medians));
    if (!deviations.back().d.empty()) judged.push_back(i);
  }
  cells.reserve(judged.size());
  for (const std::size_t i : judged) {
    // What the step of the clock does to the median of a whole set is less than what it does to
    // one.
    cells.push_back({.differences = {.d = deviations[i].d,
                                     .variance_floor = series[i].variance_floor,
                                     .only_group_blocks = deviations[i].rounds},
                     .resolution = series[i].resolution,
                     .hypothesis = {.alternative = Alternative::kGreater,
                                    .margin = rule.min_effect + series[i].slack}});
  }
  const std::vector<TableRow> rows = compare_table(cells, rule, Correction::kHolm);
  std::vector<Outlier> found(series.size());
  for (std::size_t k = 0; k < judged.size(); ++k) {
    const TableRow& row = rows[k];
    found[judged[k]] = {.ratio = row.plain.ratio,
                        .interval = row.printed_interval,
                        .p_adjusted = row.p_adjusted,
                        .groups = row.plain.groups,
                        .this_launch_only = row.plain.this_launch_only,
                        .verdict = row.verdict};
  }
  return found;
}

}  // namespace invar::stats
