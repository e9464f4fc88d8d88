#include "analysis/compare/compare.hpp"

#include <algorithm>
#include <set>

#include "analysis/compare/compared_times.hpp"
#include "analysis/compare/contest.hpp"
#include "analysis/compare/looks.hpp"
#include "analysis/compare/method_table.hpp"
#include "analysis/compare/pair_table.hpp"
#include "analysis/compare/reference_regime.hpp"
#include "analysis/machine/diagnosis.hpp"
#include "analysis/machine/diagnostics.hpp"
#include "analysis/machine/perturbations.hpp"
#include "analysis/machine/reference.hpp"
#include "analysis/machine/regimes.hpp"
#include "analysis/p2p/rates.hpp"
#include "analysis/study/scope.hpp"
#include "analysis/study/select.hpp"
#include "analysis/study/summaries.hpp"
#include "analysis/suites/reported.hpp"
#include "analysis/words/regimes_clause.hpp"
#include "analysis/words/sentence.hpp"
#include "analysis/words/words.hpp"
#include "base/text.hpp"
#include "record/arm_cell.hpp"
#include "stats/decide/sequential.hpp"

namespace invar::analysis {
namespace {

// Behind the time that the study asks for, all others that its operations state.
void add_declared_times(Contest& contest, const Study& study, std::span<const std::uint32_t> arms) {
  const store::Data& data = study.data();
  contest.against_times = true;
  for (const std::string& name : time_names(data)) {
    const TimeChoice choice{.kind = TimeChoice::Kind::kNamed, .name = name};
    if (choice == study.rules().time) continue;
    const Summaries& summaries = study.summaries_of(choice);
    contest.times.push_back(
        {.time = {.kind = Time::Kind::kDeclared,
                  .index = static_cast<std::uint32_t>(contest.times.size())},
         .choice = choice,
         .table = of_arms(data, sort_visits(summaries.visits, data.cells.size(), data.arms.size()),
                          arms)});
    keep_reference(contest.times.back(), contest.reference);
  }
}

// The printed rows, and behind each those of the views.
std::vector<ComparedCell> with_views(const Contest& contest, std::span<const Pair> pairs,
                                     Rules rules, std::span<const ComparedCell> rows) {
  // In a sequential campaign the data chose when to end: these rows spend what the last look may.
  if (rules.sequential) rules.decision.alpha *= stats::kLooks.back().alpha_share;
  const std::vector<Pair> in_views = pairs_in_views(contest, pairs, rules.pairing);
  const Answers answers = answer(contest, in_views, rules);
  std::vector<ComparedCell> all;
  std::size_t next = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (!pairs[i].printed) continue;
    all.push_back(rows[i]);
    const auto same = [&](const Pair& view) {
      return view.a == pairs[i].a && view.b == pairs[i].b;
    };
    for (; next < in_views.size() && same(in_views[next]); ++next) {
      all.push_back(answers.rows[next]);
    }
  }
  return all;
}

// "what each has": the first few cells of every arm.
// Where cells failed it is the measurement that has, not its user.
Lack lack_of_common_cells(const store::Data& data, const Contest& contest) {
  const std::string dir = data.dir.string();
  Lack lack;
  if (!data.failed_cells.empty() || !data.missed.empty()) {
    lack.status = base::Exit::kMeasurementFailed;
    const auto add = [&](const std::string& what) {
      if (lack.faults.size() < 3) {
        lack.faults.push_back({.place = dir, .what = "no cell to compare: " + what});
      }
    };
    for (const store::Missed& run : data.missed) {
      add(data.arms[run.arm].label + " gave no time: " + run.reason);
    }
    for (const store::FailedCell& cell : data.failed_cells) {
      add("a cell of " + cell.arm + " failed: " + cell.reason);
    }
    return lack;
  }
  const record::CellTexts text(contest.cells);
  for (std::size_t arm = 0; arm < contest.labels.size(); ++arm) {
    std::vector<std::string> cells;
    for (std::size_t cell = 0; cell < contest.cells.size(); ++cell) {
      if (!contest.times.front().whole()[cell][arm].empty()) {
        cells.push_back(text(contest.cells[cell]));
      }
    }
    const std::size_t count = cells.size();
    if (count > 5) cells.resize(5);
    lack.faults.push_back(
        {.place = dir,
         .what = "no cell to compare: " + contest.labels[arm] + " has " +
                 (count == 0 ? "none" : list_text(cells)) +
                 (count > 5 ? " and " + std::to_string(count - 5) + " more" : "")});
  }
  return lack;
}

// No two cells differ in nothing but the factor.
Lack lack_of_levels(const store::Data& data, const record::Factor& factor) {
  const std::string name = factor.role == record::FactorRole::kSubject && factor.key.empty()
                               ? (factor.name == "operation" ? "operation" : "size")
                               : std::string(factor.key);
  return {.faults = {{.place = data.dir.string(),
                      .what = "no two cells of an arm differ in nothing but '" + name + "'",
                      .remedy = "measure two levels of it with everything else alike"}}};
}

Lack lack_of_times(const store::Data& data) {
  return {.faults = {{.place = data.dir.string(),
                      .what = "no operation of this campaign has two times that can be told",
                      .remedy = "known: " + base::join(time_names(data), ", ") +
                                "; invar show --time NAME says why one of them cannot be told"}}};
}

Lack lack_of_pairs(const store::Data& data, const Contest& contest) {
  const bool failed = !data.failed_cells.empty() || !data.missed.empty();
  if (contest.against_times && !failed) return lack_of_times(data);
  return contest.against == nullptr || failed ? lack_of_common_cells(data, contest)
                                              : lack_of_levels(data, *contest.against);
}

// Times that are compared with nothing, for whatever reason: cells that only one arm has; levels
// whose counterpart is missing, in the first `asked` arms.
std::vector<Warning> lonely_warnings(const Contest& contest, std::span<const Pair> pairs,
                                     std::size_t asked) {
  std::vector<Warning> warnings;
  const record::CellTexts text(contest.cells);
  const CellTable& whole = contest.times.front().whole();
  std::set<record::ArmCell> compared;
  for (const Pair& pair : pairs) {
    compared.insert({pair.a.cell, pair.a.arm});
    compared.insert({pair.b.cell, pair.b.arm});
  }
  const bool inside_arms = contest.inside_arms();
  const std::size_t arms = inside_arms ? asked : contest.labels.size();
  for (std::uint32_t arm = 0; arm < arms; ++arm) {
    std::vector<std::string> cells;
    for (std::uint32_t cell = 0; cell < contest.cells.size(); ++cell) {
      const auto count = std::ranges::count_if(
          whole[cell], [](const CellVisits& visits) { return !visits.empty(); });
      const bool lonely = inside_arms ? !compared.contains({cell, arm}) : count == 1;
      if (lonely && !whole[cell][arm].empty()) cells.push_back(text(contest.cells[cell]));
    }
    if (cells.empty()) continue;
    const std::size_t total = cells.size();
    if (cells.size() > 3) cells.resize(3);
    const std::string them = total == 1 ? "it" : "them";
    const std::string why = !inside_arms ? ", only " + contest.labels[arm] + " has " + them
                                         : " in " + contest.labels[arm] + ", no other " +
                                               (contest.against_times ? "time" : "level") +
                                               " beside " + them;
    warnings.emplace_back(count_text(total, "cell") + " not compared" + why + ": " +
                          list_text(cells, ", ") + (total > 3 ? ", ..." : ""));
  }
  return warnings;
}

// What is asked for, first, and all other arms: looks are taken at everything that a campaign
// compares, whatever a command prints.
std::vector<std::uint32_t> asked_first(const store::Data& data,
                                       const std::vector<std::uint32_t>& asked) {
  std::vector<std::uint32_t> arms = asked;
  for (std::uint32_t arm = 0; arm < data.arms.size(); ++arm) {
    if (std::ranges::find(asked, arm) == asked.end()) arms.push_back(arm);
  }
  return arms;
}

// Keeps the pairs of the first `arms` arms, with their answers.
void keep_asked(std::vector<Pair>& pairs, std::vector<ComparedCell>& rows, std::size_t arms,
                bool all_pairs) {
  std::vector<Pair> kept;
  std::vector<ComparedCell> kept_rows;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    Pair pair = pairs[i];
    if (pair.a.arm >= arms || pair.b.arm >= arms) continue;
    if (pair.place) {
      // Those of a place in an arm follow one another, likewise.
      const bool first_of_place =
          kept.empty() || kept.back().place != pair.place || kept.back().a.arm != pair.a.arm;
      pair.printed =
          all_pairs || first_of_place || (kept.back().printed && kept.back().a == pair.a);
      kept.push_back(pair);
      kept_rows.push_back(std::move(rows[i]));
      continue;
    }
    // Pairs of a cell follow one another, those of its reference first.
    const bool first_of_cell = kept.empty() || kept.back().a.cell != pair.a.cell;
    pair.printed =
        all_pairs || first_of_cell || (kept.back().printed && kept.back().a.arm == pair.a.arm);
    kept.push_back(pair);
    kept_rows.push_back(std::move(rows[i]));
  }
  pairs = std::move(kept);
  rows = std::move(kept_rows);
}

