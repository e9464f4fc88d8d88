#include "analysis/factors/factors.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "analysis/factors/factor_figures.hpp"
#include "analysis/factors/factor_missing.hpp"
#include "analysis/factors/factor_table.hpp"
#include "analysis/factors/factor_variance.hpp"
#include "analysis/factors/factors_sentence.hpp"
#include "analysis/machine/diagnostics.hpp"
#include "analysis/study/scope.hpp"
#include "analysis/study/select.hpp"
#include "design/factors/launch_factors.hpp"
#include "stats/test/wilcoxon.hpp"

namespace invar::analysis {
namespace {

// A test of the table with the places that its answer goes to.
struct Asked {
  stats::TableTest test = {};
  std::function<void(const stats::TableRow&)> take = {};
};

stats::TableTest only_p(std::optional<double> p, std::size_t groups) {
  return {
      .estimate = [p, groups](double) { return stats::RatioEstimate{.p = p, .groups = groups}; }};
}

void ask_launch(FactorResult& launch, std::size_t groups, std::vector<Asked>& asked) {
  if (!launch.anova) return;
  asked.push_back(
      {.test = only_p(launch.anova->test.p, groups),
       .take = [&test = *launch.anova](const auto& row) { test.p_adjusted = row.p_adjusted; }});
}

Influence influence_of(const stats::TableRow& row, const stats::DecisionRule& rule) {
  const bool large = std::abs(std::log(row.plain.ratio)) > std::log1p(rule.min_effect);
  if (row.rejected && large) return Influence::kMatters;
  return row.verdict == stats::Verdict::kEquivalent ? Influence::kDoesNotMatter
                                                    : Influence::kUndecided;
}

// A value for each group (outer) and level (inner), against the group's first level; groups that
// lack a level are left out.
stats::BlockedValues blocked(const std::vector<PairedDifferences>& levels) {
  stats::BlockedValues values;
  for (const std::uint32_t group : levels.front().groups) {
    std::vector<double> block{0};
    for (const PairedDifferences& level : levels) {
      const auto found = std::ranges::find(level.groups, group);
      if (found == level.groups.end()) break;
      block.push_back(level.d[static_cast<std::size_t>(found - level.groups.begin())]);
    }
    if (block.size() == levels.size() + 1) values.push_back(std::move(block));
  }
  return values;
}

void add_tests(FactorResult& result, const std::vector<PairedDifferences>& levels) {
  const stats::BlockedValues values = blocked(levels);
  if (values.size() < 2) return;
  const stats::BlocksAnova anova = stats::blocks_anova(values);
  result.anova = FactorTest{.name = "F", .test = anova.f};
  result.variance = std::max(anova.level_variance, 0.0);
  if (levels.size() > 1) {
    result.rank_test = FactorTest{.name = "Friedman", .test = stats::friedman_test(values)};
    return;
  }
  const stats::RankTest test = stats::signed_rank_test(levels.front().d);
  result.rank_test = FactorTest{.name = "Wilcoxon signed-rank",
                                .test = {.statistic = test.statistic, .p = test.p}};
}

FactorResult fixed_factor(const FactorTable& table, std::size_t index, Pairing pairing,
                          std::vector<PairedDifferences>& levels) {
  const VariedFactor& factor = table.factors[index];
  FactorResult result{
      .factor = factor.name, .between_launches = factor.between_launches, .levels = factor.levels};
  for (std::uint32_t level = 1; level < factor.levels.size(); ++level) {
    levels.push_back(level_differences(table, index, level, pairing));
    result.effects.push_back({.level = factor.levels[level],
                              .reference = factor.levels.front(),
                              .groups = levels.back().d.size()});
  }
  add_tests(result, levels);
  return result;
}

// One test a level. F and rank test of the factor ask the same once more: in the table they would
// count an effect that is there several times and make it easier for the others to be found.
void ask_fixed(FactorResult& result, const std::vector<PairedDifferences>& levels, bool verdicts,
               const stats::DecisionRule& rule, std::vector<Asked>& asked) {
  for (std::size_t i = 0; i < levels.size(); ++i) {
    if (levels[i].d.empty()) continue;
    LevelEffect& effect = result.effects[i];
    asked.push_back({.test = paired_test(levels[i]),
                     .take = [&effect, verdicts, rule](const stats::TableRow& row) {
                       effect.ratio = row.plain.ratio;
                       effect.interval = row.plain.interval;
                       effect.this_launch_only = row.plain.this_launch_only;
                       if (!verdicts) return;
                       effect.interval = row.printed_interval;
                       effect.p = row.plain.p;
                       effect.p_adjusted = row.p_adjusted;
                       effect.influence = influence_of(row, rule);
                     }});
  }
}

// The factor's influence from those of its levels.
void conclude(FactorResult& result) {
  bool all_judged = !result.effects.empty();
  bool all_small = all_judged;
  for (const LevelEffect& effect : result.effects) {
    all_judged = all_judged && effect.influence.has_value();
    all_small = all_small && effect.influence == Influence::kDoesNotMatter;
    if (effect.influence == Influence::kMatters) result.influence = Influence::kMatters;
  }
  if (result.influence || !all_judged) return;
  result.influence = all_small ? Influence::kDoesNotMatter : Influence::kUndecided;
}

// Launches, visits and repetitions, in this order behind the others.
void add_random(FactorsTarget& target, const RandomVariance& random) {
  FactorResult launch{.factor = "launch", .between_launches = true, .variance = random.launch};
  if (random.launches) {
    launch.sd = std::sqrt(random.launch);
    launch.sd_interval = random.launches->unit_sd;
    launch.anova = FactorTest{.name = "F", .test = random.launches->f};
    launch.rank_test = FactorTest{.name = "F of aligned ranks", .test = random.launch_ranks};
  }
  target.factors.push_back(std::move(launch));
  target.factors.push_back(
      {.factor = "visit", .variance = random.visit, .sd = std::sqrt(random.visit)});
  target.factors.push_back(
      {.factor = "repetition", .variance = random.repetition, .sd = std::sqrt(random.repetition)});
}

// Where there are no verdicts, a p would be one for the reader.
void withhold_tests(FactorResult& factor) {
  for (std::optional<FactorTest>* test : {&factor.anova, &factor.rank_test}) {
    if (*test) (*test)->test.p.reset();
  }
}

void conclude_launch(FactorResult& launch, const stats::DecisionRule& rule) {
  if (!launch.anova || !launch.sd) return;
  const double least = std::log1p(rule.min_effect);
  const bool rejected = launch.anova->p_adjusted && *launch.anova->p_adjusted <= rule.alpha;
  if (rejected && *launch.sd > least) {
    launch.influence = Influence::kMatters;
  } else if (launch.sd_interval && launch.sd_interval->high <= least) {
    launch.influence = Influence::kDoesNotMatter;
  } else {
    launch.influence = Influence::kUndecided;
  }
}

void share_out(FactorsTarget& target, const JointVariance& together) {
  target.no_interactions = together.missing;
  double total = together.variance.value_or(0);
  for (const FactorResult& factor : target.factors) total += factor.variance;
  if (!(total > 0)) return;
  for (FactorResult& factor : target.factors) factor.share = factor.variance / total;
  if (together.variance) target.interactions = *together.variance / total;
}

}  // namespace

std::string_view to_string(Influence influence) {
  switch (influence) {
    case Influence::kMatters:
      return "matters";
    case Influence::kDoesNotMatter:
      return "does not matter";
    case Influence::kUndecided:
      break;
  }
  return "undecided";
}

std::string MissingLevel::name() const {
  std::string text = factor + " " + level;
  if (!where.empty()) text += " in " + where;
  return reference_now.empty() ? text : text + " (the reference is " + reference_now + " instead)";
}

std::optional<Lack> factors_lack(const Study& study) {
  if (std::optional<Lack> lack = lack_of_groups(study.data())) return lack;
  return lack_of_repetitions(study.data(), study.summaries());
}

Factors factors(const Study& study, FactorPictures pictures) {
  require(factors_lack(study));
  const store::Data& data = study.data();
  const design::Campaign& campaign = study.campaign();
  const Summaries& summaries = study.summaries();
  Rules rules = study.rules();
  const bool pinning_varies = design::any_unpinned(campaign) && !design::all_unpinned(campaign);
  if (pinning_varies && !campaign.engine.oversubscribe) rules.no_verdict.clear();
  if (rules.sequential && rules.no_verdict.empty()) {
    rules.no_verdict = "looks at the results decided what was measured (stopping = \"looks\")";
  }
  const std::vector<FactorTable> tables = factor_tables(data, campaign, summaries.visits);

  Factors result;
  const double confidence = 1 - rules.decision.alpha;
  const bool verdicts = rules.no_verdict.empty() && data.groups.size() > 1;
  std::vector<Asked> asked;
  // Answers are written through pointers: nothing may move any more.
  result.targets.resize(tables.size());
  std::vector<std::vector<std::vector<PairedDifferences>>> levels(tables.size());
  for (std::size_t i = 0; i < tables.size(); ++i) {
    FactorsTarget& target = result.targets[i];
    target.cell = tables[i].cell;
    for (const auto& [combination, visits] : tables[i].visits) target.visits += visits.size();
    levels[i].resize(tables[i].factors.size());
    for (std::size_t factor = 0; factor < tables[i].factors.size(); ++factor) {
      target.factors.push_back(fixed_factor(tables[i], factor, rules.pairing, levels[i][factor]));
    }
    add_random(target, random_variance(tables[i], summaries.global, confidence));
    share_out(target, joint_variance(tables[i]));
    for (std::size_t factor = 0; factor < levels[i].size(); ++factor) {
      ask_fixed(target.factors[factor], levels[i][factor], verdicts, rules.decision, asked);
    }
    if (verdicts) ask_launch(target.factors[levels[i].size()], data.groups.size(), asked);
  }
  std::vector<stats::TableTest> table;
  table.reserve(asked.size());
  for (const Asked& one : asked) table.push_back(one.test);
  const std::vector<stats::TableRow> rows =
      stats::judge_table(table, rules.decision, rules.correction);
  for (std::size_t i = 0; i < asked.size(); ++i) {
    asked[i].take(rows[i]);
    if (verdicts && rows[i].p_adjusted) ++result.tests;
  }
  for (std::size_t i = 0; i < result.targets.size(); ++i) {
    for (FactorResult& factor : result.targets[i].factors) {
      conclude(factor);
      if (!verdicts) withhold_tests(factor);
    }
    if (verdicts) conclude_launch(result.targets[i].factors[levels[i].size()], rules.decision);
  }
  std::vector<std::uint32_t> arms;
  for (std::uint32_t arm = 0; arm < data.arms.size(); ++arm) arms.push_back(arm);
  result.missing = missing_levels(data, campaign, summaries, tables);
  if (pictures == FactorPictures::kAll) {
    result.figures = factor_figures(tables, summaries.global, confidence, campaign.seed);
  }
  result.scope = scope_text(data, data.groups.size() == 1, study.starts());
  for (const MissingLevel& missing : result.missing) {
    result.warnings.emplace_back("no data of " + missing.name() + ": " + missing.reason);
  }
  for (auto& warning : data_warnings(data, rules, summaries, arms)) {
    result.warnings.emplace_back(std::move(warning));
  }
  result.global_runtime = summaries.global;
  result.alpha = rules.decision.alpha;
  result.min_effect = rules.decision.min_effect;
  result.correction = rules.correction;
  result.groups = data.groups.size();
  result.no_verdict = rules.no_verdict;
  result.dir = data.dir;
  result.health = study.health();
  result.sentence = factors_sentence(result);
  return result;
}

}  // namespace invar::analysis
