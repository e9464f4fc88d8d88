// Are the ratios of the launch groups, one of each, what Student's t takes them for?
#include <algorithm>
#include <cstdio>

#include "analysis/diagnostics.hpp"
#include "analysis/words.hpp"
#include "stats/shapiro_wilk.hpp"

namespace invar::analysis {
namespace {

// With fewer the test finds only what the eye sees as well, with more the mean is normal enough.
constexpr std::size_t kFewest = 8;
constexpr std::size_t kMost = 100;

}  // namespace

std::vector<std::string> ratio_warnings(const Contest& contest, std::span<const Question> questions,
                                        const Rules& rules) {
  if (rules.method != Method::kInvar || rules.pairing == Pairing::kNone ||
      !rules.no_verdict.empty()) {
    return {};
  }
  struct Found {
    const Question* question = nullptr;
    stats::ShapiroWilk test = {};
    std::size_t groups = 0;
  };
  std::vector<Found> tested;
  for (const Question& question : questions) {
    if (!question.printed || question.regime) continue;
    const std::vector<CellVisits>& visits = visits_of(contest, question);
    const PairedDifferences paired =
        paired_differences(visits[question.a], visits[question.b], rules.pairing);
    if (paired.d.size() < kFewest || paired.d.size() > kMost) continue;
    if (const auto test = stats::shapiro_wilk(paired.d)) {
      tested.push_back({.question = &question, .test = *test, .groups = paired.d.size()});
    }
  }
  const double level =
      rules.decision.alpha / static_cast<double>(std::max<std::size_t>(1, tested.size()));
  std::erase_if(tested, [level](const Found& one) { return one.test.p > level; });
  if (tested.empty()) return {};
  const auto worst = std::ranges::min_element(
      tested, [](const Found& a, const Found& b) { return a.test.w < b.test.w; });
  char w[16];
  std::snprintf(w, sizeof w, "%.2f", worst->test.w);
  return {"the launch groups' ratios are not normally distributed in " +
          count_text(tested.size(), "comparison") + " (" +
          record::CellTexts(contest.cells)(contest.cells[worst->question->cell]) + " most, W " + w +
          " of " + std::to_string(worst->groups) +
          "): single groups weigh much there, and intervals are approximate"};
}

}  // namespace invar::analysis