// Decisions on two arms of a cell that were noted while measuring and that the data do not bear out
// any more.
std::vector<Warning> changed_decisions(const store::Data& data, const Contest& contest,
                                       const Looks& looks) {
  std::size_t noted = 0;
  std::size_t changed = 0;
  for (const store::LookLine& line : data.looks) {
    for (const store::LookLine::Decided& decided : line.decided) {
      if (!decided.of_arms()) continue;
      ++noted;
      const bool same = std::ranges::any_of(looks.answers.rows, [&](const ComparedCell& row) {
        const bool forth = row.arm_a == decided.arm_a && row.arm_b == decided.arm_b;
        const bool back = row.arm_a == decided.arm_b && row.arm_b == decided.arm_a;
        return row.cell.id == decided.cell && (forth || back) && row.look == line.look;
      });
      if (!same && decided.cell < contest.cells.size()) ++changed;
    }
  }
  if (changed == 0) return {};
  return {
      {std::to_string(changed) + " of " + count_text(noted, "decision") +
           " of the looks come out otherwise now than while measuring: the data were measured "
           "again "
           "in part, or are analysed with other options; cells that left the plan early have fewer "
           "launches than their verdict would need",
       Gravity::kDoubt}};
}

bool is_same_arm(const store::Data& data, std::span<const std::uint32_t> arms) {
  std::vector<store::ArmRecord> records;
  for (const std::uint32_t arm : arms) records.push_back(data.arms[arm]);
  return same_arm(records);
}

