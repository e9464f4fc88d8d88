// What was found of guidelines, in a sentence.
#include <optional>
#include <string>
#include <vector>

#include "analysis/guidelines/guideline_rows.hpp"
#include "analysis/guidelines/guidelines.hpp"
#include "analysis/words/words.hpp"
#include "base/text.hpp"
#include "base/units.hpp"

namespace invar::analysis {
namespace {

using design::Guideline;

// "monotone 4/9": violated ones of those that are measured.
std::string count_words(const GuidelineCount& count) {
  return std::string(to_string(count.kind)) + ' ' + std::to_string(count.violated) + '/' +
         std::to_string(count.measured);
}

// The violated row of the arm in which a call loses most; null: there is none.
const GuidelineRow* worst_violation(const Guidelines& found, const std::string& arm) {
  const GuidelineRow* worst = nullptr;
  for (const GuidelineRow& row : found.rows) {
    if (row.arm != arm || !row.is(stats::Verdict::kViolated) || !row.lost_ns()) continue;
    if (worst == nullptr || *row.lost_ns() > *worst->lost_ns()) worst = &row;
  }
  return worst;
}

std::string worst_words(const Guidelines& found, const GuidelineRow& worst) {
  const Guideline& rule = found.rules[worst.rule];
  return "most time is lost in " + rule.operation +
         (worst.size_bytes ? " " + base::size_text(*worst.size_bytes) : "") + " (" + rule.name +
         "): " + ratio_words(*worst.sides->ratio) + " times as long as " +
         right_words(rule, worst) + ", " + base::duration_text(*worst.lost_ns()) + " a call";
}

// PGMPI knows violations, and else nothing.
std::string rest_words(const GuidelineCount& all, bool pgmpi) {
  if (pgmpi) return std::to_string(all.measured - all.violated) + " without a violation";
  return std::to_string(all.holding) + (all.holding == 1 ? " holds" : " hold") +
         " at every size, " + std::to_string(all.undecided) +
         (all.undecided == 1 ? " is" : " are") + " undecided";
}

std::string arm_clause(const Guidelines& found, const std::string& arm) {
  GuidelineCount all;
  std::vector<std::string> kinds;
  for (const GuidelineCount& count : counts_of(found)) {
    if (count.arm != arm) continue;
    if (count.measured > 0) kinds.push_back(count_words(count));
    all.rules += count.rules;
    all.measured += count.measured;
    all.violated += count.violated;
    all.holding += count.holding;
    all.undecided += count.undecided;
  }
  const std::string guidelines = count_text(all.measured, "guideline");
  if (all.measured == 0) return "no guideline was measured in " + arm;
  std::string rest = rest_words(all, !found.pgmpi_test.empty());
  if (all.rules > all.measured) {
    rest += "; " + std::to_string(all.rules - all.measured) + " more not measured";
  }
  if (all.violated == 0) {
    return arm + " was not seen to violate any of " + guidelines + " (" + rest + ")";
  }
  std::string text = arm + " violates " + std::to_string(all.violated) + " of " + guidelines +
                     " (" + base::join(kinds, ", ") + "; " + rest + ")";
  if (const GuidelineRow* worst = worst_violation(found, arm))
    text += ", " + worst_words(found, *worst);
  return text;
}

// The launches that what is undecided rests on; none: nothing is.
std::optional<std::size_t> launches_of_undecided(const Guidelines& found) {
  std::optional<std::size_t> most;
  for (const GuidelineRow& row : found.rows) {
    if (!row.is(stats::Verdict::kUndecided)) continue;
    most = std::max(most.value_or(0), row.sides->launches);
  }
  return most;
}

std::string looks_words(const Guidelines& found) {
  if (!found.sequential) return {};
  if (found.looks.empty()) return "; sequential, no look yet";
  std::vector<std::string> launches;
  launches.reserve(found.looks.size());
  for (const LookReport& look : found.looks) launches.push_back(std::to_string(look.launches));
  // Pilots, and groups outside of the reference regime, do not judge.
  const std::optional<std::size_t> judge = launches_of_undecided(found);
  const bool all_judge = !judge || *judge >= found.looks.back().launches;
  const std::string judging = all_judge ? "" : ", " + std::to_string(*judge) + " of which judge";
  return "; sequential, " + std::string(launches.size() == 1 ? "one look" : "looks") + " after " +
         list_text(launches) + " launch groups" + judging;
}

}  // namespace

std::string guidelines_sentence(const Guidelines& found) {
  std::string text;
  if (!found.no_verdict.empty()) {
    text = "No verdicts: " + found.no_verdict;
  } else {
    std::vector<std::string> clauses;
    clauses.reserve(found.arms.size());
    for (const ComparedArm& arm : found.arms) clauses.push_back(arm_clause(found, arm.label));
    text = base::join(clauses, "; ");
    if (!found.pgmpi_test.empty()) {
      text = "As PGMPI judges (" + found.pgmpi_test + ", not corrected), " + text;
    } else if (text.starts_with("no ")) {
      text.front() = 'N';
    }
  }
  return text + ": " + found.scope + looks_words(found) + ".";
}

}  // namespace invar::analysis
