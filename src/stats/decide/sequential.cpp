#include "stats/decide/sequential.hpp"

#include <algorithm>

#include "stats/check.hpp"

namespace invar::stats {

void take_look(std::span<Standing> standings, std::span<const TableTest> tests, std::size_t look,
               const LookRule& at, const DecisionRule& rule, Correction correction) {
  if (standings.size() != tests.size()) {
    check::fail("take_look", "as many standings as tests are needed");
  }
  if (!(at.alpha_share > 0.0 && at.alpha_share <= 1.0)) {
    check::fail("take_look", "the share of alpha must lie in (0, 1]");
  }
  std::vector<TableTest> asked(tests.begin(), tests.end());
  for (std::size_t i = 0; i < asked.size(); ++i) {
    if (!standings[i].decided()) continue;
    // A decided question only lends its p to the correction of the others.
    asked[i].estimate = [&kept = standings[i].row.plain](double) { return kept; };
  }
  const DecisionRule share{.alpha = rule.alpha * at.alpha_share, .min_effect = rule.min_effect};
  std::vector<TableRow> rows = judge_table(asked, share, correction);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (standings[i].decided()) continue;
    standings[i].row = rows[i];
    if (rows[i].verdict != Verdict::kUndecided) standings[i].decided_at = look;
  }
}

std::vector<Standing> take_looks(
    std::span<const SequentialCell> cells, std::span<const LookRule> looks,
    const DecisionRule& rule, Correction correction,
    const std::function<void(std::size_t look, std::span<const Standing>)>& after_look) {
  std::vector<Standing> standings(cells.size());
  for (std::size_t look = 0; look < looks.size(); ++look) {
    const std::size_t launches = looks[look].launches;
    const bool enough = std::ranges::all_of(
        cells, [&](const SequentialCell& cell) { return cell.d.size() >= launches; });
    if (!enough) break;
    std::vector<TableTest> tests;
    tests.reserve(cells.size());
    for (const SequentialCell& cell : cells) {
      tests.push_back({.estimate =
                           [&cell, launches](double confidence) {
                             return estimate_ratio({.d = std::span(cell.d).first(launches),
                                                    .variance_floor = cell.variance_floor},
                                                   confidence, cell.hypothesis);
                           },
                       .resolution = cell.resolution});
    }
    take_look(standings, tests, look, looks[look], rule, correction);
    if (after_look) after_look(look, standings);
  }
  return standings;
}

bool is_settled(double estimate, const std::optional<Interval>& interval, std::size_t launches) {
  return launches >= kSettledLaunches && estimate > 0.0 && interval &&
         (interval->high - interval->low) / 2.0 <= kSettledHalfWidth * estimate;
}

}  // namespace invar::stats
