// Are the ratios of the launch groups, one of each, what Student's t takes them for: normally
// distributed, and independent?
#include <algorithm>
#include <cstdio>
#include <utility>

#include "analysis/machine/diagnostics.hpp"
#include "analysis/words/words.hpp"
#include "stats/describe/series.hpp"
#include "stats/test/shapiro_wilk.hpp"

namespace invar::analysis {
namespace {

// With fewer the tests find only what the eye sees as well, with more the mean is normal enough.
constexpr std::size_t kFewest = 8;
constexpr std::size_t kMostForShape = 100;
// With .1 a table is false in 5.5 % of the cases, with .2 in 10 % (docs/methods.md, "Where it
// fails").
constexpr double kMemory = 0.15;
constexpr double kMemoryLevel = 0.01;

struct Sample {
  const Pair* pair = nullptr;
  PairedDifferences paired = {};
};

std::string two_digits(double value) {
  char text[16];
  std::snprintf(text, sizeof text, "%.2f", value);
  return text;
}

void add_shape_warning(const Contest& contest, std::span<const Sample> samples, double alpha,
                       std::vector<Warning>& warnings) {
  struct Found {
    const Sample* sample = nullptr;
    stats::ShapiroWilk test = {};
  };
  std::vector<Found> tested;
  for (const Sample& sample : samples) {
    if (sample.paired.d.size() > kMostForShape) continue;
    if (const auto test = stats::shapiro_wilk(sample.paired.d)) tested.push_back({&sample, *test});
  }
  const double level = alpha / static_cast<double>(std::max<std::size_t>(1, tested.size()));
  std::erase_if(tested, [level](const Found& one) { return one.test.p > level; });
  if (tested.empty()) return;
  const auto worst = std::ranges::min_element(
      tested, [](const Found& a, const Found& b) { return a.test.w < b.test.w; });
  warnings.emplace_back(
      "the launch groups' ratios are not normally distributed in " +
      count_text(tested.size(), "comparison") + " (" +
      record::CellTexts(contest.cells)(contest.cells[worst->sample->pair->a.cell]) + " most, W " +
      two_digits(worst->test.w) + " of " + std::to_string(worst->sample->paired.d.size()) +
      "): single groups weigh much there, and intervals are approximate");
}

void add_memory_warning(std::span<const Sample> samples, std::vector<Warning>& warnings) {
  std::vector<stats::TimedSeries> series;
  series.reserve(samples.size());
  for (const Sample& sample : samples) series.push_back({sample.paired.groups, sample.paired.d});
  const auto memory = stats::shared_memory(series);
  if (!memory || memory->r < kMemory || memory->p > kMemoryLevel) return;
  warnings.emplace_back(
      "the launch groups' ratios resemble those of the group before (correlation " +
          two_digits(memory->r) +
          "): fewer launches are independent than were counted, intervals are too "
          "narrow, and more than alpha of such tables are false",
      Gravity::kDoubt);
}

}  // namespace

std::vector<Warning> ratio_warnings(const Contest& contest, std::span<const Pair> pairs,
                                    const Rules& rules) {
  if (rules.method != Method::kInvar || rules.pairing == Pairing::kNone ||
      !rules.no_verdict.empty()) {
    return {};
  }
  std::vector<Sample> samples;
  for (const Pair& pair : pairs) {
    if (!pair.printed || pair.view) continue;
    PairedDifferences paired = differences_of(contest, pair, rules.pairing);
    if (paired.d.size() < kFewest) continue;
    samples.push_back({.pair = &pair, .paired = std::move(paired)});
  }
  std::vector<Warning> warnings;
  add_shape_warning(contest, samples, rules.decision.alpha, warnings);
  add_memory_warning(samples, warnings);
  return warnings;
}

}  // namespace invar::analysis
