#include "analysis/guidelines/pgmpi_guidelines.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <utility>

#include "analysis/compare/method_table.hpp"
#include "analysis/guidelines/guideline_pairs.hpp"
#include "analysis/guidelines/guideline_rows.hpp"
#include "analysis/machine/diagnostics.hpp"
#include "analysis/study/scope.hpp"
#include "analysis/study/select.hpp"
#include "stats/describe/quantile.hpp"
#include "stats/test/kolmogorov_smirnov.hpp"
#include "stats/test/wilcoxon.hpp"

namespace invar::analysis {
namespace {

std::vector<double> medians_of_launches(const CellVisits& visits) {
  std::vector<double> medians;
  medians.reserve(visits.launches.size());
  for (const LaunchVisits& launch : visits.launches) medians.push_back(launch.median_ns);
  return medians;
}

// One-sided: x tends to be larger. None where all values are tied.
std::optional<double> p_of_larger(const std::vector<double>& x, const std::vector<double>& y,
                                  PgmpiTest test) {
  if (test == PgmpiTest::kWilcoxon) {
    return stats::rank_sum_test(x, y, stats::Alternative::kGreater, stats::RankMethod::kNormal).p;
  }
  // Where the distribution function of x lies below that of y, x takes longer.
  return stats::kolmogorov_smirnov_test(x, y, stats::Alternative::kLess).p;
}

ComparedCell sides_of_pair(const Contest& contest, const Pair& pair) {
  ComparedCell sides{.cell = contest.cells[pair.b.cell],
                     .cell_a = contest.cells[pair.a.cell],
                     .in_arm = contest.labels[pair.b.arm],
                     .arm_a = contest.labels[pair.a.arm],
                     .arm_b = contest.labels[pair.b.arm],
                     .unpaired = true};
  sides.cell.family.clear();
  sides.cell_b = sides.cell;
  return sides;
}

// PGMPI finds a violation or none, of data that allow a verdict at all.
std::optional<stats::Verdict> verdict_if(bool violated, const Rules& rules) {
  if (!rules.no_verdict.empty()) return std::nullopt;
  return violated ? stats::Verdict::kViolated : stats::Verdict::kHolds;
}

ComparedCell judged_by_test(const Contest& contest, const Pair& pair, PgmpiTest test,
                            const Rules& rules) {
  ComparedCell sides = sides_of_pair(contest, pair);
  const std::vector<double> left = medians_of_launches(visits_of(contest, pair.b));
  const std::vector<double> right = medians_of_launches(visits_of(contest, pair.a));
  sides.time_a = TimeEstimate{.median_ns = stats::median(right)};
  sides.time_b = TimeEstimate{.median_ns = stats::median(left)};
  sides.launches = std::min(left.size(), right.size());
  if (sides.time_a->median_ns > 0) sides.ratio = sides.time_b->median_ns / sides.time_a->median_ns;
  if (rules.no_verdict.empty()) sides.p = p_of_larger(left, right, test);
  sides.verdict = verdict_if(sides.p && *sides.p <= rules.decision.alpha, rules);
  return sides;
}

// Cells of the operation by their size, for a number of ranks: the first one that the arm measured.
using CellOfSize = std::map<std::uint64_t, std::uint32_t>;

std::map<std::uint32_t, CellOfSize> cells_by_ranks(const Contest& contest, std::uint32_t arm,
                                                   const std::string& operation) {
  std::map<std::uint32_t, CellOfSize> cells;
  for (std::uint32_t i = 0; i < contest.cells.size(); ++i) {
    const record::Cell& cell = contest.cells[i];
    if (cell.operation != operation || !cell.size_bytes) continue;
    if (!contest.table()[i][arm].empty()) cells[cell.ranks].try_emplace(*cell.size_bytes, i);
  }
  return cells;
}

std::vector<GuidelineRow> split_rows(const Contest& contest, std::size_t number,
                                     const design::Guideline& rule, std::uint32_t arm,
                                     const Rules& rules) {
  std::vector<GuidelineRow> rows;
  for (const auto& [ranks, cell_of_size] : cells_by_ranks(contest, arm, rule.operation)) {
    std::vector<SizeTime> times;
    std::vector<std::uint32_t> cells;
    for (const auto& [size_bytes, cell] : cell_of_size) {
      times.push_back({size_bytes, stats::median(medians_of_launches(contest.table()[cell][arm]))});
      cells.push_back(cell);
    }
    for (const InferredSplit& split : inferred_splits(times, rule.tolerance)) {
      GuidelineRow& row = rows.emplace_back(GuidelineRow{
          .rule = number,
          .arm = contest.labels[arm],
          .size_bytes = times[split.whole].size_bytes,
          .ranks = ranks,
          .sides = sides_of_pair(contest, {.a = {.cell = cells[split.part], .arm = arm},
                                           .b = {.cell = cells[split.whole], .arm = arm}}),
          .calls = split.calls});
      ComparedCell& sides = *row.sides;
      sides.time_b = TimeEstimate{.median_ns = times[split.whole].median_ns};
      sides.time_a =
          TimeEstimate{.median_ns = static_cast<double>(split.calls) * times[split.part].median_ns};
      if (sides.time_a->median_ns > 0) {
        sides.ratio = sides.time_b->median_ns / sides.time_a->median_ns;
      }
      sides.launches = contest.table()[cells[split.whole]][arm].launches.size();
      sides.verdict = verdict_if(split.violated, rules);
    }
  }
  return rows;
}

}  // namespace

std::vector<InferredSplit> inferred_splits(const std::vector<SizeTime>& times, double tolerance) {
  std::vector<InferredSplit> splits;
  for (std::size_t whole = 1; whole < times.size(); ++whole) {
    std::optional<InferredSplit> found;
    for (std::size_t part = whole; part-- > 0;) {
      const std::uint64_t part_bytes = times[part].size_bytes;
      // Where a time is too short for the clock, any number of calls would take no time.
      if (part_bytes == 0 || !(times[part].median_ns > 0)) continue;
      const std::uint64_t calls = (times[whole].size_bytes + part_bytes - 1) / part_bytes;
      const bool violated = (1 + tolerance) * static_cast<double>(calls) * times[part].median_ns <
                            times[whole].median_ns;
      if (!found || violated) {
        found = InferredSplit{.whole = whole, .part = part, .calls = calls, .violated = violated};
      }
      if (violated) break;
    }
    if (found) splits.push_back(*found);
  }
  return splits;
}

std::optional<Lack> pgmpi_guidelines_lack(const Study& study) {
  if (std::optional<Lack> lack = lack_of_groups(study.data())) return lack;
  if (std::optional<Lack> lack = lack_of_guidelines(study)) return lack;
  return lack_of_method(study);
}

Guidelines pgmpi_guidelines(const Study& study, PgmpiTest test) {
  require(pgmpi_guidelines_lack(study));
  const store::Data& data = study.data();
  const design::Campaign& campaign = study.campaign();
  Rules rules = judging_rules(study, summaries_by_method(study));
  rules.alternative = stats::Alternative::kGreater;
  std::vector<std::uint32_t> arms(data.arms.size());
  std::iota(arms.begin(), arms.end(), 0U);
  const Contest contest = contest_of(data, table_by_method(study), arms);
  const std::vector<design::Guideline> asked = rules_of(campaign);
  std::vector<GuidelinePlace> places = guideline_places(contest, campaign);
  // Nobody measured several calls for it.
  std::erase_if(places, [&](const GuidelinePlace& place) {
    return asked[place.guideline].kind == design::GuidelineKind::kSplit;
  });
  const std::vector<Pair> pairs = pairs_of_places(places);
  std::vector<ComparedCell> answers;
  answers.reserve(pairs.size());
  for (const Pair& pair : pairs) answers.push_back(judged_by_test(contest, pair, test, rules));

  Guidelines found;
  found.rules = asked;
  found.rows = guideline_rows(study, contest, places, answers);
  const bool one_launch =
      std::ranges::all_of(answers, [](const ComparedCell& sides) { return sides.launches == 1; });
  // Nor can it be in the way that there are none.
  std::erase_if(found.rows, [&](const GuidelineRow& row) {
    return found.rules[row.rule].kind == design::GuidelineKind::kSplit;
  });
  for (std::size_t i = 0; i < found.rules.size(); ++i) {
    if (found.rules[i].kind != design::GuidelineKind::kSplit) continue;
    std::vector<GuidelineRow> rows;
    for (const std::uint32_t arm : arms) {
      std::ranges::move(split_rows(contest, i, found.rules[i], arm, rules),
                        std::back_inserter(rows));
    }
    if (rows.empty()) {
      rows.push_back(
          {.rule = i, .why = found.rules[i].operation + " is not measured at two sizes"});
    }
    std::ranges::move(rows, std::back_inserter(found.rows));
  }
  std::ranges::stable_sort(found.rows, {}, &GuidelineRow::rule);
  found.arms = compared_arms(data, arms);
  found.scope = scope_text(data, one_launch && !answers.empty(), study.starts());
  found.warnings = data_warnings(data, rules, summaries_by_method(study), arms);
  add_launch_warnings(contest, pairs, answers, rules, found.warnings);
  if (rules.sequential) {
    found.warnings.emplace_back(
        "the campaign stopped by looks at its results, of which this method's p takes no account");
  }
  found.global_runtime = summaries_by_method(study).global;
  found.alpha = rules.decision.alpha;
  found.correction = stats::Correction::kNone;
  found.no_verdict = rules.no_verdict;
  found.comparisons = rules.no_verdict.empty() ? answers.size() : 0;
  found.pgmpi_test =
      test == PgmpiTest::kWilcoxon ? "Wilcoxon's rank-sum test" : "Kolmogorov and Smirnov's test";
  found.dir = data.dir;
  found.health = study.health();
  found.sentence = guidelines_sentence(found);
  return found;
}

}  // namespace invar::analysis
