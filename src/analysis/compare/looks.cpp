#include "analysis/compare/looks.hpp"

#include <algorithm>
#include <set>

#include "analysis/compare/whole_contest.hpp"
#include "analysis/machine/reference.hpp"
#include "analysis/study/lack.hpp"
#include "analysis/study/select.hpp"
#include "analysis/study/summaries.hpp"
#include "analysis/study/times.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "stats/decide/sequential.hpp"

namespace invar::analysis {
namespace {

// What was there at a look.
Contest at_groups(const Contest& contest, const std::vector<std::uint32_t>& groups) {
  const std::set<std::uint32_t> known(groups.begin(), groups.end());
  Contest then = contest;
  for (TimedVisits& timed : then.times) {
    CellTable& all = timed.everything.empty() ? timed.table : timed.everything;
    for (std::vector<CellVisits>& row : all) {
      for (CellVisits& visits : row) {
        std::erase_if(visits.launches,
                      [&](const LaunchVisits& launch) { return !known.contains(launch.group); });
      }
    }
    // What the machine did later changes nothing of what was seen then.
    keep_reference(timed, contest.reference);
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

std::vector<LonelyTime> lonely_times(const Contest& contest, std::span<const Pair> pairs) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> compared;
  for (const Pair& pair : pairs) {
    for (const Side& side : {pair.a, pair.b}) compared.emplace(side.cell, side.arm);
  }
  std::vector<LonelyTime> lonely;
  for (std::uint32_t cell = 0; cell < contest.cells.size(); ++cell) {
    for (std::uint32_t arm = 0; arm < contest.labels.size(); ++arm) {
      if (!compared.contains({cell, arm}) && !contest.times.front().whole()[cell][arm].empty()) {
        lonely.push_back({.cell = cell, .arm = arm});
      }
    }
  }
  return lonely;
}

class Looking {
 public:
  Looking(const Contest& contest, std::span<const Pair> pairs, const Rules& rules)
      : pairs_(pairs), rules_(rules), standings_(pairs.size()) {
    result_.lonely = lonely_times(contest, pairs);
    result_.answers.rows.resize(pairs.size());
  }

  void look(const Contest& then, const store::LookLine& line, bool last) {
    const stats::LookRule& at = rule_of(line);
    const PairTable table(then, pairs_, rules_);
    judge(table, line.look, at);
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      const stats::Standing& standing = standings_[i];
      ComparedCell& row = result_.answers.rows[i];
      if (standing.decided_at == line.look - 1) {
        row = table.row(i, standing.row);
        row.look = line.look;
      } else if (last && !standing.decided()) {
        row = table.has_evidence(i) ? table.row(i, standing.row) : table.row(i);
      }
    }
    settle(then, line.look, 1 - rules_.decision.alpha * at.alpha_share);
    result_.reports.push_back({.look = line.look,
                               .launches = line.groups.size(),
                               .alpha = rules_.decision.alpha * at.alpha_share,
                               .decided = static_cast<std::size_t>(std::ranges::count_if(
                                   standings_, [](const auto& one) { return one.decided(); })),
                               .questions = pairs_.size()});
  }

  Looks result() {
    for (const ComparedCell& row : result_.answers.rows) result_.answers.tests += row.p ? 1U : 0U;
    return std::move(result_);
  }

 private:
  // One table of all that has evidence, whatever was decided before.
  void judge(const PairTable& table, std::uint32_t number, const stats::LookRule& at) {
    std::vector<std::size_t> asked;
    std::vector<stats::Standing> standings;
    std::vector<stats::TableTest> tests;
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      const bool decided = standings_[i].decided();
      if (!decided && !table.has_evidence(i)) continue;
      asked.push_back(i);
      standings.push_back(standings_[i]);
      tests.push_back(decided ? stats::TableTest{} : table.test(i));
    }
    stats::take_look(standings, tests, number - 1, at, decision_of(pairs_, rules_),
                     rules_.correction);
    for (std::size_t i = 0; i < asked.size(); ++i) standings_[asked[i]] = standings[i];
  }

  void settle(const Contest& then, std::uint32_t number, double confidence) {
    for (LonelyTime& lonely : result_.lonely) {
      const CellVisits& visits = then.table()[lonely.cell][lonely.arm];
      if (lonely.look || visits.empty()) continue;
      const std::optional<TimeEstimate> time = time_estimate(visits, confidence);
      if (time && stats::is_settled(time->median_ns, time->interval_ns, visits.launches.size())) {
        lonely.look = number;
      }
    }
  }

  std::span<const Pair> pairs_;
  const Rules& rules_;
  std::vector<stats::Standing> standings_;
  Looks result_ = {};
};

}  // namespace

