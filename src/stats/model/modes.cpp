#include "stats/model/modes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "stats/check.hpp"

namespace invar::stats {
namespace {

// What the distribution function must pass between at a value: (x, low) and (x, high).
struct Gate {
  double x = 0;
  double low = 0;
  double high = 0;
};

// One gate a value, before and behind them the ends 0 and 1, so far away that what rises between
// an end and the values is flatter than anything between them: a dip allows it there.
class Tube {
 public:
  Tube(std::span<const double> sorted, double distance)
      : sorted_(sorted), distance_(distance), n_(static_cast<double>(sorted.size())) {
    const double range = sorted.back() - sorted.front();
    far_ = 1e3 * n_ * (range > 0 ? range : 1);
  }

  [[nodiscard]] std::size_t size() const { return sorted_.size() + 2; }

  [[nodiscard]] Gate operator[](std::size_t i) const {
    if (i == 0) return {sorted_.front() - far_, 0, 0};
    if (i > sorted_.size()) return {sorted_.back() + far_, 1, 1};
    const auto rank = static_cast<double>(i);
    return {sorted_[i - 1], rank / n_ - distance_, (rank - 1) / n_ + distance_};
  }

 private:
  std::span<const double> sorted_;
  double distance_;
  double n_;
  double far_;
};

// Slopes are equal if they differ by rounding only.
constexpr double kSame = 1e-9;

// Counts the hills of a sequence of slopes.
class Hills {
 public:
  void add(double slope) {
    if (slope > last_ * (1 + kSame)) {
      rising_ = true;
    } else if (slope < last_ * (1 - kSame)) {
      count_ += rising_ ? 1U : 0U;
      rising_ = false;
    }
    last_ = slope;
  }
  [[nodiscard]] std::size_t count() const { return count_ + (rising_ ? 1U : 0U); }

