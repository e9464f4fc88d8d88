// Which factors matter, as an answer.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/compare/compared_table.hpp"
#include "analysis/factors/factors.hpp"
#include "analysis/words/numbers.hpp"
#include "analysis/words/words.hpp"
#include "base/text.hpp"
#include "base/units.hpp"

namespace invar::analysis {
namespace {

// "+12.3 %", "-0.04 %": three significant digits.
std::string change_text(double ratio) {
  const double percent = 100 * (ratio - 1);
  const double size = std::abs(percent);
  return fmt::format("{:+.{}f} %", percent, size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2);
}

std::string change_interval(const std::optional<stats::Interval>& interval) {
  if (!interval) return "";
  const auto end = [](double ratio) {
    const std::string text = change_text(ratio);
    return text.substr(0, text.size() - 2);
  };
  return "[" + end(interval->low) + ", " + end(interval->high) + "]";
}

std::string sd_interval(const std::optional<stats::Interval>& interval) {
  if (!interval) return "";
  return "[" + log_sd_text(interval->low) + ", " + log_sd_text(interval->high) + "]";
}

Value p_of(const std::optional<FactorTest>& test) { return test ? Value(test->test.p) : Value(); }

Value influence_value(const std::optional<Influence>& influence) {
  return influence ? Value(to_string(*influence)) : Value();
}

// A level's effect as a change in percent; of what has no levels the standard deviation.
void add_shown_rows(const FactorResult& factor, TidyTable& table) {
  // With two levels F is the square of the effect's own t.
  const Value f = factor.effects.size() == 1 ? Value() : p_of(factor.anova);
  if (factor.effects.empty()) {
    const std::string sd = log_sd_text(factor.sd);
    table.rows.push_back({factor.factor,
                          {},
                          sd.empty() ? sd : "sd " + sd,
                          sd_interval(factor.sd_interval),
                          factor.anova ? Value(factor.anova->p_adjusted) : Value(),
                          factor.share,
                          f,
                          p_of(factor.rank_test),
                          influence_value(factor.influence)});
    return;
  }
  bool first = true;
  for (const LevelEffect& effect : factor.effects) {
    table.rows.push_back({first ? factor.factor : "", effect.level + " / " + effect.reference,
                          effect.groups > 0 ? change_text(effect.ratio) : "no data",
                          change_interval(effect.interval), effect.p_adjusted,
                          first ? Value(factor.share) : Value(), first ? f : Value(),
                          first ? p_of(factor.rank_test) : Value(),
                          influence_value(effect.influence)});
    first = false;
  }
}

TidyTable shown_table(const FactorsTarget& target) {
  TidyTable table{
      .title = target.cell.operation +
               (target.cell.size_bytes ? ", " + base::size_text(*target.cell.size_bytes) : ""),
      .columns = {{.name = "factor"},
                  {.name = "level"},
                  {.name = "effect"},
                  {.name = "interval"},
                  {.name = "p", .kind = Kind::kP},
                  {.name = "share", .kind = Kind::kShare},
                  {.name = "p_f", .kind = Kind::kP},
                  {.name = "p_ranks", .kind = Kind::kP},
                  {.name = "influence"}},
      .shown = {{.header = "factor", .column = "factor"},
                {.header = "level", .column = "level"},
                {.header = "effect", .column = "effect", .right = true},
                {.column = "interval", .glued = true},
                {.header = "p", .column = "p"},
                {.header = "variance", .column = "share", .decimals = 1},
                {.header = "p (F)", .column = "p_f"},
                {.header = "p (ranks)", .column = "p_ranks"},
                {.column = "influence"}}};
  for (const FactorResult& factor : target.factors) add_shown_rows(factor, table);
  // Said of two factors or more only: one has nothing to interact with.
  const auto crossed = std::ranges::count_if(
      target.factors, [](const FactorResult& factor) { return !factor.effects.empty(); });
  if (crossed > 1) {
    table.rows.push_back(
        {"together", target.no_interactions, {}, {}, {}, target.interactions, {}, {}, {}});
  }
  return table;
}

void append_test(std::vector<Value>& row, const std::optional<FactorTest>& test) {
  if (!test) {
    row.resize(row.size() + 6);
    return;
  }
  for (const Value& value : std::vector<Value>{test->name, test->test.statistic, test->test.df1,
                                               test->test.df2, test->test.p, test->p_adjusted}) {
    row.push_back(value);
  }
}

std::vector<Value> effect_row(const FactorsTarget& target, const FactorResult& factor,
                              const LevelEffect* effect) {
  std::vector<Value> row{target.cell.operation, target.cell.size_bytes, factor.factor,
                         factor.between_launches ? "launch" : "visit"};
  if (effect != nullptr) {
    row.emplace_back(effect->level);
    row.emplace_back(effect->reference);
    row.push_back(effect->groups > 0 ? Value(effect->ratio) : Value());
    append_interval(row, effect->interval);
    row.emplace_back(effect->groups);
    row.emplace_back(effect->p);
    row.emplace_back(effect->p_adjusted);
  } else {
    row.resize(row.size() + 8);
  }
  row.push_back(influence_value(effect != nullptr ? effect->influence : factor.influence));
  row.emplace_back(factor.sd);
  append_interval(row, factor.sd_interval);
  row.emplace_back(factor.variance);
  row.emplace_back(factor.share);
  append_test(row, factor.anova);
  append_test(row, factor.rank_test);
  return row;
}

TidyTable effects_table(const Factors& factors) {
  TidyTable table{
      .id = "effects",
      .columns =
          {{.name = "operation"},
           {.name = "size_bytes", .kind = Kind::kBytes},
           {.name = "factor"},
           {.name = "varies_by"},
           {.name = "level"},
           {.name = "reference"},
           {.name = "ratio", .kind = Kind::kRatio, .low = "ratio_low", .high = "ratio_high"},
           {.name = "ratio_low", .kind = Kind::kRatio},
           {.name = "ratio_high", .kind = Kind::kRatio},
           {.name = "groups", .kind = Kind::kCount},
           {.name = "p", .kind = Kind::kP},
           {.name = "p_adjusted", .kind = Kind::kP},
           {.name = "influence"},
           {.name = "sd_log", .kind = Kind::kLogSd, .low = "sd_log_low", .high = "sd_log_high"},
           {.name = "sd_log_low", .kind = Kind::kLogSd},
           {.name = "sd_log_high", .kind = Kind::kLogSd},
           {.name = "variance_log", .kind = Kind::kNumber},
           {.name = "share", .kind = Kind::kShare}},
      .in_json = false};
  for (const std::string test : {"anova", "rank_test"}) {
    const std::string start = test == "anova" ? "anova_" : "rank_";
    table.columns.push_back({.name = test});
    for (const char* name : {"statistic", "df1", "df2"}) {
      table.columns.push_back({.name = start + name, .kind = Kind::kNumber});
    }
    table.columns.push_back({.name = start + "p", .kind = Kind::kP});
    table.columns.push_back({.name = start + "p_adjusted", .kind = Kind::kP});
  }
  for (const FactorsTarget& target : factors.targets) {
    for (const FactorResult& factor : target.factors) {
      if (factor.effects.empty()) table.rows.push_back(effect_row(target, factor, nullptr));
      for (const LevelEffect& effect : factor.effects) {
        table.rows.push_back(effect_row(target, factor, &effect));
      }
    }
  }
  return table;
}

// A figure's data. In JSON they name their target by its number, in CSV by operation and size.
template <typename Row, typename Values>
void add_figure(const Factors& factors, const char* id, std::vector<TidyColumn> columns,
                const std::vector<Row>& rows, const Values& values_of, Answer& answer,
                Record& figures) {
  TidyTable table{.id = id,
                  .columns = {{.name = "operation"}, {.name = "size_bytes", .kind = Kind::kBytes}},
                  .in_json = false};
  table.columns.insert(table.columns.end(), columns.begin(), columns.end());
  List list;
  for (const Row& row : rows) {
    const record::Cell& cell = factors.targets.at(row.target).cell;
    const std::vector<Value> values = values_of(row);
    std::vector<Value> whole{cell.operation, cell.size_bytes};
    whole.insert(whole.end(), values.begin(), values.end());
    table.rows.push_back(std::move(whole));
    Record record{{"target", row.target}};
    for (std::size_t i = 0; i < columns.size(); ++i) record.push_back({columns[i].name, values[i]});
    list.emplace_back(std::move(record));
  }
  answer.tables.push_back(std::move(table));
  figures.push_back({id, std::move(list)});
}

Record add_figures(const Factors& factors, Answer& answer) {
  Record figures;
  add_figure(
      factors, "launches",
      {{.name = "launch", .kind = Kind::kCount},
       {.name = "observations", .kind = Kind::kCount},
       {.name = "mean_ns", .kind = Kind::kTime, .low = "low_ns", .high = "high_ns"},
       {.name = "low_ns", .kind = Kind::kTime},
       {.name = "high_ns", .kind = Kind::kTime},
       {.name = "median_ns", .kind = Kind::kTime}},
      factors.figures.launches,
      [](const LaunchMean& mean) {
        std::vector<Value> values{mean.launch, mean.observations, mean.mean_ns};
        append_interval(values, mean.interval_ns);
        values.emplace_back(mean.median_ns);
        return values;
      },
      answer, figures);
  add_figure(
      factors, "histograms",
      {{.name = "factor"},
       {.name = "level"},
       {.name = "low_ns", .kind = Kind::kTime},
       {.name = "high_ns", .kind = Kind::kTime},
       {.name = "count", .kind = Kind::kCount},
       {.name = "density_per_ns", .kind = Kind::kNumber}},
      factors.figures.histograms,
      [](const HistogramBin& bin) {
        return std::vector<Value>{bin.factor,  bin.level, bin.low_ns,
                                  bin.high_ns, bin.count, bin.density_per_ns};
      },
      answer, figures);
  add_figure(
      factors, "quantiles",
      {{.name = "sample_size", .kind = Kind::kCount},
       {.name = "normal", .kind = Kind::kNumber},
       {.name = "mean_ns", .kind = Kind::kTime}},
      factors.figures.quantiles,
      [](const QuantilePair& pair) {
        return std::vector<Value>{pair.sample_size, pair.normal, pair.mean_ns};
      },
      answer, figures);
  return figures;
}

Value text_or_absent(const std::string& text) { return text.empty() ? Value() : Value(text); }

Value test_value(const std::optional<FactorTest>& test) {
  if (!test) return {};
  return Record{{"name", test->name},    {"statistic", test->test.statistic},
                {"df1", test->test.df1}, {"df2", test->test.df2},
                {"p", test->test.p},     {"p_adjusted", test->p_adjusted}};
}

Value low_end(const std::optional<stats::Interval>& interval) {
  return interval ? Value(interval->low) : Value();
}
Value high_end(const std::optional<stats::Interval>& interval) {
  return interval ? Value(interval->high) : Value();
}

Value factor_value(const FactorResult& factor) {
  List effects;
  for (const LevelEffect& effect : factor.effects) {
    effects.emplace_back(Record{{"level", effect.level},
                                {"reference", effect.reference},
                                {"ratio", effect.groups > 0 ? Value(effect.ratio) : Value()},
                                {"ratio_low", low_end(effect.interval)},
                                {"ratio_high", high_end(effect.interval)},
                                {"groups", effect.groups},
                                {"p", effect.p},
                                {"p_adjusted", effect.p_adjusted},
                                {"influence", influence_value(effect.influence)}});
  }
  return Record{{"factor", factor.factor},
                {"between_launches", factor.between_launches},
                {"levels", List(factor.levels.begin(), factor.levels.end())},
                {"effects", std::move(effects)},
                {"sd_log", factor.sd},
                {"sd_log_low", low_end(factor.sd_interval)},
                {"sd_log_high", high_end(factor.sd_interval)},
                {"variance_log", factor.variance},
                {"share", factor.share},
                {"anova", test_value(factor.anova)},
                {"rank_test", test_value(factor.rank_test)},
                {"influence", influence_value(factor.influence)}};
}

Value target_value(const FactorsTarget& target) {
  List factors;
  for (const FactorResult& factor : target.factors) factors.push_back(factor_value(factor));
  return Record{{"operation", target.cell.operation},
                {"size_bytes", target.cell.size_bytes},
                {"visits", target.visits},
                {"factors", std::move(factors)},
                {"interactions", target.interactions},
                {"no_interactions", text_or_absent(target.no_interactions)}};
}

Value missing_value(const MissingLevel& missing) {
  return Record{{"factor", missing.factor},
                {"level", missing.level},
                {"reason", missing.reason},
                {"where", text_or_absent(missing.where)},
                {"reference_now", text_or_absent(missing.reference_now)}};
}

std::string reading(const Factors& factors) {
  return fmt::format(
      "effect: a level's time against the reference's, {}, over {}, the other "
      "factors alike; {}p (F) and p (ranks) as they are; sd: of log medians; variance: share "
      "of that of all log times; together: what factors do beyond the sum of "
      "their effects; times: {}",
      percent_text(1 - factors.alpha), count_text(factors.groups, "launch group"),
      factors.tests > 0 ? "p corrected for " + count_text(factors.tests, "test") + ", "
                        : std::string(),
      runtime_words(factors.global_runtime));
}

}  // namespace

Answer answer_of(const Factors& factors) {
  Answer answer{.question = "factors",
                .sentence = factors.sentence,
                .scope = factors.scope,
                .tables = {effects_table(factors)},
                .notes = {reading(factors)},
                .warnings = factors.warnings,
                .health = factors.health,
                .next = {{"data", base::shell_quoted(factors.dir.string())}}};
  List targets;
  for (const FactorsTarget& target : factors.targets) {
    targets.push_back(target_value(target));
    answer.tables.push_back(shown_table(target));
  }
  List missing;
  for (const MissingLevel& one : factors.missing) missing.push_back(missing_value(one));
  answer.facts = {{"runtime", factors.global_runtime ? "global" : "local"},
                  {"alpha", factors.alpha},
                  {"min_effect", factors.min_effect},
                  {"groups", factors.groups},
                  {"tests", factors.tests},
                  {"targets", std::move(targets)},
                  {"missing", std::move(missing)}};
  answer.facts.push_back({"figures", add_figures(factors, answer)});
  return answer;
}

}  // namespace invar::analysis
