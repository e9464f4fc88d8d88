#include "analysis/compare/looks.hpp"

#include <algorithm>
#include <numeric>
#include <set>

#include "analysis/study/lack.hpp"
#include "analysis/study/select.hpp"
#include "analysis/study/summaries.hpp"
#include "analysis/study/times.hpp"
#include "base/error.hpp"
#include "stats/decide/sequential.hpp"

namespace invar::analysis {
namespace {

// What was there at a look.
Contest at_groups(const Contest& contest, const std::vector<std::uint32_t>& groups) {
  const std::set<std::uint32_t> known(groups.begin(), groups.end());
  Contest then = contest;
  for (std::vector<CellVisits>& row : then.table) {
    for (CellVisits& visits : row) {
      std::erase_if(visits.launches,
                    [&](const LaunchVisits& launch) { return !known.contains(launch.group); });
    }
  }
  return then;
}

const stats::LookRule& rule_of(const store::LookLine& line) {
  if (line.look < 1 || line.look > stats::kLooks.size()) {
    throw base::UserError("manifest", "look " + std::to_string(line.look) + " is unknown",
                          "use the version of invar that made this campaign");
  }
  return stats::kLooks.at(line.look - 1);
}

std::vector<LonelyTime> lonely_times(const Contest& contest) {
  std::vector<LonelyTime> lonely;
  for (std::uint32_t cell = 0; cell < contest.cells.size(); ++cell) {
    std::vector<std::uint32_t> present;
    for (std::uint32_t arm = 0; arm < contest.labels.size(); ++arm) {
      if (!contest.table[cell][arm].empty()) present.push_back(arm);
    }
    if (present.size() == 1) lonely.push_back({.cell = cell, .arm = present.front()});
  }
  return lonely;
}

class Looking {
 public:
  Looking(const Contest& contest, std::span<const Question> questions, const Rules& rules)
      : questions_(questions), rules_(rules), standings_(questions.size()) {
    result_.lonely = lonely_times(contest);
    result_.answers.rows.resize(questions.size());
  }

  void look(const Contest& then, const store::LookLine& line, bool last) {
    const stats::LookRule& at = rule_of(line);
    const Family family(then, questions_, rules_);
    judge(family, line.look, at);
    for (std::size_t i = 0; i < questions_.size(); ++i) {
      const stats::Standing& standing = standings_[i];
      ComparedCell& row = result_.answers.rows[i];
      if (standing.decided_at == line.look - 1) {
        row = family.row(i, standing.row);
        row.look = line.look;
      } else if (last && !standing.decided()) {
        row = family.has_evidence(i) ? family.row(i, standing.row) : family.row(i);
      }
    }
    settle(then, line.look, 1 - rules_.decision.alpha * at.alpha_share);
    result_.reports.push_back({.look = line.look,
                               .launches = line.groups.size(),
                               .alpha = rules_.decision.alpha * at.alpha_share,
                               .decided = static_cast<std::size_t>(std::ranges::count_if(
                                   standings_, [](const auto& one) { return one.decided(); }))});
  }

  Looks result() {
    for (const ComparedCell& row : result_.answers.rows) result_.answers.tests += row.p ? 1U : 0U;
    return std::move(result_);
  }

 private:
  // One family of all that has evidence, whatever was decided before.
  void judge(const Family& family, std::uint32_t number, const stats::LookRule& at) {
    std::vector<std::size_t> asked;
    std::vector<stats::Standing> standings;
    std::vector<stats::TableTest> members;
    for (std::size_t i = 0; i < questions_.size(); ++i) {
      const bool decided = standings_[i].decided();
      if (!decided && !family.has_evidence(i)) continue;
      asked.push_back(i);
      standings.push_back(standings_[i]);
      members.push_back(decided ? stats::TableTest{} : family.member(i));
    }
    stats::take_look(standings, members, number - 1, at, rules_.decision, rules_.correction);
    for (std::size_t i = 0; i < asked.size(); ++i) standings_[asked[i]] = standings[i];
  }

  void settle(const Contest& then, std::uint32_t number, double confidence) {
    for (LonelyTime& lonely : result_.lonely) {
      const CellVisits& visits = then.table[lonely.cell][lonely.arm];
      if (lonely.look || visits.empty()) continue;
      const std::optional<TimeEstimate> time = time_estimate(visits, confidence);
      if (time && stats::is_settled(time->median_ns, time->interval_ns, visits.launches.size())) {
        lonely.look = number;
      }
    }
  }

  std::span<const Question> questions_;
  const Rules& rules_;
  std::vector<stats::Standing> standings_;
  Looks result_ = {};
};

}  // namespace

Looks take_looks(const Contest& contest, std::span<const Question> questions, const Rules& rules,
                 std::span<const store::LookLine> looks) {
  if (looks.empty()) {
    Looks none{.answers = answer(contest, questions, rules), .lonely = lonely_times(contest)};
    none.answers.tests = 0;
    for (ComparedCell& row : none.answers.rows) {
      row.p.reset();
      row.p_adjusted.reset();
      if (row.verdict) row.verdict = stats::Verdict::kUndecided;
    }
    return none;
  }
  Looking looking(contest, questions, rules);
  for (std::size_t i = 0; i < looks.size(); ++i) {
    looking.look(at_groups(contest, looks[i].groups), looks[i], i + 1 == looks.size());
  }
  return looking.result();
}

bool Standings::closed(const store::Data& data, std::size_t question) const {
  const auto out = [&](std::uint32_t arm) {
    return std::ranges::find(data.dropped_arms, contest.labels[arm], &store::DroppedArm::arm) !=
           data.dropped_arms.end();
  };
  return looks.answers.rows[question].look || out(questions[question].a) ||
         out(questions[question].b);
}

std::vector<std::pair<std::uint32_t, std::uint32_t>> Standings::done(
    const store::Data& data) const {
  std::set<std::pair<std::uint32_t, std::uint32_t>> asked;
  std::set<std::pair<std::uint32_t, std::uint32_t>> open;
  for (std::size_t i = 0; i < questions.size(); ++i) {
    const std::uint32_t id = contest.cells[questions[i].cell].id;
    for (const std::uint32_t arm : {questions[i].a, questions[i].b}) {
      asked.insert({id, arm});
      if (!closed(data, i)) open.insert({id, arm});
    }
  }
  std::vector<std::pair<std::uint32_t, std::uint32_t>> done;
  std::ranges::set_difference(asked, open, std::back_inserter(done));
  for (const LonelyTime& lonely : looks.lonely) {
    if (lonely.look) done.emplace_back(contest.cells[lonely.cell].id, lonely.arm);
  }
  return done;
}

Standings stand(const store::Data& data, const Rules& rules) {
  const Summaries summaries = summarize_visits(data, rules.runtime, rules.agreed_start);
  require(lack_of_repetitions(data, summaries));
  std::vector<std::uint32_t> arms(data.arms.size());
  std::iota(arms.begin(), arms.end(), 0U);
  Standings standings;
  standings.contest =
      contest_of(data, sort_visits(summaries.visits, data.cells.size(), data.arms.size()), arms);
  standings.questions = questions_of(standings.contest, true);
  standings.looks = take_looks(standings.contest, standings.questions, rules, data.looks);
  return standings;
}

}  // namespace invar::analysis
