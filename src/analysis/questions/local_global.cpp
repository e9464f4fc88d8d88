#include "analysis/questions/local_global.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "analysis/compare/compare.hpp"
#include "analysis/compare/pair_table.hpp"
#include "analysis/compare/reference_regime.hpp"
#include "analysis/machine/diagnostics.hpp"
#include "analysis/machine/reference.hpp"
#include "analysis/study/scope.hpp"
#include "analysis/study/select.hpp"
#include "analysis/study/times.hpp"
#include "analysis/words/sync_words.hpp"
#include "analysis/words/where.hpp"
#include "analysis/words/words.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "stats/describe/moments.hpp"
#include "stats/describe/quantile.hpp"

namespace invar::analysis {
namespace {

constexpr Time kLocalTime{.kind = Time::Kind::kLocal};
constexpr Time kGlobalTime{.kind = Time::Kind::kGlobal};

std::optional<TimeEstimate> skew_of(const CellVisits& visits, double confidence) {
  std::vector<double> of_launches;
  std::vector<double> of_visits;
  std::vector<double> skews;
  for (const LaunchVisits& launch : visits.launches) {
    of_visits.clear();
    for (const VisitSummary& visit : launch.visits) {
      skews.clear();
      for (const record::Timing& timing : visit.source->records) {
        if (!is_kept(timing, true) || !began_together(timing, visit.keeps_apart)) continue;
        skews.push_back(static_cast<double>(timing.start_skew_ps) * 1e-3);
      }
      if (!skews.empty()) {
        of_visits.push_back(stats::grouped_median_in_place(skews, visit.step_ns));
      }
    }
    // Grouping may put what a coarse clock shows as 0 below it.
    if (!of_visits.empty()) {
      of_launches.push_back(std::max(0.0, stats::median_in_place(of_visits)));
    }
  }
  return time_estimate(of_launches, confidence);
}

// Both times of every visit; where a regime of the machine is named, of the visits in it. None is
// chosen, because what is compared are times of one visit.
Contest local_global_contest(const store::Data& data, const Summaries& local,
                             const Summaries& global, std::span<const std::uint32_t> arms,
                             const std::optional<base::CanaryBand>& regime) {
  const auto table = [&](const Summaries& summaries) {
    return sort_visits(summaries.visits, data.cells.size(), data.arms.size());
  };
  Contest contest = contest_of(data, table(local), arms, regime);
  contest.times.front().time = kLocalTime;
  TimedVisits& second = contest.times.emplace_back();
  second.time = kGlobalTime;
  second.table = of_arms(data, table(global), arms);
  keep_reference(second, regime);
  return contest;
}

Lack lack_of_blocks(const store::Data& data, const base::CanaryBand& regime) {
  return {.faults = {{.place = data.dir.string(),
                      .what = "no launch group has " + std::to_string(kRegimeBlocks) +
                              " blocks of a cell in the regime " + base::band_text(regime),
                      .remedy = "name another one in [analysis] regime"}}};
}

// By arm, then by cell.
std::vector<Pair> pairs_of_times(const Contest& contest) {
  std::vector<Pair> pairs;
  for (std::uint32_t arm = 0; arm < contest.labels.size(); ++arm) {
    for (std::uint32_t cell = 0; cell < contest.cells.size(); ++cell) {
      const Pair pair{.a = {.cell = cell, .arm = arm, .time = kLocalTime},
                      .b = {.cell = cell, .arm = arm, .time = kGlobalTime}};
      if (visits_of(contest, pair.a).empty() || visits_of(contest, pair.b).empty()) continue;
      pairs.push_back(pair);
    }
  }
  return pairs;
}

// Geometric mean over the launches that have both; of whole launches, because rounds of different
// synchronisations have nothing else in common.
std::optional<double> launch_ratio(const Contest& contest, const Side& of, const Side& to) {
  const PairedDifferences paired =
      paired_differences(visits_of(contest, of), visits_of(contest, to), Pairing::kLaunches);
  if (paired.d.empty()) return std::nullopt;
  return std::exp(stats::mean(paired.d));
}

void fill_to_first(const Contest& contest, const std::vector<Pair>& pairs,
                   std::vector<LocalGlobalRow>& rows) {
  const auto place = [&](const Pair& pair) { return place_of(contest.cells[pair.a.cell]); };
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto first = std::ranges::find_if(pairs, [&](const Pair& pair) {
      return pair.a.arm == pairs[i].a.arm && place(pair).same_levels(place(pairs[i]));
    });
    rows[i].local_to_first = launch_ratio(contest, pairs[i].a, first->a);
    rows[i].global_to_first = launch_ratio(contest, pairs[i].b, first->b);
  }
}

// "1.02", "1.02 to 1.35"
std::string range_words(double least, double most) {
  const std::string low = ratio_words(least);
  const std::string high = ratio_words(most);
  return low == high ? low : low + " to " + high;
}

std::string skew_words(double least, double most) {
  const std::string low = base::duration_text(least);
  const std::string high = base::duration_text(most);
  return low == high ? low : low + " to " + high;
}

// What one synchronisation shows, over all its rows.
struct OfSync {
  std::string name = {};
  double least = 0, most = 0;            // ratios
  double least_skew = 0, most_skew = 0;  // ns
  bool all_equivalent = true;
  bool differs = false;
  bool one_launch = true;
};

std::vector<OfSync> by_sync(const LocalGlobal& answer) {
  std::vector<record::Cell> cells;
  for (const LocalGlobalRow& row : answer.rows) cells.push_back(row.compared.cell);
  std::vector<OfSync> all;
  for (const LocalGlobalRow& row : answer.rows) {
    if (!row.compared.ratio) continue;
    const std::string name = sync_text(row.compared.cell, cells);
    const double ratio = *row.compared.ratio;
    const double skew = row.skew ? row.skew->median_ns : 0;
    auto known = std::ranges::find(all, name, &OfSync::name);
    if (known == all.end()) {
      all.push_back(
          {.name = name, .least = ratio, .most = ratio, .least_skew = skew, .most_skew = skew});
      known = std::prev(all.end());
    }
    known->least = std::min(known->least, ratio);
    known->most = std::max(known->most, ratio);
    known->least_skew = std::min(known->least_skew, skew);
    known->most_skew = std::max(known->most_skew, skew);
    const auto verdict = row.compared.verdict;
    known->all_equivalent = known->all_equivalent && verdict == stats::Verdict::kEquivalent;
    known->differs =
        known->differs || verdict == stats::Verdict::kFaster || verdict == stats::Verdict::kSlower;
    known->one_launch = known->one_launch && row.compared.this_launch_only;
  }
  return all;
}

// By how much the synchronisations' times of one cell differ at most, by local and by global
// run-time.
struct RatioSpread {
  double local = 1;
  double global = 1;
  std::string where = {};
  bool several = false;  // some cell has two synchronisations
};

RatioSpread spread_of(const LocalGlobal& answer) {
  RatioSpread widest;
  std::vector<record::Cell> places;
  std::map<std::string, std::vector<std::size_t>> of_arm;
  for (std::size_t i = 0; i < answer.rows.size(); ++i) of_arm[answer.rows[i].arm].push_back(i);
  const bool arms = of_arm.size() > 1;
  for (const auto& [arm, rows] : of_arm) {
    std::vector<record::Cell> cells;
    for (const std::size_t i : rows) cells.push_back(answer.rows[i].compared.cell);
    const std::vector<std::vector<std::size_t>> by = by_place(cells);
    places.clear();
    for (const std::vector<std::size_t>& place : by) {
      places.push_back(place_of(cells[place.front()]));
    }
    for (std::size_t p = 0; p < by.size(); ++p) {
      std::vector<double> local;
      std::vector<double> global;
      for (const std::size_t j : by[p]) {
        const LocalGlobalRow& row = answer.rows[rows[j]];
        if (!row.local_to_first || !row.global_to_first) continue;
        local.push_back(*row.local_to_first);
        global.push_back(*row.global_to_first);
      }
      if (local.size() < 2 || global.size() < 2) continue;
      widest.several = true;
      const double factor = std::ranges::max(local) / std::ranges::min(local);
      if (factor < widest.local) continue;
      widest.local = factor;
      widest.global = std::ranges::max(global) / std::ranges::min(global);
      widest.where = places.size() > 1 ? list_text(CellWords(places).items({p})) : "";
      if (arms) widest.where += (widest.where.empty() ? "" : ", ") + arm;
    }
  }
  return widest;
}

}  // namespace

