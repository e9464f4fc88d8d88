#include "report/export/figure_tables.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include "analysis/words/numbers.hpp"
#include "base/csv.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "report/export/figure_cells.hpp"
#include "report/kit/text_table.hpp"

namespace invar::report {
namespace {

using analysis::CampaignPage;
using analysis::ComparedCell;

FigureField text(const std::string& value) { return printable(value); }
FigureField number(double value) { return value; }
template <typename Integer>
requires std::integral<Integer> FigureField number(Integer value) {
  return static_cast<double>(value);
}
FigureField number(const std::optional<double>& value) {
  return value ? FigureField(*value) : FigureField();
}
FigureField low(const std::optional<stats::Interval>& interval) {
  return interval ? FigureField(interval->low) : FigureField();
}
FigureField high(const std::optional<stats::Interval>& interval) {
  return interval ? FigureField(interval->high) : FigureField();
}

class Table {
 public:
  // Begins with the columns of the cell.
  Table(std::string name, const FigureCells* cells, std::vector<FigureColumn> columns)
      : cells_(cells) {
    table_.name = std::move(name);
    if (cells != nullptr) table_.columns = figure_cell_columns();
    table_.columns.insert(table_.columns.end(), columns.begin(), columns.end());
  }

  void add(std::size_t cell, std::vector<FigureField> fields) {
    std::vector<FigureField> row = cells_->fields(cell);
    row.insert(row.end(), fields.begin(), fields.end());
    table_.rows.push_back(std::move(row));
    order_.push_back(cells_->place(cell));
  }
  void add(std::vector<FigureField> fields) { table_.rows.push_back(std::move(fields)); }

  // By panel and size; what a cell has keeps its order.
  FigureTable sorted() {
    if (cells_ == nullptr) return std::move(table_);
    std::vector<std::size_t> index(table_.rows.size());
    std::iota(index.begin(), index.end(), 0U);
    std::ranges::stable_sort(index, {}, [&](std::size_t i) { return order_[i]; });
    FigureTable result{.name = table_.name, .columns = table_.columns};
    for (const std::size_t i : index) result.rows.push_back(std::move(table_.rows[i]));
    return result;
  }

