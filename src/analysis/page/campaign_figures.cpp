#include "analysis/page/campaign_figures.hpp"

#include <algorithm>
#include <cmath>

#include "analysis/machine/diagnosis.hpp"
#include "analysis/study/times.hpp"
#include "stats/describe/moments.hpp"
#include "stats/describe/quantile.hpp"
#include "stats/describe/sort.hpp"
#include "stats/test/shapiro_wilk.hpp"
#include "stats/test/student.hpp"

namespace invar::analysis {
namespace {

// What a page may take, in characters of JSON; of all distributions, and of all rasters.
constexpr double kDistributionBytes = 0.9e6;
constexpr double kRasterBytes = 0.7e6;
constexpr double kPlotBytes = 0.2e6;
// One more bin: its count, a point of the density and one of the ECDF.
constexpr double kBytesOfABin = 38;
// "[12,3,456]," of a rectangle; few are empty where rasters are coarse.
constexpr double kBytesOfARectangle = 8;
constexpr double kBytesOfAPair = 18;

// Distances for the bandwidth are counted in so many bins.
constexpr std::size_t kBandwidthBins = 400;
// Ranges of the raster's equally spaced rows.
constexpr double kLowRow = 0.001;
constexpr double kHighRow = 0.999;

std::size_t within(double count, std::size_t least, std::size_t most) {
  return static_cast<std::size_t>(
      std::clamp(count, static_cast<double>(least), static_cast<double>(most)));
}

// The visits of a cell and arm in order of time.
std::vector<const VisitSummary*> in_order(const CellVisits& visits) {
  std::vector<const VisitSummary*> ordered;
  for (const LaunchVisits& launch : visits.launches) {
    for (const VisitSummary& visit : launch.visits) ordered.push_back(&visit);
  }
  std::ranges::stable_sort(ordered, [](const VisitSummary* a, const VisitSummary* b) {
    return std::tuple(a->group, a->launch, a->source->line.begin_ps) <
           std::tuple(b->group, b->launch, b->source->line.begin_ps);
  });
  return ordered;
}

struct FigureScratch {
  std::vector<std::int64_t> times_ps = {};
  std::vector<std::int64_t> work_ps = {};
  std::vector<double> sorted_ns = {};
};

void sort_observations(const CellVisits& visits, bool global, FigureScratch& scratch) {
  scratch.times_ps.clear();
  for (const LaunchVisits& launch : visits.launches) {
    for (const VisitSummary& visit : launch.visits) {
      for_each_observation(visit, global, [&](const record::Timing&, std::int64_t time_ps) {
        scratch.times_ps.push_back(time_ps);
      });
    }
  }
  stats::sort_integers(scratch.times_ps, scratch.work_ps);
  scratch.sorted_ns.clear();
  scratch.sorted_ns.reserve(scratch.times_ps.size());
  for (const std::int64_t time_ps : scratch.times_ps) {
    scratch.sorted_ns.push_back(static_cast<double>(time_ps) * 1e-3);
  }
}

ObservedTimes times_of(const CellVisits& visits, std::span<const double> sorted_ns,
                       double confidence) {
  return {.time = visits.time_name(),
          .launches = visits.launches.size(),
          .observations = sorted_ns.size(),
          .median = *time_estimate(visits, confidence),
          .mean_ns = stats::mean(sorted_ns),
          .min_ns = sorted_ns.front(),
          .q1_ns = stats::quantile_sorted(sorted_ns, 0.25),
          .q3_ns = stats::quantile_sorted(sorted_ns, 0.75),
          .p95_ns = stats::quantile_sorted(sorted_ns, 0.95),
          .p99_ns = stats::quantile_sorted(sorted_ns, 0.99),
          .max_ns = sorted_ns.back()};
}

std::optional<MeansPlot> means_plot(const CellVisits& visits, bool global, std::size_t points) {
  std::vector<const VisitSummary*> ordered = in_order(visits);
  const auto means = told_means(ordered, global);
  if (!means) return std::nullopt;
  MeansPlot plot{.sample_size = means->size};
  if (const auto test = stats::shapiro_wilk(means->means_ns)) plot.w = test->w;
  plot.plot = *stats::normal_quantile_plot(means->means_ns, points);
  return plot;
}

// Hunold and Carpen-Amarie 2016, figure 2.
std::vector<MeansPlot> means_plots(const CellVisits& visits, bool global,
                                   const FigureResolution& resolution) {
  std::vector<MeansPlot> plots;
  for (SampleMeans& means : means_by_size(in_order(visits), global)) {
    MeansPlot plot{.sample_size = means.size};
    if (const auto test = stats::shapiro_wilk(means.means_ns)) plot.w = test->w;
    std::ranges::sort(means.means_ns);
    plot.plot = *stats::normal_quantile_plot(means.means_ns, resolution.plot_points);
    plot.bins = stats::robust_histogram(means.means_ns, 0, resolution.bins);
    plots.push_back(std::move(plot));
  }
  return plots;
}

// Mean and interval of every launch without its outliers: the same, figures 3 and 9.
void add_launch_means(LaunchBox& box, const CellVisits& visits, bool global, double confidence) {
  for (std::size_t i = 0; i < box.points.size(); ++i) {
    std::vector<double> values;
    Tally tally;
    for (const VisitSummary& visit : visits.launches[i].visits) {
      append_observations(visit, global, values, tally);
    }
    if (values.empty()) continue;
    const std::vector<double> kept = stats::tukey_filter(values);
    const auto n = static_cast<double>(kept.size());
    LaunchPoint& point = box.points[i];
    point.mean_ns = stats::mean(kept);
    if (const auto sd = stats::standard_deviation(kept)) {
      point.mean_interval_ns =
          stats::t_interval(*point.mean_ns, *sd / std::sqrt(n), n - 1, confidence);
    }
  }
}

// Edges of a raster's rows.
std::vector<double> row_edges(std::span<const double> sorted_ns, std::size_t rows) {
  // A time of 0 has no log: the clock could not tell it.
  const auto positive = std::ranges::upper_bound(sorted_ns, 0.0);
  if (positive == sorted_ns.end()) return {};
  // One that is far out is outside, however few there are.
  const auto last = static_cast<double>(sorted_ns.size() - 1);
  double low = std::max(*positive, sorted_ns[static_cast<std::size_t>(std::ceil(kLowRow * last))]);
  double high = std::max(low, sorted_ns[static_cast<std::size_t>(kHighRow * last)]);
  // Constant times get a row around them.
  if (!(high > low * 1.001)) {
    low *= 0.999;
    high *= 1.001;
  }
  std::vector<double> edges;
  for (std::size_t i = 0; i <= rows; ++i) {
    edges.push_back(low * std::pow(high / low, static_cast<double>(i) / static_cast<double>(rows)));
  }
  return edges;
}

}  // namespace

FigureResolution figure_resolution(std::size_t distributions) {
  const auto count = static_cast<double>(std::max<std::size_t>(1, distributions));
  const std::size_t bins = within(kDistributionBytes / count / kBytesOfABin, 20, 200);
  const double rectangles = kRasterBytes / count / kBytesOfARectangle;
  const std::size_t rows = within(0.6 * std::sqrt(rectangles), 10, 48);
  return {.bins = bins,
          .tail_points = std::max<std::size_t>(8, bins / 4),
          .columns = within(rectangles / static_cast<double>(rows), 16, 160),
          .rows = rows,
          .plot_points = within(kPlotBytes / count / kBytesOfAPair, 15, 99)};
}

Distribution distribution_of(std::span<const double> sorted_ns, double step_ns,
                             const FigureResolution& resolution) {
  Distribution result{.observations = sorted_ns.size(),
                      .bins = stats::robust_histogram(sorted_ns, step_ns, resolution.bins),
                      .ecdf = stats::thinned_ecdf(sorted_ns, resolution.bins),
                      .tail = stats::upper_tail(sorted_ns, resolution.tail_points)};
  const double low_ns = result.bins.low;
  const double range_ns = result.bins.width * static_cast<double>(result.bins.counts.size());
  // The tail would make the bandwidth that of the tail.
  const std::span<const double> central = sorted_ns.subspan(
      result.bins.below, sorted_ns.size() - result.bins.below - result.bins.above);
  auto bandwidth_ns = stats::sheather_jones_bandwidth(central, kBandwidthBins);
  if (!bandwidth_ns) bandwidth_ns = stats::silverman_bandwidth(central);
  if (!bandwidth_ns) return result;
  // No finer than the clock's step, whose marks are no modes, and than what the points can show.
  const double spacing_ns = range_ns / static_cast<double>(resolution.bins - 1);
  result.bandwidth_ns = std::max({*bandwidth_ns, 0.75 * step_ns, spacing_ns});
  result.density = stats::kernel_density(sorted_ns, low_ns, low_ns + range_ns, resolution.bins,
                                         result.bandwidth_ns);
  return result;
}

OrderRaster order_raster(const CellVisits& visits, std::span<const double> sorted_ns, bool global,
                         const TimeAxis& axis, const FigureResolution& resolution) {
  OrderRaster raster{.ns = row_edges(sorted_ns, resolution.rows)};
  const std::size_t columns = resolution.columns;
  const double width_s = axis.end_s() > 0 ? axis.end_s() / static_cast<double>(columns) : 1.0;
  for (std::size_t i = 0; i <= columns; ++i) {
    raster.seconds.push_back(static_cast<double>(i) * width_s);
  }
  raster.median_ns.resize(columns);
  if (raster.ns.empty()) return raster;
  const std::size_t rows = resolution.rows;
  const double log_low = std::log(raster.ns.front());
  const double per_row = static_cast<double>(rows) / (std::log(raster.ns.back()) - log_low);
  std::vector<std::uint64_t> counts(columns * rows, 0);
  std::vector<double> of_column;
  std::size_t column = 0;
  const auto finish = [&] {
    if (!of_column.empty()) raster.median_ns[column] = stats::median_in_place(of_column);
    of_column.clear();
  };
  for (const VisitSummary* visit : in_order(visits)) {
    const record::VisitLine& line = visit->source->line;
    for_each_observation(*visit, global, [&](const record::Timing& timing, std::int64_t time_ps) {
      const std::int64_t start_ps = std::clamp(timing.start_ps, line.begin_ps, line.end_ps);
      const double seconds = axis.seconds(visit->group, visit->launch, start_ps);
      const std::size_t now = std::min(columns - 1, static_cast<std::size_t>(seconds / width_s));
      if (now != column) {
        finish();
        column = now;
      }
      const double time_ns = static_cast<double>(time_ps) * 1e-3;
      of_column.push_back(time_ns);
      const double row = time_ns > 0 ? (std::log(time_ns) - log_low) * per_row : 0.0;
      const auto inside =
          static_cast<std::size_t>(std::clamp(row, 0.0, static_cast<double>(rows) - 0.5));
      ++counts[now * rows + inside];
    });
  }
  finish();
  raster.ns.front() = std::min(raster.ns.front(), sorted_ns.front());
  raster.ns.back() = std::max(raster.ns.back(), sorted_ns.back());
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 0) continue;
    raster.counts.push_back({.column = static_cast<std::uint32_t>(i / rows),
                             .row = static_cast<std::uint32_t>(i % rows),
                             .count = counts[i]});
  }
  return raster;
}

