#include "analysis/clocks/clock_laws.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/text.hpp"
#include "base/units.hpp"
#include "stats/model/line.hpp"

namespace invar::analysis {
namespace {

constexpr std::size_t kFewestSizes = 3;
// Times that differ by less are one time.
constexpr double kSameTime = 0.05;
// One term is enough where it explains that much.
constexpr double kOneTerm = 0.99;
constexpr double kAnyLaw = 0.9;

struct Times {
  std::vector<double> ranks, seconds;
};

double doublings_of(double ranks) { return std::log2(ranks); }
double others_of(double ranks) { return ranks - 1; }

double r_squared_of(const Times& times, const ScalingLaw& law) {
  double mean = 0;
  for (const double seconds : times.seconds) {
    mean += seconds / static_cast<double>(times.seconds.size());
  }
  double left = 0;
  double all = 0;
  for (std::size_t i = 0; i < times.ranks.size(); ++i) {
    const double said = law.per_doubling_s * doublings_of(times.ranks[i]) +
                        law.per_rank_s * others_of(times.ranks[i]);
    left += (times.seconds[i] - said) * (times.seconds[i] - said);
    all += (times.seconds[i] - mean) * (times.seconds[i] - mean);
  }
  return all > 0 ? 1 - left / all : 0;
}

// Least squares of the relative errors: few ranks say as much as many.
ScalingLaw fit_terms(const Times& times, bool doublings, bool others) {
  double dd = 0;
  double oo = 0;
  double mixed = 0;
  double d_sum = 0;
  double o_sum = 0;
  for (std::size_t i = 0; i < times.ranks.size(); ++i) {
    const double d = doublings ? doublings_of(times.ranks[i]) / times.seconds[i] : 0;
    const double o = others ? others_of(times.ranks[i]) / times.seconds[i] : 0;
    dd += d * d;
    oo += o * o;
    mixed += d * o;
    d_sum += d;
    o_sum += o;
  }
  ScalingLaw law;
  if (doublings && others) {
    const double determinant = dd * oo - mixed * mixed;
    law.per_doubling_s = (d_sum * oo - o_sum * mixed) / determinant;
    law.per_rank_s = (o_sum * dd - d_sum * mixed) / determinant;
  } else if (doublings) {
    law.per_doubling_s = d_sum / dd;
  } else {
    law.per_rank_s = o_sum / oo;
  }
  law.r_squared = r_squared_of(times, law);
  return law;
}

std::optional<ScalingLaw> law_of(const Times& times) {
  if (times.ranks.size() < kFewestSizes) return std::nullopt;
  const auto [least, most] = std::ranges::minmax(times.seconds);
  if (!(least > 0)) return std::nullopt;
  ScalingLaw law;
  if (most - least <= kSameTime * most) {
    law.constant_s = (least + most) / 2;
    law.r_squared = 1;
    return law;
  }
  const ScalingLaw by_doublings = fit_terms(times, true, false);
  const ScalingLaw by_others = fit_terms(times, false, true);
  law = by_doublings.r_squared > by_others.r_squared ? by_doublings : by_others;
  if (law.r_squared < kOneTerm) {
    const ScalingLaw both = fit_terms(times, true, true);
    if (both.per_doubling_s > 0 && both.per_rank_s > 0 && both.r_squared > law.r_squared)
      law = both;
  }
  if (law.r_squared < kAnyLaw) return std::nullopt;
  std::vector<double> log_others;
  std::vector<double> log_seconds;
  for (std::size_t i = 0; i < times.ranks.size(); ++i) {
    log_others.push_back(std::log(others_of(times.ranks[i])));
    log_seconds.push_back(std::log(times.seconds[i]));
  }
  const stats::LineFit line = stats::fit_line(log_others, log_seconds);
  law.exponent = line.slope;
  law.exponent_r_squared = line.r_squared;
  return law;
}

std::string time_text(double seconds) { return base::duration_text(seconds * 1e9); }

}  // namespace

std::string ScalingLaw::text() const {
  if (constant_s > 0) return time_text(constant_s);
  std::vector<std::string> terms;
  if (per_doubling_s > 0) terms.push_back(time_text(per_doubling_s) + " log2 p");
  if (per_rank_s > 0) terms.push_back(time_text(per_rank_s) + " (p - 1)");
  return base::join(terms, " + ");
}

std::vector<ScalingLaw> scaling_laws(const std::vector<TrialsRow>& rows) {
  std::vector<std::string> order;
  std::map<std::string, Times> of;
  for (const TrialsRow& row : rows) {
    if (row.ranks < 2) continue;
    if (!of.contains(row.algorithm)) order.push_back(row.algorithm);
    of[row.algorithm].ranks.push_back(row.ranks);
    of[row.algorithm].seconds.push_back(row.seconds.median);
  }
  std::vector<ScalingLaw> laws;
  for (const std::string& algorithm : order) {
    std::optional<ScalingLaw> law = law_of(of[algorithm]);
    if (!law) continue;
    law->algorithm = algorithm;
    laws.push_back(std::move(*law));
  }
  return laws;
}

std::string laws_text(const std::vector<ScalingLaw>& laws) {
  std::vector<std::string> with_others;
  std::vector<std::string> with_doublings;
  std::vector<std::string> with_both;
  std::vector<std::string> constant;
  for (const ScalingLaw& law : laws) {
    std::vector<std::string>& names = law.constant_s > 0        ? constant
                                      : law.per_doubling_s == 0 ? with_others
                                      : law.per_rank_s == 0     ? with_doublings
                                                                : with_both;
    names.push_back(law.algorithm);
  }
  std::vector<std::string> parts;
  const auto add = [&](const std::vector<std::string>& names, const char* how) {
    if (!names.empty()) parts.push_back(how + base::join(names, ", "));
  };
  add(with_others, "grows with p - 1 for ");
  add(with_doublings, "grows with log2 p for ");
  add(with_both, "grows as a log2 p + b (p - 1) for ");
  add(constant, "is the same for ");
  return parts.empty() ? "" : "The time " + base::join(parts, ", ");
}

}  // namespace invar::analysis
