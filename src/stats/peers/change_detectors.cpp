#include "stats/peers/change_detectors.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stats/check.hpp"
#include "stats/describe/quantile.hpp"
#include "stats/model/line.hpp"

namespace invar::stats {
namespace {

void check_ascending(const char* function, double before, double size, bool first) {
  if (!std::isfinite(size) || (!first && !(size > before))) {
    check::fail(function, "sizes must be finite and ascending");
  }
}

// --- NetGauge

// A line as NetGauge has it: without two points to spare there is no deviation (NaN).
struct NetgaugeLine {
  double a = std::numeric_limits<double>::quiet_NaN();  // us a byte
  double b = std::numeric_limits<double>::quiet_NaN();  // us
  double deviation = std::numeric_limits<double>::quiet_NaN();
};

struct NetgaugeGap {
  double size = 0;
  double gap_us = 0;
};

class Netgauge {
 public:
  explicit Netgauge(const NetgaugeRule& rule) : rule_(rule) {}

  void add(const NetgaugeTimes& times) {
    const double others = static_cast<double>(rule_.messages) - 1;
    gaps_.push_back({times.size, (times.train_us - times.one_us) / others});
    overhead_us_.reset();
    if (times.delayed_us) {
      overhead_us_ = (*times.delayed_us - times.one_us) / others - times.one_us;
    }
    if (line_.deviation > rule_.outliers_us) remove_outliers();
    look_for_change();
    line_ = line(begin_, gaps_.size());
  }

  NetgaugeResult take() {
    if (begin_ < gaps_.size()) add_stretch(line_, gaps_.size() - 1);
    return std::move(result_);
  }

 private:
  [[nodiscard]] NetgaugeLine line(std::size_t begin, std::size_t end) const {
    NetgaugeLine fit;
    if (end < begin + 2) return fit;
    const auto count = static_cast<double>(end - begin);
    double mean_size = 0;
    double mean_gap = 0;
    for (std::size_t i = begin; i < end; ++i) {
      mean_size += gaps_[i].size / count;
      mean_gap += gaps_[i].gap_us / count;
    }
    double products = 0;
    double squares = 0;
    for (std::size_t i = begin; i < end; ++i) {
      const double from_mean = gaps_[i].size - mean_size;
      products += from_mean * (gaps_[i].gap_us - mean_gap);
      squares += from_mean * from_mean;
    }
    fit.a = products / squares;
    fit.b = mean_gap - fit.a * mean_size;
    if (end < begin + 3) return fit;
    double off = 0;
    for (std::size_t i = begin; i < end; ++i) {
      const double residual = fit.a * gaps_[i].size + fit.b - gaps_[i].gap_us;
      off += residual * residual;
    }
    fit.deviation = std::sqrt(off / (count - 2));
    return fit;
  }

  // All points, also those before the last change, against the newest line. The one behind a
  // removed point is passed over, and the place of the last change is not moved.
  void remove_outliers() {
    for (std::size_t i = 0; i < gaps_.size(); ++i) {
      const double most = line_.a * gaps_[i].size + line_.b + 2 * line_.deviation;
      if (!(gaps_[i].gap_us > most)) continue;
      result_.removed.push_back(gaps_[i].size);
      gaps_.erase(gaps_.begin() + static_cast<std::ptrdiff_t>(i));
      line_ = line(begin_, gaps_.size());
    }
  }

  void look_for_change() {
    constexpr std::size_t kAhead = 5;
    if (gaps_.size() < begin_ + kAhead + 2) return;
    const std::size_t last = gaps_.size() - kAhead;
    const NetgaugeLine before = line(begin_, last);
    if (!(before.deviation >= rule_.least_us)) return;
    for (std::size_t end = last + 1; end < last + kAhead; ++end) {
      if (line(begin_, end).deviation < rule_.factor * before.deviation) return;
    }
    result_.changes.push_back(gaps_[last].size);
    add_stretch(before, last);
    begin_ = last + 1;
  }

  void add_stretch(const NetgaugeLine& fit, std::size_t last) {
    result_.stretches.push_back({.first_size = gaps_[begin_].size,
                                 .last_size = gaps_[last].size,
                                 .g_us = fit.b,
                                 .gap_per_byte_us = fit.a,
                                 .deviation_us = fit.deviation,
                                 .overhead_us = overhead_us_});
  }

