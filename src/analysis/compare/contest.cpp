#include "analysis/compare/contest.hpp"

#include <algorithm>
#include <cmath>

#include "analysis/machine/regimes.hpp"
#include "analysis/study/select.hpp"
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

ComparedCell times_of(const Contest& contest, const Question& question, double confidence) {
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

Answers answer_invar(const Contest& contest, std::span<const Question> questions,
                     const Rules& rules) {
  const Family questions_asked(contest, questions, rules);
  std::vector<stats::TableTest> family;
  std::vector<std::size_t> members;
  for (std::size_t i = 0; i < questions.size(); ++i) {
    if (!questions_asked.has_evidence(i)) continue;
    family.push_back(questions_asked.member(i));
    members.push_back(i);
  }
  const std::vector<stats::TableRow> judged =
      stats::judge_table(family, rules.decision, rules.correction);
  Answers answers;
  for (std::size_t i = 0; i < questions.size(); ++i) {
    answers.rows.push_back(questions_asked.row(i));
  }
  for (std::size_t i = 0; i < members.size(); ++i) {
    ComparedCell& row = answers.rows[members[i]];
    fill(row, judged[i], rules.no_verdict.empty());
    answers.tests += row.p ? 1U : 0U;
  }
  return answers;
}

Answers answer_reprompi(const Contest& contest, std::span<const Question> questions,
                        const Rules& rules) {
  Answers answers;
  for (const Question& question : questions) {
    const std::vector<CellVisits>& visits = contest.table[question.cell];
    ComparedCell row = times_of(contest, question, 1 - rules.decision.alpha);
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
    ComparedCell row = times_of(contest, question, 1 - rules.decision.alpha);
    judge_reported(row, visits[question.a], visits[question.b]);
    answers.rows.push_back(std::move(row));
  }
  return answers;
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
      if (question.printed && enough_in_regime(contest, question, Pairing::kTurns)) {
        questions.push_back(question);
      }
    }
  }
}

}  // namespace

bool enough_in_regime(const Contest& contest, const Question& question, Pairing pairing) {
  const std::vector<CellVisits>& visits = visits_of(contest, question);
  const CellVisits& a = visits[question.a];
  const CellVisits& b = visits[question.b];
  const std::size_t groups = pairing == Pairing::kNone
                                 ? std::min(a.launches.size(), b.launches.size())
                                 : common_groups(a, b);
  return groups >= kRegimeGroups;
}

const std::vector<CellVisits>& visits_of(const Contest& contest, const Question& question) {
  return (question.regime ? contest.in_regime[*question.regime] : contest.table)[question.cell];
}

bool Family::Evidence::exists() const {
  return !paired.d.empty() || (!log_a.empty() && !log_b.empty());
}

Family::Family(const Contest& contest, std::span<const Question> questions, const Rules& rules)
    : contest_(contest), questions_(questions), rules_(rules) {
  for (const Question& question : questions) {
    const std::vector<CellVisits>& visits = visits_of(contest, question);
    const CellVisits& a = visits[question.a];
    const CellVisits& b = visits[question.b];
    Evidence& evidence = evidence_.emplace_back();
    if (question.times_only || a.empty() || b.empty()) continue;
    if (rules.pairing == Pairing::kNone) {
      evidence.log_a = a.log_medians();
      evidence.log_b = b.log_medians();
      evidence.floor_a = a.variance_floor();
      evidence.floor_b = b.variance_floor();
      evidence.resolution = stats::ratio_resolution(a.resolution(), b.resolution());
    } else {
      evidence.paired = paired_differences(a, b, rules.pairing);
      evidence.resolution = evidence.paired.resolution;
    }
  }
}

stats::TableTest Family::member(std::size_t question) const {
  const Evidence& evidence = evidence_[question];
  const auto estimate = [&evidence](double confidence) {
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
  };
  return {.estimate = estimate, .resolution = evidence.resolution};
}

ComparedCell Family::row(std::size_t question) const {
  ComparedCell row = times_of(contest_, questions_[question], 1 - rules_.decision.alpha);
  if (rules_.no_verdict.empty() && !questions_[question].times_only) {
    row.verdict = stats::Verdict::kUndecided;
  }
  return row;
}

ComparedCell Family::row(std::size_t question, const stats::TableRow& judged) const {
  ComparedCell filled = row(question);
  fill(filled, judged, rules_.no_verdict.empty());
  return filled;
}

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
