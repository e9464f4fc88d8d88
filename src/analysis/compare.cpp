#include "analysis/compare.hpp"

#include <algorithm>
#include <set>

#include "analysis/contest.hpp"
#include "analysis/diagnosis.hpp"
#include "analysis/diagnostics.hpp"
#include "analysis/method_table.hpp"
#include "analysis/own_visits.hpp"
#include "analysis/perturbations.hpp"
#include "analysis/regimes.hpp"
#include "analysis/scope.hpp"
#include "analysis/select.hpp"
#include "analysis/sentence.hpp"
#include "analysis/summaries.hpp"
#include "analysis/words.hpp"
#include "base/error.hpp"

namespace invar::analysis {
namespace {

CellTable of_arms(const store::Data& data, CellTable table, std::span<const std::uint32_t> arms) {
  drop_failed_cells(data, table);
  CellTable result;
  result.reserve(table.size());
  for (std::vector<CellVisits>& row : table) {
    std::vector<CellVisits> selected;
    selected.reserve(arms.size());
    for (const std::uint32_t arm : arms) selected.push_back(std::move(row[arm]));
    result.push_back(std::move(selected));
  }
  return result;
}

Contest contest_of(const store::Data& data, CellTable table, std::span<const std::uint32_t> arms) {
  Contest contest;
  contest.cells = data.cells;
  for (const std::uint32_t arm : arms) contest.labels.push_back(data.arms[arm].label);
  contest.table = of_arms(data, std::move(table), arms);
  return contest;
}

// Nothing is split where there is one regime.
void add_regimes(Contest& contest, const store::Data& data, const Summaries& summaries,
                 const Regimes& regimes, std::span<const std::uint32_t> arms) {
  if (regimes.found.size() < 2) return;
  for (std::size_t i = 0; i < regimes.found.size(); ++i) {
    contest.regimes.push_back(regimes.found[i].name);
    contest.in_regime.push_back(
        of_arms(data,
                visits_in_regime(summaries.visits, regimes, i, data.cells.size(), data.arms.size(),
                                 kRegimeBlocks),
                arms));
  }
}

// Launch groups that both arms have.
std::size_t common_groups(const CellVisits& a, const CellVisits& b) {
  return static_cast<std::size_t>(
      std::ranges::count_if(a.launches, [&](const LaunchVisits& launch) {
        return std::ranges::find(b.launches, launch.group, &LaunchVisits::group) !=
               b.launches.end();
      }));
}

void add_regimes(const Contest& contest, std::uint32_t cell, std::vector<Question>& questions) {
  const std::vector<Question> asked(std::ranges::find(questions, cell, &Question::cell),
                                    questions.end());
  for (std::size_t regime = 0; regime < contest.in_regime.size(); ++regime) {
    for (Question question : asked) {
      question.regime = regime;
      const std::vector<CellVisits>& visits = visits_of(contest, question);
      if (!question.printed ||
          common_groups(visits[question.a], visits[question.b]) < kRegimeGroups) {
        continue;
      }
      questions.push_back(question);
    }
  }
}

// With more than two arms every pair is asked, because the best arms follow from all of them;
// printed are those with the reference, or, where it does not have the cell, with the first arm
// that does.
// After each cell's: the same of every regime in which both arms have launches enough.
std::vector<Question> questions_of(const Contest& contest, bool all_pairs) {
  std::vector<Question> questions;
  const bool several = contest.labels.size() > 2;
  for (std::uint32_t cell = 0; cell < contest.cells.size(); ++cell) {
    std::vector<std::uint32_t> present;
    for (std::uint32_t arm = 0; arm < contest.labels.size(); ++arm) {
      if (!contest.table[cell][arm].empty()) present.push_back(arm);
    }
    for (std::size_t i = 0; i < present.size(); ++i) {
      const bool printed = all_pairs || i == 0;
      if (!printed && !several) continue;
      for (std::size_t j = i + 1; j < present.size(); ++j) {
        questions.push_back({.cell = cell, .a = present[i], .b = present[j], .printed = printed});
      }
    }
    add_regimes(contest, cell, questions);
  }
  return questions;
}

// "what each has": the first few cells of every arm.
// Where cells failed it is the measurement that has, not its user.
[[noreturn]] void throw_no_common_cells(const store::Data& data, const Contest& contest) {
  if (!data.failed_cells.empty() || !data.missed.empty()) {
    std::vector<base::Fault> failures;
    for (const store::Missed& run : data.missed) {
      if (failures.size() == 3) break;
      failures.push_back({.place = data.dir.string(),
                          .what = "no cell to compare: " + data.arms[run.arm].label +
                                  " gave no time: " + run.reason});
    }
    for (const store::FailedCell& cell : data.failed_cells) {
      if (failures.size() == 3) break;
      failures.push_back(
          {.place = data.dir.string(),
           .what = "no cell to compare: a cell of " + cell.arm + " failed: " + cell.reason});
    }
    throw base::CommandError(base::Exit::kMeasurementFailed, std::move(failures));
  }
  base::Faults faults;
  const record::CellTexts text(contest.cells);
  for (std::size_t arm = 0; arm < contest.labels.size(); ++arm) {
    std::vector<std::string> cells;
    for (std::size_t cell = 0; cell < contest.cells.size(); ++cell) {
      if (!contest.table[cell][arm].empty()) {
        cells.push_back(text(contest.cells[cell]));
      }
    }
    const std::size_t count = cells.size();
    if (count > 5) cells.resize(5);
    faults.add(data.dir.string(),
               "no cell to compare: " + contest.labels[arm] + " has " +
                   (count == 0 ? "none" : list_text(cells)) +
                   (count > 5 ? " and " + std::to_string(count - 5) + " more" : ""));
  }
  faults.throw_if_any();
  throw base::UserError(data.dir.string(), "no arm to compare");
}

// Cells that only one arm has, for whatever reason.
std::vector<std::string> lonely_warnings(const Contest& contest) {
  std::vector<std::string> warnings;
  const record::CellTexts text(contest.cells);
  for (std::size_t arm = 0; arm < contest.labels.size(); ++arm) {
    std::vector<std::string> cells;
    for (std::size_t cell = 0; cell < contest.cells.size(); ++cell) {
      const auto count = std::ranges::count_if(
          contest.table[cell], [](const CellVisits& visits) { return !visits.empty(); });
      if (count == 1 && !contest.table[cell][arm].empty()) {
        cells.push_back(text(contest.cells[cell]));
      }
    }
    if (cells.empty()) continue;
    const std::size_t total = cells.size();
    if (cells.size() > 3) cells.resize(3);
    warnings.push_back(count_text(total, "cell") + " not compared, only " + contest.labels[arm] +
                       " has " + (total == 1 ? "it: " : "them: ") + list_text(cells, ", ") +
                       (total > 3 ? ", ..." : ""));
  }
  return warnings;
}

bool is_same_arm(const store::Data& data, std::span<const std::uint32_t> arms) {
  std::vector<store::ArmRecord> records;
  for (const std::uint32_t arm : arms) records.push_back(data.arms[arm]);
  return same_arm(records);
}

}  // namespace

Comparison compare(const store::Data& all, const Rules& asked, const CompareOptions& options) {
  const OwnVisits own(all);
  const store::Data& data = own.data();
  const std::vector<std::uint32_t> arms = select_labels(labels_of(data), options.arms, "--arms");
  if (arms.size() < 2) {
    throw base::UserError(data.dir.string(), "a comparison needs two arms, this is one",
                          "invar show " + data.dir.string() + " prints its times");
  }
  if (data.groups.empty()) throw_no_data(data);

  Rules rules = asked;
  const bool preset = rules.method != Method::kInvar;
  const Summaries summaries =
      summarize_visits(data, preset ? Runtime::kLocal : rules.runtime, rules.agreed_start);
  require_valid_repetitions(data, summaries);
  if (rules.no_verdict.empty() && std::ranges::any_of(summaries.arms, [](const Tally& tally) {
        return tally.oversubscribed > 0;
      })) {
    rules.no_verdict = "more ranks than cores (oversubscribed)";
  }
  Contest contest =
      contest_of(data, table_by_method(all, data, rules, rules.measured, summaries), arms);
  Comparison result;
  if (!preset) {
    result.regimes = regimes_of(data, summaries);
    add_regimes(contest, data, summaries, result.regimes, arms);
  }
  const std::vector<Question> questions = questions_of(contest, options.all_pairs);
  if (questions.empty()) throw_no_common_cells(data, contest);
  const Answers answers = answer(contest, questions, rules);

  result.arms = compared_arms(data, arms);
  for (std::size_t i = 0; i < questions.size(); ++i) {
    if (questions[i].printed) result.cells.push_back(answers.rows[i]);
  }
  if (arms.size() > 2) result.best = best_arms(contest, questions, answers.rows);
  const bool one_launch =
      std::ranges::all_of(result.cells, [](const ComparedCell& row) { return row.launches == 1; });
  result.scope = scope_text(data, one_launch);
  result.warnings = data_warnings(data, rules, summaries, arms);
  for (std::string& warning : lonely_warnings(contest)) {
    result.warnings.push_back(std::move(warning));
  }
  for (std::string& warning : launch_warnings(contest, questions, answers.rows, rules)) {
    result.warnings.push_back(std::move(warning));
  }
  result.perturbations = find_perturbations(data, summaries);
  result.diagnosis = diagnose(data, summaries, arms);
  for (const auto& doubts :
       {perturbation_warnings(result.perturbations), diagnosis_warnings(result.diagnosis),
        ratio_warnings(contest, questions, rules)}) {
    result.warnings.insert(result.warnings.end(), doubts.begin(), doubts.end());
  }
  result.method = rules.method;
  if (rules.preset != nullptr) result.preset = rules.preset->name;
  result.pairing = preset ? Pairing::kNone : rules.pairing;
  result.global_runtime = summaries.global;
  result.alpha = rules.decision.alpha;
  result.min_effect = rules.decision.min_effect;
  result.correction = preset ? stats::Correction::kNone : rules.correction;
  result.comparisons = answers.tests;
  result.same_arm = is_same_arm(data, arms);
  result.no_verdict = rules.no_verdict;
  result.dirs = {data.dir};
  result.damaged = !data.damage.empty();
  result.measurement_failed = !data.failed_cells.empty() || !data.missed.empty() ||
                              !data.failed_groups.empty() || !data.dropped_arms.empty() ||
                              !summaries.empty.empty();
  result.incomplete = !data.ended;
  result.sentence = sentence_of(result);
  return result;
}

Comparison compare(const store::Data& data, const CompareOptions& options) {
  return compare(data, make_rules(campaign_of(data), options), options);
}

}  // namespace invar::analysis
