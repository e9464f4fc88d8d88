#include "cli/tuning/violated.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "analysis/guidelines/guidelines.hpp"
#include "analysis/study/study.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "cli/measure.hpp"
#include "cli/rules_file.hpp"
#include "design/recipes/guidelines_campaign.hpp"
#include "driver/decide/budget.hpp"
#include "driver/prepare/checks.hpp"
#include "driver/prepare/prepare.hpp"
#include "driver/run/run.hpp"
#include "store/reader.hpp"

namespace invar::cli {
namespace {

constexpr const char* kRules[] = {"pgmpi", "references"};

design::GuidelinesOrder guidelines_of(const design::TuneOrder& order,
                                      const launch::CheckedArm& arm) {
  design::GuidelinesOrder asked{.quick = order.quick, .ranks = order.ranks};
  asked.quick.operations.clear();
  asked.quick.budget_s *= kShareOfGuidelines;
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

}  // namespace

ViolatedCells violated_cells(const design::TuneOrder& order, const launch::CheckedArm& arm,
                             const std::filesystem::path& dir) {
  const design::Campaign campaign = design::guidelines_campaign(guidelines_of(order, arm));
  driver::Prepared prepared = driver::prepare(campaign, {}, "tune --cells violated");
  driver::check_launches(prepared);
  driver::check_budget_for_least(prepared);
  fmt::print(stderr, "first: which cells break a guideline\n");
  announce(prepared, dir);
  ViolatedCells found;
  const driver::RunResult result = driver::run_new(prepared, std::nullopt, dir);
  found.unfinished = unfinished_status(dir, result);
  if (found.unfinished) return found;
  const analysis::Study study(store::read_campaign_dir(dir));
  const analysis::Guidelines judged = analysis::guidelines(study);
  for (const analysis::GuidelineRow& row : judged.rows) {
    if (!row.is(stats::Verdict::kViolated) || !row.ranks) continue;
    design::TuneCell cell{.operation = judged.rules[row.rule].operation,
                          .size_bytes = row.size_bytes,
                          .ranks = *row.ranks};
    if (std::ranges::find(found.cells, cell) == found.cells.end()) {
      found.cells.push_back(std::move(cell));
    }
  }
  found.cells = design::with_sizes_between(found.cells, order.quick.sizes_bytes);
  fmt::print(stderr, "{}\n", judged.sentence);
  return found;
}

}  // namespace invar::cli
