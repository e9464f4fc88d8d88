// Pictures of distributions: histogram, density, ECDF, tail, box, Q-Q plot, against R's answers
// (tests/golden/distribution.R).
#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>

#include "base/random.hpp"
#include "stats/describe/density.hpp"
#include "stats/describe/ecdf.hpp"
#include "stats/describe/histogram.hpp"
#include "stats/describe/quantile_plot.hpp"
#include "stats/describe/sort.hpp"
#include "stats/describe/summary.hpp"
#include "stats/golden.hpp"
#include "stats/test/normal.hpp"
#include "stats/test/shapiro_wilk.hpp"

namespace invar::stats {
namespace {

using testing::ElementsAre;
using testing::Ge;
using testing::Le;

struct Case {
  std::string name = {};
  std::vector<double> sorted = {};
  std::vector<double> asked = {};
  std::vector<double> answer = {};
};

// All rows of a kind, with their samples.
std::vector<Case> cases(const std::string& kind) {
  const std::vector<golden::Row> rows = golden::read("stats_distribution.csv");
  std::vector<Case> found;
  for (const golden::Row& row : rows) {
    if (row.at("kind") != kind) continue;
    Case one{.name = kind + " of " + row.at("case"),
             .asked = golden::numbers(row.at("asked")),
             .answer = golden::numbers(row.at("answer"))};
    for (const golden::Row& sample : rows) {
      if (sample.at("kind") == "sample" && sample.at("case") == row.at("case")) {
        one.sorted = golden::numbers(sample.at("asked"));
      }
    }
    if (one.sorted.empty()) one.sorted = golden::samples("one", row.at("case")).x;
    std::ranges::sort(one.sorted);
    found.push_back(std::move(one));
  }
  EXPECT_THAT(found.size(), Ge(20U)) << kind;
  return found;
}

std::vector<double> normal_sample(std::size_t count, double mean, double sd, std::uint64_t seed) {
  base::Random random(seed);
  std::vector<double> values(count);
  for (double& value : values)
    value = mean + sd * normal_quantile(random.uniform() * 0.998 + 0.001);
  std::ranges::sort(values);
  return values;
}

std::uint64_t total(const Histogram& bins) {
  return std::accumulate(bins.counts.begin(), bins.counts.end(), bins.below + bins.above);
}

TEST(SortIntegers, SortsWhateverTheirSizeAndSign) {
  base::Random random(3);
  for (const std::size_t count : {0U, 1U, 7U, 1023U, 1024U, 50000U}) {
    for (const std::uint64_t range : {1ULL, 100ULL, 5'000'000ULL, 1ULL << 62U}) {
      std::vector<std::int64_t> values(count);
      for (std::int64_t& value : values) {
        value =
            static_cast<std::int64_t>(random.below(range)) - static_cast<std::int64_t>(range / 3);
      }
      std::vector<std::int64_t> expected = values;
      std::ranges::sort(expected);
      std::vector<std::int64_t> scratch;
      sort_integers(values, scratch);
      EXPECT_EQ(values, expected) << count << " below " << range;
    }
  }
}

TEST(FreedmanDiaconis, AgreesWithR) {
  for (const Case& one : cases("width")) {
    golden::expect_close(freedman_diaconis_width(one.sorted), one.answer.at(0), 1e-12, one.name);
  }
}

TEST(CentralPart, AgreesWithR) {
  for (const Case& one : cases("central")) {
    const CentralPart part = central_part(one.sorted);
    golden::expect_close(part.low, one.answer.at(0), 1e-12, one.name);
    golden::expect_close(part.high, one.answer.at(1), 1e-12, one.name);
  }
}

TEST(Histogram, CountsEveryValueOnceWhateverTheSample) {
  for (const Case& one : cases("width")) {
    for (const double step : {0.0, 0.5, 10.0}) {
      for (const std::size_t most : {1U, 2U, 30U, 200U}) {
        const Histogram bins = robust_histogram(one.sorted, step, most);
        EXPECT_EQ(total(bins), one.sorted.size()) << one.name;
        EXPECT_THAT(bins.counts.size(), Le(most)) << one.name;
        EXPECT_GT(bins.width, 0) << one.name;
        const double n = static_cast<double>(one.sorted.size());
        EXPECT_LE(static_cast<double>(bins.below + bins.above), 0.05 * n + 1) << one.name;
      }
    }
  }
}

TEST(Histogram, CountsAreThoseOfTheBins) {
  const std::vector<double> sorted = normal_sample(500, 100, 5, 9);
  const Histogram bins = robust_histogram(sorted, 0, 40);
  for (std::size_t i = 0; i < bins.counts.size(); ++i) {
    const double low = bins.low + static_cast<double>(i) * bins.width;
    const double high = bins.low + static_cast<double>(i + 1) * bins.width;
    const auto inside =
        std::ranges::count_if(sorted, [&](double value) { return value >= low && value < high; });
    EXPECT_EQ(bins.counts[i], static_cast<std::uint64_t>(inside)) << i;
  }
}

TEST(Histogram, EdgesLieBetweenTheMarksOfTheClock) {
  // 10 ns steps: bins of a width that is not a multiple of it would hold one mark or two, a comb.
  std::vector<double> sorted;
  for (int mark = 40; mark <= 60; ++mark) sorted.insert(sorted.end(), 50, mark * 10.0);
  const Histogram bins = robust_histogram(sorted, 10, 60);
  EXPECT_DOUBLE_EQ(std::remainder(bins.width, 10), 0);
  EXPECT_DOUBLE_EQ(std::abs(std::remainder(bins.low, 10)), 5);
  // All but the last one are full.
  for (std::size_t i = 1; i + 1 < bins.counts.size(); ++i) {
    EXPECT_EQ(bins.counts[i], bins.counts.front()) << i;
  }
}

TEST(Histogram, ASecondHeapFarAwayIsNotCutOff) {
  // A tenth of the sample four times as far, where quartiles do not see it.
  for (const Case& one : cases("width")) {
    if (one.name != "width of far_heap") continue;
    const Histogram bins = robust_histogram(one.sorted, 0, 100);
    EXPECT_EQ(bins.above, 0U);
    EXPECT_GT(bins.low + bins.width * static_cast<double>(bins.counts.size()), 2000);
  }
}

TEST(Histogram, TheTailDoesNotMakeTheBinsWide) {
  for (const Case& one : cases("width")) {
    if (one.name != "width of tail") continue;
    const Histogram bins = robust_histogram(one.sorted, 0, 100);
    EXPECT_GT(one.sorted.back(), 4000);
    EXPECT_GT(bins.above, 0U);
    EXPECT_LT(bins.low + bins.width * static_cast<double>(bins.counts.size()), 700);
  }
}

TEST(Histogram, ConstantValuesAreOneBin) {
  const std::vector<double> constant(7, 4.0);
  const Histogram bins = robust_histogram(constant, 0, 50);
  EXPECT_THAT(bins.counts, ElementsAre(7U));
  EXPECT_LT(bins.low, 4);
  EXPECT_GT(bins.low + bins.width, 4);
  EXPECT_THAT(robust_histogram(constant, 1, 50).counts, ElementsAre(7U));
  EXPECT_THAT(robust_histogram(std::vector<double>{0.0}, 0, 50).counts, ElementsAre(1U));
}

TEST(Histogram, RefusesWhatIsNoSample) {
  EXPECT_THROW(robust_histogram({}, 0, 5), std::invalid_argument);
  const std::vector<double> one{1};
  EXPECT_THROW(robust_histogram(one, -1, 5), std::invalid_argument);
  EXPECT_THROW(robust_histogram(one, 0, 0), std::invalid_argument);
}

TEST(Bandwidth, SilvermansAgreesWithR) {
  for (const Case& one : cases("nrd0")) {
    golden::expect_close(silverman_bandwidth(one.sorted).value(), one.answer.at(0), 1e-12,
                         one.name);
  }
  EXPECT_FALSE(silverman_bandwidth(std::vector<double>{2, 2, 2}));
}

TEST(Bandwidth, SheatherAndJonesAgreesWithR) {
  for (const Case& one : cases("sj")) {
    const auto bandwidth = sheather_jones_bandwidth(one.sorted, 1000);
    ASSERT_TRUE(bandwidth) << one.name;
    golden::expect_close(*bandwidth, one.answer.at(0), 1e-6, one.name);
  }
  EXPECT_FALSE(sheather_jones_bandwidth(std::vector<double>{2, 2, 2}));
  EXPECT_FALSE(sheather_jones_bandwidth(std::vector<double>{2}));
}

TEST(Density, AgreesWithItsDefinition) {
  for (const Case& one : cases("density")) {
    const Density density =
        kernel_density(one.sorted, one.asked.at(1), one.asked.at(2), 25, one.asked.at(0));
    const double largest = std::ranges::max(one.answer);
    ASSERT_EQ(density.density.size(), one.answer.size());
    for (std::size_t i = 0; i < one.answer.size(); ++i) {
      EXPECT_NEAR(density.density[i], one.answer[i], 1e-3 * largest) << one.name << " " << i;
    }
  }
}

TEST(Density, CountsWhatLiesOutsideOfThePicture) {
  // Half of the sample is far away: the picture holds half of the area.
  std::vector<double> sorted = normal_sample(1000, 100, 2, 1);
  sorted.insert(sorted.end(), 1000, 1e6);
  const Density density = kernel_density(sorted, 80, 120, 201, 0.5);
  double area = 0;
  for (const double value : density.density) area += value * 40.0 / 200.0;
  EXPECT_NEAR(area, 0.5, 0.01);
}

TEST(Density, RefusesWhatCannotBe) {
  const std::vector<double> sorted{1, 2, 3};
  EXPECT_THROW(kernel_density(sorted, 0, 1, 10, 0), std::invalid_argument);
  EXPECT_THROW(kernel_density(sorted, 1, 1, 10, 1), std::invalid_argument);
  EXPECT_THROW(kernel_density(sorted, 0, 1, 1, 1), std::invalid_argument);
  EXPECT_THROW(kernel_density({}, 0, 1, 10, 1), std::invalid_argument);
}

TEST(Ecdf, AgreesWithRAtEveryPoint) {
  for (const Case& one : cases("ecdf")) {
    for (const std::size_t points : {2U, 10U, 10000U}) {
      const ShareCurve curve = thinned_ecdf(one.sorted, points);
      ASSERT_EQ(curve.at.size(), curve.share.size());
      EXPECT_EQ(curve.at.front(), one.sorted.front()) << one.name;
      EXPECT_EQ(curve.at.back(), one.sorted.back()) << one.name;
      for (std::size_t i = 0; i < curve.at.size(); ++i) {
        const auto value = std::ranges::find(one.asked, curve.at[i]);
        ASSERT_NE(value, one.asked.end()) << one.name;
        golden::expect_close(curve.share[i],
                             one.answer.at(static_cast<std::size_t>(value - one.asked.begin())),
                             1e-12, one.name);
      }
    }
    EXPECT_EQ(thinned_ecdf(one.sorted, 100000).at.size(), one.asked.size()) << one.name;
  }
}

TEST(Ecdf, BetweenItsPointsLittleIsMissing) {
  const std::vector<double> sorted = normal_sample(5000, 100, 5, 4);
  const ShareCurve curve = thinned_ecdf(sorted, 51);
  EXPECT_THAT(curve.at.size(), Le(51U));
  for (std::size_t i = 1; i < curve.share.size(); ++i) {
    EXPECT_LE(curve.share[i] - curve.share[i - 1], 1.0 / 50 + 1.0 / 5000) << i;
  }
}

TEST(Tail, GoesFromTheMedianToTheLastValueButOne) {
  std::vector<double> sorted(10000);
  for (std::size_t i = 0; i < sorted.size(); ++i) sorted[i] = static_cast<double>(i);
  const ShareCurve tail = upper_tail(sorted, 20);
  EXPECT_DOUBLE_EQ(tail.share.front(), 0.5);
  EXPECT_DOUBLE_EQ(tail.share.back(), 1e-4);
  EXPECT_EQ(tail.at.back(), 9998);
  for (std::size_t i = 0; i < tail.at.size(); ++i) {
    const auto beyond =
        std::ranges::count_if(sorted, [&](double value) { return value > tail.at[i]; });
    EXPECT_DOUBLE_EQ(tail.share[i], static_cast<double>(beyond) / 10000) << i;
    // Equal factors, as far as counts allow.
    if (i > 0 && tail.share[i] > 2e-3) {
      EXPECT_NEAR(tail.share[i - 1] / tail.share[i], std::pow(5000, 1.0 / 19), 0.1) << i;
    }
  }
}

TEST(Tail, TiesAreNotBeyondThemselves) {
  const ShareCurve tail = upper_tail(std::vector<double>{1, 2, 2, 2, 3, 3}, 10);
  EXPECT_THAT(tail.at, ElementsAre(2));
  EXPECT_THAT(tail.share, ElementsAre(2.0 / 6));
  EXPECT_TRUE(upper_tail(std::vector<double>{5, 5, 5}, 10).at.empty());
  EXPECT_TRUE(upper_tail(std::vector<double>{5}, 10).at.empty());
}

TEST(TukeyBox, AgreesWithR) {
  for (const Case& one : cases("box")) {
    const TukeyBox box = tukey_box(one.sorted);
    const std::vector<double> numbers{box.low, box.first_quartile, box.median, box.third_quartile,
                                      box.high};
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      golden::expect_close(numbers[i], one.answer.at(i), 1e-12, one.name);
    }
  }
}

TEST(QuantilePlot, AgreesWithRsQqnormAndQqline) {
  for (const Case& one : cases("qq")) {
    const auto plot = normal_quantile_plot(one.sorted, one.sorted.size());
    ASSERT_TRUE(plot) << one.name;
    EXPECT_EQ(plot->values, one.sorted) << one.name;
    for (std::size_t i = 0; i < one.answer.size(); ++i) {
      EXPECT_NEAR(plot->normal[i], one.answer[i], 1e-9) << one.name << " " << i;
    }
  }
  for (const Case& one : cases("qqline")) {
    const auto plot = normal_quantile_plot(one.sorted, 5);
    golden::expect_close(plot->intercept, one.answer.at(0), 1e-9, one.name);
    golden::expect_close(plot->slope, one.answer.at(1), 1e-9, one.name);
    EXPECT_THAT(plot->values.size(), Le(5U));
    EXPECT_EQ(plot->values.front(), one.sorted.front());
    EXPECT_EQ(plot->values.back(), one.sorted.back());
  }
  EXPECT_FALSE(normal_quantile_plot(std::vector<double>{1}, 5));
}

TEST(SampleMeans, AreThoseThatAreTested) {
  const std::vector<double> sorted = normal_sample(300, 100, 5, 6);
  const std::vector<double> means = sample_means(sorted, 30, 500, 11);
  EXPECT_EQ(means.size(), 500U);
  const auto test = normality_of_means(sorted, 30, 500, 11);
  EXPECT_EQ(shapiro_wilk(means)->w, test->w);
  EXPECT_THROW(sample_means({}, 30, 500, 1), std::invalid_argument);
  EXPECT_THROW(sample_means(sorted, 0, 500, 1), std::invalid_argument);
}

}  // namespace
}  // namespace invar::stats
