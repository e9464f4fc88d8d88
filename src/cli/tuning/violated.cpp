#include "cli/tuning/violated.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/guidelines/guidelines.hpp"
#include "analysis/study/study.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "cli/measure.hpp"
#include "cli/rules_file.hpp"
#include "cli/terminal.hpp"
#include "design/recipes/guidelines_campaign.hpp"
#include "design/recipes/tune_budget.hpp"
#include "driver/decide/budget.hpp"
#include "driver/decide/enough_to_race.hpp"
#include "driver/prepare/checks.hpp"
#include "driver/prepare/prepare.hpp"
#include "driver/run/run.hpp"
#include "store/reader.hpp"

namespace invar::cli {
namespace {

constexpr std::string_view kGuidelinesSuffix = "-guidelines";

constexpr const char* kRules[] = {"pgmpi", "references"};

design::GuidelinesOrder guidelines_of(const design::TuneOrder& order,
                                      const launch::CheckedArm& arm) {
  design::GuidelinesOrder asked{.quick = order.quick, .ranks = order.ranks};
  asked.quick.operations.clear();
  asked.quick.budget_s *= design::kMostOfGuidelines;
  for (const char* name : kRules) {
    asked.rules_place = rules_file(name);
    for (design::Guideline& rule : read_rules(asked.rules_place)) {
      const bool tuned =
          std::ranges::find(order.quick.operations, rule.operation) != order.quick.operations.end();
      if (tuned) asked.rules.push_back(std::move(rule));
    }
  }
  if (asked.rules.empty()) {
    throw base::UserError(
        "--cells",
        "no guideline that comes with Invar is about " + base::join(order.quick.operations, ", "),
        "write --cells all");
  }
  asked.operations = {arm.profile.operations};
  return asked;
}

bool is_begun(const std::filesystem::path& dir) {
  return std::filesystem::exists(dir / "manifest.jsonl");
}

// As it was sealed in `dir`, the campaign is the one that this command makes.
void refuse_other_guidelines(const driver::Prepared& prepared, const std::string& sealed,
                             const std::filesystem::path& dir) {
  if (design::campaign_toml(prepared.campaign) == sealed) return;
  throw base::UserError(dir.string(), "has guidelines that another command has measured",
                        "write the command that began it once more, or another -o");
}

std::string race_of(const std::filesystem::path& guidelines_dir) {
  const std::string name = guidelines_dir.string();
  return name.substr(0, name.size() - kGuidelinesSuffix.size());
}

driver::RunResult run_first_phase(design::Campaign campaign, const std::filesystem::path& dir,
                                  double spent_s) {
  constexpr const char* kPlace = "tune --cells violated";
  const std::vector<driver::Decision> decisions = driver::decisions_until_something_races();
  if (is_begun(dir)) {
    const std::string sealed = store::read_campaign_dir(dir).campaign_toml;
    campaign.seed = design::read_sealed_campaign(sealed, dir.string()).seed;
    refuse_other_guidelines(driver::prepare(campaign, {}, kPlace), sealed, dir);
    fmt::print(stderr, "first: which cells break a guideline, going on with {}\n", dir.string());
    return driver::run_resumed(dir, {}, decisions);
  }
  driver::Prepared prepared = driver::prepare(campaign, {}, kPlace);
  driver::check_launches(prepared);
  driver::check_budget_for_least(prepared);
  driver::spend(prepared, spent_s);
  fmt::print(stderr,
             "first: which cells break a guideline, with a quarter of the budget, and more of it "
             "while none surely does\n");
  announce(prepared, dir);
  return driver::run_new(prepared, std::nullopt, dir, {}, decisions);
}

}  // namespace

std::filesystem::path guidelines_directory(const std::string& race_dir) {
  return race_dir + std::string(kGuidelinesSuffix);
}

void check_guidelines_directory(const std::filesystem::path& dir) {
  if (!is_begun(dir)) store::check_new_directory(dir);
}

ViolatedCells violated_cells(const design::TuneOrder& order, const launch::CheckedArm& arm,
                             const std::filesystem::path& dir, double spent_s) {
  ViolatedCells found;
  const driver::RunResult result =
      run_first_phase(design::guidelines_campaign(guidelines_of(order, arm)), dir, spent_s);
  found.spent_s = result.elapsed_s;
  found.unfinished = unfinished_status(dir, result);
  if (found.unfinished) {
    if (result.interrupted) {
      fmt::print(stderr,
                 "invar: or with the same command once more, and -o {}, which goes on there and "
                 "then races\n",
                 base::shell_quoted(race_of(dir)));
    }
    return found;
  }
  const analysis::Study study(store::read_campaign_dir(dir));
  const analysis::Guidelines judged = analysis::guidelines(study);
  found.groups = study.data().groups.size();
  for (const analysis::GuidelineRow& row : judged.rows) {
    const bool undecided = row.is(stats::Verdict::kUndecided);
    const bool violated = row.is(stats::Verdict::kViolated);
    found.undecided += undecided ? 1U : 0U;
    found.questions += undecided || violated || row.is(stats::Verdict::kHolds) ? 1U : 0U;
    if (!violated || !row.ranks) continue;
    design::TuneCell cell{.operation = judged.rules[row.rule].operation,
                          .size_bytes = row.size_bytes,
                          .ranks = *row.ranks};
    if (std::ranges::find(found.cells, cell) == found.cells.end()) {
      found.cells.push_back(std::move(cell));
    }
  }
  found.cells = design::with_sizes_between(found.cells, order.quick.sizes_bytes);
  tell(judged.sentence);
  return found;
}

std::string nothing_to_race_text(const ViolatedCells& found, double budget_s) {
  std::string text = "nothing is raced: no cell surely breaks a guideline";
  const auto last_look = static_cast<std::size_t>(design::kLookLaunches.max);
  if (found.undecided > 0) {
    text += ", and " + std::to_string(found.undecided) + " of " +
            base::count_text(found.questions, "question") +
            (found.undecided == 1 ? " is" : " are") + " undecided";
    if (found.groups > 0 && found.groups < last_look) {
      const double enough_s = std::max(
          2 * budget_s, design::enough_for_all_looks_s(found.spent_s, found.groups, last_look));
      text += " for want of time, after " + base::count_text(found.groups, "launch group") +
              ": take a budget of about " + base::span_text(std::ceil(enough_s));
    }
  }
  return text + "; --cells all races them all";
}

}  // namespace invar::cli
