#include "analysis/factors/factor_figures.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "analysis/words/words.hpp"
#include "base/random.hpp"
#include "base/text.hpp"
#include "stats/describe/moments.hpp"
#include "stats/describe/quantile.hpp"
#include "stats/describe/summary.hpp"
#include "stats/test/normal.hpp"
#include "stats/test/student.hpp"

namespace invar::analysis {
namespace {

constexpr std::size_t kBins = 40;
constexpr std::uint64_t kSampleStream = 0x73616d706c65;  // "sample"
// The paper draws 500 samples of each size.
constexpr std::size_t kSamples = 500;
constexpr std::array<std::uint32_t, 4> kSampleSizes{10, 30, 100, 500};
constexpr std::size_t kQuantiles = 49;

using Visits = std::vector<const VisitSummary*>;

std::vector<double> observations(const Visits& visits, bool global) {
  std::vector<double> values;
  Tally tally;
  for (const VisitSummary* visit : visits) {
    append_observations(*visit, global, values, tally);
  }
  return values;
}

void add_launches(std::size_t target, const Visits& visits, bool global, double confidence,
                  FactorFigures& figures) {
  std::map<std::uint32_t, Visits> launches;
  for (const VisitSummary* visit : visits) launches[visit->launch].push_back(visit);
  for (const auto& [launch, of_launch] : launches) {
    const std::vector<double> kept = stats::tukey_filter(observations(of_launch, global));
    const auto n = static_cast<double>(kept.size());
    LaunchMean mean{.target = target,
                    .launch = launch,
                    .observations = kept.size(),
                    .mean_ns = stats::mean(kept),
                    .median_ns = stats::median(kept)};
    if (const auto sd = stats::standard_deviation(kept)) {
      mean.interval_ns = stats::t_interval(mean.mean_ns, *sd / std::sqrt(n), n - 1, confidence);
    }
    figures.launches.push_back(mean);
  }
}

// The levels of one factor share their bins, from the first to the last percentile of all.
void add_histograms(std::size_t target, const FactorTable& table, std::size_t factor, bool global,
                    FactorFigures& figures) {
  std::vector<std::pair<std::string, std::vector<double>>> levels;
  std::vector<double> all;
  for (std::uint32_t level = 0; level < table.factors[factor].levels.size(); ++level) {
    Combination combination(table.factors.size(), 0);
    combination[factor] = level;
    const auto visits = table.visits.find(combination);
    if (visits == table.visits.end()) continue;
    levels.emplace_back(table.factors[factor].levels[level], observations(visits->second, global));
    all.insert(all.end(), levels.back().second.begin(), levels.back().second.end());
  }
  if (levels.size() < 2) return;
  const double low = stats::quantile_in_place(all, 0.01);
  const double width = (stats::quantile_in_place(all, 0.99) - low) / kBins;
  if (!(width > 0)) return;
  for (const auto& [level, values] : levels) {
    std::array<std::uint64_t, kBins> counts{};
    for (const double value : values) {
      const double bin = std::floor((value - low) / width);
      if (bin >= 0 && bin < kBins) ++counts[static_cast<std::size_t>(bin)];
    }
    for (std::size_t bin = 0; bin < kBins; ++bin) {
      figures.histograms.push_back(
          {.target = target,
           .factor = table.factors[factor].name,
           .level = level,
           .low_ns = low + static_cast<double>(bin) * width,
           .high_ns = low + static_cast<double>(bin + 1) * width,
           .count = counts[bin],
           .density_per_ns =
               static_cast<double>(counts[bin]) / (static_cast<double>(values.size()) * width)});
    }
  }
}

void add_quantiles(std::size_t target, const Visits& visits, bool global, std::uint64_t seed,
                   FactorFigures& figures) {
  const std::vector<double> values = observations(visits, global);
  for (const std::uint32_t size : kSampleSizes) {
    // Samples that hold most of the values are no independent draws any more.
    if (values.size() < std::size_t{4} * size) continue;
    base::Random random = base::Random::of({seed, kSampleStream, target, size});
    std::vector<double> means;
    for (std::size_t sample = 0; sample < kSamples; ++sample) {
      double sum = 0;
      for (std::uint32_t i = 0; i < size; ++i) sum += values[random.below(values.size())];
      means.push_back(sum / size);
    }
    std::ranges::sort(means);
    for (std::size_t i = 1; i <= kQuantiles; ++i) {
      const double probability = static_cast<double>(i) / (kQuantiles + 1);
      figures.quantiles.push_back({.target = target,
                                   .sample_size = size,
                                   .normal = stats::normal_quantile(probability),
                                   .mean_ns = stats::quantile_sorted(means, probability)});
    }
  }
}

}  // namespace

FactorFigures factor_figures(std::span<const FactorTable> tables, bool global, double confidence,
                             std::uint64_t seed) {
  FactorFigures figures;
  for (std::size_t target = 0; target < tables.size(); ++target) {
    const FactorTable& table = tables[target];
    if (const Visits* reference = table.reference()) {
      add_launches(target, *reference, global, confidence, figures);
      add_quantiles(target, *reference, global, seed, figures);
    }
    for (std::size_t factor = 0; factor < table.factors.size(); ++factor) {
      add_histograms(target, table, factor, global, figures);
    }
  }
  return figures;
}

void limit_figures(Factors& factors) {
  constexpr std::size_t kMostRows = 6000;
  FactorFigures& figures = factors.figures;
  std::vector<std::size_t> rows(factors.targets.size(), 0);
  const auto count = [&](const auto& list) {
    for (const auto& row : list) ++rows.at(row.target);
  };
  count(figures.launches);
  count(figures.histograms);
  count(figures.quantiles);
  std::size_t kept = 0;
  std::size_t total = 0;
  for (; kept < rows.size() && total + rows[kept] <= kMostRows; ++kept) total += rows[kept];
  if (kept == rows.size()) return;
  const auto beyond = [&](const auto& row) { return row.target >= kept; };
  std::erase_if(figures.launches, beyond);
  std::erase_if(figures.histograms, beyond);
  std::erase_if(figures.quantiles, beyond);
  factors.warnings.emplace_back(
      "figures of factors are here for the first " + std::to_string(kept) + " of " +
      count_text(rows.size(), "operation and size") + "; invar factors DIR --format json has all");
}

}  // namespace invar::analysis
