#include "analysis/pictured.hpp"

#include <algorithm>

#include "analysis/contest.hpp"
#include "analysis/diagnostics.hpp"
#include "analysis/own_visits.hpp"
#include "analysis/pairs.hpp"
#include "analysis/rules.hpp"
#include "analysis/scope.hpp"
#include "analysis/select.hpp"
#include "analysis/summaries.hpp"
#include "analysis/times.hpp"
#include "analysis/words.hpp"
#include "base/text.hpp"

namespace invar::analysis {
namespace {

constexpr double kConfidence = 0.95;

// Smallest launch median of all arms; 0 where one is: there is nothing to relate to.
double base_of(const std::vector<CellVisits>& arms) {
  std::optional<double> least;
  for (const CellVisits& visits : arms) {
    for (const LaunchVisits& launch : visits.launches) {
      least = std::min(least.value_or(launch.median_ns), launch.median_ns);
    }
  }
  return least.value_or(0);
}

PicturedCell picture_cell(const record::Cell& cell, const std::vector<CellVisits>& arms,
                          double base_ns) {
  PicturedCell result{.cell = cell};
  for (std::size_t arm = 0; arm < arms.size(); ++arm) {
    if (arms[arm].empty()) continue;
    PicturedArm one{.arm = arm, .time = *time_estimate(arms[arm], kConfidence)};
    for (const LaunchVisits& launch : arms[arm].launches) {
      one.relative.push_back(launch.median_ns / base_ns);
    }
    one.box = stats::tukey_box(one.relative);
    result.arms.push_back(std::move(one));
  }
  return result;
}

}  // namespace

Pictured pictured(const store::Data& all, const PicturedOptions& options) {
  const OwnVisits own(all);
  const store::Data& data = own.data();
  const std::vector<std::uint32_t> arms = select_labels(labels_of(data), options.arms, "--arms");
  const std::vector<bool> chosen = select_cells(data, options.cells);
  if (data.groups.empty()) throw_no_data(data);
  CompareOptions analysis;
  analysis.runtime = options.runtime;
  const Rules rules = make_rules(campaign_of(data), analysis);
  const Summaries summaries = summarize_visits(data, rules.runtime, rules.agreed_start);
  require_valid_repetitions(data, summaries);
  const Contest contest =
      contest_of(data, sort_visits(summaries.visits, data.cells.size(), data.arms.size()), arms);

  Pictured result{.arms = contest.labels};
  std::vector<std::string> left_out;
  const record::CellTexts text(contest.cells);
  for (std::size_t cell = 0; cell < contest.cells.size(); ++cell) {
    if (!chosen[cell]) continue;
    const double base_ns = base_of(contest.table[cell]);
    if (base_ns > 0) {
      result.cells.push_back(picture_cell(contest.cells[cell], contest.table[cell], base_ns));
    } else {
      left_out.push_back(text(contest.cells[cell]));
    }
  }
  result.sentence = count_text(result.cells.size(), "cell") + " of " +
                    count_text(arms.size(), "arm") + ", " +
                    count_text(data.groups.size(), "launch group") + ": " +
                    scope_text(data, data.groups.size() == 1) + ".";
  if (!left_out.empty()) {
    result.warnings.push_back("not drawn, without a time or with times of 0: " +
                              base::first_items(left_out, 3, "; ", "cell"));
  }
  for (std::string& warning : data_warnings(data, rules, summaries, arms)) {
    result.warnings.push_back(std::move(warning));
  }
  result.global_runtime = summaries.global;
  result.confidence = kConfidence;
  result.dir = data.dir;
  result.damaged = !data.damage.empty();
  result.incomplete = !data.ended;
  result.measurement_failed = !data.failed_cells.empty() || !data.missed.empty() ||
                              !data.failed_groups.empty() || !data.dropped_arms.empty() ||
                              !summaries.empty.empty();
  return result;
}

}  // namespace invar::analysis