std::vector<std::uint32_t> arms_of(const Study& study) {
  return select_labels(labels_of(study.data()), study.options().arms, "--arms");
}

Contest contest_by_method(const Study& study, std::span<const std::uint32_t> arms) {
  Contest contest = contest_of(study.data(), table_by_method(study), arms);
  contest.against = study.rules().against;
  if (study.rules().against_times) add_declared_times(contest, study, arms);
  return contest;
}

// The looks of a sequential campaign ended cells by what they saw in one regime: to another one
// these data were chosen by their own results. Where no visit was in that regime they chose
// nothing.
std::optional<Lack> lack_of_choice(const Study& study, const Summaries& summaries) {
  const std::optional<base::CanaryBand>& asked = study.options().regime;
  const std::vector<store::LookLine>& looks = study.data().looks;
  const Rules& rules = study.rules();
  if (!asked || !rules.sequential || rules.method != Method::kInvar || looks.empty()) {
    return std::nullopt;
  }
  const std::optional<base::CanaryBand>& seen = looks.front().regime;
  if (seen == asked || (seen && !any_in(summaries, *seen))) return std::nullopt;
  return Lack{.faults = {{.place = "--regime",
                          .what = "the looks of this campaign were " +
                                  (seen ? "at regime " + base::band_text(*seen)
                                        : "at all regimes together"),
                          .remedy = "leave it out, or race again with this --regime"}}};
}

// Looks that asked about something else than arms cannot be asked about these afterwards.
std::optional<Lack> lack_of_usual_looks(const store::Data& data, const Rules& rules) {
  if (!rules.sequential) return std::nullopt;
  const std::string dir = data.dir.string();
  const auto asked = [&](const std::string& what, const std::string& command) {
    return Lack{.faults = {{.place = dir,
                            .what = "the looks of this campaign asked " + what,
                            .remedy = command + ' ' + dir}}};
  };
  if (rules.guidelines) return asked("about guidelines", "invar guidelines");
  if (rules.races) return asked("what is fastest in each cell", "invar tune");
  if (rules.confirms) return asked("what a tuned file gains", "invar tune");
  return std::nullopt;
}

