// What stands on a screen, of random campaigns: no answer is longer than the screen, and times that
// are printed beside a ratio give that ratio, or the row says that they do not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "analysis/compare/compare.hpp"
#include "analysis/random_campaigns.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "report/kit/answer_text.hpp"
#include "simulations.hpp"

namespace invar::report {
namespace {

using random_campaigns::random_campaign;
using random_campaigns::RandomCampaign;
using random_campaigns::Shape;

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields;
  std::size_t at = 0;
  while ((at = line.find_first_not_of(' ', at)) != std::string::npos) {
    const std::size_t end = std::min(line.find("  ", at), line.size());
    fields.push_back(line.substr(at, end - at));
    at = end;
  }
  return fields;
}

// "0.512 us [0.501, 0.523]" in ns, with half of what the last digit says.
struct Printed {
  double value = 0;
  double half = 0;
};

// "0.512", "5e-03".
std::optional<Printed> number_at(const std::string& text) {
  const std::size_t end = std::min(text.find_first_not_of("0123456789.e-"), text.size());
  const auto value = base::parse_double(text.substr(0, end));
  if (!value) return std::nullopt;
  const std::size_t mantissa = std::min(text.find('e'), end);
  const std::size_t point = std::min(text.find('.'), mantissa);
  double last_digit =
      point == mantissa
          ? 1
          : std::pow(10, static_cast<double>(point + 1) - static_cast<double>(mantissa));
  if (mantissa < end)
    last_digit *= base::parse_double("1" + text.substr(mantissa, end - mantissa)).value_or(1);
  return Printed{.value = *value, .half = 0.5 * last_digit};
}

std::optional<Printed> time_at(const std::string& field) {
  const auto number = number_at(field);
  const std::size_t unit = field.find(' ');
  if (!number || unit == std::string::npos) return std::nullopt;
  for (const auto& [name, ns] :
       {std::pair("ns", 1.0), std::pair("us", 1e3), std::pair("ms", 1e6)}) {
    if (field.compare(unit + 1, 2, name) == 0)
      return Printed{number->value * ns, number->half * ns};
  }
  return std::nullopt;
}

// What is printed of a ratio and of the interval behind it.
struct PrintedRatio {
  Printed ratio = {};
  std::optional<std::pair<double, double>> interval = {};
};

std::optional<PrintedRatio> ratio_at(const std::string& field) {
  const auto ratio = number_at(field);
  if (!ratio) return std::nullopt;
  PrintedRatio printed{.ratio = *ratio};
  const std::size_t open = field.find('[');
  if (open == std::string::npos) {
    return field.find(' ') == std::string::npos ? std::optional(printed) : std::nullopt;
  }
  const auto low = number_at(field.substr(open + 1));
  const auto high = number_at(field.substr(field.find(", ") + 2));
  if (!low || !high) return std::nullopt;
  printed.interval = std::pair(low->value - low->half, high->value + high->half);
  return printed;
}

constexpr double kMatters = 0.02;  // min-effect

// Within what was rounded away, and what does not matter; or within the interval.
bool give(const Printed& a, const Printed& b, const PrintedRatio& printed) {
  const double low = (b.value - b.half) / (a.value + a.half);
  const double high = (b.value + b.half) / (a.value - a.half);
  const double ratio_low = (printed.ratio.value - printed.ratio.half) / (1 + kMatters);
  const double ratio_high = (printed.ratio.value + printed.ratio.half) * (1 + kMatters);
  if (low <= ratio_high && high >= ratio_low) return true;
  return printed.interval && low <= printed.interval->second && high >= printed.interval->first;
}

struct Seen {
  std::size_t rows = 0;
  std::size_t named = 0;
};

std::size_t lines_of(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

void check_length(const std::string& text, std::uint64_t seed) {
  EXPECT_LE(lines_of(text), kMostLines) << "seed " << seed;
}

// Checks a table in which both times stand beside their ratio.
void check_lines(const std::string& text, std::uint64_t seed, Seen& seen) {
  check_length(text, seed);
  for (const std::string_view line : base::split(text, '\n')) {
    const std::vector<std::string> fields = fields_of(std::string(line));
    for (std::size_t i = 0; i + 2 < fields.size(); ++i) {
      const auto a = time_at(fields[i]);
      const auto b = time_at(fields[i + 1]);
      const auto ratio = ratio_at(fields[i + 2]);
      if (!a || !b || !ratio) continue;
      ++seen.rows;
      const bool named = line.find("weigh)") != std::string_view::npos;
      seen.named += named ? 1U : 0U;
      EXPECT_TRUE(named || give(*a, *b, *ratio)) << "seed " << seed << ": " << line;
      break;
    }
  }
}

// Checks a table with a line for each reference, whose ratio is 1, and below it one for every other
// arm.
void check_pairs(const std::string& text, std::uint64_t seed, Seen& seen) {
  check_length(text, seed);
  std::optional<Printed> reference;
  for (const std::string_view line : base::split(text, '\n')) {
    const std::vector<std::string> fields = fields_of(std::string(line));
    for (std::size_t i = 0; i + 1 < fields.size(); ++i) {
      const auto time = time_at(fields[i]);
      const auto ratio = ratio_at(fields[i + 1]);
      if (!time || !ratio) continue;
      if (fields[i + 1] == "1") {
        reference = time;
        break;
      }
      ASSERT_TRUE(reference) << line;
      ++seen.rows;
      const bool named = line.find("weigh)") != std::string_view::npos;
      seen.named += named ? 1U : 0U;
      EXPECT_TRUE(named || give(*reference, *time, *ratio)) << "seed " << seed << ": " << line;
      break;
    }
  }
}

std::string printed(const RandomCampaign& campaign, bool all_pairs = false) {
  const analysis::Study study =
      planted::study(campaign.data, campaign.rules, {.all_pairs = all_pairs});
  if (analysis::comparison_lack(study)) return {};
  return answer_text(analysis::answer_of(analysis::compare(study)));
}

TEST(PrintedAnswers, TimesOfTwoArmsGiveTheirRatioOrTheRowSaysSo) {
  Seen seen;
  for (std::uint64_t seed = 0; seed < test::simulations(1000); ++seed) {
    check_lines(printed(random_campaign(seed, {.most_arms = 2, .regimes = seed % 2 == 0})), seed,
                seen);
  }
  EXPECT_GT(seen.rows, test::simulations(1500));
  EXPECT_LT(static_cast<double>(seen.named), 0.05 * static_cast<double>(seen.rows));
}

TEST(PrintedAnswers, TimesOfLevelsGiveTheirRatioOrTheRowSaysSo) {
  Seen seen;
  for (std::uint64_t seed = 0; seed < test::simulations(500); ++seed) {
    check_lines(printed(random_campaign(seed, {.fewest_arms = 1, .two_levels = true})), seed, seen);
  }
  EXPECT_GT(seen.rows, test::simulations(500));
  EXPECT_LT(static_cast<double>(seen.named), 0.05 * static_cast<double>(seen.rows));
}

TEST(PrintedAnswers, TimesOfSeveralArmsGiveTheirRatioOrTheRowSaysSo) {
  Seen seen;
  for (std::uint64_t seed = 0; seed < test::simulations(500); ++seed) {
    check_pairs(printed(random_campaign(seed, {.fewest_arms = 3, .most_arms = 5}), true), seed,
                seen);
  }
  EXPECT_GT(seen.rows, test::simulations(1500));
  EXPECT_LT(static_cast<double>(seen.named), 0.1 * static_cast<double>(seen.rows));
}

TEST(PrintedAnswers, TimesOfTwoCampaignsGiveTheirRatioOrTheRowHasNone) {
  Seen seen;
  for (std::uint64_t seed = 0; seed < test::simulations(300); ++seed) {
    const Shape shape{.fewest_arms = 1, .most_arms = 1, .regimes = seed % 2 == 0};
    const RandomCampaign first = random_campaign(seed, shape);
    RandomCampaign second = random_campaign(seed + 1'000'000, shape);
    second.data.dir = "later";
    const analysis::Study study = planted::both(first.data, second.data, first.rules);
    if (analysis::campaigns_lack(study)) continue;
    check_lines(answer_text(analysis::answer_of(analysis::compare_campaigns(study))), seed, seen);
  }
  EXPECT_GT(seen.rows, test::simulations(100));
}

TEST(PrintedAnswers, NoneIsLongerThanAScreen) {
  for (std::uint64_t seed = 0; seed < test::simulations(20); ++seed) {
    for (const std::uint32_t cells : {15U, 42U}) {
      const bool two_levels = seed % 3 == 2;
      const Shape shape{.fewest_arms = 5,
                        .most_arms = 5,
                        .cells = two_levels ? cells / 2 : cells,
                        .regimes = seed % 2 == 0,
                        .two_levels = two_levels};
      const RandomCampaign campaign = random_campaign(seed, shape);
      for (const bool all_pairs : {false, true}) {
        SCOPED_TRACE(cells);
        check_length(printed(campaign, all_pairs), seed);
      }
    }
  }
}

}  // namespace
}  // namespace invar::report