 private:
  const FigureCells* cells_;
  FigureTable table_ = {};
  std::vector<std::size_t> order_ = {};
};

const FigureColumn kArm{"arm", "label of the arm, and levels that vary inside launches", true};

std::string verdict_word(const ComparedCell& row) {
  if (!row.verdict) return "none";
  switch (*row.verdict) {
    case stats::Verdict::kFaster:
      return "slower";
    case stats::Verdict::kSlower:
      return "faster";
    default:
      return analysis::verdict_name(*row.verdict);
  }
}

// `levels`: of a factor are compared, each in every arm; they stand where arms do otherwise.
std::vector<FigureColumn> ratio_columns(bool levels) {
  std::vector<FigureColumn> columns{
      {"reference", "label of the arm that it is compared with", true},
      kArm,
      {"ratio", "time of the arm / time of the reference"},
      {"ratio_low", "interval of the ratio, lower end"},
      {"ratio_high", "interval of the ratio, upper end"},
      {"band_low",
       "1 / (1 + min-effect): differences inside do not matter; none: the method has no "
       "such differences"},
      {"band_high", "1 + min-effect"},
      {"verdict", "about the arm: faster, slower, equivalent, undecided, none", true},
      {"decided", "yes or no", true},
      {"launches", "launch groups that it rests on"},
      {"p_adjusted", "corrected for all comparisons"}};
  columns.push_back({"stars", "* p <= .05, ** .01, *** .001, of tests of equal times", true});
  if (levels) {
    columns.push_back({"in_arm", "the arm that both are of: reference and arm are levels", true});
  }
  return columns;
}

// Ours decides by intervals: its p-values are no tests that times are equal and nothing more.
std::string stars_of(const ComparedCell& row, const analysis::Comparison& comparison) {
  const std::optional<double>& p = row.p_adjusted ? row.p_adjusted : row.p;
  if (!p || comparison.method == analysis::Method::kInvar) return {};
  return analysis::asterisks_text(*p);
}

std::vector<FigureField> ratio_fields(const ComparedCell& row,
                                      const analysis::Comparison& comparison,
                                      const FigureCells& cells, std::size_t cell) {
  const bool levels = !comparison.against.empty();
  // Other methods test against equal times, and know no difference that would not matter.
  const std::optional<double> min_effect = comparison.method == analysis::Method::kInvar
                                               ? std::optional(comparison.min_effect)
                                               : std::nullopt;
  const auto arm = [&](const std::string& label) {
    return levels ? text(label) : FigureField(cells.series_of(cell, printable(label)));
  };
  const std::string verdict = verdict_word(row);
  std::vector<FigureField> fields{text(row.arm_a),
                                  arm(row.arm_b),
                                  number(row.ratio),
                                  low(row.ratio_interval),
                                  high(row.ratio_interval),
                                  min_effect ? number(1 / (1 + *min_effect)) : FigureField(),
                                  min_effect ? number(1 + *min_effect) : FigureField(),
                                  text(verdict),
                                  text(verdict == "undecided" || verdict == "none" ? "no" : "yes"),
                                  number(row.launches),
                                  number(row.p_adjusted),
                                  text(stars_of(row, comparison))};
  if (levels) fields.push_back(text(row.in_arm));
  return fields;
}

void add_ratios(const CampaignPage& page, const FigureCells& cells,
                std::vector<FigureTable>& tables) {
  const auto* comparison = page.found<analysis::Comparison>();
  const bool levels = comparison != nullptr && !comparison->against.empty();
  Table ratio("ratio", &cells, ratio_columns(levels));
  std::vector<FigureColumn> columns = ratio_columns(levels);
  columns.push_back({"regime", "of the machine, by its canary", true});
  columns.push_back({"canary_ns", "median of the regime's canaries, ns"});
  Table regimes("regime_ratio", &cells, std::move(columns));
  if (comparison != nullptr) {
    for (const ComparedCell& row : comparison->cells) {
      const auto cell = cells.find(row.cell);
      if (!cell || !row.ratio) continue;
      std::vector<FigureField> fields = ratio_fields(row, *comparison, cells, *cell);
      if (!row.regime) {
        ratio.add(*cell, std::move(fields));
        continue;
      }
      const auto regime =
          std::ranges::find(page.regimes.found, *row.regime, &analysis::Regime::name);
      fields.push_back(text(*row.regime));
      fields.push_back(regime == page.regimes.found.end() ? FigureField()
                                                          : number(regime->median_ns));
      regimes.add(*cell, std::move(fields));
    }
  }
  tables.push_back(ratio.sorted());
  tables.push_back(regimes.sorted());
}

void add_times(const CampaignPage& page, const FigureCells& cells,
               std::vector<FigureTable>& tables) {
  Table launches("launches", &cells,
                 {kArm,
                  {"launch", "number of the launch in the campaign"},
                  {"group", "launch group"},
                  {"median_ns", "median of the launch, ns"},
                  {"relative", "over the smallest launch median of panel and size"},
                  {"mean_ns", "mean of the launch without its outliers (Tukey's filter), ns"},
                  {"mean_low_ns", "its 95 % interval over repetitions, lower end, ns"},
                  {"mean_high_ns", "upper end, ns"}});
  Table boxes("boxes", &cells,
              {kArm,
               {"low", "of relative: smallest value within 1.5 box lengths"},
               {"q1", "first quartile"},
               {"median", "median"},
               {"q3", "third quartile"},
               {"high", "largest value within 1.5 box lengths"},
               {"outliers", "launches beyond these"},
               {"stars", "those of the arm's ratio (ratio.csv)", true}});
  std::map<std::pair<std::size_t, FigureField>, std::string> stars;
  if (const auto* comparison = page.found<analysis::Comparison>();
      comparison != nullptr && comparison->against.empty()) {
    for (const ComparedCell& row : comparison->cells) {
      const auto cell = cells.find(row.cell);
      if (!cell || !row.ratio || row.regime) continue;
      stars[{*cell, cells.series_of(*cell, printable(row.arm_b))}] = stars_of(row, *comparison);
    }
  }
  // Levels that share an axis share what they are relative to.
  std::map<std::vector<FigureField>, double> bases;
  for (const analysis::LaunchBox& box : page.figures.launch_medians) {
    const auto [base, fresh] = bases.try_emplace(cells.fields(box.cell), box.base_ns);
    if (!fresh) base->second = std::min(base->second, box.base_ns);
  }
  for (const analysis::LaunchBox& box : page.figures.launch_medians) {
    const FigureField arm = cells.series_of(box.cell, box.arm);
    const double scale = box.base_ns / bases.at(cells.fields(box.cell));
    std::size_t outliers = 0;
    for (const analysis::LaunchPoint& point : box.points) {
      if (point.relative < box.box.low || point.relative > box.box.high) ++outliers;
      launches.add(box.cell,
                   {arm, number(point.launch), number(point.group), number(point.median_ns),
                    number(point.relative * scale), number(point.mean_ns),
                    low(point.mean_interval_ns), high(point.mean_interval_ns)});
    }
    boxes.add(box.cell,
              {arm, number(box.box.low * scale), number(box.box.first_quartile * scale),
               number(box.box.median * scale), number(box.box.third_quartile * scale),
               number(box.box.high * scale), number(outliers), text(stars[{box.cell, arm}])});
  }
  std::vector<FigureColumn> time_columns{kArm,
                                         {"launches", "number of launches"},
                                         {"observations", "number of observations"},
                                         {"median_ns", "time of one call over launches, ns"},
                                         {"low_ns", "its 95 % interval, lower end, ns"},
                                         {"high_ns", "upper end, ns"},
                                         {"mean_ns", "of all observations together, ns"},
                                         {"min_ns", "of all observations, ns"},
                                         {"q1_ns", "of all observations, ns"},
                                         {"q3_ns", "of all observations, ns"},
                                         {"p95_ns", "of all observations, ns"},
                                         {"p99_ns", "of all observations, ns"}};
  const bool named = std::ranges::any_of(page.figures.times, [](const analysis::CellTime& time) {
    return analysis::is_named(time.time);
  });
  if (named) time_columns.push_back({"time", "which time of the operation", true});
  Table times("times", &cells, std::move(time_columns));
  for (const analysis::CellTime& time : page.figures.times) {
    std::vector<FigureField> fields{FigureField(cells.series_of(time.cell, time.arm)),
                                    number(time.launches),
                                    number(time.observations),
                                    number(time.median.median_ns),
                                    low(time.median.interval_ns),
                                    high(time.median.interval_ns),
                                    number(time.mean_ns),
                                    number(time.min_ns),
                                    number(time.q1_ns),
                                    number(time.q3_ns),
                                    number(time.p95_ns),
                                    number(time.p99_ns)};
    if (named) fields.push_back(text(time.time));
    times.add(time.cell, std::move(fields));
  }
  tables.push_back(launches.sorted());
  tables.push_back(boxes.sorted());
  tables.push_back(times.sorted());
}

void add_distributions(const CampaignPage& page, const FigureCells& cells,
                       std::vector<FigureTable>& tables) {
  Table histogram("histogram", &cells,
                  {kArm,
                   {"low_ns", "start of the bin, ns"},
                   {"high_ns", "end of the bin, ns"},
                   {"count", "observations in it"},
                   {"per_ns", "count / (all observations of the cell and arm x width), 1/ns"}});
  Table density("density", &cells,
                {kArm, {"ns", "run-time, ns"}, {"per_ns", "kernel density there, 1/ns"}});
  Table ecdf("ecdf", &cells,
             {kArm, {"ns", "run-time, ns"}, {"share", "of observations that are not longer"}});
  Table tail("tail", &cells, {kArm, {"ns", "run-time, ns"}, {"beyond", "share of longer ones"}});
  for (const analysis::Distribution& one : page.figures.distributions) {
    const FigureField arm = cells.series_of(one.cell, one.arm);
    for (std::size_t i = 0; i < one.bins.counts.size(); ++i) {
      const double from = one.bins.low + static_cast<double>(i) * one.bins.width;
      const auto count = static_cast<double>(one.bins.counts[i]);
      histogram.add(one.cell,
                    {arm, number(from), number(from + one.bins.width), number(count),
                     number(count / (static_cast<double>(one.observations) * one.bins.width))});
    }
    for (std::size_t i = 0; i < one.density.at.size(); ++i) {
      density.add(one.cell, {arm, number(one.density.at[i]), number(one.density.density[i])});
    }
    for (std::size_t i = 0; i < one.ecdf.at.size(); ++i) {
      ecdf.add(one.cell, {arm, number(one.ecdf.at[i]), number(one.ecdf.share[i])});
    }
    for (std::size_t i = 0; i < one.tail.at.size(); ++i) {
      tail.add(one.cell, {arm, number(one.tail.at[i]), number(one.tail.share[i])});
    }
  }
  for (Table* table : {&histogram, &density, &ecdf, &tail}) tables.push_back(table->sorted());
}

void add_order(const CampaignPage& page, const FigureCells& cells,
               std::vector<FigureTable>& tables) {
  Table order(
      "order", &cells,
      {kArm,
       {"from_s", "start of the rectangle, s of measuring since the campaign's start"},
       {"to_s", "its end, s"},
       {"low_ns", "shortest run-times in it, ns; the lowest rectangles hold all shorter ones"},
       {"high_ns", "longest, ns; the highest rectangles hold all longer ones"},
       {"count", "observations in it"}});
  Table medians("order_median", &cells,
                {kArm, {"seconds", "middle of a stretch of time, s"}, {"median_ns", "in it, ns"}});
  for (const analysis::OrderRaster& raster : page.figures.order) {
    const FigureField arm = cells.series_of(raster.cell, raster.arm);
    // The outermost rows reach as far as single observations do: drawn so, they would be towers.
    std::vector<double> edges = raster.ns;
    if (edges.size() > 3) {
      const std::size_t last = edges.size() - 1;
      edges[0] = std::max(edges[0], edges[1] * edges[1] / edges[2]);
      edges[last] = std::min(edges[last], edges[last - 1] * edges[last - 1] / edges[last - 2]);
    }
    for (const analysis::RasterCount& one : raster.counts) {
      order.add(raster.cell,
                {arm, number(raster.seconds[one.column]), number(raster.seconds[one.column + 1]),
                 number(edges[one.row]), number(edges[one.row + 1]), number(one.count)});
    }
    for (std::size_t i = 0; i < raster.median_ns.size(); ++i) {
      if (!raster.median_ns[i]) continue;
      medians.add(raster.cell, {arm, number((raster.seconds[i] + raster.seconds[i + 1]) / 2),
                                number(raster.median_ns[i])});
    }
  }
  Table perturbations("perturbations", nullptr,
                      {{"begin_s", "a stretch that ran slower, begin, s"},
                       {"end_s", "its end, s"},
                       {"slowdown", "0.3: 30 % slower"},
                       {"group", "launch group"}});
  for (const analysis::Perturbation& one : page.perturbations) {
    perturbations.add(
        {number(one.begin_s), number(one.end_s), number(one.slowdown), number(one.group)});
  }
  for (Table* table : {&order, &medians, &perturbations}) tables.push_back(table->sorted());
}

void add_canary(const CampaignPage& page, std::vector<FigureTable>& tables) {
  Table canary("canary", nullptr,
               {{"seconds", "middle of a stretch of time, s of measuring"},
                {"median_ns", "round trip of a cache line between two cores, ns"},
                {"low_ns", "5 % quantile, ns"},
                {"high_ns", "95 % quantile, ns"}});
  Table histogram("canary_histogram", nullptr,
                  {{"low_ns", "start of the bin, ns"},
                   {"high_ns", "end of the bin, ns"},
                   {"count", "canaries in it"}});
  if (page.canary) {
    const analysis::CanarySeries& series = *page.canary;
    for (std::size_t i = 0; i < series.seconds.size(); ++i) {
      canary.add({number(series.seconds[i]), number(series.median_ns[i]), number(series.low_ns[i]),
                  number(series.high_ns[i])});
    }
    for (std::size_t i = 0; i < series.counts.size(); ++i) {
      histogram.add(
          {number(series.edges_ns[i]), number(series.edges_ns[i + 1]), number(series.counts[i])});
    }
  }
  Table regimes("regimes", nullptr,
                {{"regime", "of the machine", true},
                 {"median_ns", "median of its canaries, ns"},
                 {"low_ns", "5 % quantile, ns"},
                 {"high_ns", "95 % quantile, ns"},
                 {"share", "of all visits"}});
  for (const analysis::Regime& regime : page.regimes.found) {
    regimes.add({text(regime.name), number(regime.median_ns), number(regime.low_ns),
                 number(regime.high_ns), number(regime.share)});
  }
  for (Table* table : {&canary, &histogram, &regimes}) tables.push_back(table->sorted());
}

void add_normality(const CampaignPage& page, const FigureCells& cells,
                   std::vector<FigureTable>& tables) {
  Table table("normality", &cells,
              {kArm,
               {"normal", "quantile of the standard normal distribution"},
               {"mean_ns", "mean of sample_size repetitions of one launch, ns"},
               {"line_ns", "where it would be if it were normal: the line through the quartiles"},
               {"sample_size", "repetitions of a mean"},
               {"w", "Shapiro and Wilk's W of the means"}});
  for (const analysis::MeansPlot& one : page.figures.normality) {
    for (std::size_t i = 0; i < one.plot.normal.size(); ++i) {
      const double line_ns = one.plot.intercept + one.plot.slope * one.plot.normal[i];
      table.add(one.cell, {FigureField(cells.series_of(one.cell, one.arm)),
                           number(one.plot.normal[i]), number(one.plot.values[i]), number(line_ns),
                           number(one.sample_size), number(one.w)});
    }
  }
  tables.push_back(table.sorted());
}

// Hunold and Carpen-Amarie 2016, figure 2.
void add_sample_means(const CampaignPage& page, const FigureCells& cells,
                      std::vector<FigureTable>& tables) {
  const FigureColumn size{"sample_size", "repetitions of a mean"};
  Table plot("sample_means", &cells,
             {kArm,
              size,
              {"normal", "quantile of the standard normal distribution"},
              {"mean_ns", "mean of sample_size repetitions of one launch, ns"},
              {"line_ns", "where it would be if it were normal: the line through the quartiles"},
              {"w", "Shapiro and Wilk's W of the 500 means"}});
  Table histogram("sample_means_histogram", &cells,
                  {kArm,
                   size,
                   {"low_ns", "begin of the bin, ns"},
                   {"high_ns", "end of the bin, ns"},
                   {"count", "means in it, of 500"}});
  for (const analysis::MeansPlot& one : page.figures.sample_means) {
    const FigureField arm = cells.series_of(one.cell, one.arm);
    for (std::size_t i = 0; i < one.plot.normal.size(); ++i) {
      const double line_ns = one.plot.intercept + one.plot.slope * one.plot.normal[i];
      plot.add(one.cell, {arm, number(one.sample_size), number(one.plot.normal[i]),
                          number(one.plot.values[i]), number(line_ns), number(one.w)});
    }
    for (std::size_t i = 0; i < one.bins.counts.size(); ++i) {
      const double from_ns = one.bins.low + static_cast<double>(i) * one.bins.width;
      histogram.add(one.cell, {arm, number(one.sample_size), number(from_ns),
                               number(from_ns + one.bins.width), number(one.bins.counts[i])});
    }
  }
  tables.push_back(plot.sorted());
  tables.push_back(histogram.sorted());
}

}  // namespace

std::string FigureTable::csv() const {
  std::string result;
  for (std::size_t i = 0; i < columns.size(); ++i) result += (i > 0 ? "," : "") + columns[i].name;
  result += '\n';
  for (const std::vector<FigureField>& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i > 0) result += ',';
      if (const auto* value = std::get_if<double>(&row[i])) {
        result += base::shortest_text(*value);
      } else if (const auto* words = std::get_if<std::string>(&row[i])) {
        result += base::csv_text(*words);
      }
    }
    result += '\n';
  }
  return result;
}

std::vector<FigureTable> figure_tables(const CampaignPage& page) {
  std::vector<std::string> labels;
  for (const auto& arm : page.arms) labels.push_back(printable(arm.label));
  const FigureCells cells(page.cells, labels);
  std::vector<FigureTable> tables;
  // An arm looks the same in every figure, also in those that lack some arms.
  Table arms("arms", nullptr,
             {{"arm", "label, in the campaign's order: by it colours and symbols", true}});
  for (const std::string& series : cells.series()) arms.add({FigureField(series)});
  if (const auto* comparison = page.found<analysis::Comparison>();
      comparison != nullptr && !comparison->against.empty()) {
    for (const std::string& level : sides_of(*comparison)) arms.add({text(level)});
  }
  tables.push_back(arms.sorted());
  add_ratios(page, cells, tables);
  add_times(page, cells, tables);
  add_distributions(page, cells, tables);
  add_order(page, cells, tables);
  add_canary(page, tables);
  add_normality(page, cells, tables);
  add_sample_means(page, cells, tables);
  for (FigureTable& table : factor_tables(page)) tables.push_back(std::move(table));
  for (FigureTable& table : self_test_tables(page)) tables.push_back(std::move(table));
  return tables;
}

}  // namespace invar::report