  const NetgaugeRule& rule_;
  std::vector<NetgaugeGap> gaps_ = {};
  std::size_t begin_ = 0;  // of what belongs to the newest protocol
  NetgaugeLine line_ = {};
  std::optional<double> overhead_us_ = std::nullopt;
  NetgaugeResult result_ = {};
};

// --- PLogP

// What a time at `size` must be if it goes on as between the two before it, and is it?
bool is_off(const PlogpMeasured& first, const PlogpMeasured& second, const PlogpMeasured& now,
            std::optional<double> PlogpTimes::*time, double most) {
  const std::optional<double>& before = first.times.*time;
  const std::optional<double>& last = second.times.*time;
  const std::optional<double>& measured = now.times.*time;
  if (!before || !last || !measured) return false;
  const double slope = (*last - *before) / (second.size - first.size);
  const double expected = *last + (now.size - second.size) * slope;
  constexpr double kLeastNs = 10;  // what it takes for the smallest time that there is
  constexpr double kSmall = 1024;
  const bool gap = time == &PlogpTimes::gap_ns;
  const bool hidden = !gap && now.size > kSmall && expected / now.size < kLeastNs;
  return expected > kLeastNs &&
         std::abs(expected - *measured) / expected > (hidden ? 2 * most : most);
}

bool is_off(const std::vector<PlogpMeasured>& sizes, std::size_t at, double most) {
  const auto off = [&](std::optional<double> PlogpTimes::*time) {
    return is_off(sizes[at - 2], sizes[at - 1], sizes[at], time, most);
  };
  return off(&PlogpTimes::send_overhead_ns) || off(&PlogpTimes::receive_overhead_ns) ||
         off(&PlogpTimes::gap_ns);
}

// A size between two others, or none: as near to the wish as there is one.
using PlogpBetween =
    std::function<std::optional<PlogpMeasured>(double low, double high, double wish)>;

PlogpResult halved(std::vector<PlogpMeasured> sizes, const PlogpBetween& between,
                   const PlogpRule& rule) {
  PlogpResult result;
  for (std::size_t i = 2; i < sizes.size();) {
    if (!is_off(sizes, i, rule.difference)) {
      ++i;
      continue;
    }
    const double low = sizes[i - 1].size;
    const double high = sizes[i].size;
    std::optional<PlogpMeasured> middle;
    if (sizes.size() < rule.most_sizes &&
        high - low > std::max(rule.precision * high, rule.least_distance)) {
      middle = between(low, high, 4 * std::floor((low + high) / 2 / 4));
    }
    if (middle) {
      sizes.insert(sizes.begin() + static_cast<std::ptrdiff_t>(i), *middle);
    } else {
      result.changes.push_back({.below = low, .above = high});
      ++i;
    }
  }
  for (const PlogpMeasured& one : sizes) result.sizes.push_back(one.size);
  return result;
}

std::vector<double> plogp_first_sizes(double most, std::size_t most_sizes) {
  std::vector<double> sizes{0};
  for (double size = 1; size < most && sizes.size() < most_sizes; size *= 2) sizes.push_back(size);
  if (sizes.size() < most_sizes) sizes.push_back(most);
  return sizes;
}

void check_plogp(const char* function, const PlogpRule& rule) {
  check::positive(function, "difference", rule.difference);
  check::not_negative(function, "precision", rule.precision);
  // Halves are rounded down to 4 bytes, and must lie between.
  if (!(rule.least_distance >= 8)) check::fail(function, "sizes keep a distance of 8 at least");
}

// --- LoOgGP

// The places whose value lies beyond Tukey's fences around their neighbourhood.
std::vector<bool> looggp_outliers(std::span<const double> values, const LooggpRule& rule) {
  std::vector<bool> outliers(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t begin = i < rule.neighbours ? 0 : i - rule.neighbours;
    const std::size_t end = std::min(values.size(), i + rule.neighbours + 1);
    const std::span<const double> around = values.subspan(begin, end - begin);
    const double low = quantile(around, 0.25);
    const double high = quantile(around, 0.75);
    const double reach = rule.fences * (high - low);
    outliers[i] = values[i] < low - reach || values[i] > high + reach;
  }
  return outliers;
}

std::vector<double> looggp_deviations(std::span<const double> sizes,
                                      std::span<const double> times) {
  const LineFit line = fit_line(sizes, times);
  std::vector<double> deviations;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    deviations.push_back(times[i] - (line.intercept + line.slope * sizes[i]));
  }
  return deviations;
}

}  // namespace

