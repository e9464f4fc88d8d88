#include "analysis/tuning/races.hpp"

#include <algorithm>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <utility>

#include "analysis/compare/looks.hpp"
#include "analysis/compare/pair_table.hpp"
#include "analysis/compare/reference_regime.hpp"
#include "analysis/compare/whole_contest.hpp"
#include "analysis/machine/diagnostics.hpp"
#include "analysis/machine/perturbations.hpp"
#include "analysis/study/scope.hpp"
#include "analysis/study/select.hpp"
#include "analysis/study/times.hpp"
#include "analysis/tuning/added_races.hpp"
#include "analysis/tuning/race_pairs.hpp"
#include "analysis/words/regimes_clause.hpp"
#include "design/races/race.hpp"

namespace invar::analysis {
namespace {

// What is known of the races besides their pairs.
struct RaceGround {
  const store::Data& data;
  const Contest& contest;
  const Rules& rules;
  const Expelled& expelled;
};

// Why a candidate has no data or may not win; an empty text: it has, and may.
struct WhyNot {
  std::string text = {};
  bool alike = false;  // its messages are those of another one, which is raced in its place
};

// What was found of it before anything was timed.
WhyNot why_not_planned(const RaceGround& ground, const design::RaceBlock& race,
                       const design::RaceCandidate& raced) {
  const auto arm = std::ranges::find(ground.data.arms, raced.arm, &store::ArmRecord::label);
  if (arm == ground.data.arms.end()) return {"its arm is not there"};
  for (const store::TriedLevel& level : arm->levels) {
    const bool here = level.operation == race.operation && level.level == raced.is &&
                      level.ranks == race.ranks &&
                      (!level.size_bytes || level.size_bytes == race.size_bytes);
    if (!here) continue;
    const bool alike = !level.same_as.empty();
    if (!level.problem.empty()) return {level.problem, alike};
    if (alike) {
      return {"its messages are those of " + level.same_as + ", which is raced in its place", true};
    }
  }
  return {"no launch measured it"};
}

WhyNot why_not(const RaceGround& ground, const design::RaceBlock& race, std::size_t number,
               const std::optional<Side>& side) {
  const design::RaceCandidate& raced = race.candidates[number];
  const auto expelled = ground.expelled.find({race.operation, raced.is});
  if (expelled != ground.expelled.end()) return {"it failed: " + expelled->second};
  if (side) return {};
  for (const store::FailedCell& failed : ground.data.failed_cells) {
    const auto cell = std::ranges::find(ground.data.cells, failed.cell, &record::Cell::id);
    if (cell == ground.data.cells.end() || failed.arm != raced.arm) continue;
    if (design::is_cell_of(*cell, race, design::candidate_of(raced))) {
      return {"it failed: " + failed.reason};
    }
  }
  return why_not_planned(ground, race, raced);
}

RacedCell raced_cell(const RaceGround& ground, const design::RaceBlock& race, bool added,
                     std::span<const RacePair> pairs, std::span<const ComparedCell> rows) {
  const RaceSides sides = sides_of_race(ground.contest, race);
  RacedCell cell{.size_bytes = race.size_bytes,
                 .operation = race.operation,
                 .ranks = race.ranks,
                 .added = added};
  cell.cell = sides.front() ? ground.contest.cells[sides.front()->cell]
                            : record::Cell{.operation = race.operation,
                                           .size_bytes = race.size_bytes,
                                           .ranks = race.ranks};
  // Families are an arrangement of the campaign's, no factor.
  cell.cell.family.clear();

  std::vector<tuning::Candidate> candidates;
  std::vector<bool> allowed;
  for (std::size_t i = 0; i < race.candidates.size(); ++i) {
    RacedCandidate& one = cell.candidates.emplace_back();
    one.candidate = design::candidate_of(race.candidates[i]);
    one.text = race.candidates[i].is;
    one.arm = race.candidates[i].arm;
    WhyNot why = why_not(ground, race, i, sides[i]);
    one.why = std::move(why.text);
    one.alike = why.alike;
    if (sides[i]) {
      one.time =
          time_estimate(visits_of(ground.contest, *sides[i]), 1 - ground.rules.decision.alpha);
    }
    candidates.push_back(one.candidate);
    allowed.push_back(one.why.empty());
  }

  std::vector<Duel> duels;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const RacePair& pair = pairs[i];
    duels.push_back({.a = pair.a,
                     .b = pair.b,
                     .verdict = rows[i].verdict,
                     .ratio = rows[i].ratio,
                     .ratio_interval = rows[i].ratio_interval});
    if (pair.a == 0) cell.candidates[pair.b].against_given = rows[i];
  }
  const std::vector<Standing> standings = standings_of(candidates.size(), duels);
  for (std::size_t i = 0; i < standings.size(); ++i) {
    if (!standings[i].beaten) continue;
    cell.candidates[i].beaten = true;
    cell.candidates[i].beaten_by = cell.candidates[standings[i].by].text;
  }
  cell.winner = winner_of(candidates, allowed, duels, ground.rules.decision.min_effect);
  for (const std::size_t sure :
       sure_gains(candidates, allowed, duels, ground.rules.decision.min_effect)) {
    cell.candidates[sure].sure = true;
  }
  for (const design::LeftCandidate& left : race.not_raced) {
    const auto parsed = tuning::parse_candidate(left.is);
    cell.candidates.push_back({.candidate = parsed.value.value_or(tuning::Candidate{}),
                               .text = left.is,
                               .why = left.why});
  }
  return cell;
}

// The races with the answers to their pairs, which stand race after race.
void add_cells(const RaceGround& ground, std::span<const design::RaceBlock> races, bool added,
               std::span<const RacePair> pairs, std::span<const ComparedCell> rows,
               std::vector<RacedCell>& cells) {
  std::size_t begin = 0;
  for (std::size_t race = 0; race < races.size(); ++race) {
    std::size_t end = begin;
    while (end < pairs.size() && pairs[end].race == race) ++end;
    cells.push_back(raced_cell(ground, races[race], added, pairs.subspan(begin, end - begin),
                               rows.subspan(begin, end - begin)));
    begin = end;
  }
}

bool is_unbeaten(const RacedCandidate& one) { return one.why.empty() && one.time && !one.beaten; }

// The answer itself says why a candidate has no cell, and says it shorter.
void drop_what_candidates_tell(const std::vector<RacedCell>& cells,
                               std::vector<Warning>& warnings) {
  std::set<std::string> told;
  for (const RacedCell& cell : cells) {
    for (const RacedCandidate& one : cell.candidates) {
      if (!one.why.empty()) told.insert(": " + one.why);
    }
  }
  std::erase_if(warnings, [&](const Warning& warning) {
    return warning.text.starts_with(store::kLeftOutCells) &&
           std::ranges::any_of(told,
                               [&](const std::string& why) { return warning.text.ends_with(why); });
  });
}

// A candidate that fails costs the race nothing: that is not a measurement that failed. Only the
// arm as given is one, which mock-ups and reference algorithms may share their arm with.
Health health_of_races(const Study& study, std::span<const design::RaceBlock> races) {
  Health health = study.health();
  const store::Data& data = study.data();
  for (const store::FailedCell& failed : data.failed_cells) {
    const auto cell = std::ranges::find(data.cells, failed.cell, &record::Cell::id);
    if (cell == data.cells.end() || health.failed_cells == 0) continue;
    const auto is_of = [&](const design::RaceBlock& race) {
      const bool given = failed.arm == race.candidates.front().arm &&
                         design::is_cell_of(*cell, race, tuning::Candidate{});
      return cell->family == race.family && !given;
    };
    if (std::ranges::any_of(races, is_of)) --health.failed_cells;
  }
  return health;
}

}  // namespace

