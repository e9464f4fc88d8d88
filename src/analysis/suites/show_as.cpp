#include "analysis/suites/show_as.hpp"

#include <algorithm>
#include <cmath>

#include "analysis/machine/diagnostics.hpp"
#include "analysis/study/lack.hpp"
#include "analysis/study/scope.hpp"
#include "analysis/study/select.hpp"
#include "analysis/study/summaries.hpp"
#include "analysis/study/times.hpp"
#include "analysis/suites/preset_reasons.hpp"
#include "analysis/words/words.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "stats/describe/quantile.hpp"

namespace invar::analysis {
namespace {

std::vector<const design::Preset*> suites_of(const std::vector<std::string>& names) {
  std::vector<const design::Preset*> suites;
  for (const std::string& name : design::checked_presets(names, "--as")) {
    suites.push_back(design::find_preset(name));
  }
  return suites;
}

SuiteReport report_of(Reported reported) {
  SuiteReport report{.launches = reported.launches.size(),
                     .missing = std::move(reported.missing),
                     .benchmark = reported.benchmark,
                     .call_bytes = reported.call_bytes};
  if (reported.launches.empty()) return report;
  report.again = static_cast<std::uint64_t>(std::ranges::count_if(
      reported.launches, [](const LaunchReport& launch) { return launch.again > 0; }));
  std::vector<double> calls;
  for (const LaunchReport& launch : reported.launches) {
    calls.push_back(static_cast<double>(launch.calls));
  }
  report.calls = stats::median_in_place(calls);
  for (std::size_t i = 0; i < reported.launches.front().numbers.size(); ++i) {
    SuiteNumber number{.name = std::string(reported.launches.front().numbers[i].name),
                       .median_ns = median_of_launches(reported.launches, i)};
    number.low_ns = number.high_ns = number.median_ns;
    for (const LaunchReport& launch : reported.launches) {
      if (i >= launch.numbers.size()) continue;
      number.low_ns = std::min(number.low_ns, launch.numbers[i].time_ns);
      number.high_ns = std::max(number.high_ns, launch.numbers[i].time_ns);
    }
    report.numbers.push_back(std::move(number));
  }
  return report;
}

// How far the suites' headlines of a row are apart: largest over least, as times of whole calls.
double apart(const SuiteRow& row) {
  double least = 0;
  double largest = 0;
  for (const SuiteReport& suite : row.suites) {
    if (suite.numbers.empty()) continue;
    const bool half =
        suite.benchmark != nullptr && suite.benchmark->printed == design::Printed::kHalfTime;
    const double time_ns = suite.numbers.front().median_ns * (half ? 2 : 1);
    least = least == 0 ? time_ns : std::min(least, time_ns);
    largest = std::max(largest, time_ns);
  }
  return least > 0 ? largest / least : 1;
}

std::string sentence(const ShownAs& shown, std::size_t reported) {
  double most = 1;
  for (const SuiteRow& row : shown.rows) most = std::max(most, apart(row));
  std::string text = "What " + count_text(reported, "suite") + " would report of " +
                     count_text(shown.rows.size(), "row") + " of cell and arm";
  if (reported > 1) text += ": of one row up to a factor " + ratio_words(most) + " apart";
  return text + ": " + shown.scope + ".";
}

// Whoever runs the suite itself and says nothing gets another window.
void note_windows(const ShownAs& shown, std::vector<Warning>& warnings) {
  std::vector<std::string> seen;
  for (const SuiteRow& row : shown.rows) {
    for (const SuiteReport& report : row.suites) {
      if (report.benchmark == nullptr || report.numbers.empty()) continue;
      const std::uint32_t usual = report.benchmark->window;
      if (usual == 0 || usual == row.cell.window) continue;
      std::string text = std::string(report.benchmark->benchmark) + " sends " +
                         std::to_string(usual) + " messages in a row if nobody says anything, " +
                         "here it is " + std::to_string(row.cell.window);
      if (std::ranges::find(seen, text) == seen.end()) seen.push_back(std::move(text));
    }
  }
  for (std::string& text : seen) warnings.emplace_back(std::move(text), Gravity::kNote);
}

// Suites that were not measured their way in any row, or in some.
void note_missing(const ShownAs& shown, const std::vector<std::string>& unmeasured,
                  std::string_view command, std::vector<Warning>& warnings) {
  if (!unmeasured.empty()) {
    warnings.emplace_back(list_text(unmeasured) + (unmeasured.size() == 1 ? " was" : " were") +
                          " not measured " + (unmeasured.size() == 1 ? "its" : "their") +
                          " way: measure again with " + how_to_measure(unmeasured, command));
  }
  for (std::size_t i = 0; i < shown.suites.size(); ++i) {
    std::vector<std::string> seen;
    for (const SuiteRow& row : shown.rows) {
      const std::string& missing = row.suites[i].missing;
      if (missing.empty() || std::ranges::find(seen, missing) != seen.end()) continue;
      seen.push_back(missing);
    }
    const std::string name(shown.suites[i]->name);
    if (seen.empty() || std::ranges::find(unmeasured, name) != unmeasured.end()) continue;
    warnings.emplace_back(name + " is missing in some rows: " + list_text(seen, ", "));
  }
}

}  // namespace

std::optional<double> megabytes_per_s(const SuiteReport& report, double time_ns) {
  if (!report.call_bytes || !(*report.call_bytes > 0) || !(time_ns > 0)) return std::nullopt;
  constexpr double kMegabytes = 1e3;  // of 10^6 bytes a second: a byte a nanosecond
  return *report.call_bytes * kMegabytes / time_ns;
}

std::string how_to_measure(const std::vector<std::string>& presets, std::string_view command) {
  std::vector<std::string> quoted;
  quoted.reserve(presets.size());
  for (const std::string& name : presets) quoted.push_back('"' + name + '"');
  return std::string(command) + " --presets " + base::join(presets, ",") + ", or presets = [" +
         base::join(quoted, ", ") + "] in [analysis]";
}

ShownAs show_as(const Study& study, const ShowAsOptions& options) {
  ShownAs shown{.suites = suites_of(options.suites), .repetitions = study.campaign().repetitions};
  const store::Data& data = study.data();
  const Rules& rules = study.rules();
  const std::vector<std::uint32_t> arms = select_labels(labels_of(data), options.arms, "--arms");
  require(lack_of_groups(data));
  const PresetValues values(study);
  const Summaries& summaries = study.summaries();
  CellTable table = sort_visits(summaries.visits, data.cells.size(), data.arms.size());
  drop_failed_cells(data, table);

  std::vector<std::size_t> reports(shown.suites.size(), 0);
  std::vector<std::size_t> other_way(shown.suites.size(), 0);
  for (const std::uint32_t cell : record::reading_order(data.cells)) {
    for (const std::uint32_t arm : arms) {
      SuiteRow row{.cell = data.cells[cell],
                   .suite_size_bytes = design::size_in_suite(
                       data.cells[cell], data.operation(arm, data.cells[cell].operation)),
                   .arm = data.arms[arm].label,
                   .own = time_estimate(table[cell][arm], kTimeConfidence)};
      std::vector<Reported> all_reported;
      bool any = false;
      for (const design::Preset* suite : shown.suites) {
        all_reported.push_back(values.of(*suite, cell, arm));
        any = any || !all_reported.back().launches.empty();
      }
      // A campaign may consist of a suite's visits alone.
      if (table[cell][arm].empty() && (!any || study.campaign().analysis.own_visits)) continue;
      for (std::size_t i = 0; i < shown.suites.size(); ++i) {
        Reported& reported = all_reported[i];
        reports[i] += reported.launches.empty() ? 0U : 1U;
        other_way[i] += reported.other_way ? 1U : 0U;
        row.suites.push_back(report_of(std::move(reported)));
      }
      shown.rows.push_back(std::move(row));
    }
  }
  std::vector<std::string> unmeasured;
  for (std::size_t i = 0; i < shown.suites.size(); ++i) {
    if (other_way[i] > 0 && reports[i] == 0) unmeasured.emplace_back(shown.suites[i]->name);
  }
  const auto reported = static_cast<std::size_t>(
      std::ranges::count_if(reports, [](std::size_t count) { return count > 0; }));
  if (reported == 0) {
    base::Faults faults;
    for (std::size_t i = 0; i < shown.suites.size(); ++i) {
      const std::string name(shown.suites[i]->name);
      const bool unmeasured_here = std::ranges::find(unmeasured, name) != unmeasured.end();
      faults.add(
          options.option,
          name + ": " +
              (shown.rows.empty() ? std::string("no cell was measured")
               : unmeasured_here  ? std::string(kNotItsWay)
                                  : shown.rows.front().suites[i].missing),
          unmeasured_here ? "measure again with " + how_to_measure({name}, values.command()) : "");
    }
    faults.throw_if_any();
  }
  shown.scope = scope_text(data, data.groups.size() == 1, study.starts());
  shown.sentence = sentence(shown, reported);
  for (const record::Cell& cell : data.cells) {
    if (std::ranges::find(shown.operations, cell.operation, &record::OperationInfo::name) ==
        shown.operations.end()) {
      shown.operations.push_back(values.operation(cell));
    }
  }
  shown.reasons = preset_reasons(values, shown.suites, arms);
  note_missing(shown, unmeasured, values.command(), shown.warnings);
  note_windows(shown, shown.warnings);
  for (auto& warning : data_warnings(data, rules, summaries, arms)) {
    shown.warnings.emplace_back(std::move(warning));
  }
  shown.global_runtime = summaries.global;
  shown.local_cells = local_cell_texts(data, summaries);
  shown.dir = data.dir;
  shown.health = study.health();
  return shown;
}

}  // namespace invar::analysis
