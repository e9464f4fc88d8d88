#include "stats/test/hodges_lehmann.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "stats/check.hpp"
#include "stats/test/normal.hpp"
#include "stats/test/wilcoxon_distribution.hpp"

namespace invar::stats {
namespace {

constexpr std::size_t kExactBelow = 50;

std::vector<double> sorted_copy(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

double tie_term(const std::vector<double>& sorted) {
  double sum = 0.0;
  for (auto first = sorted.begin(); first != sorted.end();) {
    const auto end = std::upper_bound(first, sorted.end(), *first);
    const double tied = static_cast<double>(end - first);
    sum += tied * tied * tied - tied;
    first = end;
  }
  return sum;
}

/// Maps doubles to integers in the same order, so that bisection ends after 64 steps at an exact
/// value.
std::uint64_t to_ordered(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  constexpr std::uint64_t kSign = std::uint64_t{1} << 63U;
  return (bits & kSign) != 0 ? ~bits : bits | kSign;
}

double from_ordered(std::uint64_t ordered) {
  constexpr std::uint64_t kSign = std::uint64_t{1} << 63U;
  return std::bit_cast<double>((ordered & kSign) != 0 ? ordered & ~kSign : ~ordered);
}

/// The rank-th smallest (from 1) of a multiset between low and high of which only count_up_to(v),
/// the number of members
/// <= v, is known.
template <typename CountUpTo>
double select(double low, double high, std::size_t rank, CountUpTo count_up_to) {
  std::uint64_t first = to_ordered(low);
  std::uint64_t last = to_ordered(high);
  while (first < last) {
    const std::uint64_t middle = first + (last - first) / 2;
    if (count_up_to(from_ordered(middle)) >= rank) {
      last = middle;
    } else {
      first = middle + 1;
    }
  }
  return from_ordered(first) + 0.0;  // never -0
}

/// The averages (x_i + x_j) / 2, i <= j, of a sorted sample.
class WalshAverages {
 public:
  explicit WalshAverages(std::vector<double> sorted) : x_(std::move(sorted)) {}

  [[nodiscard]] std::size_t size() const { return x_.size() * (x_.size() + 1) / 2; }
  [[nodiscard]] double at_rank(std::size_t rank) const {
    return select(x_.front(), x_.back(), rank, [this](double v) { return count_up_to(v); });
  }

 private:
  [[nodiscard]] std::size_t count_up_to(double v) const {
    std::size_t count = 0;
    std::size_t end = x_.size();  // for the current i, the averages with j < end are <= v
    for (std::size_t i = 0; i < x_.size(); ++i) {
      while (end > 0 && (x_[i] + x_[end - 1]) / 2.0 > v) {
        --end;
      }
      if (end <= i) {
        break;
      }
      count += end - i;
    }
    return count;
  }

  std::vector<double> x_;
};

/// The differences x_i - y_j of two sorted samples.
class PairDifferences {
 public:
  PairDifferences(std::vector<double> x, std::vector<double> y)
      : x_(std::move(x)), y_(std::move(y)) {}

  [[nodiscard]] std::size_t size() const { return x_.size() * y_.size(); }
  [[nodiscard]] double at_rank(std::size_t rank) const {
    return select(x_.front() - y_.back(), x_.back() - y_.front(), rank,
                  [this](double v) { return count_up_to(v); });
  }

 private:
  [[nodiscard]] std::size_t count_up_to(double v) const {
    std::size_t count = 0;
    std::size_t begin = 0;  // for the current i, the differences with j >= begin are <= v
    for (const double x : x_) {
      while (begin < y_.size() && x - y_[begin] > v) {
        ++begin;
      }
      count += y_.size() - begin;
    }
    return count;
  }

  std::vector<double> x_;
  std::vector<double> y_;
};

/// What decides which order statistics bound the interval.
struct Reach {
  std::size_t rank = 0;  ///< of the lower end, from 1; 0: the confidence cannot be attained
  double attainable_confidence = 0.0;
};

/// Largest k with 2 P(statistic <= k - 1) <= 1 - confidence.
Reach exact_reach(const SymmetricDistribution& null, double confidence) {
  Reach reach;
  reach.attainable_confidence = std::max(0.0, 1.0 - 2.0 * null.at_most(0));
  reach.rank = null.quantile((1.0 - confidence) / 2.0);
  constexpr double kTolerance = 1e-12;
  if (reach.rank == 0 && reach.attainable_confidence >= confidence - kTolerance) {
    reach.rank = 1;  // attained exactly
  }
  return reach;
}

Reach normal_reach(std::size_t count, double variance, double confidence) {
  Reach reach;
  if (!(variance > 0.0)) {
    return reach;
  }
  const double sigma = std::sqrt(variance);
  const double centre = static_cast<double>(count) / 2.0 - 0.5;  // 0.5: continuity
  reach.attainable_confidence = std::max(0.0, 1.0 - 2.0 * normal_cdf(-centre / sigma));
  const double below = std::floor(centre + sigma * normal_quantile((1.0 - confidence) / 2.0));
  reach.rank = below < 0.0 ? 0 : static_cast<std::size_t>(below) + 1;
  return reach;
}

template <typename Multiset>
LocationEstimate estimate_from(const Multiset& values, Reach reach, bool exact, double confidence) {
  LocationEstimate result;
  result.exact = exact;
  result.attainable_confidence = reach.attainable_confidence;
  const std::size_t count = values.size();
  const double middle = values.at_rank((count + 1) / 2);
  result.estimate =
      count % 2 == 1 ? middle : middle + (values.at_rank(count / 2 + 1) - middle) / 2.0;
  if (reach.rank > 0) {
    result.interval =
        Interval{values.at_rank(reach.rank), values.at_rank(count + 1 - reach.rank), confidence};
  }
  return result;
}

}  // namespace

LocationEstimate hodges_lehmann(std::span<const double> x, double confidence) {
  check::sample("hodges_lehmann", x);
  check::open_unit("hodges_lehmann", "confidence", confidence);
  std::vector<double> sorted = sorted_copy(x);
  const double ties = tie_term(sorted);
  const bool exact = ties == 0.0 && x.size() < kExactBelow;
  const double n = static_cast<double>(x.size());
  const WalshAverages averages(std::move(sorted));
  const bool all_tied = x.size() > 1 && ties == n * n * n - n;
  const double variance = all_tied ? 0.0 : n * (n + 1.0) * (2.0 * n + 1.0) / 24.0 - ties / 48.0;
  const Reach reach = exact ? exact_reach(signed_rank_distribution(x.size()), confidence)
                            : normal_reach(averages.size(), variance, confidence);
  return estimate_from(averages, reach, exact, confidence);
}

LocationEstimate hodges_lehmann_shift(std::span<const double> x, std::span<const double> y,
                                      double confidence) {
  check::sample("hodges_lehmann_shift", x);
  check::sample("hodges_lehmann_shift", y);
  check::open_unit("hodges_lehmann_shift", "confidence", confidence);
  std::vector<double> sorted_x = sorted_copy(x);
  std::vector<double> sorted_y = sorted_copy(y);
  // Ties between x and y vanish with almost every shift; those within a sample stay.
  const double ties = tie_term(sorted_x) + tie_term(sorted_y);
  const bool exact = ties == 0.0 && x.size() < kExactBelow && y.size() < kExactBelow;
  const double n = static_cast<double>(x.size());
  const double m = static_cast<double>(y.size());
  const double total = n + m;
  const bool all_tied = sorted_x.front() == sorted_x.back() && sorted_y.front() == sorted_y.back();
  const double variance =
      all_tied ? 0.0 : n * m / 12.0 * (total + 1.0 - ties / (total * (total - 1.0)));
  const PairDifferences differences(std::move(sorted_x), std::move(sorted_y));
  const Reach reach = exact ? exact_reach(rank_sum_distribution(x.size(), y.size()), confidence)
                            : normal_reach(differences.size(), variance, confidence);
  return estimate_from(differences, reach, exact, confidence);
}

}  // namespace invar::stats