std::optional<Lack> arms_lack(const Study& study, std::span<const std::uint32_t> arms) {
  const store::Data& data = study.data();
  if (arms.size() < 2 && !study.rules().inside_arms()) {
    const std::string dir = data.dir.string();
    return Lack{.faults = {{.place = dir,
                            .what = "a comparison needs two arms, this is one",
                            .remedy = "invar show " + dir + " prints its times"}}};
  }
  if (std::optional<Lack> lack = lack_of_groups(data)) return lack;
  if (std::optional<Lack> lack = lack_of_method(study)) return lack;
  const Rules& rules = study.rules();
  if (rules.sequential && !asks_headline(data, rules.time)) {
    return Lack{.faults = {{.place = "--time",
                            .what = "the looks of this campaign compared the headline times",
                            .remedy = "race again with a fixed number of launches, or see its "
                                      "times with invar show --time"}}};
  }
  if (std::optional<Lack> lack = lack_of_usual_looks(data, rules)) return lack;
  if (rules.gate && rules.sequential && rules.against == nullptr && arms.front() != 0) {
    return Lack{
        .faults = {{.place = "--arms",
                    .what = "the looks of this campaign asked whether arms are slower than '" +
                            data.arms.front().label + "'",
                    .remedy = "name it first"}}};
  }
  const Summaries& summaries = summaries_by_method(study);
  if (std::optional<Lack> lack = lack_of_choice(study, summaries)) return lack;
  return lack_of_regime(data, summaries, rules);
}

}  // namespace