NetgaugeResult netgauge_changes(std::span<const NetgaugeTimes> times, const NetgaugeRule& rule) {
  constexpr const char* kFunction = "netgauge_changes";
  if (rule.messages < 2) check::fail(kFunction, "a train has at least two messages");
  Netgauge netgauge(rule);
  for (std::size_t i = 0; i < times.size(); ++i) {
    const NetgaugeTimes& now = times[i];
    check_ascending(kFunction, i > 0 ? times[i - 1].size : 0, now.size, i == 0);
    check::finite(kFunction, std::vector<double>{now.one_us, now.train_us});
    if (now.delayed_us) check::finite(kFunction, {&*now.delayed_us, 1});
    netgauge.add(now);
  }
  return netgauge.take();
}

PlogpResult plogp_changes(const std::function<PlogpTimes(double size)>& measure, double most,
                          const PlogpRule& rule) {
  check_plogp("plogp_changes", rule);
  if (!(most >= 1 && std::isfinite(most))) {
    check::fail("plogp_changes", "the largest size is 1 at least");
  }
  std::vector<PlogpMeasured> first;
  for (const double size : plogp_first_sizes(most, rule.most_sizes)) {
    first.push_back({.size = size, .times = measure(size)});
  }
  const PlogpBetween between = [&](double, double, double wish) -> std::optional<PlogpMeasured> {
    return PlogpMeasured{.size = wish, .times = measure(wish)};
  };
  return halved(std::move(first), between, rule);
}

PlogpResult plogp_changes_on(std::span<const PlogpMeasured> measured, const PlogpRule& rule) {
  check_plogp("plogp_changes_on", rule);
  for (std::size_t i = 0; i < measured.size(); ++i) {
    check_ascending("plogp_changes_on", i > 0 ? measured[i - 1].size : 0, measured[i].size, i == 0);
  }
  const PlogpBetween between = [&](double low, double high,
                                   double wish) -> std::optional<PlogpMeasured> {
    std::optional<PlogpMeasured> nearest;
    for (const PlogpMeasured& one : measured) {
      if (one.size <= low || one.size >= high) continue;
      if (!nearest || std::abs(one.size - wish) < std::abs(nearest->size - wish)) nearest = one;
    }
    return nearest;
  };
  std::vector<PlogpMeasured> first;
  if (!measured.empty()) {
    constexpr double kBelow = -std::numeric_limits<double>::infinity();
    constexpr double kAbove = std::numeric_limits<double>::infinity();
    for (const double size : plogp_first_sizes(measured.back().size, rule.most_sizes)) {
      const std::optional<PlogpMeasured> nearest =
          between(first.empty() ? kBelow : first.back().size, kAbove, size);
      if (nearest) first.push_back(*nearest);
    }
  }
  return halved(std::move(first), between, rule);
}

LooggpResult looggp_changes(std::span<const double> sizes, std::span<const double> times,
                            const LooggpRule& rule) {
  constexpr const char* kFunction = "looggp_changes";
  if (rule.neighbours == 0) check::fail(kFunction, "a neighbourhood has at least one neighbour");
  check::not_negative(kFunction, "fences", rule.fences);
  if (sizes.size() != times.size()) check::fail(kFunction, "there are as many times as sizes");
  check::finite(kFunction, times);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    check_ascending(kFunction, i > 0 ? sizes[i - 1] : 0, sizes[i], i == 0);
  }
  LooggpResult result;
  if (sizes.size() < 2) return result;
  const std::vector<bool> outliers = looggp_outliers(looggp_deviations(sizes, times), rule);
  std::vector<double> kept_sizes;
  std::vector<double> kept_times;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (outliers[i]) {
      result.removed.push_back(sizes[i]);
    } else {
      kept_sizes.push_back(sizes[i]);
      kept_times.push_back(times[i]);
    }
  }
  if (kept_sizes.size() < 2) return result;
  const std::vector<double> deviations = looggp_deviations(kept_sizes, kept_times);
  for (std::size_t i = rule.neighbours; i + rule.neighbours < deviations.size(); ++i) {
    const auto around = std::span(deviations).subspan(i - rule.neighbours, 2 * rule.neighbours + 1);
    const auto largest = std::ranges::max_element(around);
    if (static_cast<std::size_t>(largest - around.begin()) == rule.neighbours) {
      result.candidates.push_back(kept_sizes[i]);
    }
  }
  return result;
}

}  // namespace invar::stats
