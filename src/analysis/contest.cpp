#include "analysis/contest.hpp"

#include <algorithm>
#include <cmath>

#include "analysis/reported.hpp"
#include "analysis/reprompi.hpp"
#include "analysis/times.hpp"

namespace invar::analysis {
namespace {

// The numbers that one question rests on; the family's estimators refer to them.
struct Evidence {
  PairedDifferences paired = {};
  std::vector<double> log_a = {};
  std::vector<double> log_b = {};
  double floor_a = 0;
  double floor_b = 0;
  double resolution = 0;

  [[nodiscard]] bool exists() const {
    return !paired.d.empty() || (!log_a.empty() && !log_b.empty());
  }
};

Evidence evidence_of(const CellVisits& a, const CellVisits& b, Pairing pairing) {
  Evidence evidence;
  if (pairing == Pairing::kNone) {
    evidence.log_a = a.log_medians();
    evidence.log_b = b.log_medians();
    evidence.floor_a = a.variance_floor();
    evidence.floor_b = b.variance_floor();
    evidence.resolution = stats::ratio_resolution(a.resolution(), b.resolution());
  } else {
    evidence.paired = paired_differences(a, b, pairing);
    evidence.resolution = evidence.paired.resolution;
  }
  return evidence;
}

stats::RatioEstimate estimate(const Evidence& evidence, double confidence) {
  if (!evidence.paired.d.empty()) {
    return stats::estimate_ratio({.d = evidence.paired.d,
                                  .variance_floor = evidence.paired.variance_floor,
                                  .only_group_blocks = evidence.paired.blocks},
                                 confidence);
  }
  return stats::estimate_ratio_unpaired({.log_a = evidence.log_a,
                                         .log_b = evidence.log_b,
                                         .variance_floor_a = evidence.floor_a,
                                         .variance_floor_b = evidence.floor_b},
                                        confidence);
}

ComparedCell row_of(const Contest& contest, const Question& question, double confidence) {
  const std::vector<CellVisits>& visits = visits_of(contest, question);
  ComparedCell row;
  row.cell = contest.cells[question.cell];
  if (question.regime) row.regime = contest.regimes[*question.regime];
  row.arm_a = contest.labels[question.a];
  row.arm_b = contest.labels[question.b];
  row.time_a = time_estimate(visits[question.a], confidence);
  row.time_b = time_estimate(visits[question.b], confidence);
  return row;
}

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

Answers answer_invar(const Contest& contest, std::span<const Question> questions,
                     const Rules& rules) {
  const double confidence = 1 - rules.decision.alpha;
  Answers answers;
  std::vector<Evidence> evidence;
  for (const Question& question : questions) {
    answers.rows.push_back(row_of(contest, question, confidence));
    const std::vector<CellVisits>& visits = visits_of(contest, question);
    evidence.push_back(evidence_of(visits[question.a], visits[question.b], rules.pairing));
  }
  std::vector<stats::FamilyMember> family;
  std::vector<std::size_t> members;
  for (std::size_t i = 0; i < evidence.size(); ++i) {
    if (!evidence[i].exists()) continue;
    family.push_back(
        {.estimate = [&one = evidence[i]](double level) { return estimate(one, level); },
         .resolution = evidence[i].resolution});
    members.push_back(i);
  }
  const bool verdicts = rules.no_verdict.empty();
  const std::vector<stats::TableRow> judged =
      stats::judge_family(family, rules.decision, rules.correction);
  for (ComparedCell& row : answers.rows) {
    if (verdicts) row.verdict = stats::Verdict::kUndecided;
  }
  for (std::size_t i = 0; i < members.size(); ++i) {
    ComparedCell& row = answers.rows[members[i]];
    fill(row, judged[i], verdicts);
    answers.tests += row.p ? 1U : 0U;
  }
  return answers;
}

Answers answer_reprompi(const Contest& contest, std::span<const Question> questions,
                        const Rules& rules) {
  Answers answers;
  for (const Question& question : questions) {
    const std::vector<CellVisits>& visits = contest.table[question.cell];
    ComparedCell row = row_of(contest, question, 1 - rules.decision.alpha);
    judge_reprompi(row, visits[question.a], visits[question.b], rules);
    answers.tests += row.p ? 1U : 0U;
    answers.rows.push_back(std::move(row));
  }
  return answers;
}

Answers answer_reported(const Contest& contest, std::span<const Question> questions,
                        const Rules& rules) {
  Answers answers;
  for (const Question& question : questions) {
    const std::vector<CellVisits>& visits = contest.table[question.cell];
    ComparedCell row = row_of(contest, question, 1 - rules.decision.alpha);
    judge_reported(row, visits[question.a], visits[question.b]);
    answers.rows.push_back(std::move(row));
  }
  return answers;
}

}  // namespace

const std::vector<CellVisits>& visits_of(const Contest& contest, const Question& question) {
  return (question.regime ? contest.in_regime[*question.regime] : contest.table)[question.cell];
}

Answers answer(const Contest& contest, std::span<const Question> questions, const Rules& rules) {
  switch (rules.method) {
    case Method::kReprompi:
      return answer_reprompi(contest, questions, rules);
    case Method::kReported:
      return answer_reported(contest, questions, rules);
    case Method::kInvar:
      break;
  }
  return answer_invar(contest, questions, rules);
}

std::vector<BestArms> best_arms(const Contest& contest, std::span<const Question> questions,
                                std::span<const ComparedCell> rows) {
  std::vector<BestArms> best;
  for (std::uint32_t cell = 0; cell < contest.cells.size(); ++cell) {
    std::vector<bool> asked(contest.labels.size(), false);
    std::vector<bool> beaten(contest.labels.size(), false);
    bool judged = false;
    for (std::size_t i = 0; i < questions.size(); ++i) {
      const Question& question = questions[i];
      if (question.cell != cell || question.regime || !rows[i].verdict) continue;
      judged = true;
      asked[question.a] = asked[question.b] = true;
      if (rows[i].verdict == stats::Verdict::kFaster) beaten[question.b] = true;
      if (rows[i].verdict == stats::Verdict::kSlower) beaten[question.a] = true;
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