Comparison compare(const Study& study) {
  const std::vector<std::uint32_t> arms = arms_of(study);
  require(arms_lack(study, arms));
  const store::Data& data = study.data();
  const CompareOptions& options = study.options();
  const Summaries& summaries = summaries_by_method(study);
  Rules rules = study.rules();
  const bool preset = rules.method != Method::kInvar;
  if (rules.no_verdict.empty() && std::ranges::any_of(summaries.arms, [](const Tally& tally) {
        return tally.oversubscribed > 0;
      })) {
    rules.no_verdict = "more ranks than cores (oversubscribed)";
  }
  const bool sequential = rules.sequential && !preset;
  const std::vector<std::uint32_t> asked = sequential ? asked_first(data, arms) : arms;
  Comparison result;
  ReferenceChoice reference;
  if (!preset) {
    result.regimes = regimes_by(data, summaries, rules);
    reference = reference_of(data, summaries, result.regimes, rules);
  }
  Contest contest = contest_of(data, table_by_method(study), asked, reference.band);
  contest.against = rules.against;
  if (options.bandwidth) {
    contest.moved = [&data, &asked](const Side& side, bool time_of_pair) {
      return moved_bytes(data, asked[side.arm], data.cells[side.cell], time_of_pair);
    };
  }
  contest.times.front().choice = rules.time;
  if (rules.against_times) add_declared_times(contest, study, asked);
  // What the looks of earlier versions mixed cannot be taken apart afterwards.
  const bool told_apart = reference.band || (!sequential && reference.moved.empty());
  if (!preset && told_apart) add_views(contest, study, result.regimes, asked);
  std::vector<Pair> pairs = pairs_of(contest, options.all_pairs || sequential, rules.gate);
  if (pairs.empty()) require(lack_of_pairs(data, contest));
  Looks looks;
  if (sequential) looks = take_looks(contest, pairs, rules, data.looks);
  Answers answers = sequential ? looks.answers : answer(contest, pairs, rules);
  if (sequential) keep_asked(pairs, answers.rows, arms.size(), options.all_pairs);

  result.arms = compared_arms(data, arms);
  result.cells = with_views(contest, pairs, rules, answers.rows);
  if (rules.against != nullptr) {
    result.against = rules.against->name;
    // Every place is a family of its own, which tells nobody anything.
    const bool told = record::tells_cells_apart(*record::find_factor("family"), data.cells);
    for (ComparedCell& row : result.cells) {
      if (!told) row.cell.family.clear();
    }
    for (ComparedCell& row : answers.rows) {
      if (!told) row.cell.family.clear();
    }
  }
  if (rules.against_times) result.against = kAgainstTimes;
  if (rules.time.kind == TimeChoice::Kind::kNamed) result.time = rules.time.name;
  result.reference = reference_regime(contest);
  if (result.reference) {
    result.reference->written = study.campaign().analysis.regime == result.reference->band;
  }
  mark_other_winners(result.cells);
  result.gate = rules.gate;
  // A gate compares nobody but the reference with the others, and a test with a direction finds
  // nobody who is ahead of it. Levels are compared in every arm by
  // itself, so that there is no best one of all.
  const bool one_contest = !rules.against_times && (rules.against == nullptr || arms.size() == 1);
  if (sides_of(result).size() > 2 && one_contest && !rules.gate &&
      rules.alternative == stats::Alternative::kTwoSided) {
    result.best = best_sides(pairs, answers.rows);
  }
  const bool one_launch =
      std::ranges::all_of(result.cells, [](const ComparedCell& row) { return row.launches == 1; });
  result.scope = scope_text(data, one_launch, study.starts()) + time_scope(result.cells) +
                 regime_scope(result.reference);
  result.asked = asked_words(options);
  result.shows_regimes = options.regimes;
  result.shows_pairs = options.all_pairs;
  result.has_bandwidth = options.bandwidth;
  result.warnings = data_warnings(data, rules, summaries, arms, contest.split_by());
  for (auto& warning : lonely_warnings(contest, pairs, arms.size())) {
    result.warnings.emplace_back(std::move(warning));
  }
  add_launch_warnings(contest, pairs, answers.rows, rules, result.warnings);
  const auto is_empty = [](const ComparedCell& row) { return row.cell.operation == "empty"; };
  if (std::ranges::any_of(result.cells, is_empty)) {
    result.warnings.emplace_back(
        "'empty' calls no library: it is Invar's own timing loop as each arm's compiler and page "
        "layout made it, and a difference there says nothing about the libraries");
  }
  result.perturbations = find_perturbations(data, summaries, rules.pairing);
  result.diagnosis = diagnose(data, summaries, arms);
  for (const auto& doubts :
       {perturbation_warnings(result.perturbations),
        diagnosis_warnings(result.diagnosis, rules.method == Method::kReported),
        ratio_warnings(contest, pairs, rules)}) {
    result.warnings.insert(result.warnings.end(), doubts.begin(), doubts.end());
  }
  if (rules.method == Method::kReported) {
    for (Warning& warning : missing_reports(PresetValues(study), *rules.preset)) {
      result.warnings.push_back(std::move(warning));
    }
  }
  for (auto& warning : time_warnings(study, result.cells)) {
    result.warnings.emplace_back(std::move(warning));
  }
  if (std::optional<std::string> weighs = weighs_warning(result.cells)) {
    result.warnings.emplace_back(std::move(*weighs));
  }
  if (!reference.moved.empty()) {
    result.warnings.emplace_back(moved_words(reference.moved, contest.is_split()), Gravity::kDoubt);
  } else if (sequential && !reference.band && result.regimes.found.size() > 1) {
    result.warnings.push_back(mixed_regimes_warning(
        result.regimes,
        "which the looks of this campaign did not tell apart: its verdicts mix them"));
  } else if (!preset && !reference.band && result.regimes.found.size() > 1) {
    result.warnings.push_back(untold_regimes_warning(result.regimes));
  }
  if (sequential) {
    for (auto& warning : changed_decisions(data, contest, looks)) {
      result.warnings.emplace_back(std::move(warning));
    }
  } else if (rules.sequential && rules.method != Method::kReported) {
    result.warnings.emplace_back(
        "the campaign stopped by looks at its results, of which this method's p takes no account");
  }
  result.sequential = sequential;
  result.looks = std::move(looks.reports);
  result.method = rules.method;
  if (rules.preset != nullptr) {
    result.preset = rules.preset->name;
    result.preset_reports = reports_of(*rules.preset, data);
  }
  result.launch_test = rules.test;
  result.alternative = rules.alternative;
  result.pairing = preset ? Pairing::kNone : rules.pairing;
  result.global_runtime = summaries.global;
  result.local_cells = local_cell_texts(data, summaries);
  result.alpha = rules.decision.alpha;
  result.min_effect = rules.decision.min_effect;
  result.correction = preset ? stats::Correction::kNone : rules.correction;
  result.comparisons = answers.tests;
  result.same_arm = !rules.inside_arms() && is_same_arm(data, arms);
  result.no_verdict = rules.no_verdict;
  result.dirs = {data.dir};
  result.health = study.health();
  result.regime_before = data.regime_before;
  result.detail = regimes_sentences(result);
  result.sentence = sentence_of(result);
  return result;
}

std::optional<Lack> comparison_lack(const Study& study) {
  const std::vector<std::uint32_t> arms = arms_of(study);
  if (std::optional<Lack> lack = arms_lack(study, arms)) return lack;
  const Contest contest = contest_by_method(study, arms);
  if (!pairs_of(contest, false, study.rules().gate).empty()) return std::nullopt;
  return lack_of_pairs(study.data(), contest);
}

}  // namespace invar::analysis
