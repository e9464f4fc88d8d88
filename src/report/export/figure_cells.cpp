#include "report/export/figure_cells.hpp"

#include <algorithm>
#include <numeric>

#include "analysis/words/cell_columns.hpp"
#include "analysis/words/words.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "record/factors.hpp"
#include "report/kit/text_table.hpp"

namespace invar::report {
namespace {

std::string size_words(const record::Cell& cell) {
  return cell.size_bytes ? base::size_text(*cell.size_bytes) : std::string("no size");
}

std::vector<FigureField> joined(std::vector<FigureField> first, std::vector<FigureField> more) {
  first.insert(first.end(), more.begin(), more.end());
  return first;
}

std::vector<FigureColumn> with_cells(std::vector<FigureColumn> more) {
  std::vector<FigureColumn> columns = figure_cell_columns();
  columns.insert(columns.end(), more.begin(), more.end());
  return columns;
}

FigureField number_or_nothing(const std::optional<double>& value) {
  return value ? FigureField(*value) : FigureField();
}

constexpr std::size_t kMostSeries = 16;

// "cache cold, sync barrier".
std::string levels_of(const std::vector<record::Factor>& factors, const record::Cell& cell) {
  std::vector<std::string> words;
  for (const record::Factor& factor : factors) {
    words.push_back(analysis::level_header(factor) + " " + analysis::level_words(factor, cell));
  }
  return printable(base::join(words, ", "));
}

std::vector<record::Factor> factors_inside(const std::vector<record::Cell>& cells) {
  std::vector<record::Factor> inside;
  for (const record::Factor& factor : analysis::varying_factors(cells)) {
    if (factor.role == record::FactorRole::kSetting || factor.role == record::FactorRole::kStart) {
      inside.push_back(factor);
    }
  }
  return inside;
}

// All at the usual level, so that nothing is told of these factors.
record::Cell without(const std::vector<record::Factor>& factors, record::Cell cell) {
  static const record::Cell kUsual;
  for (const record::Factor& factor : factors) {
    record::Cell changed = cell;
    if (factor.parse != nullptr && factor.parse(changed, factor.text(kUsual))) cell = changed;
  }
  return cell;
}

}  // namespace

FigureCells::FigureCells(const std::vector<record::Cell>& cells, std::vector<std::string> arms)
    : cells_(cells), arms_(std::move(arms)) {
  std::vector<record::Factor> inside = factors_inside(cells);
  std::vector<std::string> levels;
  for (const record::Cell& cell : cells) {
    levels_.push_back(levels_of(inside, cell));
    if (std::ranges::find(levels, levels_.back()) == levels.end()) levels.push_back(levels_.back());
  }
  if (levels.size() * std::max<std::size_t>(1, arms_.size()) > kMostSeries) {
    inside.clear();
    levels_.assign(cells.size(), "");
    levels.assign(1, "");
  }
  for (const std::string& arm : arms_) {
    for (const std::string& level : levels) series_.push_back(series_text(arm, level));
  }
  std::vector<record::Cell> alike;
  for (const record::Cell& cell : cells) alike.push_back(without(inside, cell));
  const std::vector<record::Cell> rows = record::without_sizes(alike);
  const record::CellTexts text(rows);
  std::vector<std::string> order;
  std::vector<std::size_t> panel_of;
  for (const record::Cell& cell : rows) {
    panels_.push_back(printable(text(cell)));
    auto found = std::ranges::find(order, panels_.back());
    if (found == order.end()) found = order.insert(order.end(), panels_.back());
    panel_of.push_back(static_cast<std::size_t>(found - order.begin()));
  }
  std::vector<std::size_t> index(cells.size());
  std::iota(index.begin(), index.end(), 0U);
  std::ranges::stable_sort(index, {}, [&](std::size_t i) {
    return std::pair(panel_of[i], cells[i].size_bytes.value_or(0));
  });
  places_.resize(cells.size());
  for (std::size_t i = 0; i < index.size(); ++i) places_[index[i]] = i;
}

std::string FigureCells::series_text(const std::string& arm, const std::string& level) const {
  if (level.empty()) return arm;
  return arms_.size() > 1 ? arm + ", " + level : level;
}

std::string FigureCells::series_of(std::size_t cell, const std::string& arm) const {
  return series_text(arm, levels_.at(cell));
}

std::string FigureCells::series_of(std::size_t cell, std::size_t arm) const {
  return series_of(cell, arms_.at(arm));
}

std::vector<FigureField> FigureCells::fields(std::size_t cell) const {
  const record::Cell& one = cells_.at(cell);
  FigureField size;
  if (one.size_bytes) size = static_cast<double>(*one.size_bytes);
  return {panels_[cell], size, size_words(one)};
}

std::optional<std::size_t> FigureCells::find(const record::Cell& cell) const {
  const auto found = std::ranges::find_if(
      cells_, [&](const record::Cell& other) { return other.same_levels(cell); });
  if (found == cells_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - cells_.begin());
}

std::vector<FigureColumn> figure_cell_columns() {
  return {{"panel", "operation and factors of the cell", true},
          {"size_bytes", "message size, bytes; empty: an operation without one"},
          {"size", "the same with a unit", true}};
}

std::vector<FigureTable> factor_tables(const analysis::CampaignPage& page) {
  FigureTable share{.name = "share",
                    .columns = with_cells({{"factor", "what varied", true},
                                           {"share", "of the variance of log times"},
                                           {"influence",
                                            "matters, does not matter, undecided, "
                                            "none: no verdict",
                                            true}})};
  FigureTable effects{.name = "effects",
                      .columns = with_cells({{"factor", "what varied", true},
                                             {"level", "of the factor", true},
                                             {"reference", "the factor's first level", true},
                                             {"ratio", "time of the level / time of the reference"},
                                             {"ratio_low", "its interval, lower end"},
                                             {"ratio_high", "upper end"},
                                             {"band_low", "1 / (1 + min-effect)"},
                                             {"band_high", "1 + min-effect"},
                                             {"influence", "as in share", true},
                                             {"groups", "launch groups that it rests on"}})};
  const auto* factors = page.found<analysis::Factors>();
  if (factors == nullptr) return {share, effects};
  // Targets are named by operation and size alone: all else is a factor.
  for (const analysis::FactorsTarget& target : factors->targets) {
    FigureField size;
    if (target.cell.size_bytes) size = static_cast<double>(*target.cell.size_bytes);
    const std::vector<FigureField> cell{target.cell.operation, size, size_words(target.cell)};
    const auto words = [](const std::optional<analysis::Influence>& influence) {
      return FigureField(influence ? std::string(to_string(*influence)) : std::string("none"));
    };
    for (const analysis::FactorResult& factor : target.factors) {
      share.rows.push_back(
          joined(cell, {printable(factor.factor), factor.share, words(factor.influence)}));
      for (const analysis::LevelEffect& effect : factor.effects) {
        FigureField low;
        FigureField high;
        if (effect.interval) {
          low = effect.interval->low;
          high = effect.interval->high;
        }
        effects.rows.push_back(joined(
            cell, {printable(factor.factor), printable(effect.level), printable(effect.reference),
                   effect.ratio, low, high, 1 / (1 + factors->min_effect), 1 + factors->min_effect,
                   words(effect.influence), static_cast<double>(effect.groups)}));
      }
    }
  }
  return {share, effects};
}

std::vector<FigureTable> self_test_tables(const analysis::CampaignPage& page) {
  FigureTable power{.name = "power",
                    .columns = {{"pairing",
                                 "turns: arms take turns; rounds: inside a launch; "
                                 "launches: launch by launch",
                                 true},
                                {"groups", "launch groups of a table"},
                                {"effect", "planted delay / time of a call, median over cells"},
                                {"found", "share of tables in which it is found"},
                                {"equivalent", "share in which it is called equivalent"},
                                {"tables", "number of tables"},
                                {"alpha", "share of false verdicts that is allowed"}}};
  const auto* test = page.found<analysis::SelfTest>();
  if (test == nullptr) return {power};
  for (const analysis::SelfTestTables& tables : test->tables) {
    const char* pairing = tables.pairing == analysis::Pairing::kRounds     ? "rounds"
                          : tables.pairing == analysis::Pairing::kLaunches ? "launches"
                                                                           : "turns";
    // Without a delay: false verdicts.
    if (tables.equal.tables > 0) {
      power.rows.push_back({std::string(pairing), static_cast<double>(tables.equal.groups), 0.0,
                            static_cast<double>(tables.equal.cells_wrong) /
                                static_cast<double>(std::max<std::size_t>(1, tables.equal.cells)),
                            FigureField(), static_cast<double>(tables.equal.tables), test->alpha});
    }
    for (std::size_t level = 0; level < tables.power.size(); ++level) {
      const analysis::Power& one = tables.power[level];
      if (one.tables == 0 || !one.found) continue;
      power.rows.push_back({std::string(pairing), static_cast<double>(one.groups),
                            test->effects.at(level), number_or_nothing(one.found),
                            number_or_nothing(one.equivalent), static_cast<double>(one.tables),
                            test->alpha});
    }
  }
  return {power};
}

std::vector<FigureTable> figure_tables(const analysis::Reproduced& reproduced) {
  FigureTable table{.name = "reproducibility",
                    .columns = with_cells({{"method", "whose numbers these are", true},
                                           {"number", "time or ratio", true},
                                           {"arm", "label of the arm", true},
                                           {"repeat", "of the campaign, from 1"},
                                           {"value", "time in ns, or ratio to the first arm"},
                                           {"normalised", "value / least of all repeats"}})};
  FigureTable boxes{
      .name = "reproducibility_box",
      .columns = {{"method", "whose numbers these are", true},
                  {"number", "time or ratio", true},
                  {"low", "end of the lower whisker, value / least of all repeats"},
                  {"q1", "first quartile"},
                  {"median", "of all cells and arms that have a value in every repeat"},
                  {"q3", "third quartile"},
                  {"high", "end of the upper whisker"}}};
  std::vector<std::string> labels;
  for (const auto& arm : reproduced.arms) labels.push_back(printable(arm.label));
  const FigureCells cells(reproduced.cells, labels);
  for (const analysis::ReproducedMethod& method : reproduced.methods) {
    const FigureField name = printable(analysis::method_text(method.name, method.taken));
    for (const analysis::ReproducedCell& cell : method.cells) {
      const FigureField arm = cells.series_of(cell.cell, cell.arm);
      const auto add = [&](const char* number_name,
                           const std::vector<std::optional<double>>& values) {
        const auto normalised = analysis::normalised(values);
        for (std::size_t i = 0; i < values.size(); ++i) {
          if (!values[i]) continue;
          table.rows.push_back(
              joined(cells.fields(cell.cell),
                     {name, std::string(number_name), arm, static_cast<double>(i + 1), *values[i],
                      number_or_nothing(normalised[i])}));
        }
      };
      add("time", cell.times_ns);
      add("ratio", cell.ratios);
    }
    const auto add_box = [&](const char* number_name,
                             const std::optional<analysis::SpreadSummary>& summary) {
      if (!summary) return;
      const stats::TukeyBox& box = summary->box;
      boxes.rows.push_back({name, std::string(number_name), box.low, box.first_quartile, box.median,
                            box.third_quartile, box.high});
    };
    add_box("time", method.times);
    add_box("ratio", method.ratios);
  }
  return {table, boxes};
}

}  // namespace invar::report
