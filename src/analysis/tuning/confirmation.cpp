#include "analysis/tuning/confirmation.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "analysis/compare/looks.hpp"
#include "analysis/compare/pair_table.hpp"
#include "analysis/compare/reference_regime.hpp"
#include "analysis/compare/whole_contest.hpp"
#include "analysis/machine/diagnostics.hpp"
#include "analysis/machine/perturbations.hpp"
#include "analysis/study/scope.hpp"
#include "analysis/study/select.hpp"
#include "analysis/tuning/kept.hpp"
#include "analysis/words/regimes_clause.hpp"

namespace invar::analysis {
namespace {

constexpr std::uint32_t kUntouched = 0;
constexpr std::uint32_t kTuned = 1;

tuning::DecisionTable tested_table(const design::Campaign& campaign) {
  std::vector<tuning::Entry> entries;
  entries.reserve(campaign.entries.size());
  for (const design::EntryBlock& block : campaign.entries) entries.push_back(block.entry);
  return tuning::DecisionTable(std::move(entries));
}

const tuning::Entry* entry_of(const tuning::DecisionTable& table, const record::Cell& cell) {
  return table.find(cell.operation, cell.ranks, cell.size_bytes.value_or(0));
}

// A gain of more than `share` of the untouched time is a ratio of tuned to untouched below 1 -
// share, and a hypothesis has its bound at 1 / (1 + margin).
stats::Hypothesis gains_more_than(double share) {
  return {.alternative = stats::Alternative::kLess, .margin = 1 / (1 - share) - 1};
}

stats::Hypothesis is_slower_by(double share) {
  return {.alternative = stats::Alternative::kGreater, .margin = share};
}

// What of the table gains in the cells of the campaign. One that failed, or was not measured, has
// no row, and no entry may go on over it.
tuning::DecisionTable confirmed_table(const tuning::DecisionTable& tested,
                                      const std::vector<record::Cell>& all,
                                      const std::vector<ConfirmedCell>& rows) {
  std::vector<design::TuneCell> cells;
  cells.reserve(all.size());
  for (const record::Cell& cell : all) {
    cells.push_back(
        {.operation = cell.operation, .size_bytes = cell.size_bytes, .ranks = cell.ranks});
  }
  return kept_pieces(tested, cells, [&](const design::TuneCell& cell, const auto&) {
    return std::ranges::any_of(rows, [&](const ConfirmedCell& row) {
      const record::Cell& at = row.sides.cell;
      return at.operation == cell.operation && at.size_bytes == cell.size_bytes &&
             at.ranks == cell.ranks && row.effect() == Effect::kGains;
    });
  });
}

}  // namespace

std::string_view to_string(Effect effect) {
  constexpr std::array<std::string_view, 5> kWords{"gains", "gains-less", "same", "slower",
                                                   "undecided"};
  return kWords.at(static_cast<std::size_t>(effect));
}

std::optional<Effect> ConfirmedCell::effect() const {
  if (!sides.verdict) return std::nullopt;
  if (!entry) {
    if (sides.verdict == stats::Verdict::kViolated) return Effect::kSlower;
    return sides.verdict == stats::Verdict::kHolds ? Effect::kSame : Effect::kUndecided;
  }
  if (sides.verdict == stats::Verdict::kViolated) return Effect::kGains;
  // The verdict decides, and nothing beside it: an interval alone, of whatever was left undecided,
  // would say more than was judged.
  if (sides.verdict != stats::Verdict::kHolds) return Effect::kUndecided;
  const bool slower = sides.ratio_interval && sides.ratio_interval->low > 1;
  return slower ? Effect::kSlower : Effect::kGainsLess;
}

std::optional<double> ConfirmedCell::gain() const {
  return sides.ratio ? std::optional(1 - *sides.ratio) : std::nullopt;
}

std::optional<stats::Interval> ConfirmedCell::gain_interval() const {
  if (!sides.ratio_interval) return std::nullopt;
  const stats::Interval& ratio = *sides.ratio_interval;
  return stats::Interval{1 - ratio.high, 1 - ratio.low, ratio.confidence};
}

std::optional<double> ConfirmedCell::gain_ns() const {
  if (!gain() || !sides.time_a) return std::nullopt;
  return sides.time_a->median_ns * *gain();
}

std::size_t Confirmation::count(Effect effect) const {
  return static_cast<std::size_t>(std::ranges::count_if(
      cells, [&](const ConfirmedCell& cell) { return cell.effect() == effect; }));
}

std::vector<Pair> confirmation_pairs(const Contest& contest, const design::Campaign& campaign) {
  const tuning::DecisionTable table = tested_table(campaign);
  const double share = campaign.analysis.min_effect;
  const CellTable& whole = contest.times.front().whole();
  std::vector<Pair> pairs;
  if (contest.labels.size() != 2) return pairs;
  for (std::uint32_t cell = 0; cell < contest.cells.size(); ++cell) {
    // Also where it was never measured in the reference regime.
    if (whole[cell][kUntouched].empty() || whole[cell][kTuned].empty()) continue;
    const bool gains = entry_of(table, contest.cells[cell]) != nullptr;
    pairs.push_back({.a = {.cell = cell, .arm = kUntouched},
                     .b = {.cell = cell, .arm = kTuned},
                     .hypothesis = gains ? gains_more_than(share) : is_slower_by(share)});
  }
  return pairs;
}

std::string confirmed_word(const Pair& pair, stats::Verdict verdict) {
  const bool gains = pair.hypothesis.alternative == stats::Alternative::kLess;
  if (verdict == stats::Verdict::kViolated) return gains ? "gains" : "slower";
  if (verdict == stats::Verdict::kHolds) return gains ? "gains-less" : "same";
  return std::string(stats::to_string(verdict));
}

std::optional<Lack> confirmation_lack(const Study& study) {
  const store::Data& data = study.data();
  if (std::optional<Lack> lack = lack_of_groups(data)) return lack;
  if (study.campaign().entries.empty() || data.arms.size() != 2) {
    return Lack{
        .faults = {{.place = data.dir.string(),
                    .what = "this campaign confirms nothing",
                    .remedy = "invar tune --confirm DIR measures what a tuned file gains"}}};
  }
  const Summaries& summaries = study.summaries();
  if (std::optional<Lack> lack = lack_of_repetitions(data, summaries)) return lack;
  return lack_of_regime(data, summaries, study.rules());
}

Confirmation confirmation(const Study& study) {
  require(confirmation_lack(study));
  const store::Data& data = study.data();
  const Summaries& summaries = study.summaries();
  const Rules rules = rules_before_a_look(judging_rules(study, summaries), data);
  const WholeContest whole = whole_contest(data, summaries, rules);
  const Contest& contest = whole.contest;
  const std::vector<Pair> pairs = confirmation_pairs(contest, study.campaign());
  Looks looks;
  if (rules.sequential) looks = take_looks(contest, pairs, rules, data.looks);
  const Answers answers = rules.sequential ? looks.answers : answer(contest, pairs, rules);

  Confirmation found;
  found.tested = tested_table(study.campaign());
  for (const ComparedCell& row : answers.rows) {
    ConfirmedCell& cell = found.cells.emplace_back(ConfirmedCell{.sides = row});
    if (const tuning::Entry* entry = entry_of(found.tested, row.cell)) {
      cell.entry = entry->candidate;
    }
  }
  found.confirmed = confirmed_table(found.tested, contest.cells, found.cells);
  found.arms = compared_arms(data, whole.arms);
  found.scope = scope_text(data, data.groups.size() == 1, study.starts()) +
                regime_scope(reference_regime(contest));
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
  found.min_effect = rules.decision.min_effect;
  found.comparisons = answers.tests;
  found.looks = std::move(looks.reports);
  found.no_verdict = rules.no_verdict;
  found.sessions = data.sessions;
  found.dir = data.dir;
  found.health = study.health();
  found.sentence = confirmation_sentence(found);
  return found;
}

}  // namespace invar::analysis
