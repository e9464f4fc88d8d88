// Piecewise lines of machines whose lines are known (tests/stats/model/simulated_pieces.hpp):
//   bench_pieces time              milliseconds of the processor for a fit, of 490 sizes, pieces
//   bench_pieces golden FILE       of R's divisions (tests/golden/segmented.R): largest relative
//                                  difference of squares, divisions with other breaks, divisions
//   bench_pieces MACHINES GROUPS BURSTS BREAKS|planted
// `planted`: 2 to 5 breaks, as it comes. One line: machines with the right number of pieces, with
// more; of the right ones those whose breaks all lie in their intervals; slopes inside, intercepts
// inside, lines; median half-widths of slopes and intercepts, median ratio of the ends of a break's
// interval; then for netgauge, plogp, looggp: breaks found within 10 %, breaks found that are none;
// and at last breaks that there are.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "stats/describe/quantile.hpp"
#include "stats/model/segmented_intervals.hpp"
#include "stats/model/simulated_pieces.hpp"
#include "stats/peers/change_detectors.hpp"

namespace {

using namespace invar;

constexpr double kNear = 1.1;  // a detector's break that is this near counts as found

double processor_ms() {
  return 1e3 * static_cast<double>(std::clock()) / static_cast<double>(CLOCKS_PER_SEC);
}

int time_of_fit() {
  base::Random random(490);
  std::vector<stats::WeightedPoint> points;
  simulated::TrueLines lines;
  for (int piece = 0; piece < 12; ++piece) {
    lines.pieces.push_back({.above = piece == 0 ? 0 : std::exp2(2 * piece + 2),
                            .intercept = 300 * std::pow(1.6, piece),
                            .slope = .8 * std::pow(.8, piece)});
  }
  simulated::GroupedDesign design;
  design.sizes = 490;
  design.to = 1 << 30;
  for (const double size : simulated::drawn_sizes(design, random)) {
    const double time = lines.time(size) * std::exp(.015 * simulated::drawn_normal(random));
    points.push_back({size, time, .0002 * time * time});
  }
  std::vector<double> times;
  std::size_t pieces = 0;
  for (int run = 0; run < 21; ++run) {
    const double begin = processor_ms();
    pieces = stats::fit_segmented(points, {}).pieces.size();
    times.push_back(processor_ms() - begin);
  }
  std::printf("%.3f %zu %zu\n", stats::median(times), points.size(), pieces);
  return 0;
}

std::vector<double> numbers(const std::string& text) {
  std::istringstream words(text);
  return {std::istream_iterator<double>(words), {}};
}

int compare_with_golden(const std::string& file) {
  std::ifstream in(file);
  std::map<std::string, std::vector<stats::WeightedPoint>> cases;
  double most = 0;
  std::size_t others = 0;
  std::size_t divisions = 0;
  for (std::string line; std::getline(in, line);) {
    std::vector<std::string> cells(9);
    std::istringstream row(line);
    for (std::string& cell : cells) std::getline(row, cell, ',');
    if (cells[0] == "points") {
      const std::vector<double> x = numbers(cells[3]);
      const std::vector<double> y = numbers(cells[4]);
      const std::vector<double> variance = numbers(cells[5]);
      for (std::size_t i = 0; i < x.size(); ++i) {
        cases[cells[1]].push_back({x[i], y[i], variance[i]});
      }
    } else if (cells[0] == "fit") {
      stats::PieceLimits limits{.slope_at_least_0 = false, .intercept_at_least_0 = false};
      limits.most_pieces = std::strtoull(cells[2].c_str(), nullptr, 10);
      const stats::SegmentedFit fit = stats::segmented_fits(cases.at(cells[1]), limits).back();
      most = std::max(most, std::abs(fit.rss / std::strtod(cells[6].c_str(), nullptr) - 1));
      std::vector<double> last;
      for (const stats::LinePiece& piece : fit.pieces) {
        last.push_back(static_cast<double>(piece.last + 1));
      }
      last.pop_back();
      if (last != numbers(cells[8])) ++others;
      ++divisions;
    }
  }
  std::printf("%.3g %zu %zu\n", most, others, divisions);
  return divisions == 0 ? 1 : 0;
}

struct Detected {
  std::size_t found = 0;
  std::size_t wrong = 0;
};

void judge(const std::vector<double>& changes, const simulated::TrueLines& truth, Detected& sum) {
  const auto near = [](double a, double b) { return a < kNear * b && b < kNear * a; };
  const auto breaks = std::span(truth.pieces).subspan(1);
  for (const simulated::TruePiece& piece : breaks) {
    const auto is_it = [&](double change) { return near(change, piece.above); };
    if (std::ranges::any_of(changes, is_it)) ++sum.found;
  }
  for (const double change : changes) {
    const auto is_it = [&](const simulated::TruePiece& piece) { return near(change, piece.above); };
    if (std::ranges::none_of(breaks, is_it)) ++sum.wrong;
  }
}

struct Sums {
  std::size_t right = 0;
  std::size_t more = 0;
  std::size_t all_breaks = 0;
  std::size_t lines = 0;
  std::size_t slopes = 0;
  std::size_t intercepts = 0;
  std::size_t breaks = 0;
  std::vector<double> slope_widths = {};
  std::vector<double> intercept_widths = {};
  std::vector<double> break_ratios = {};
  Detected netgauge = {};
  Detected plogp = {};
  Detected looggp = {};
};

// The others look at one run of everything, which is what they have: the first launch group, whose
// times are those of a message there and back, and of ten in a row.
void detect(const std::vector<stats::GroupTime>& times, const simulated::TrueLines& truth,
            Sums& sums) {
  std::vector<stats::GroupTime> own;
  for (const stats::GroupTime& time : times) {
    if (time.group == 0) own.push_back(time);
  }
  std::ranges::sort(own, {}, &stats::GroupTime::size);
  std::vector<stats::NetgaugeTimes> trains;
  std::vector<stats::PlogpMeasured> gaps;
  std::vector<double> sizes;
  std::vector<double> plain;
  for (const stats::GroupTime& time : own) {
    trains.push_back({.size = time.size, .one_us = 0, .train_us = 9 * time.mean / 1e3});
    gaps.push_back({.size = time.size, .times = {.gap_ns = time.mean}});
    sizes.push_back(time.size);
    plain.push_back(time.mean);
  }
  judge(stats::netgauge_changes(trains, {}).changes, truth, sums.netgauge);
  std::vector<double> changes;
  for (const stats::PlogpBracket& one : stats::plogp_changes_on(gaps, {}).changes) {
    changes.push_back(std::sqrt(std::max(one.below, 1.0) * one.above));
  }
  judge(changes, truth, sums.plogp);
  judge(stats::looggp_changes(sizes, plain, {}).candidates, truth, sums.looggp);
}

bool holds(const std::optional<stats::Interval>& interval, double truth) {
  return interval && interval->low <= truth && truth <= interval->high;
}

double half_width(const stats::Interval& interval, double truth) {
  return (interval.high - interval.low) / 2 / truth;
}

void look_at(std::uint64_t seed, std::size_t groups, double bursts,
             std::optional<std::size_t> planted, Sums& sums) {
  base::Random random(seed);
  const simulated::GroupedDesign design{.groups = groups,
                                        .groups_of_size = std::min<std::size_t>(groups, 5)};
  const simulated::GroupedNoise noise{.bursts = bursts};
  const std::size_t breaks = planted ? *planted : 2 + random.below(4);
  const simulated::TrueLines truth = simulated::drawn_lines(breaks, design, random);
  const std::vector<double> sizes = simulated::drawn_sizes(design, random);
  const std::vector<stats::GroupTime> times =
      simulated::measured(truth, sizes, design, noise, random);
  sums.breaks += breaks;
  detect(times, truth, sums);
  const stats::SegmentedEstimate estimate =
      stats::segmented_estimate(stats::GroupedTimes(times), {.resamples = 399, .seed = seed});
  if (estimate.fit.pieces.size() > truth.pieces.size()) ++sums.more;
  if (estimate.fit.pieces.size() != truth.pieces.size()) return;
  ++sums.right;
  bool all = true;
  for (std::size_t i = 0; i < truth.pieces.size(); ++i) {
    const simulated::TruePiece& piece = truth.pieces[i];
    const stats::PieceIntervals& intervals = estimate.pieces[i];
    ++sums.lines;
    if (holds(intervals.slope, piece.slope)) ++sums.slopes;
    if (holds(intervals.intercept, piece.intercept)) ++sums.intercepts;
    sums.slope_widths.push_back(half_width(*intervals.slope, piece.slope));
    sums.intercept_widths.push_back(half_width(*intervals.intercept, piece.intercept));
    if (i == 0) continue;
    const stats::Interval& place = *estimate.breaks[i - 1].interval;
    all = all && place.low <= piece.above && piece.above <= place.high;
    sums.break_ratios.push_back(place.high / place.low);
  }
  if (all) ++sums.all_breaks;
}

double median_of(const std::vector<double>& values) {
  return values.empty() ? 0 : stats::median(values);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view first = argc > 1 ? argv[1] : "";
  if (argc == 2 && first == "time") return time_of_fit();
  if (argc == 3 && first == "golden") return compare_with_golden(argv[2]);
  if (argc != 5) {
    std::fputs("usage: bench_pieces time | golden FILE | MACHINES GROUPS BURSTS BREAKS|planted\n",
               stderr);
    return 2;
  }
  try {
    Sums sums;
    std::optional<std::size_t> planted;
    if (std::string_view(argv[4]) != "planted") planted = std::strtoull(argv[4], nullptr, 10);
    const std::uint64_t machines = std::strtoull(argv[1], nullptr, 10);
    for (std::uint64_t seed = 0; seed < machines; ++seed) {
      look_at(seed, std::strtoull(argv[2], nullptr, 10), std::strtod(argv[3], nullptr), planted,
              sums);
    }
    std::printf("%zu %zu %zu %zu %zu %zu %.4f %.4f %.3f %zu %zu %zu %zu %zu %zu %zu\n", sums.right,
                sums.more, sums.all_breaks, sums.slopes, sums.intercepts, sums.lines,
                median_of(sums.slope_widths), median_of(sums.intercept_widths),
                median_of(sums.break_ratios), sums.netgauge.found, sums.netgauge.wrong,
                sums.plogp.found, sums.plogp.wrong, sums.looggp.found, sums.looggp.wrong,
                sums.breaks);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_pieces: %s\n", error.what());
    return 1;
  }
  return 0;
}
