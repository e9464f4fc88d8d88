// One campaign of a page as JSON.
#include <cmath>

#include "analysis/compare/compared_table.hpp"
#include "analysis/machine/machine_tables.hpp"
#include "analysis/questions/questions.hpp"
#include "report/kit/answer_machine.hpp"
#include "report/kit/answer_page.hpp"
#include "report/kit/cell_json.hpp"
#include "report/kit/page_numbers.hpp"
#include "report/page/page_json.hpp"

namespace invar::report {
namespace {

using analysis::CampaignPage;

// Written before the others, beside the reason why there is none.
constexpr std::string_view kComparisonKey = "compare";

// Cells and arms are told once, figures name them.
class FigureWriter {
 public:
  FigureWriter(base::JsonWriter& json, const CampaignPage& page) : json_(json), page_(page) {}

  template <typename Figures, typename Write>
  void list(const char* key, const Figures& figures, const Write& write) {
    json_.key(key).begin_array();
    for (const auto& figure : figures) {
      json_.begin_object().field("cell", figure.cell).field("arm", page_.arms.at(figure.arm).label);
      write(figure);
      json_.end_object();
    }
    json_.end_array();
  }

  void times() {
    list("times", page_.figures.times, [&](const analysis::CellTime& time) {
      const auto& interval = time.median.interval_ns;
      json_.field("launches", time.launches)
          .field("observations", time.observations)
          .field("median_ns", rounded_relative(time.median.median_ns))
          .field("estimate", analysis::estimate_name(time.median.estimate))
          .field("low_ns", interval ? std::optional(rounded_relative(interval->low)) : std::nullopt)
          .field("high_ns",
                 interval ? std::optional(rounded_relative(interval->high)) : std::nullopt)
          .field("mean_ns", rounded_relative(time.mean_ns))
          .field("min_ns", rounded_relative(time.min_ns))
          .field("q1_ns", rounded_relative(time.q1_ns))
          .field("q3_ns", rounded_relative(time.q3_ns))
          .field("p95_ns", rounded_relative(time.p95_ns))
          .field("p99_ns", rounded_relative(time.p99_ns))
          .field("max_ns", rounded_relative(time.max_ns));
      if (analysis::is_named(time.time)) json_.field("time", time.time);
    });
  }

  void launches() {
    list("launch_medians", page_.figures.launch_medians, [&](const analysis::LaunchBox& box) {
      json_.field("base_ns", rounded_relative(box.base_ns)).key("points").begin_array();
      for (const analysis::LaunchPoint& point : box.points) {
        json_.begin_object()
            .field("launch", point.launch)
            .field("group", point.group)
            .field("median_ns", rounded_relative(point.median_ns))
            .field("relative", relative(point.relative))
            .end_object();
      }
      json_.end_array()
          .field("low", relative(box.box.low))
          .field("q1", relative(box.box.first_quartile))
          .field("median", relative(box.box.median))
          .field("q3", relative(box.box.third_quartile))
          .field("high", relative(box.box.high));
    });
  }

  void distributions() {
    list("distributions", page_.figures.distributions, [&](const analysis::Distribution& one) {
      json_.field("observations", one.observations)
          .key("bins")
          .begin_object()
          .field("low_ns", one.bins.low)
          .field("width_ns", one.bins.width)
          .key("counts")
          .begin_array();
      for (const std::uint64_t count : one.bins.counts) json_.value(count);
      json_.end_array()
          .end_object()
          .field("below", one.bins.below)
          .field("above", one.bins.above)
          .field("bandwidth_ns", one.density.at.empty()
                                     ? std::nullopt
                                     : std::optional(rounded_relative(one.bandwidth_ns)))
          .key("density")
          .begin_object();
      write_times(json_, "ns", one.density.at);
      write_numbers(json_, "per_ns", one.density.density);
      json_.end_object().key("ecdf").begin_object();
      write_times(json_, "ns", one.ecdf.at);
      write_numbers(json_, "share", one.ecdf.share);
      json_.end_object().key("tail").begin_object();
      write_relative_numbers(json_, "ns", one.tail.at);
      write_relative_numbers(json_, "beyond", one.tail.share);
      json_.end_object();
    });
  }

  void order() {
    list("order", page_.figures.order, [&](const analysis::OrderRaster& raster) {
      write_numbers(json_, "seconds", raster.seconds);
      write_times(json_, "ns", raster.ns);
      json_.key("counts").begin_array();
      for (const analysis::RasterCount& one : raster.counts) {
        json_.begin_array().value(one.column).value(one.row).value(one.count).end_array();
      }
      json_.end_array();
      write_times(json_, "median_ns", raster.median_ns);
    });
  }

