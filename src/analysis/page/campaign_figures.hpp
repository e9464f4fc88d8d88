// What a page draws of one campaign beyond its answers: every number computed here, none by the
// page (docs/formats.md, "The page's data"). `cell` and `arm` are indices into Data::cells and
// Data::arms everywhere. Seconds are those of TimeAxis.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analysis/compare/comparison.hpp"
#include "analysis/compare/observed_times.hpp"
#include "analysis/study/pairs.hpp"
#include "analysis/study/summaries.hpp"
#include "analysis/study/time_axis.hpp"
#include "stats/describe/density.hpp"
#include "stats/describe/ecdf.hpp"
#include "stats/describe/histogram.hpp"
#include "stats/describe/quantile_plot.hpp"
#include "stats/describe/summary.hpp"
#include "store/reader.hpp"

namespace invar::analysis {

// How fine figures are. The more distributions a page holds, the coarser each one, so that the page
// stays below 4 MB.
struct FigureResolution {
  std::size_t bins = 0;         // of a histogram, at most; also points of density and ECDF
  std::size_t tail_points = 0;  // at most
  std::size_t columns = 0;      // of an order raster, over time
  std::size_t rows = 0;         // over run-times
  std::size_t plot_points = 0;  // of a Q-Q plot, at most
  // Also what only papers have: means of launches, and means of samples of several sizes.
  bool for_papers = false;
};
FigureResolution figure_resolution(std::size_t distributions);

struct CellTime : ObservedTimes {
  std::size_t cell = 0;
  std::size_t arm = 0;
};

struct LaunchPoint {
  std::uint32_t launch = 0;
  std::uint32_t group = 0;
  double median_ns = 0;
  double relative = 0;  // to LaunchBox::base_ns
  // The launch without its outliers (Tukey's filter). None: the figures are not for papers
  // (FigureResolution::for_papers), or too few observations are left.
  std::optional<double> mean_ns = {};
  std::optional<stats::Interval> mean_interval_ns = {};
};

struct LaunchBox {
  std::size_t cell = 0;
  std::size_t arm = 0;
  double base_ns = 0;  // smallest launch median of the cell, over all arms
  std::vector<LaunchPoint> points = {};
  stats::TukeyBox box = {};  // of `relative`
};

struct Distribution {
  std::size_t cell = 0;
  std::size_t arm = 0;
  std::size_t observations = 0;
  stats::Histogram bins = {};
  stats::Density density = {};  // over the bins; empty: all values are equal
  double bandwidth_ns = 0;
  stats::ShareCurve ecdf = {};
  stats::ShareCurve tail = {};
};

struct RasterCount {
  std::uint32_t column = 0;
  std::uint32_t row = 0;
  std::uint64_t count = 0;
};

// Observations in the order of measurement, counted in rectangles of time and run-time.
struct OrderRaster {
  std::size_t cell = 0;
  std::size_t arm = 0;
  std::vector<double> seconds = {};  // edges of the columns, from 0 to the end of the campaign
  // Edges of the rows, equally spaced on a log scale; only the first and the last row reach as far
  // as the least and the largest observation.
  std::vector<double> ns = {};
  std::vector<RasterCount> counts = {};               // above 0
  std::vector<std::optional<double>> median_ns = {};  // by column
};

// Means of 30 repetitions of one launch against the normal distribution.
struct MeansPlot {
  std::size_t cell = 0;
  std::size_t arm = 0;
  std::size_t sample_size = 0;
  std::optional<double> w = {};  // Shapiro and Wilk's
  stats::QuantilePlot plot = {};
  stats::Histogram bins = {};  // of the means; only for papers
};

struct CampaignFigures {
  std::vector<CellTime> times = {};
  std::vector<LaunchBox> launch_medians = {};
  std::vector<Distribution> distributions = {};
  std::vector<OrderRaster> order = {};
  std::vector<MeansPlot> normality = {};
  std::vector<MeansPlot> sample_means = {};  // of several sizes
};

// The figures of every cell and arm that has visits in `table` (sort_visits of the summaries,
// without what failed). Reads every observation twice; time is linear in them, memory is that of
// one cell and arm.
CampaignFigures campaign_figures(const store::Data& data, const Summaries& summaries,
                                 const CellTable& table, const TimeAxis& axis, double confidence,
                                 const FigureResolution& resolution);

// The parts of it, for one cell and arm. Run-times in ns, sorted; not empty.
Distribution distribution_of(std::span<const double> sorted_ns, double step_ns,
                             const FigureResolution& resolution);
OrderRaster order_raster(const CellVisits& visits, std::span<const double> sorted_ns, bool global,
                         const TimeAxis& axis, const FigureResolution& resolution);
// One a launch of every arm that has the cell.
std::vector<LaunchBox> launch_boxes(std::size_t cell, std::span<const CellVisits> arms);

}  // namespace invar::analysis
