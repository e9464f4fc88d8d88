#include "analysis/compare/pair_table.hpp"

#include <algorithm>

#include "analysis/study/times.hpp"
#include "analysis/suites/reported.hpp"
#include "analysis/suites/reprompi.hpp"

namespace invar::analysis {
namespace {

// The table's statistics speak of A / B; what is printed is B / A.
void fill(ComparedCell& row, const stats::TableRow& judged, bool verdicts) {
  const stats::RatioEstimate plain = stats::reciprocal(judged.plain);
  row.ratio = plain.ratio;
  if (judged.printed_interval) {
    const stats::Interval& interval = *judged.printed_interval;
    row.ratio_interval = stats::Interval{1 / interval.high, 1 / interval.low, interval.confidence};
  }
  row.launches = plain.groups;
  row.this_launch_only = plain.this_launch_only;
  if (!verdicts) return;
  row.p = plain.p;
  row.p_adjusted = judged.p_adjusted;
  row.verdict = judged.verdict;
}

// Two times of one arm are told apart by the names of these, where they have one.
std::string name_of(const Contest& contest, const Side& side, const Side& other) {
  const std::string time(to_string(side.time));
  const bool times = side.arm == other.arm && side.time != other.time && !time.empty();
  return times ? time : contest.labels[side.arm];
}

ComparedCell times_of(const Contest& contest, const Pair& pair, double confidence) {
  ComparedCell row;
  row.cell = contest.cells[pair.a.cell];
  if (pair.b.cell != pair.a.cell) row.cell_b = contest.cells[pair.b.cell];
  if (pair.regime) row.regime = contest.regimes[*pair.regime];
  row.arm_a = name_of(contest, pair.a, pair.b);
  row.arm_b = name_of(contest, pair.b, pair.a);
  row.time_a = time_estimate(visits_of(contest, pair.a, pair.regime), confidence);
  row.time_b = time_estimate(visits_of(contest, pair.b, pair.regime), confidence);
  return row;
}

Answers answer_invar(const Contest& contest, std::span<const Pair> pairs, const Rules& rules) {
  const PairTable table(contest, pairs, rules);
  std::vector<stats::TableTest> tests;
  std::vector<std::size_t> tested;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (!table.has_evidence(i)) continue;
    tests.push_back(table.test(i));
    tested.push_back(i);
  }
  const std::vector<stats::TableRow> judged =
      stats::judge_table(tests, rules.decision, rules.correction);
  Answers answers;
  for (std::size_t i = 0; i < pairs.size(); ++i) answers.rows.push_back(table.row(i));
  for (std::size_t i = 0; i < tested.size(); ++i) {
    ComparedCell& row = answers.rows[tested[i]];
    fill(row, judged[i], rules.no_verdict.empty());
    answers.tests += row.p ? 1U : 0U;
  }
  return answers;
}

Answers answer_by_suite(const Contest& contest, std::span<const Pair> pairs, const Rules& rules) {
  Answers answers;
  for (const Pair& pair : pairs) {
    const CellVisits& a = visits_of(contest, pair.a);
    const CellVisits& b = visits_of(contest, pair.b);
    ComparedCell row = times_of(contest, pair, 1 - rules.decision.alpha);
    if (rules.method == Method::kReprompi) {
      judge_reprompi(row, a, b, rules);
      answers.tests += row.p ? 1U : 0U;
    } else {
      judge_reported(row, a, b);
    }
    answers.rows.push_back(std::move(row));
  }
  return answers;
}

}  // namespace

bool PairTable::Evidence::exists() const {
  return !paired.d.empty() || (!log_a.empty() && !log_b.empty());
}

PairTable::PairTable(const Contest& contest, std::span<const Pair> pairs, const Rules& rules)
    : contest_(contest), pairs_(pairs), rules_(rules) {
  for (const Pair& pair : pairs) {
    const CellVisits& a = visits_of(contest, pair.a, pair.regime);
    const CellVisits& b = visits_of(contest, pair.b, pair.regime);
    Evidence& evidence = evidence_.emplace_back();
    if (pair.times_only || a.empty() || b.empty()) continue;
    if (pairing_of(pair, rules.pairing) == Pairing::kNone) {
      evidence.log_a = a.log_medians();
      evidence.log_b = b.log_medians();
      evidence.floor_a = a.variance_floor();
      evidence.floor_b = b.variance_floor();
      evidence.resolution = stats::ratio_resolution(a.resolution(), b.resolution());
    } else {
      evidence.paired = differences_of(contest, pair, rules.pairing);
    }
  }
}

stats::TableTest PairTable::test(std::size_t pair) const {
  const Evidence& evidence = evidence_[pair];
  const stats::Hypothesis hypothesis = pairs_[pair].hypothesis.turned();
  if (!evidence.paired.d.empty()) return paired_test(evidence.paired, hypothesis);
  const auto estimate = [&evidence, hypothesis](double confidence) {
    return stats::estimate_ratio_unpaired({.log_a = evidence.log_a,
                                           .log_b = evidence.log_b,
                                           .variance_floor_a = evidence.floor_a,
                                           .variance_floor_b = evidence.floor_b},
                                          confidence, hypothesis);
  };
  return {.estimate = estimate, .resolution = evidence.resolution};
}

ComparedCell PairTable::row(std::size_t pair) const {
  ComparedCell row = times_of(contest_, pairs_[pair], 1 - rules_.decision.alpha);
  if (rules_.no_verdict.empty() && !pairs_[pair].times_only) {
    row.verdict = stats::Verdict::kUndecided;
  }
  return row;
}

ComparedCell PairTable::row(std::size_t pair, const stats::TableRow& judged) const {
  ComparedCell filled = row(pair);
  fill(filled, judged, rules_.no_verdict.empty());
  return filled;
}

Answers answer(const Contest& contest, std::span<const Pair> pairs, const Rules& rules) {
  return rules.method == Method::kInvar ? answer_invar(contest, pairs, rules)
                                        : answer_by_suite(contest, pairs, rules);
}

std::vector<BestArms> best_arms(const Contest& contest, std::span<const Pair> pairs,
                                std::span<const ComparedCell> rows) {
  std::vector<BestArms> best;
  for (std::uint32_t cell = 0; cell < contest.cells.size(); ++cell) {
    std::vector<bool> asked(contest.labels.size(), false);
    std::vector<bool> beaten(contest.labels.size(), false);
    bool judged = false;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const Pair& pair = pairs[i];
      if (!pair.of_arms() || pair.a.cell != cell || pair.regime || !rows[i].verdict) continue;
      judged = true;
      asked[pair.a.arm] = asked[pair.b.arm] = true;
      if (rows[i].verdict == stats::Verdict::kFaster) beaten[pair.b.arm] = true;
      if (rows[i].verdict == stats::Verdict::kSlower) beaten[pair.a.arm] = true;
    }
    if (!judged) continue;
    BestArms entry{.cell = contest.cells[cell]};
    for (std::size_t arm = 0; arm < contest.labels.size(); ++arm) {
      entry.contenders += asked[arm] ? 1U : 0U;
      if (asked[arm] && !beaten[arm]) entry.arms.push_back(contest.labels[arm]);
    }
    if (entry.arms.empty()) {
      // Each beats another one: pairs rest on different groups where launches failed.
      for (std::size_t arm = 0; arm < contest.labels.size(); ++arm) {
        if (asked[arm]) entry.arms.push_back(contest.labels[arm]);
      }
    }
    best.push_back(std::move(entry));
  }
  return best;
}

}  // namespace invar::analysis
