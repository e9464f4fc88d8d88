#include "analysis/compare/pair_table.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "analysis/machine/campaign_regimes.hpp"
#include "analysis/study/times.hpp"
#include "analysis/suites/launch_test.hpp"
#include "analysis/suites/reported.hpp"
#include "base/units.hpp"
#include "record/factors.hpp"

namespace invar::analysis {
namespace {

// The table's statistics speak of A / B; what is printed is B / A.
void fill(ComparedCell& row, const stats::TableRow& judged, const Rules& rules) {
  const stats::RatioEstimate plain = stats::reciprocal(judged.plain);
  row.ratio = plain.ratio;
  if (judged.printed_interval) {
    const stats::Interval& interval = *judged.printed_interval;
    row.ratio_interval = stats::Interval{1 / interval.high, 1 / interval.low, interval.confidence};
  }
  row.launches = plain.groups;
  row.this_launch_only = plain.this_launch_only;
  if (times_miss_ratio(row, rules.decision.min_effect)) row.doubt = Doubt::kWeighs;
  if (!rules.no_verdict.empty()) return;
  row.p = plain.p;
  row.p_adjusted = judged.p_adjusted;
  row.verdict = judged.verdict;
  if (times_contradict(row, rules.decision.min_effect, rules.gate)) row.doubt = Doubt::kWeighs;
}

// "8 B", "allreduce", "in place"
std::string level_name(const record::Factor& factor, const record::Cell& cell) {
  if (factor.name == "size_bytes") {
    return cell.size_bytes ? base::size_text(*cell.size_bytes) : "no size";
  }
  return factor.kind == record::LevelKind::kWord || factor.kind == record::LevelKind::kName
             ? factor.text(cell)
             : record::level_words(factor, cell);
}

// Two times of one arm are told apart by the names of these, where they have one; two levels of a
// factor likewise, and by the arm where there are several.
std::string name_of(const Contest& contest, const Side& side, const Side& other) {
  if (contest.against != nullptr && side.cell != other.cell) {
    const std::string level = level_name(*contest.against, contest.cells[side.cell]);
    return contest.labels.size() > 1 ? level + " in " + contest.labels[side.arm] : level;
  }
  if (side.arm != other.arm || side.time == other.time) return contest.labels[side.arm];
  if (contest.against_times) {
    const std::string name = time_name_of(contest, side);
    return contest.labels.size() > 1 ? name + " in " + contest.labels[side.arm] : name;
  }
  const std::string time(to_string(side.time));
  return time.empty() ? contest.labels[side.arm] : time;
}

// `pairing`: of the ratio that stands beside the times.
ComparedCell times_of(const Contest& contest, const Pair& pair, Pairing pairing,
                      double confidence) {
  ComparedCell row;
  row.cell = contest.cells[pair.place.value_or(pair.a.cell)];
  if (pair.place && *pair.place != pair.a.cell) row.cell_a = contest.cells[pair.a.cell];
  if (pair.b.cell != pair.a.cell) row.cell_b = contest.cells[pair.b.cell];
  if (row.cell_b || contest.against_times) row.in_arm = contest.labels[pair.b.arm];
  const std::string time_a = time_name_of(contest, pair.a);
  const std::string time_b = time_name_of(contest, pair.b);
  // What a program prints is taken for a whole call.
  if (is_named(time_a) || is_named(time_b)) {
    row.time_name = time_a;
    if (time_b != time_a) row.time_name_b = time_b;
  }
  row.with_reference = pair.with_reference;
  row.unpaired = pairing == Pairing::kNone;
  if (pair.view) row.regime = contest.views[*pair.view];
  row.arm_a = name_of(contest, pair.a, pair.b);
  row.arm_b = name_of(contest, pair.b, pair.a);
  const auto [a, b] = behind_ratio(visits_of(contest, pair.a, pair.view),
                                   visits_of(contest, pair.b, pair.view), pairing);
  row.time_a = time_estimate(a, confidence);
  row.time_b = time_estimate(b, confidence);
  if (contest.moved) {
    row.moved_a = contest.moved(pair.a, a.of_pair());
    row.moved_b = contest.moved(pair.b, b.of_pair());
  }
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
      stats::judge_table(tests, decision_of(pairs, rules), rules.correction);
  Answers answers;
  for (std::size_t i = 0; i < pairs.size(); ++i) answers.rows.push_back(table.row(i));
  for (std::size_t i = 0; i < tested.size(); ++i) {
    ComparedCell& row = answers.rows[tested[i]];
    fill(row, judged[i], rules);
    answers.tests += row.p ? 1U : 0U;
  }
  return answers;
}

Answers answer_by_suite(const Contest& contest, std::span<const Pair> pairs, const Rules& rules) {
  Answers answers;
  for (const Pair& pair : pairs) {
    const CellVisits& a = visits_of(contest, pair.a);
    const CellVisits& b = visits_of(contest, pair.b);
    ComparedCell row = times_of(contest, pair, Pairing::kNone, 1 - rules.decision.alpha);
    if (rules.method == Method::kLaunchTest) {
      judge_launches(row, a, b, rules);
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
    const CellVisits& a = visits_of(contest, pair.a, pair.view);
    const CellVisits& b = visits_of(contest, pair.b, pair.view);
    Evidence& evidence = evidence_.emplace_back();
    if (pair.times_only || a.empty() || b.empty()) continue;
    if (pairing_of(pair, rules.pairing) == Pairing::kNone) {
      evidence.log_a = a.log_medians();
      evidence.log_b = b.log_medians();
      evidence.floor_a = a.variance_floor();
      evidence.floor_b = b.variance_floor();
      evidence.resolution = stats::ratio_resolution(a.resolution(), b.resolution());
      evidence.rounding = std::max(a.rounding(), b.rounding());
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
                                           .variance_floor_b = evidence.floor_b,
                                           .rounding = evidence.rounding},
                                          confidence, hypothesis);
  };
  return {.estimate = estimate, .resolution = evidence.resolution};
}

ComparedCell PairTable::row(std::size_t pair) const {
  ComparedCell row = times_of(contest_, pairs_[pair], pairing_of(pairs_[pair], rules_.pairing),
                              1 - rules_.decision.alpha);
  if (rules_.no_verdict.empty() && !pairs_[pair].times_only) {
    row.verdict = stats::Verdict::kUndecided;
  }
  if (pairs_[pair].times_only && pairs_[pair].place) row.doubt = Doubt::kBatches;
  row.rounding = std::max(evidence_[pair].rounding, evidence_[pair].paired.rounding);
  return row;
}

ComparedCell PairTable::row(std::size_t pair, const stats::TableRow& judged) const {
  ComparedCell filled = row(pair);
  fill(filled, judged, rules_);
  return filled;
}

stats::DecisionRule decision_of(std::span<const Pair> pairs, const Rules& rules) {
  stats::DecisionRule decision = rules.decision;
  if ((rules.gate || rules.guidelines || rules.confirms) &&
      std::ranges::any_of(pairs, [](const Pair& pair) { return pair.hypothesis.one_sided(); })) {
    decision.alpha /= 2;
  }
  return decision;
}

Answers answer(const Contest& contest, std::span<const Pair> pairs, const Rules& rules) {
  return rules.method == Method::kInvar ? answer_invar(contest, pairs, rules)
                                        : answer_by_suite(contest, pairs, rules);
}

std::vector<BestArms> best_sides(std::span<const Pair> pairs, std::span<const ComparedCell> rows) {
  struct Win {
    std::string winner = {};
    std::string loser = {};
    std::optional<double> times = {};  // as long
  };
  struct Place {
    const record::Cell* cell = nullptr;
    std::vector<std::string> sides = {};
    std::vector<Win> wins = {};

    [[nodiscard]] bool beaten(const std::string& side) const {
      return std::ranges::find(wins, side, &Win::loser) != wins.end();
    }
  };
  // Levels are compared inside of an arm: each has its own places.
  std::map<std::pair<std::uint32_t, std::optional<std::uint32_t>>, std::size_t> known;
  std::vector<Place> places;
  const auto add_once = [](std::vector<std::string>& names, const std::string& name) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  };
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const Pair& pair = pairs[i];
    const ComparedCell& row = rows[i];
    if (pair.view || !row.verdict) continue;
    const std::pair key(pair.place.value_or(pair.a.cell),
                        pair.place ? std::optional(pair.a.arm) : std::nullopt);
    const auto [at, is_new] = known.try_emplace(key, places.size());
    if (is_new) places.push_back({.cell = &row.cell});
    Place& place = places[at->second];
    add_once(place.sides, row.arm_a);
    add_once(place.sides, row.arm_b);
    const std::optional<double> times =
        row.ratio ? std::optional(std::max(*row.ratio, 1 / *row.ratio)) : std::nullopt;
    if (row.verdict == stats::Verdict::kFaster) {
      place.wins.push_back({.winner = row.arm_a, .loser = row.arm_b, .times = times});
    }
    if (row.verdict == stats::Verdict::kSlower) {
      place.wins.push_back({.winner = row.arm_b, .loser = row.arm_a, .times = times});
    }
  }
  std::vector<BestArms> best;
  best.reserve(places.size());
  for (Place& place : places) {
    BestArms& entry =
        best.emplace_back(BestArms{.cell = *place.cell, .contenders = place.sides.size()});
    entry.arms = place.sides;
    // Each may beat another one, where pairs rest on different groups because launches failed.
    const auto is_beaten = [&](const std::string& name) { return place.beaten(name); };
    if (std::ranges::all_of(place.sides, is_beaten)) continue;
    std::erase_if(entry.arms, is_beaten);
    for (const Win& win : place.wins) {
      if (place.beaten(win.winner) || !win.times) continue;
      entry.ahead = std::min(entry.ahead.value_or(*win.times), *win.times);
    }
  }
  return best;
}

}  // namespace invar::analysis