std::optional<double> RacedCell::gain() const {
  if (!winner || !candidates[*winner].against_given) return std::nullopt;
  const std::optional<double>& ratio = candidates[*winner].against_given->ratio;
  return ratio ? std::optional(1 - *ratio) : std::nullopt;
}

std::size_t RacedCell::raced() const {
  return static_cast<std::size_t>(std::ranges::count_if(
      candidates, [](const RacedCandidate& one) { return one.time.has_value(); }));
}

std::size_t RacedCell::unbeaten() const {
  return static_cast<std::size_t>(std::ranges::count_if(candidates, is_unbeaten));
}

bool RacedCell::open() const {
  if (!added || winner || candidates.front().beaten) return false;
  return std::ranges::any_of(candidates, [](const RacedCandidate& one) {
    const std::optional<ComparedCell>& row = one.against_given;
    return is_unbeaten(one) && row &&
           row->verdict.value_or(stats::Verdict::kUndecided) == stats::Verdict::kUndecided;
  });
}

std::vector<design::RaceBlock> all_races(const Study& study) {
  std::vector<design::RaceBlock> races = study.campaign().races;
  for (design::RaceBlock& race : added_races(study.data().decided)) {
    races.push_back(std::move(race));
  }
  return races;
}

std::optional<Lack> races_lack(const Study& study) {
  const store::Data& data = study.data();
  if (std::optional<Lack> lack = lack_of_groups(data)) return lack;
  if (study.campaign().races.empty()) {
    return Lack{.faults = {{.place = data.dir.string(),
                            .what = "this campaign races nothing",
                            .remedy = "invar tune ARM -o DIR measures what does"}}};
  }
  const Summaries& summaries = study.summaries();
  if (std::optional<Lack> lack = lack_of_repetitions(data, summaries)) return lack;
  return lack_of_regime(data, summaries, study.rules());
}