std::vector<LaunchBox> launch_boxes(std::size_t cell, std::span<const CellVisits> arms) {
  double base_ns = 0;
  for (const CellVisits& visits : arms) {
    for (const LaunchVisits& launch : visits.launches) {
      if (launch.median_ns > 0 && (base_ns == 0 || launch.median_ns < base_ns)) {
        base_ns = launch.median_ns;
      }
    }
  }
  std::vector<LaunchBox> boxes;
  // Shorter than the clock can tell: nothing to be relative to.
  if (!(base_ns > 0)) return boxes;
  for (std::size_t arm = 0; arm < arms.size(); ++arm) {
    if (arms[arm].empty()) continue;
    LaunchBox box{.cell = cell, .arm = arm, .base_ns = base_ns};
    std::vector<double> relative;
    for (const LaunchVisits& launch : arms[arm].launches) {
      relative.push_back(launch.median_ns / base_ns);
      box.points.push_back({.launch = launch.visits.front().launch,
                            .group = launch.group,
                            .median_ns = launch.median_ns,
                            .relative = relative.back()});
    }
    box.box = stats::tukey_box(relative);
    boxes.push_back(std::move(box));
  }
  return boxes;
}

CampaignFigures campaign_figures(const store::Data& data, const Summaries& summaries,
                                 const CellTable& table, const TimeAxis& axis, double confidence,
                                 const FigureResolution& resolution) {
  CampaignFigures figures;
  FigureScratch scratch;
  for (std::size_t cell = 0; cell < data.cells.size(); ++cell) {
    for (LaunchBox& box : launch_boxes(cell, table[cell])) {
      if (resolution.for_papers) {
        add_launch_means(box, table[cell][box.arm], summaries.global, confidence);
      }
      figures.launch_medians.push_back(std::move(box));
    }
    for (std::size_t arm = 0; arm < data.arms.size(); ++arm) {
      const CellVisits& visits = table[cell][arm];
      if (visits.empty()) continue;
      sort_observations(visits, summaries.global, scratch);
      const auto add = [&](auto& list, auto figure) {
        figure.cell = cell;
        figure.arm = arm;
        list.push_back(std::move(figure));
      };
      figures.times.push_back({times_of(visits, scratch.sorted_ns, confidence), cell, arm});
      add(figures.distributions, distribution_of(scratch.sorted_ns, visits.step_ns(), resolution));
      add(figures.order,
          order_raster(visits, scratch.sorted_ns, summaries.global, axis, resolution));
      if (auto plot = means_plot(visits, summaries.global, resolution.plot_points)) {
        add(figures.normality, std::move(*plot));
      }
      if (!resolution.for_papers) continue;
      for (MeansPlot& plot : means_plots(visits, summaries.global, resolution)) {
        add(figures.sample_means, std::move(plot));
      }
    }
  }
  return figures;
}

}  // namespace invar::analysis
