#include "stats/model/mixture.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>

#include "stats/check.hpp"

namespace invar::stats {
namespace {

constexpr double kBinsOfARange = 500;
constexpr int kMostIterations = 500;
constexpr double kConverged = 1e-7;  // relative gain of the log likelihood

struct Bin {
  double x = 0;  // mean of its values
  double count = 0;
};

struct Binned {
  std::vector<Bin> bins = {};  // ascending, none empty
  double count = 0;
};

// Bins without values are not kept: a far value costs one more, it makes none coarser.
Binned binned(std::span<const double> values, double sd_floor) {
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  const double least = sorted.front();
  const double range = sorted.back() - least;
  const double width = std::min(sd_floor / 2, std::max(sd_floor / 4, range / kBinsOfARange));
  Binned result{.count = static_cast<double>(values.size())};
  double place = -1;
  for (const double value : sorted) {
    const double own = std::floor((value - least) / width);
    if (own != place) result.bins.push_back({});
    place = own;
    // Sums from the least: small numbers keep their digits.
    result.bins.back().x += value - least;
    ++result.bins.back().count;
  }
  for (Bin& bin : result.bins) bin.x = least + bin.x / bin.count;
  return result;
}

// Components of consecutive bins; `ends` one past the last bin of each.
std::vector<MixtureComponent> from_runs(const Binned& data, const std::vector<std::size_t>& ends,
                                        double sd_floor) {
  std::vector<MixtureComponent> components;
  std::size_t begin = 0;
  for (const std::size_t end : ends) {
    double count = 0;
    double sum = 0;
    for (std::size_t i = begin; i < end; ++i) {
      count += data.bins[i].count;
      sum += data.bins[i].count * data.bins[i].x;
    }
    const double mean = sum / count;
    double squares = 0;
    for (std::size_t i = begin; i < end; ++i) {
      squares += data.bins[i].count * (data.bins[i].x - mean) * (data.bins[i].x - mean);
    }
    components.push_back({.share = count / data.count,
                          .mean = mean,
                          .sd = std::max(std::sqrt(squares / count), sd_floor)});
    begin = end;
  }
  return components;
}

std::vector<std::size_t> equal_shares(const Binned& data, std::size_t k) {
  std::vector<std::size_t> ends;
  double count = 0;
  for (std::size_t i = 0; i < data.bins.size(); ++i) {
    count += data.bins[i].count;
    const auto next = static_cast<double>(ends.size() + 1);
    const bool room = data.bins.size() - i - 1 >= k - ends.size() - 1;
    const bool last_chance = data.bins.size() - i - 1 == k - ends.size() - 1;
    if (ends.size() + 1 < k && room &&
        (last_chance || count >= next / static_cast<double>(k) * data.count)) {
      ends.push_back(i + 1);
    }
  }
  ends.push_back(data.bins.size());
  return ends;
}

// Splits, one after the other, where the squares within fall most: Ward's criterion from above.
std::vector<std::size_t> best_splits(const Binned& data, std::size_t k) {
  std::vector<double> counts(data.bins.size() + 1, 0);
  std::vector<double> sums(data.bins.size() + 1, 0);
  const double origin = data.bins.front().x;
  for (std::size_t i = 0; i < data.bins.size(); ++i) {
    counts[i + 1] = counts[i] + data.bins[i].count;
    sums[i + 1] = sums[i] + data.bins[i].count * (data.bins[i].x - origin);
  }
  std::vector<std::size_t> ends{data.bins.size()};
  while (ends.size() < k) {
    double best = -1;
    std::size_t where = 0;
    std::size_t begin = 0;
    for (const std::size_t end : ends) {
      for (std::size_t cut = begin + 1; cut < end; ++cut) {
        const double left = counts[cut] - counts[begin];
        const double right = counts[end] - counts[cut];
        const double apart = (sums[end] - sums[cut]) / right - (sums[cut] - sums[begin]) / left;
        const double gain = left * right / (left + right) * apart * apart;
        if (gain > best) {
          best = gain;
          where = cut;
        }
      }
      begin = end;
    }
    if (where == 0) break;  // every bin is a cluster
    ends.insert(std::upper_bound(ends.begin(), ends.end(), where), where);
  }
  return ends;
}

struct Sums {
  double weight = 0;
  double x = 0;
  double squares = 0;
};

Mixture maximise(const Binned& data, std::vector<MixtureComponent> components, double sd_floor) {
  const std::size_t k = components.size();
  Mixture result;
  double before = -std::numeric_limits<double>::infinity();
  std::vector<double> parts(k);
  std::vector<double> logs(k);
  for (int iteration = 0; iteration < kMostIterations; ++iteration) {
    std::vector<Sums> sums(k);
    for (std::size_t j = 0; j < k; ++j) {
      logs[j] = std::log(components[j].share) - std::log(components[j].sd) -
                0.5 * std::log(2 * std::numbers::pi);
    }
    double log_likelihood = 0;
    for (const Bin& bin : data.bins) {
      double largest = -std::numeric_limits<double>::infinity();
      for (std::size_t j = 0; j < k; ++j) {
        const double z = (bin.x - components[j].mean) / components[j].sd;
        parts[j] = logs[j] - 0.5 * z * z;
        largest = std::max(largest, parts[j]);
      }
      double total = 0;
      for (double& part : parts) {
        part = std::exp(part - largest);
        total += part;
      }
      log_likelihood += bin.count * (largest + std::log(total));
      for (std::size_t j = 0; j < k; ++j) {
        const double weight = bin.count * parts[j] / total;
        const double away = bin.x - components[j].mean;  // small numbers: squares keep their digits
        sums[j].weight += weight;
        sums[j].x += weight * away;
        sums[j].squares += weight * away * away;
      }
    }
    result.components = components;
    result.log_likelihood = log_likelihood;
    if (log_likelihood - before <= kConverged * std::abs(log_likelihood)) break;
    before = log_likelihood;
    for (std::size_t j = 0; j < k; ++j) {
      const double weight = std::max(sums[j].weight, 1e-9 * data.count);
      const double moved = sums[j].x / weight;
      components[j].share = weight / data.count;
      components[j].mean += moved;
      components[j].sd =
          std::max(std::sqrt(std::max(0.0, sums[j].squares / weight - moved * moved)), sd_floor);
    }
  }
  std::sort(result.components.begin(), result.components.end(),
            [](const MixtureComponent& a, const MixtureComponent& b) { return a.mean < b.mean; });
  result.bic = -2 * result.log_likelihood + (3 * static_cast<double>(k) - 1) * std::log(data.count);
  return result;
}

// Fewer components where there are fewer different values.
Mixture fit(const Binned& data, std::size_t components, double sd_floor) {
  const std::size_t k = std::min(components, data.bins.size());
  Mixture best = maximise(data, from_runs(data, best_splits(data, k), sd_floor), sd_floor);
  if (k == 1) return best;
  Mixture other = maximise(data, from_runs(data, equal_shares(data, k), sd_floor), sd_floor);
  return other.log_likelihood > best.log_likelihood ? other : best;
}

void check_arguments(const char* function, std::span<const double> values, std::size_t components,
                     double sd_floor) {
  check::sample(function, values);
  check::positive(function, "sd_floor", sd_floor);
  if (components == 0) check::fail(function, "a mixture has at least one component");
}

}  // namespace

double Mixture::density(double x) const {
  double sum = 0;
  for (const MixtureComponent& one : components) {
    const double z = (x - one.mean) / one.sd;
    sum += one.share / one.sd * std::exp(-0.5 * z * z);
  }
  return sum / std::sqrt(2 * std::numbers::pi);
}

Mixture fit_mixture(std::span<const double> values, std::size_t components, double sd_floor) {
  check_arguments("fit_mixture", values, components, sd_floor);
  return fit(binned(values, sd_floor), components, sd_floor);
}

Mixture best_mixture(std::span<const double> values, std::size_t most, double sd_floor) {
  check_arguments("best_mixture", values, most, sd_floor);
  const Binned data = binned(values, sd_floor);
  Mixture best = fit(data, 1, sd_floor);
  for (std::size_t k = 2; k <= std::min(most, data.bins.size()); ++k) {
    Mixture next = fit(data, k, sd_floor);
    if (next.bic < best.bic) best = std::move(next);
  }
  return best;
}

std::vector<double> valleys(const Mixture& mixture, double depth) {
  check::open_unit("valleys", "depth", depth);
  if (mixture.components.size() < 2) return {};
  double finest = std::numeric_limits<double>::infinity();
  for (const MixtureComponent& one : mixture.components) finest = std::min(finest, one.sd);
  const double begin = mixture.components.front().mean;
  const double range = mixture.components.back().mean - begin;
  if (!(range > 0)) return {};
  const auto steps = static_cast<std::size_t>(std::clamp(8 * range / finest, 64.0, 20000.0));
  // Peaks and what lies between them: a valley counts once the density has risen enough behind it.
  std::vector<double> found;
  double peak = 0;
  double low = std::numeric_limits<double>::infinity();
  double low_at = begin;
  bool falling = false;  // the density fell below depth * peak, and low is the least since
  for (std::size_t i = 0; i <= steps; ++i) {
    const double x = begin + range * static_cast<double>(i) / static_cast<double>(steps);
    const double height = mixture.density(x);
    if (!falling) {
      peak = std::max(peak, height);
      if (height < depth * peak) {
        falling = true;
        low = height;
        low_at = x;
      }
      continue;
    }
    if (height < low) {
      low = height;
      low_at = x;
    } else if (low < depth * height) {
      found.push_back(low_at);
      falling = false;
      peak = height;
    }
  }
  return found;
}

}  // namespace invar::stats
