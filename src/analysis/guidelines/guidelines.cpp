#include "analysis/guidelines/guidelines.hpp"

#include <algorithm>
#include <utility>

#include "analysis/compare/looks.hpp"
#include "analysis/compare/pair_table.hpp"
#include "analysis/compare/reference_regime.hpp"
#include "analysis/compare/whole_contest.hpp"
#include "analysis/guidelines/guideline_pairs.hpp"
#include "analysis/guidelines/guideline_rows.hpp"
#include "analysis/machine/diagnostics.hpp"
#include "analysis/machine/perturbations.hpp"
#include "analysis/study/scope.hpp"
#include "analysis/study/select.hpp"
#include "analysis/words/regimes_clause.hpp"

namespace invar::analysis {

std::optional<double> GuidelineRow::lost_ns() const {
  if (!sides || !sides->time_b || !sides->ratio || !(*sides->ratio > 1)) return std::nullopt;
  return sides->time_b->median_ns * (1 - 1 / *sides->ratio);
}

bool Guidelines::any(stats::Verdict verdict) const {
  return std::ranges::any_of(rows, [&](const GuidelineRow& row) { return row.is(verdict); });
}

std::vector<GuidelineCount> counts_of(const Guidelines& found) {
  std::vector<GuidelineCount> counts;
  for (const ComparedArm& arm : found.arms) {
    for (const design::GuidelineKind kind :
         {design::GuidelineKind::kMonotone, design::GuidelineKind::kSplit,
          design::GuidelineKind::kPattern}) {
      GuidelineCount count{.arm = arm.label, .kind = kind};
      for (std::size_t rule = 0; rule < found.rules.size(); ++rule) {
        if (found.rules[rule].kind != kind) continue;
        ++count.rules;
        std::size_t measured = 0;
        std::size_t violated = 0;
        std::size_t holding = 0;
        for (const GuidelineRow& row : found.rows) {
          if (row.rule != rule || row.arm != arm.label || !row.sides) continue;
          ++measured;
          violated += row.is(stats::Verdict::kViolated) ? 1U : 0U;
          holding += row.is(stats::Verdict::kHolds) ? 1U : 0U;
        }
        if (measured == 0) continue;
        ++count.measured;
        if (violated > 0) {
          ++count.violated;
        } else if (holding == measured) {
          ++count.holding;
        } else {
          ++count.undecided;
        }
      }
      if (count.rules > 0) counts.push_back(count);
    }
  }
  return counts;
}

std::optional<Lack> guidelines_lack(const Study& study) {
  const store::Data& data = study.data();
  if (std::optional<Lack> lack = lack_of_groups(data)) return lack;
  if (std::optional<Lack> lack = lack_of_guidelines(study)) return lack;
  const Summaries& summaries = study.summaries();
  if (std::optional<Lack> lack = lack_of_repetitions(data, summaries)) return lack;
  return lack_of_regime(data, summaries, study.rules());
}

Guidelines guidelines(const Study& study) {
  require(guidelines_lack(study));
  const store::Data& data = study.data();
  const design::Campaign& campaign = study.campaign();
  const Summaries& summaries = study.summaries();
  const Rules rules = judging_rules(study, summaries);
  const WholeContest whole = whole_contest(data, summaries, rules);
  const Contest& contest = whole.contest;
  const std::vector<GuidelinePlace> places = guideline_places(contest, campaign);
  const std::vector<Pair> pairs = pairs_of_places(places);
  Looks looks;
  if (rules.sequential) looks = take_looks(contest, pairs, rules, data.looks);
  const Answers answers = rules.sequential ? looks.answers : answer(contest, pairs, rules);

  Guidelines found;
  found.rules = rules_of(campaign);
  found.rows = guideline_rows(study, contest, places, answers.rows);
  found.arms = compared_arms(data, whole.arms);
  const bool one_launch =
      !answers.rows.empty() &&
      std::ranges::all_of(answers.rows, [](const auto& row) { return row.launches == 1; });
  found.scope =
      scope_text(data, one_launch, study.starts()) + regime_scope(reference_regime(contest));
  found.warnings = data_warnings(data, rules, summaries, whole.arms, contest.split_by());
  add_launch_warnings(contest, pairs, answers.rows, rules, found.warnings);
  for (const auto& doubts :
       {perturbation_warnings(find_perturbations(data, summaries, rules.pairing)),
        ratio_warnings(contest, pairs, rules)}) {
    found.warnings.insert(found.warnings.end(), doubts.begin(), doubts.end());
  }
  if (!whole.reference.moved.empty()) {
    found.warnings.emplace_back(moved_words(whole.reference.moved, contest.is_split()),
                                Gravity::kDoubt);
  }
  found.global_runtime = summaries.global;
  found.alpha = rules.decision.alpha;
  found.correction = rules.correction;
  found.splits_chosen = std::ranges::any_of(data.decided, [](const store::DecidedLine& decided) {
    return decided.decision == kSplitsDecision && !decided.not_judging.empty();
  });
  found.comparisons = answers.tests;
  found.sequential = rules.sequential;
  found.looks = std::move(looks.reports);
  found.no_verdict = rules.no_verdict;
  found.dir = data.dir;
  found.health = study.health();
  found.sentence = guidelines_sentence(found);
  return found;
}

}  // namespace invar::analysis
