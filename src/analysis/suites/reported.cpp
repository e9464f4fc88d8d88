#include "analysis/suites/reported.hpp"

#include <algorithm>
#include <map>

#include "analysis/study/select.hpp"
#include "analysis/suites/show_as.hpp"
#include "analysis/words/words.hpp"
#include "base/text.hpp"
#include "stats/describe/quantile.hpp"

namespace invar::analysis {
namespace {

double median_over_launches(const CellVisits& visits) {
  std::vector<double> values;
  for (const LaunchVisits& launch : visits.launches) values.push_back(launch.median_ns);
  return stats::median_in_place(values);
}

}  // namespace

std::optional<Lack> lack_of_reports(const PresetValues& values, const design::Preset& preset) {
  const store::Data& data = values.own();
  std::string missing;  // the first one; sooner one that another measurement would mend
  bool other_way = false;
  for (std::uint32_t cell = 0; cell < data.cells.size(); ++cell) {
    for (std::uint32_t arm = 0; arm < data.arms.size(); ++arm) {
      const Reported reported = values.of(preset, cell, arm);
      if (!reported.launches.empty()) return std::nullopt;
      if (missing.empty() || (reported.other_way && !other_way)) missing = reported.missing;
      other_way = other_way || reported.other_way;
    }
  }
  const std::string name(preset.name);
  return Lack{.faults = {{.place = "--method",
                          .what = name + ": " + missing,
                          .remedy = other_way ? "measure again with " +
                                                    how_to_measure({name}, values.command())
                                              : ""}}};
}

std::vector<Warning> missing_reports(const PresetValues& values, const design::Preset& preset) {
  const store::Data& data = values.own();
  std::map<std::string, std::vector<std::string>> cells;  // by reason
  const record::CellTexts text(measured_cells(data));
  for (std::uint32_t cell = 0; cell < data.cells.size(); ++cell) {
    std::string missing;
    for (std::uint32_t arm = 0; arm < data.arms.size(); ++arm) {
      const Reported reported = values.of(preset, cell, arm);
      missing = reported.missing;
      if (!reported.launches.empty()) break;
    }
    if (!missing.empty()) cells[missing].push_back(text(data.cells[cell]));
  }
  constexpr std::size_t kNamed = 3;
  std::vector<Warning> warnings;
  warnings.reserve(cells.size());
  for (const auto& [reason, left_out] : cells) {
    warnings.emplace_back(count_text(left_out.size(), "cell") + " of " +
                          std::to_string(data.cells.size()) + " left out, of which " +
                          std::string(preset.name) + " says nothing (" +
                          base::first_items(left_out, kNamed, "; ") + "): " + reason);
  }
  return warnings;
}

std::string reports_of(const design::Preset& preset, const store::Data& data) {
  std::vector<record::OperationInfo> operations;
  for (const record::Cell& cell : data.cells) {
    if (std::ranges::find(operations, cell.operation, &record::OperationInfo::name) ==
        operations.end()) {
      operations.push_back(data.operation(cell.operation));
    }
  }
  return design::reports_words(preset, operations);
}

CellTable reported_table(const PresetValues& values, const design::Preset& preset) {
  const store::Data& data = values.own();
  std::vector<VisitSummary> launches;
  for (std::uint32_t cell = 0; cell < data.cells.size(); ++cell) {
    for (std::uint32_t arm = 0; arm < data.arms.size(); ++arm) {
      for (const LaunchReport& launch : values.of(preset, cell, arm).launches) {
        VisitSummary summary;
        summary.group = launch.group;
        summary.launch = launch.launch;
        summary.arm = arm;
        summary.cell = cell;
        summary.observations = static_cast<std::uint32_t>(launch.calls);
        summary.effective_count = static_cast<double>(launch.calls);
        summary.median_ns = launch.numbers.front().time_ns;
        launches.push_back(summary);
      }
    }
  }
  return sort_visits(launches, data.cells.size(), data.arms.size());
}

void judge_reported(ComparedCell& row, const CellVisits& a, const CellVisits& b) {
  if (a.empty() || b.empty()) return;
  const double time_a = median_over_launches(a);
  const double time_b = median_over_launches(b);
  row.time_a = TimeEstimate{.median_ns = time_a};
  row.time_b = TimeEstimate{.median_ns = time_b};
  if (time_a > 0 && time_b > 0) row.ratio = time_b / time_a;
  row.launches = std::min(a.launches.size(), b.launches.size());
  row.this_launch_only = row.launches == 1;
}

std::vector<Warning> reported_warnings(const Contest& contest, std::span<const Pair> pairs,
                                       const std::string& preset) {
  std::size_t split = 0;
  std::size_t asked = 0;
  std::size_t least_minority = 0;
  std::size_t of_launches = 0;
  std::string place;
  const record::CellTexts text(contest.cells);
  for (const Pair& pair : pairs) {
    if (!pair.printed) continue;
    std::size_t above = 0;
    std::size_t below = 0;
    for (const LaunchVisits& a : visits_of(contest, pair.a).launches) {
      const auto& theirs = visits_of(contest, pair.b).launches;
      const auto b = std::ranges::find(theirs, a.group, &LaunchVisits::group);
      if (b == theirs.end()) continue;
      above += b->median_ns > a.median_ns ? 1U : 0U;
      below += b->median_ns < a.median_ns ? 1U : 0U;
    }
    ++asked;
    const std::size_t minority = std::min(above, below);
    if (minority == 0) continue;
    ++split;
    if (minority <= least_minority) continue;
    least_minority = minority;
    of_launches = above + below;
    place = text(contest.cells[pair.a.cell]);
  }
  if (split == 0) return {};
  return {"single runs of " + preset + " would contradict each other in " + std::to_string(split) +
          " of " + count_text(asked, "comparison") + ": " + place + " has " +
          std::to_string(least_minority) + " of " + std::to_string(of_launches) +
          " launches on the other side"};
}

std::string reported_clause(const Comparison& comparison) {
  double least = 0;
  double most = 0;
  for (const ComparedCell& row : comparison.cells) {
    if (!row.ratio) continue;
    least = least == 0 ? *row.ratio : std::min(least, *row.ratio);
    most = std::max(most, *row.ratio);
  }
  std::string text = "By " + comparison.preset + "'s numbers, one a run and without any test, ";
  if (most == 0) return text + "nothing can be said";
  const ComparedCell& first = comparison.cells.front();
  const bool one_pair = std::ranges::all_of(comparison.cells, [&](const ComparedCell& row) {
    return row.arm_a == first.arm_a && row.arm_b == first.arm_b;
  });
  text += one_pair ? first.arm_b : "other arms";
  text += (one_pair ? " takes " : " take ") + ratio_words(least);
  if (ratio_words(least) != ratio_words(most)) text += " to " + ratio_words(most);
  return text + " times as long as " + (one_pair ? first.arm_a : "those they are compared with");
}

}  // namespace invar::analysis