TuneRaces tune_races(const Study& study) {
  require(races_lack(study));
  const store::Data& data = study.data();
  const Summaries& summaries = study.summaries();
  const Rules rules = rules_before_a_look(judging_rules(study, summaries), data);
  const WholeContest whole = whole_contest(data, summaries, rules);
  const Contest& contest = whole.contest;
  const std::vector<design::RaceBlock>& own = study.campaign().races;
  const std::vector<design::RaceBlock> added = added_races(data.decided);
  const std::vector<design::RaceBlock> all = all_races(study);
  const Expelled expelled = expelled_candidates(data, all);
  const RaceGround ground{data, contest, rules, expelled};

  TuneRaces found;
  const std::vector<RacePair> pairs = race_pairs(contest, own, expelled);
  const std::vector<Pair> asked = pairs_alone(pairs);
  Looks looks;
  if (rules.sequential) looks = take_looks(contest, asked, rules, data.looks);
  const Answers answers = rules.sequential ? looks.answers : answer(contest, asked, rules);
  add_cells(ground, own, false, pairs, answers.rows, found.cells);
  // No look chose them and none has seen them: a table of their own.
  const std::vector<RacePair> later_pairs = race_pairs(contest, added, expelled);
  const Answers later = answer(contest, pairs_alone(later_pairs), rules);
  add_cells(ground, added, true, later_pairs, later.rows, found.cells);
  // Planned, and the budget ended, or none of its visits counts: it tells nothing.
  std::erase_if(found.cells, [](const RacedCell& cell) {
    return cell.added && (!cell.candidates.front().time || cell.raced() < 2);
  });
  std::ranges::stable_sort(found.cells, {}, [](const RacedCell& cell) {
    return std::tuple(cell.operation, cell.ranks, cell.size_bytes.value_or(0));
  });

  found.arms = compared_arms(data, whole.arms);
  found.table = table_of(chosen_cells(found), rules.decision.min_effect);
  found.gaps = switching_gaps(chosen_cells(found), rules.decision.min_effect);
  found.scope = scope_text(data, data.groups.size() == 1, study.starts()) +
                regime_scope(reference_regime(contest));
  found.warnings = data_warnings(data, rules, summaries, whole.arms, contest.split_by());
  drop_what_candidates_tell(found.cells, found.warnings);
  for (Warning& doubt : perturbation_warnings(find_perturbations(data, summaries, rules.pairing))) {
    found.warnings.push_back(std::move(doubt));
  }
  if (!whole.reference.moved.empty()) {
    found.warnings.emplace_back(moved_words(whole.reference.moved, contest.is_split()),
                                Gravity::kDoubt);
  }
  found.global_runtime = summaries.global;
  found.alpha = rules.decision.alpha;
  found.min_effect = rules.decision.min_effect;
  found.comparisons = answers.tests + later.tests;
  found.looks = std::move(looks.reports);
  found.no_verdict = rules.no_verdict;
  found.dir = data.dir;
  found.health = health_of_races(study, all);
  found.sentence = races_sentence(found);
  return found;
}

std::vector<ChosenCell> chosen_cells(const TuneRaces& found) {
  std::vector<ChosenCell> chosen;
  chosen.reserve(found.cells.size());
  for (const RacedCell& cell : found.cells) {
    ChosenCell& one = chosen.emplace_back(ChosenCell{.operation = cell.operation,
                                                     .ranks = cell.ranks,
                                                     .size_bytes = cell.size_bytes,
                                                     .open = cell.open()});
    if (cell.winner) one.winner = cell.candidates[*cell.winner].candidate;
    for (const RacedCandidate& raced : cell.candidates) {
      const std::optional<ComparedCell>& row = raced.against_given;
      if (raced.sure) {
        one.gains.push_back({.candidate = raced.candidate, .ratio = row->ratio.value_or(1)});
      } else if (row && row->verdict == stats::Verdict::kFaster) {
        one.losses.push_back(raced.candidate);
      }
    }
  }
  return chosen;
}

}  // namespace invar::analysis