  void normality() {
    list("normality", page_.figures.normality, [&](const analysis::MeansPlot& plot) {
      json_.field("sample_size", plot.sample_size)
          .field("w", plot.w ? std::optional(rounded_relative(*plot.w)) : std::nullopt);
      write_numbers(json_, "normal", plot.plot.normal);
      write_times(json_, "mean_ns", plot.plot.values);
      json_.key("line")
          .begin_object()
          .field("intercept_ns", plot.plot.intercept)
          .field("slope_ns", plot.plot.slope)
          .end_object();
    });
  }

 private:
  // Over the smallest median: five digits whatever their size.
  static double relative(double number) {
    constexpr double kPlaces = 1e4;
    return std::round(number * kPlaces) / kPlaces;
  }

  base::JsonWriter& json_;
  const CampaignPage& page_;
};

void write_failures(base::JsonWriter& json, const CampaignPage& page) {
  json.key("failures").begin_array();
  for (const analysis::PageFailure& failure : page.failures) {
    json.begin_object()
        .field("group", failure.group)
        .field("launch", failure.launch)
        .field("arm", failure.arm.empty() ? std::nullopt : std::optional(failure.arm))
        .field("cell", failure.cell)
        .field("reason", failure.reason)
        .end_object();
  }
  json.end_array();
}

void write_canary(base::JsonWriter& json, const std::optional<analysis::CanarySeries>& canary) {
  json.key("canary");
  if (!canary) {
    json.null();
    return;
  }
  json.begin_object();
  if (canary->kind != base::CanaryKind::kLine) {
    json.field("kind", canary->kind == base::CanaryKind::kChain ? "chain" : "across");
  }
  write_numbers(json, "seconds", canary->seconds);
  write_times(json, "median_ns", canary->median_ns);
  write_times(json, "low_ns", canary->low_ns);
  write_times(json, "high_ns", canary->high_ns);
  json.key("histogram").begin_object();
  write_times(json, "edges_ns", canary->edges_ns);
  json.key("counts").begin_array();
  for (const std::uint64_t count : canary->counts) json.value(count);
  json.end_array().end_object().end_object();
}

// The answer that has a key of its own; null: there is none here.
void write_keyed_answer(base::JsonWriter& json, std::string_view key, const CampaignPage& page) {
  json.key(key);
  for (const analysis::AnswerOnPage& one : page.answers) {
    if (one.key == key) return write_answer(json, one.answer);
  }
  json.null();
}

}  // namespace

void write_campaign_page(base::JsonWriter& json, const CampaignPage& page) {
  json.begin_object()
      .field("name", page.name)
      .field("state", to_string(page.state))
      .key("problems")
      .begin_array();
  for (const std::string& problem : page.problems) json.value(problem);
  json.end_array()
      .field("question", design::to_string(page.asked))
      .field("sentence", page.sentence)
      .field("scope", page.scope)
      .field("runtime", page.global_runtime ? "global" : "local");
  if (!page.local_cells.empty()) {
    json.key("local_cells").begin_array();
    for (const std::uint32_t cell : page.local_cells) json.value(cell);
    json.end_array();
  }
  json.field("alpha", page.alpha).field("min_effect", page.min_effect).key("arms");
  write_value(json, analysis::arms_value(page.arms));
  json.key("cells").begin_array();
  // The page tells cells apart by every level that differs; by families only where nothing else
  // does.
  const bool families = record::tells_cells_apart(*record::find_factor("family"), page.cells);
  for (record::Cell cell : page.cells) {
    if (!families) cell.family.clear();
    json.begin_object();
    write_levels(json, cell);
    json.end_object();
  }
  json.end_array();
  write_failures(json, page);
  write_health(json, page.health);
  write_keyed_answer(json, kComparisonKey, page);
  const std::string& missing = page.comparison_missing;
  json.field("compare_missing", missing.empty() ? std::nullopt : std::optional(missing));
  FigureWriter figures(json, page);
  figures.times();
  figures.launches();
  figures.distributions();
  figures.order();
  write_canary(json, page.canary);
  write_table(json, analysis::regimes_table(page.regimes));
  write_table(json, analysis::perturbations_table(page.perturbations));
  figures.normality();
  for (const analysis::QuestionRow& row : analysis::question_rows()) {
    if (row.page_key.empty() || row.page_key == kComparisonKey) continue;
    write_keyed_answer(json, row.page_key, page);
  }
  json.key("answers").begin_array();
  // For all others, figures are drawn from the answer's tables.
  for (const analysis::AnswerOnPage& one : page.answers) {
    if (one.key.empty()) write_answer_data(json, one.answer);
  }
  json.end_array().end_object();
}

}  // namespace invar::report
