// "Slower by more than 5 %?" on real noise: why a gate needs a test of its own.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "simulations.hpp"
#include "stats/aa_groups.hpp"
#include "stats/decide/inference.hpp"
#include "stats/decide/sequential.hpp"
#include "stats/test/binomial.hpp"

namespace invar::stats {
namespace {

constexpr double kGateMargin = 0.05;
constexpr std::size_t kGateTables = test::simulations(1000);
constexpr std::size_t kGateLaunches = 8;

// d of every cell, resampled from launch groups of a library against itself: truly 5 % slower.
std::vector<SequentialCell> groups_at_the_margin(const std::vector<std::vector<double>>& groups,
                                                 std::size_t launches, const Hypothesis& hypothesis,
                                                 base::Random& random) {
  std::vector<SequentialCell> cells(groups.front().size());
  for (SequentialCell& cell : cells) cell.hypothesis = hypothesis;
  for (std::size_t launch = 0; launch < launches; ++launch) {
    const std::vector<double>& noise = groups[random.below(groups.size())];
    for (std::size_t i = 0; i < cells.size(); ++i) {
      cells[i].d.push_back(noise[i] + std::log1p(kGateMargin));
    }
  }
  return cells;
}

// Tables with a cell of which `fails` is true.
template <typename Fails>
std::size_t failing_tables(const std::string& library, std::span<const LookRule> looks,
                           const Hypothesis& hypothesis, const DecisionRule& rule,
                           const Fails& fails) {
  const std::vector<std::vector<double>> groups = real_groups(library);
  base::Random random(23);
  std::size_t failing = 0;
  for (std::size_t table = 0; table < kGateTables; ++table) {
    const std::vector<SequentialCell> cells =
        groups_at_the_margin(groups, looks.back().launches, hypothesis, random);
    const std::vector<Standing> end = take_looks(cells, looks, rule);
    failing += std::ranges::any_of(end, fails) ? 1U : 0U;
  }
  return failing;
}

constexpr LookRule kGateOnce[]{{.launches = kGateLaunches, .alpha_share = 1}};
constexpr Hypothesis kSlowerThanMargin{.alternative = Alternative::kGreater, .margin = kGateMargin};

bool fails_the_gate(const Standing& standing) { return standing.row.verdict == Verdict::kViolated; }

class GateOnRealGroups : public testing::TestWithParam<std::string> {};

TEST_P(GateOnRealGroups, ItsOwnTestFailsNoMoreTablesThanHalfOfAlpha) {
  const DecisionRule half{.alpha = 0.025};
  const std::size_t limit = binomial_limit(kGateTables, 0.025, 0.01);
  EXPECT_LE(failing_tables(GetParam(), kGateOnce, kSlowerThanMargin, half, fails_the_gate), limit);
  EXPECT_LE(failing_tables(GetParam(), kLooks, kSlowerThanMargin, half, fails_the_gate), limit);
}

// All of these cells differ from 1 for sure, so nothing is corrected: of 20 intervals one soon lies
// beyond the margin by chance.
TEST_P(GateOnRealGroups, TheIntervalOfTheTestAgainstOneFailsTooMany) {
  const auto beyond = [](const Standing& standing) {
    const auto& interval = standing.row.printed_interval;
    return interval && interval->low > 1 + kGateMargin;
  };
  EXPECT_GT(failing_tables(GetParam(), kGateOnce, {}, {}, beyond),
            binomial_limit(kGateTables, 0.05, 0.01));
}

INSTANTIATE_TEST_SUITE_P(Libraries, GateOnRealGroups, testing::Values("openmpi", "mpich"),
                         [](const auto& one) { return one.param; });

}  // namespace
}  // namespace invar::stats
