// Which factors matter, for machines.
#include "base/csv.hpp"
#include "base/json_writer.hpp"
#include "report/answers/factors.hpp"
#include "report/kit/numbers.hpp"

namespace invar::report {
namespace {

using analysis::FactorResult;
using analysis::Factors;
using analysis::FactorsTarget;
using analysis::FactorTest;
using analysis::LevelEffect;

std::string size_field(const FactorsTarget& target) {
  return target.cell.size_bytes ? std::to_string(*target.cell.size_bytes) : "";
}

std::optional<double> low_end(const std::optional<stats::Interval>& interval) {
  return interval ? std::optional(interval->low) : std::nullopt;
}
std::optional<double> high_end(const std::optional<stats::Interval>& interval) {
  return interval ? std::optional(interval->high) : std::nullopt;
}

std::string test_fields(const std::optional<FactorTest>& test) {
  if (!test) return ",,,,,";
  return base::csv_field(test->name) + "," + number_field(test->test.statistic) + "," +
         number_field(test->test.df1) + "," + number_field(test->test.df2) + "," +
         number_field(test->test.p) + "," + number_field(test->p_adjusted);
}

std::string csv_row(const FactorsTarget& target, const FactorResult& factor,
                    const LevelEffect* effect) {
  std::string row = base::csv_field(target.cell.operation) + "," + size_field(target) + "," +
                    factor.factor + "," + (factor.between_launches ? "launch" : "visit") + ",";
  if (effect != nullptr) {
    const bool known = effect->groups > 0;
    row += base::csv_field(effect->level) + "," + base::csv_field(effect->reference) + "," +
           (known ? number_field(effect->ratio) : "") + "," +
           number_field(low_end(effect->interval)) + "," +
           number_field(high_end(effect->interval)) + "," + std::to_string(effect->groups) + "," +
           number_field(effect->p) + "," + number_field(effect->p_adjusted) + ",";
  } else {
    row += ",,,,,,,,";
  }
  const auto& influence = effect != nullptr ? effect->influence : factor.influence;
  return row + (influence ? std::string(to_string(*influence)) : "") + "," +
         number_field(factor.sd) + "," + number_field(low_end(factor.sd_interval)) + "," +
         number_field(high_end(factor.sd_interval)) + "," + number_field(factor.variance) + "," +
         number_field(factor.share) + "," + test_fields(factor.anova) + "," +
         test_fields(factor.rank_test) + "\n";
}

void write_word(base::JsonWriter& json, const char* key, const std::string& word) {
  if (word.empty()) {
    json.key(key).null();
  } else {
    json.field(key, word);
  }
}

void write_test(base::JsonWriter& json, const char* key, const std::optional<FactorTest>& test) {
  json.key(key);
  if (!test) {
    json.null();
    return;
  }
  json.begin_object()
      .field("name", test->name)
      .field("statistic", test->test.statistic)
      .field("df1", test->test.df1)
      .field("df2", test->test.df2)
      .field("p", test->test.p)
      .field("p_adjusted", test->p_adjusted)
      .end_object();
}

void write_influence(base::JsonWriter& json, const std::optional<analysis::Influence>& influence) {
  if (influence) {
    json.field("influence", std::string(to_string(*influence)));
  } else {
    json.key("influence").null();
  }
}

void write_factor(base::JsonWriter& json, const FactorResult& factor) {
  json.begin_object()
      .field("factor", factor.factor)
      .field("between_launches", factor.between_launches)
      .key("levels")
      .begin_array();
  for (const std::string& level : factor.levels) json.value(level);
  json.end_array().key("effects").begin_array();
  for (const LevelEffect& effect : factor.effects) {
    json.begin_object()
        .field("level", effect.level)
        .field("reference", effect.reference)
        .field("ratio", effect.groups > 0 ? std::optional(effect.ratio) : std::nullopt)
        .field("ratio_low", low_end(effect.interval))
        .field("ratio_high", high_end(effect.interval))
        .field("groups", effect.groups)
        .field("p", effect.p)
        .field("p_adjusted", effect.p_adjusted);
    write_influence(json, effect.influence);
    json.end_object();
  }
  json.end_array()
      .field("sd_log", factor.sd)
      .field("sd_log_low", low_end(factor.sd_interval))
      .field("sd_log_high", high_end(factor.sd_interval))
      .field("variance_log", factor.variance)
      .field("share", factor.share);
  write_test(json, "anova", factor.anova);
  write_test(json, "rank_test", factor.rank_test);
  write_influence(json, factor.influence);
  json.end_object();
}

void write_figures(base::JsonWriter& json, const analysis::FactorFigures& figures) {
  json.key("figures").begin_object().key("launches").begin_array();
  for (const analysis::LaunchMean& mean : figures.launches) {
    json.begin_object()
        .field("target", mean.target)
        .field("launch", mean.launch)
        .field("observations", mean.observations)
        .field("mean_ns", mean.mean_ns)
        .field("low_ns", low_end(mean.interval_ns))
        .field("high_ns", high_end(mean.interval_ns))
        .field("median_ns", mean.median_ns)
        .end_object();
  }
  json.end_array().key("histograms").begin_array();
  for (const analysis::HistogramBin& bin : figures.histograms) {
    json.begin_object()
        .field("target", bin.target)
        .field("factor", bin.factor)
        .field("level", bin.level)
        .field("low_ns", bin.low_ns)
        .field("high_ns", bin.high_ns)
        .field("count", bin.count)
        .field("density_per_ns", bin.density_per_ns)
        .end_object();
  }
  json.end_array().key("quantiles").begin_array();
  for (const analysis::QuantilePair& pair : figures.quantiles) {
    json.begin_object()
        .field("target", pair.target)
        .field("sample_size", pair.sample_size)
        .field("normal", pair.normal)
        .field("mean_ns", pair.mean_ns)
        .end_object();
  }
  json.end_array().end_object();
}

}  // namespace

std::string factors_csv(const Factors& factors) {
  std::string text =
      "operation,size_bytes,factor,varies_by,level,reference,ratio,ratio_low,ratio_high,groups,p,"
      "p_adjusted,influence,sd_log,sd_log_low,sd_log_high,variance_log,share,anova,anova_statistic,"
      "anova_df1,anova_df2,anova_p,anova_p_adjusted,rank_test,rank_statistic,rank_df1,rank_df2,"
      "rank_p,rank_p_adjusted\n";
  for (const FactorsTarget& target : factors.targets) {
    for (const FactorResult& factor : target.factors) {
      if (factor.effects.empty()) text += csv_row(target, factor, nullptr);
      for (const LevelEffect& effect : factor.effects) text += csv_row(target, factor, &effect);
    }
  }
  return text;
}

void write_factors(base::JsonWriter& json, const Factors& factors) {
  json.begin_object()
      .field("schema", 1)
      .field("sentence", factors.sentence)
      .field("scope", factors.scope)
      .field("runtime", factors.global_runtime ? "global" : "local")
      .field("alpha", factors.alpha)
      .field("min_effect", factors.min_effect)
      .field("groups", factors.groups)
      .field("tests", factors.tests)
      .key("targets")
      .begin_array();
  for (const FactorsTarget& target : factors.targets) {
    json.begin_object().field("operation", target.cell.operation).key("size_bytes");
    if (target.cell.size_bytes) {
      json.value(*target.cell.size_bytes);
    } else {
      json.null();
    }
    json.field("visits", target.visits).key("factors").begin_array();
    for (const FactorResult& factor : target.factors) write_factor(json, factor);
    json.end_array().field("interactions", target.interactions);
    write_word(json, "no_interactions", target.no_interactions);
    json.end_object();
  }
  json.end_array().key("missing").begin_array();
  for (const analysis::MissingLevel& missing : factors.missing) {
    json.begin_object()
        .field("factor", missing.factor)
        .field("level", missing.level)
        .field("reason", missing.reason);
    write_word(json, "where", missing.where);
    write_word(json, "reference_now", missing.reference_now);
    json.end_object();
  }
  json.end_array();
  write_figures(json, factors.figures);
  json.key("warnings").begin_array();
  for (const std::string& warning : factors.warnings) json.value(warning);
  json.end_array().end_object();
}

std::string factors_json(const Factors& factors) {
  base::JsonWriter json;
  write_factors(json, factors);
  return json.text() + "\n";
}

std::string factor_figure_csv(const Factors& factors, const std::string& figure) {
  const auto target = [&](std::size_t number) {
    const FactorsTarget& of = factors.targets.at(number);
    return base::csv_field(of.cell.operation) + "," + size_field(of) + ",";
  };
  std::string text = "operation,size_bytes,";
  if (figure == "launches") {
    text += "launch,observations,mean_ns,low_ns,high_ns,median_ns\n";
    for (const analysis::LaunchMean& mean : factors.figures.launches) {
      text += target(mean.target) + std::to_string(mean.launch) + "," +
              std::to_string(mean.observations) + "," + number_field(mean.mean_ns) + "," +
              number_field(low_end(mean.interval_ns)) + "," +
              number_field(high_end(mean.interval_ns)) + "," + number_field(mean.median_ns) + "\n";
    }
  } else if (figure == "histograms") {
    text += "factor,level,low_ns,high_ns,count,density_per_ns\n";
    for (const analysis::HistogramBin& bin : factors.figures.histograms) {
      text += target(bin.target) + bin.factor + "," + base::csv_field(bin.level) + "," +
              number_field(bin.low_ns) + "," + number_field(bin.high_ns) + "," +
              std::to_string(bin.count) + "," + number_field(bin.density_per_ns) + "\n";
    }
  } else {
    text += "sample_size,normal,mean_ns\n";
    for (const analysis::QuantilePair& pair : factors.figures.quantiles) {
      text += target(pair.target) + std::to_string(pair.sample_size) + "," +
              number_field(pair.normal) + "," + number_field(pair.mean_ns) + "\n";
    }
  }
  return text;
}

}  // namespace invar::report