Rules rules_before_a_look(Rules rules, const store::Data& data) {
  if (!rules.sequential || !data.looks.empty() || !rules.no_verdict.empty()) return rules;
  const std::size_t first = stats::kLooks.front().launches;
  const std::size_t complete = data.groups.size();
  rules.no_verdict = "no look was taken";
  if (complete < first) {
    rules.no_verdict += " (the first one needs " + base::count_text(first, "launch group") +
                        ", and " + std::to_string(complete) +
                        (complete == 1 ? " is complete)" : " are complete)");
  }
  rules.correction = stats::Correction::kNone;
  return rules;
}

Looks take_looks(const Contest& contest, std::span<const Pair> pairs, const Rules& rules,
                 std::span<const store::LookLine> looks) {
  if (looks.empty()) {
    Looks none{.answers = answer(contest, pairs, rules), .lonely = lonely_times(contest, pairs)};
    none.answers.tests = 0;
    for (ComparedCell& row : none.answers.rows) {
      row.p.reset();
      row.p_adjusted.reset();
      if (row.verdict) row.verdict = stats::Verdict::kUndecided;
    }
    return none;
  }
  Looking looking(contest, pairs, rules);
  for (std::size_t i = 0; i < looks.size(); ++i) {
    looking.look(at_groups(contest, looks[i].groups), looks[i], i + 1 == looks.size());
  }
  return looking.result();
}

bool Standings::closed(const store::Data& data, std::size_t pair) const {
  const auto out = [&](std::uint32_t arm) {
    return std::ranges::find(data.dropped_arms, contest.labels[arm], &store::DroppedArm::arm) !=
           data.dropped_arms.end();
  };
  const Pair& asked = pairs[pair];
  if (looks.answers.rows[pair].look || out(asked.a.arm) || out(asked.b.arm)) return true;
  if (!asked.races) return false;
  const auto is_beaten = [&](const Side& side) { return beaten.contains({side.cell, side.arm}); };
  return asked.times_only || is_beaten(asked.a) || is_beaten(asked.b);
}

std::vector<record::ArmCell> Standings::done(const store::Data& data) const {
  std::set<record::ArmCell> asked;
  std::set<record::ArmCell> open;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    for (const Side& side : {pairs[i].a, pairs[i].b}) {
      const record::ArmCell place{.cell = contest.cells[side.cell].id, .arm = side.arm};
      asked.insert(place);
      if (!closed(data, i)) open.insert(place);
    }
  }
  std::vector<record::ArmCell> done;
  std::ranges::set_difference(asked, open, std::back_inserter(done));
  for (const LonelyTime& lonely : looks.lonely) {
    if (lonely.look) done.push_back({contest.cells[lonely.cell].id, lonely.arm});
  }
  return done;
}

LookGround look_ground(const store::Data& data, const Rules& rules) {
  const Summaries summaries =
      summarize_visits(data, rules.runtime, rules.agreed_start, {}, rules.one_runtime());
  const Regimes regimes = regimes_by(data, summaries, rules);
  const CellTable table = sort_visits(summaries.visits, data.cells.size(), data.arms.size());
  LookGround ground{.regime = reference_of(data, summaries, regimes, rules).band};
  const std::size_t all = groups_that_count(table, std::nullopt).size();
  ground.outside = all - groups_that_count(table, ground.regime).size();
  // Nobody waits for a regime that hardly ever comes: before the first look it is the next one then
  // that has groups enough, and without any there is none.
  const std::size_t first = stats::kLooks.front().launches;
  if (data.looks.empty() && !rules.regime && ground.regime && all >= kMostWaiting * first &&
      all - ground.outside < first) {
    ground.regime = first_with_groups(table, regimes, first);
    ground.outside = all - groups_that_count(table, ground.regime).size();
  }
  return ground;
}

Standings stand(const store::Data& data, const Rules& rules, const AskedPairs& ask) {
  const Summaries summaries =
      summarize_visits(data, rules.runtime, rules.agreed_start, {}, rules.one_runtime());
  require(lack_of_repetitions(data, summaries));
  Standings standings{.global = summaries.global};
  standings.contest = whole_contest(data, summaries, rules).contest;
  standings.contest.against = rules.against;
  standings.pairs = ask ? ask(standings.contest) : pairs_of(standings.contest, true, rules.gate);
  standings.looks = take_looks(standings.contest, standings.pairs, rules, data.looks);
  for (std::size_t i = 0; i < standings.pairs.size(); ++i) {
    const Pair& pair = standings.pairs[i];
    const ComparedCell& row = standings.looks.answers.rows[i];
    if (!pair.races || !row.look) continue;
    const bool a_wins = row.verdict == stats::Verdict::kFaster;
    if (!a_wins && row.verdict != stats::Verdict::kSlower) continue;
    const Side& loser = a_wins ? pair.b : pair.a;
    standings.beaten.emplace(loser.cell, loser.arm);
  }
  return standings;
}

}  // namespace invar::analysis
