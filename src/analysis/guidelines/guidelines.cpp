#include "analysis/guidelines/guidelines.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "analysis/compare/looks.hpp"
#include "analysis/compare/pair_table.hpp"
#include "analysis/compare/reference_regime.hpp"
#include "analysis/guidelines/guideline_pairs.hpp"
#include "analysis/machine/diagnostics.hpp"
#include "analysis/machine/perturbations.hpp"
#include "analysis/machine/reference.hpp"
#include "analysis/study/scope.hpp"
#include "analysis/study/select.hpp"
#include "analysis/words/regimes_clause.hpp"

namespace invar::analysis {
namespace {

using design::NotMeasured;

// What the campaign says of a rule that it does not measure.
void add_not_measured(const design::Campaign& campaign, std::size_t rule,
                      std::vector<GuidelineRow>& rows) {
  for (const NotMeasured& absent : campaign.guidelines[rule].not_measured) {
    rows.push_back(
        {.rule = rule, .arm = absent.arm, .size_bytes = absent.size_bytes, .why = absent.why});
  }
}

bool told_by(const design::GuidelineBlock& block, const std::string& arm,
             std::optional<std::uint64_t> size_bytes) {
  return std::ranges::any_of(block.not_measured, [&](const NotMeasured& absent) {
    const bool same_size = !absent.size_bytes || absent.size_bytes == size_bytes;
    return same_size && (absent.arm.empty() || absent.arm == arm);
  });
}

std::string why_without_visits(const store::Data& data, const Contest& contest,
                               const GuidelinePlace& place) {
  if (!place.left || !place.right) {
    return "one of its sides was left out: the campaign's warnings say why";
  }
  for (const store::FailedCell& failed : data.failed_cells) {
    const bool here = failed.cell == contest.cells[*place.left].id ||
                      failed.cell == contest.cells[*place.right].id;
    if (here && failed.arm == contest.labels[place.arm]) return "one of its sides failed";
  }
  return "no launch has both sides";
}

// The rows of all rules: those with an answer take them in the order of the pairs.
std::vector<GuidelineRow> rows_of(const Study& study, const Contest& contest,
                                  const std::vector<GuidelinePlace>& places,
                                  std::vector<ComparedCell> answers) {
  const design::Campaign& campaign = study.campaign();
  std::vector<GuidelineRow> rows;
  std::size_t next_answer = 0;
  std::size_t rule = 0;
  for (const GuidelinePlace& place : places) {
    for (; rule < place.guideline; ++rule) add_not_measured(campaign, rule, rows);
    GuidelineRow row{.rule = place.guideline, .arm = contest.labels[place.arm]};
    if (place.left) {
      row.size_bytes = contest.cells[*place.left].size_bytes;
      row.ranks = contest.cells[*place.left].ranks;
    }
    if (place.pair) {
      row.sides = std::move(answers.at(next_answer++));
      // Families are an arrangement of the campaign's, no factor.
      row.sides->cell.family.clear();
    } else {
      if (told_by(campaign.guidelines[place.guideline], row.arm, row.size_bytes)) continue;
      row.why = why_without_visits(study.data(), contest, place);
    }
    rows.push_back(std::move(row));
  }
  for (; rule < campaign.guidelines.size(); ++rule) add_not_measured(campaign, rule, rows);
  return rows;
}

// More ranks than cores, whatever the campaign says.
Rules judging_rules(const Study& study, const Summaries& summaries) {
  Rules rules = study.rules();
  const bool shared = std::ranges::any_of(
      summaries.arms, [](const Tally& tally) { return tally.oversubscribed > 0; });
  if (rules.no_verdict.empty() && shared)
    rules.no_verdict = "more ranks than cores (oversubscribed)";
  return rules;
}

Lack no_guidelines_lack(const store::Data& data) {
  const std::string dir = data.dir.string();
  return {.faults = {{.place = dir,
                      .what = "this campaign has no guidelines",
                      .remedy = "invar guidelines ARM --rules FILE measures some"}}};
}

}  // namespace

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
  if (study.campaign().guidelines.empty()) return no_guidelines_lack(data);
  if (study.rules().method != Method::kInvar) {
    return Lack{.faults = {{.place = "--method",
                            .what = "guidelines are judged by method 'invar'",
                            .remedy = "leave it out"}}};
  }
  if (std::optional<Lack> lack = lack_of_groups(data)) return lack;
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
  std::vector<std::uint32_t> arms(data.arms.size());
  std::iota(arms.begin(), arms.end(), 0U);
  const ReferenceChoice reference =
      reference_of(data, summaries, regimes_by(data, summaries, rules), rules);
  const Contest contest =
      contest_of(data, sort_visits(summaries.visits, data.cells.size(), data.arms.size()), arms,
                 reference.band);
  const std::vector<GuidelinePlace> places = guideline_places(contest, campaign);
  const std::vector<Pair> pairs = guideline_pairs(contest, campaign);
  Looks looks;
  if (rules.sequential) looks = take_looks(contest, pairs, rules, data.looks);
  const Answers answers = rules.sequential ? looks.answers : answer(contest, pairs, rules);

  Guidelines found;
  for (const design::GuidelineBlock& block : campaign.guidelines) {
    found.rules.push_back(design::parse_guidelines(block.rule, "").front());
  }
  found.rows = rows_of(study, contest, places, answers.rows);
  found.arms = compared_arms(data, arms);
  const bool one_launch =
      !answers.rows.empty() &&
      std::ranges::all_of(answers.rows, [](const auto& row) { return row.launches == 1; });
  found.scope =
      scope_text(data, one_launch, study.starts()) + regime_scope(reference_regime(contest));
  found.warnings = data_warnings(data, rules, summaries, arms);
  add_launch_warnings(contest, pairs, answers.rows, rules, found.warnings);
  for (const auto& doubts :
       {perturbation_warnings(find_perturbations(data, summaries, rules.pairing)),
        ratio_warnings(contest, pairs, rules)}) {
    found.warnings.insert(found.warnings.end(), doubts.begin(), doubts.end());
  }
  if (!reference.moved.empty()) {
    found.warnings.emplace_back(moved_words(reference.moved, contest.is_split()), Gravity::kDoubt);
  }
  found.global_runtime = summaries.global;
  found.alpha = rules.decision.alpha;
  found.correction = rules.correction;
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