std::string local_global_sentence(const LocalGlobal& answer) {
  std::vector<std::string> differing;
  std::vector<std::string> equivalent;
  std::vector<std::string> undecided;
  bool one_launch = true;
  for (const OfSync& sync : by_sync(answer)) {
    one_launch = one_launch && sync.one_launch;
    const std::string ratio = range_words(sync.least, sync.most);
    if (sync.all_equivalent) {
      equivalent.push_back(sync.name);
    } else if (sync.differs) {
      differing.push_back(ratio + " times the local one after " + sync.name + " (start skew " +
                          skew_words(sync.least_skew, sync.most_skew) + ")");
    } else {
      undecided.push_back(ratio + " times after " + sync.name);
    }
  }
  std::vector<std::string> clauses;
  if (!answer.no_verdict.empty()) clauses.push_back("No verdicts: " + answer.no_verdict);
  if (!differing.empty()) clauses.push_back("Global run-time is " + list_text(differing));
  if (!equivalent.empty()) {
    clauses.push_back((differing.empty() ? "Global and local run-time are" : "both are") +
                      std::string(" equivalent within ") + percent_text(answer.min_effect) +
                      " after " + list_text(equivalent));
  }
  if (!undecided.empty()) {
    const char* begin = one_launch ? "One launch group yields no verdict; in it global run-time is "
                                   : "Undecided: global run-time is ";
    clauses.push_back((clauses.empty() ? begin : "undecided: ") + list_text(undecided) +
                      (clauses.empty() ? " the local one" : ""));
  }
  const RatioSpread spread = spread_of(answer);
  if (spread.several) {
    clauses.push_back("the synchronisations differ by a factor of up to " +
                      ratio_words(spread.local) + " in local run-time" +
                      (spread.where.empty() ? "" : " (" + spread.where + ")") + ", there of " +
                      ratio_words(spread.global) + " in global run-time");
  }
  return base::join(clauses, "; ") + ": " + answer.scope + ".";
}