 private:
  double last_ = 0;
  bool rising_ = true;
  std::size_t count_ = 0;
};

constexpr std::array<double, 12> kProbabilities{0.01, 0.1,  0.25, 0.5,   0.75,  0.9,
                                                0.95, 0.98, 0.99, 0.995, 0.998, 0.999};

// sqrt(n) times the quantiles of the dip of n uniform values: tests/golden/dip.R, 50000 samples of
// each size up to 200, 20000 up to 1000, 10000 above.
struct DipQuantiles {
  double n;
  std::array<double, kProbabilities.size()> scaled;
};
constexpr std::array<DipQuantiles, 16> kTable{{
    {4,
     {0.2500, 0.2500, 0.2500, 0.2500, 0.2891, 0.3759, 0.4154, 0.4470, 0.4628, 0.4742, 0.4844,
      0.4884}},
    {5,
     {0.2236, 0.2236, 0.2236, 0.2727, 0.3454, 0.3962, 0.4173, 0.4330, 0.4391, 0.4428, 0.4454,
      0.4461}},
    {6,
     {0.2041, 0.2041, 0.2412, 0.3010, 0.3546, 0.3892, 0.4036, 0.4395, 0.4712, 0.4956, 0.5200,
      0.5341}},
    {8,
     {0.1768, 0.2323, 0.2721, 0.3140, 0.3476, 0.4019, 0.4352, 0.4692, 0.4896, 0.5050, 0.5247,
      0.5434}},
    {10,
     {0.1928, 0.2468, 0.2782, 0.3092, 0.3614, 0.4127, 0.4412, 0.4772, 0.5037, 0.5256, 0.5504,
      0.5652}},
    {15,
     {0.2123, 0.2491, 0.2787, 0.3236, 0.3719, 0.4263, 0.4595, 0.4990, 0.5281, 0.5534, 0.5829,
      0.6018}},
    {20,
     {0.2127, 0.2547, 0.2872, 0.3288, 0.3820, 0.4355, 0.4694, 0.5110, 0.5401, 0.5669, 0.5977,
      0.6188}},
    {30,
     {0.2170, 0.2597, 0.2927, 0.3366, 0.3902, 0.4459, 0.4822, 0.5256, 0.5552, 0.5821, 0.6166,
      0.6392}},
    {50,
     {0.2226, 0.2673, 0.3003, 0.3457, 0.4008, 0.4590, 0.4961, 0.5417, 0.5744, 0.6033, 0.6375,
      0.6623}},
    {100,
     {0.2276, 0.2741, 0.3087, 0.3552, 0.4132, 0.4729, 0.5105, 0.5584, 0.5928, 0.6251, 0.6603,
      0.6846}},
    {200,
     {0.2327, 0.2793, 0.3145, 0.3613, 0.4194, 0.4814, 0.5208, 0.5698, 0.6036, 0.6365, 0.6710,
      0.6974}},
    {500,
     {0.2373, 0.2850, 0.3200, 0.3686, 0.4263, 0.4907, 0.5335, 0.5835, 0.6209, 0.6500, 0.6903,
      0.7113}},
    {1000,
     {0.2395, 0.2863, 0.3225, 0.3714, 0.4304, 0.4931, 0.5359, 0.5847, 0.6218, 0.6544, 0.6985,
      0.7185}},
    {2000,
     {0.2441, 0.2903, 0.3258, 0.3745, 0.4344, 0.4990, 0.5417, 0.5938, 0.6232, 0.6574, 0.6966,
      0.7181}},
    {5000,
     {0.2433, 0.2920, 0.3272, 0.3776, 0.4368, 0.4998, 0.5461, 0.5960, 0.6260, 0.6511, 0.6944,
      0.7351}},
    {10000,
     {0.2474, 0.2941, 0.3293, 0.3778, 0.4381, 0.5017, 0.5413, 0.5930, 0.6263, 0.6585, 0.7016,
      0.7167}},
}};

double lerp(double a, double b, double share) { return a + (b - a) * share; }

// Between two sizes linear in log n; above the largest its limit.
std::array<double, kProbabilities.size()> scaled_quantiles(std::size_t n) {
  const auto size = static_cast<double>(n);
  const auto above =
      std::ranges::find_if(kTable, [&](const DipQuantiles& r) { return r.n >= size; });
  if (above == kTable.end()) return kTable.back().scaled;
  if (above == kTable.begin()) return above->scaled;
  const DipQuantiles& below = *std::prev(above);
  const double share = std::log(size / below.n) / std::log(above->n / below.n);
  std::array<double, kProbabilities.size()> between{};
  for (std::size_t i = 0; i < between.size(); ++i) {
    between[i] = lerp(below.scaled[i], above->scaled[i], share);
  }
  return between;
}

void require_size(const char* function, std::size_t n) {
  if (n < 4) check::fail(function, "n must be at least 4, but is " + std::to_string(n));
}

}  // namespace

std::vector<double> spread_ties(std::span<const double> values, double step) {
  check::sample("spread_ties", values);
  check::not_negative("spread_ties", "step", step);
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  double width = step;
  if (step == 0) {
    width = std::numeric_limits<double>::infinity();
    for (std::size_t i = 1; i < sorted.size(); ++i) {
      const double gap = sorted[i] - sorted[i - 1];
      if (gap > 0) width = std::min(width, gap);
    }
    if (std::isinf(width)) width = 1;  // all equal: any width
  }
  for (std::size_t first = 0; first < sorted.size();) {
    const double value = sorted[first];
    std::size_t end = first;
    while (end < sorted.size() && sorted[end] - value <= step / 2) ++end;
    const auto tied = static_cast<double>(end - first);
    for (std::size_t i = first; tied > 1 && i < end; ++i) {
      sorted[i] = value + width * ((static_cast<double>(i - first) + 0.5) / tied - 0.5);
    }
    first = end;
  }
  return sorted;
}

std::size_t modes_within(std::span<const double> sorted, double distance) {
  check::sample("modes_within", sorted);
  check::closed_unit("modes_within", "distance", distance);
  const Tube tube(sorted, std::max(distance, 0.5 / static_cast<double>(sorted.size())));
  Hills hills;
  std::size_t at = 0;
  double y = 0;
  // From each point as far as a straight line leads; the string bends at the gate that it meets
  // first, and goes on from there.
  while (at + 1 < tube.size()) {
    const double x = tube[at].x;
    double steepest = std::numeric_limits<double>::infinity();
    double flattest = -steepest;
    std::size_t high_at = at;
    std::size_t low_at = at;
    std::size_t bend = tube.size() - 1;
    double slope = 0;
    double bend_y = 1;
    for (std::size_t i = at + 1; i < tube.size(); ++i) {
      const Gate gate = tube[i];
      const double high = (gate.high - y) / (gate.x - x);
      const double low = (gate.low - y) / (gate.x - x);
      if (low > steepest) {
        bend = high_at;
        slope = steepest;
        bend_y = tube[high_at].high;
        break;
      }
      if (high < flattest) {
        bend = low_at;
        slope = flattest;
        bend_y = tube[low_at].low;
        break;
      }
      if (high <= steepest) {
        steepest = high;
        high_at = i;
      }
      if (low >= flattest) {
        flattest = low;
        low_at = i;
      }
      slope = low;  // of the last gate, which is a point
    }
    hills.add(slope);
    at = bend;
    y = bend_y;
  }
  return hills.count();
}

double dip(std::span<const double> sorted) {
  check::sample("dip", sorted);
  double low = 0.5 / static_cast<double>(sorted.size());
  double high = std::max(low, 0.25);
  if (modes_within(sorted, low) == 1) return low;
  while (high - low > 1e-12) {
    const double middle = (low + high) / 2;
    (modes_within(sorted, middle) == 1 ? high : low) = middle;
  }
  return high;
}

double dip_quantile(std::size_t n, double probability) {
  require_size("dip_quantile", n);
  if (!(probability >= kProbabilities.front() && probability <= kProbabilities.back())) {
    check::fail("dip_quantile", "the table goes from 0.01 to 0.999");
  }
  const auto quantiles = scaled_quantiles(n);
  const auto above = std::ranges::lower_bound(kProbabilities, probability);
  const auto i = static_cast<std::size_t>(above - kProbabilities.begin());
  double scaled = quantiles[i];
  if (i > 0) {
    scaled =
        lerp(quantiles[i - 1], quantiles[i],
             (probability - kProbabilities[i - 1]) / (kProbabilities[i] - kProbabilities[i - 1]));
  }
  return scaled / std::sqrt(static_cast<double>(n));
}

double dip_p(std::size_t n, double dip) {
  require_size("dip_p", n);
  const auto quantiles = scaled_quantiles(n);
  const double scaled = dip * std::sqrt(static_cast<double>(n));
  if (scaled <= quantiles.front()) return 1 - kProbabilities.front();
  if (scaled >= quantiles.back()) return 1 - kProbabilities.back();
  std::size_t i = 1;
  while (quantiles[i] < scaled) ++i;
  const double share = (scaled - quantiles[i - 1]) / (quantiles[i] - quantiles[i - 1]);
  return 1 - lerp(kProbabilities[i - 1], kProbabilities[i], share);
}

std::size_t count_modes(std::span<const double> values, double step, double alpha) {
  if (!(alpha >= 0.001 && alpha <= 0.5)) check::fail("count_modes", "alpha is out of range");
  const std::vector<double> sorted = spread_ties(values, step);
  if (sorted.size() < 4) return 1;
  return modes_within(sorted, dip_quantile(sorted.size(), 1 - alpha));
}

}  // namespace invar::stats
