#include "analysis/words/numbers.hpp"

#include <fmt/format.h>

#include <cmath>

#include "analysis/words/words.hpp"
#include "stats/decide/multiplicity.hpp"

namespace invar::analysis {
namespace {

struct Unit {
  double ns;
  const char* name;
};

// As base::duration_text: microseconds, the field's unit, where they read well.
Unit unit_for(double time_ns) {
  const double magnitude = std::abs(time_ns);
  if (magnitude < 10) return {1, "ns"};
  if (magnitude < 1e6) return {1e3, "us"};
  if (magnitude < 1e9) return {1e6, "ms"};
  return {1e9, "s"};
}

int decimals_for(double shown) {
  const double magnitude = std::abs(shown);
  if (magnitude >= 100) return 0;
  if (magnitude >= 10) return 1;
  return magnitude >= 1 ? 2 : 3;
}

std::string number(double value, int decimals) {
  if (!std::isfinite(value)) return "inf";
  // Beyond this a fixed notation is a row of digits that mean nothing.
  if (std::abs(value) >= 1e6) return fmt::format("{:.0e}", value);
  std::string text = fmt::format("{:.{}f}", value, decimals);
  // Nothing that exists is written as zero.
  if (value != 0 && text.find_first_not_of("-0.") == std::string::npos) {
    return fmt::format("{:.0e}", value);
  }
  return text;
}

std::string interval_text(const stats::Interval& interval, double scale, int decimals) {
  if (says_nothing(interval)) return "-";
  return "[" + number(interval.low / scale, decimals) + ", " +
         number(interval.high / scale, decimals) + "]";
}

}  // namespace

bool says_nothing(const stats::Interval& interval) {
  constexpr double kFarthest = 100;
  return interval.low > 0 && interval.high > kFarthest * interval.low;
}

EstimateText time_text(const TimeEstimate& time) {
  const Unit unit = unit_for(time.median_ns);
  const int decimals = decimals_for(time.median_ns / unit.ns);
  EstimateText text{.estimate = number(time.median_ns / unit.ns, decimals) + " " + unit.name};
  if (time.interval_ns) text.interval = interval_text(*time.interval_ns, unit.ns, decimals);
  return text;
}

EstimateText ratio_text(double ratio, const std::optional<stats::Interval>& interval) {
  int decimals = ratio >= 1 ? decimals_for(ratio) : 2;
  // Three significant digits.
  constexpr double kLeast = 1e-6;
  if (ratio < 0.1 && ratio >= kLeast)
    decimals = 2 - static_cast<int>(std::floor(std::log10(ratio)));
  if (decimals == 2 && interval && interval->high - interval->low < 0.02) decimals = 3;
  EstimateText text{.estimate = number(ratio, decimals)};
  if (interval) text.interval = interval_text(*interval, 1, decimals);
  return text;
}

std::string p_text(double p) {
  if (p < 1e-9) return "<1e-9";
  if (p < 1e-4) {
    const double exponent = std::floor(std::log10(p));
    const long digit = std::lround(p / std::pow(10, exponent));
    return digit == 10 ? fmt::format("1e{:.0f}", exponent + 1)
                       : fmt::format("{}e{:.0f}", digit, exponent);
  }
  if (p >= 0.995) return "1";
  const int decimals = p >= 0.095 ? 2 : static_cast<int>(-std::floor(std::log10(p)));
  std::string text = fmt::format("{:.{}f}", p, decimals);
  while (text.ends_with('0')) text.pop_back();
  return text.substr(1);  // without the leading zero
}

std::string verdict_name(stats::Verdict verdict) {
  switch (verdict) {
    case stats::Verdict::kHolds:
      return "pass";
    case stats::Verdict::kViolated:
      return "fail";
    default:
      return std::string(stats::to_string(verdict));
  }
}

std::string verdict_text(const ComparedCell& row) {
  if (row.doubt == Doubt::kShares) return "none: other regimes";
  if (row.doubt == Doubt::kTimes) return "none: times disagree";
  if (row.doubt == Doubt::kSessions) return "none: few sessions";
  if (row.doubt == Doubt::kBatches) return "none: one in batches";
  if (!row.verdict) return "no verdict";
  std::string few;
  if (row.doubt == Doubt::kWeighs) few = row.unpaired ? " (few weigh)" : " (few groups weigh)";
  const std::string less = row.of_times() ? " shorter" : " faster";
  switch (*row.verdict) {
    case stats::Verdict::kFaster:
      return row.arm_a + less + few;
    case stats::Verdict::kSlower:
      return row.arm_b + less + few;
    default:
      return verdict_name(*row.verdict) + few;
  }
}

std::string asterisks_text(double p) {
  return std::string(static_cast<std::size_t>(stats::asterisks(p)), '*');
}

std::string log_sd_text(const std::optional<double>& sd) {
  if (!sd) return {};
  // Percents above 100 are hard to read.
  constexpr double kMostPercent = 2;
  const double factor = std::exp(*sd);
  return factor < kMostPercent ? percent_text(factor - 1)
                               : "factor " + number(factor, factor < 10 ? 1 : 0);
}

}  // namespace invar::analysis