std::optional<Lack> local_global_lack(const Study& study) {
  const store::Data& data = study.data();
  if (std::optional<Lack> lack = lack_of_groups(data)) return lack;
  if (std::optional<Lack> lack = lack_of_repetitions(data, study.summaries_by(Runtime::kLocal))) {
    return lack;
  }
  if (auto lack = lack_of_regime(data, study.summaries_by(Runtime::kLocal), study.rules())) {
    return lack;
  }
  if (!study.summaries_by(Runtime::kGlobal).visits.empty()) return std::nullopt;
  return Lack{.status = base::Exit::kMeasurementFailed,
              .faults = {{.place = data.dir.string(),
                          .what = "no repetition has a valid global time",
                          .remedy = "clocks must agree or be synchronised: pinned ranks, and no "
                                    "'clock = \"mpi-wtime\"'"}}};
}

LocalGlobal local_global(const Study& study) {
  require(local_global_lack(study));
  const store::Data& data = study.data();
  const Summaries& local = study.summaries_by(Runtime::kLocal);
  const Summaries& global = study.summaries_by(Runtime::kGlobal);
  Rules rules = study.rules();
  rules.method = Method::kInvar;
  if (rules.no_verdict.empty() && std::ranges::any_of(local.arms, [](const Tally& tally) {
        return tally.oversubscribed > 0;
      })) {
    rules.no_verdict = "more ranks than cores (oversubscribed)";
  }
  std::vector<std::uint32_t> all_arms(data.arms.size());
  std::iota(all_arms.begin(), all_arms.end(), 0U);
  const Contest contest = local_global_contest(data, local, global, all_arms, rules.regime);
  const std::vector<Pair> pairs = pairs_of_times(contest);
  if (pairs.empty() && contest.is_split()) require(lack_of_blocks(data, *rules.regime));
  const Answers answers = answer(contest, pairs, rules);

  LocalGlobal result;
  result.arms = compared_arms(data, all_arms);
  for (std::size_t i = 0; i < answers.rows.size(); ++i) {
    const Side& local_side = pairs[i].a;
    result.rows.push_back(
        {.arm = contest.labels[local_side.arm],
         .compared = answers.rows[i],
         .skew = skew_of(visits_of(contest, local_side), 1 - rules.decision.alpha)});
  }
  fill_to_first(contest, pairs, result.rows);
  const bool one_launch = std::ranges::all_of(
      result.rows, [](const LocalGlobalRow& row) { return row.compared.launches == 1; });
  result.scope =
      scope_text(data, one_launch, study.starts()) + regime_scope(reference_regime(contest));
  result.warnings = data_warnings(data, rules, local, all_arms, contest.split_by());
  // Those of local times say nothing of the clocks' synchronisation.
  for (Warning& warning : clock_warnings(data, global, all_arms)) {
    result.warnings.push_back(std::move(warning));
  }
  std::uint64_t left_out = 0;
  for (const Tally& tally : global.arms) left_out += tally.global_invalid;
  if (left_out > 0) {
    result.warnings.emplace_back(count_text(left_out, "repetition") +
                                 " without a valid global time: in the local run-times only");
  }
  result.alpha = rules.decision.alpha;
  result.min_effect = rules.decision.min_effect;
  result.comparisons = answers.tests;
  result.no_verdict = rules.no_verdict;
  result.dir = data.dir;
  result.health = study.health();
  result.sentence = local_global_sentence(result);
  return result;
}

}  // namespace invar::analysis
