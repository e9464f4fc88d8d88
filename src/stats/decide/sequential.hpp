#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "stats/decide/inference.hpp"
#include "stats/decide/verdict.hpp"
#include "stats/types.hpp"

// Sequential campaigns: looks at the results under way, after which what is decided is measured no
// more (docs/methods.md, "Looks").
namespace invar::stats {

/// One look: at how many launches (groups), and which share of alpha it may spend.
struct LookRule {
  std::size_t launches = 0;
  double alpha_share = 0.0;  ///< in (0, 1]
};

/// The shares add up to 1: whatever is claimed at whichever look, alpha holds over all of them. The
/// first looks get little, because three groups say little.
constexpr std::array<LookRule, 6> kLooks{
    {{3, 0.10}, {5, 0.15}, {8, 0.20}, {12, 0.20}, {20, 0.20}, {30, 0.15}}};

/// What is known of one test of the table after the latest look.
struct Standing {
  TableRow row = {};  ///< of the look that decided, else of the latest one
  std::optional<std::size_t> decided_at = std::nullopt;  ///< index of the look

  [[nodiscard]] bool decided() const { return decided_at.has_value(); }
};

/// Takes one look, for index `look`, at everything that the campaign compares. `rule` has the whole
/// alpha; tests, verdicts and intervals of this look use its share of it. Faster, slower and
/// violated: by the correction over all tests, those decided before with the p that decided them.
/// Equivalent and holds: by the plain interval. What is decided keeps its row, whatever comes in
/// later; those of `tests` are then not looked at. Intervals: plain 1 - share x alpha, of what the
/// correction rejects at this look wider as in judge_table(). `standings` and `tests` have the same
/// order and size, else std::invalid_argument.
void take_look(std::span<Standing> standings, std::span<const TableTest> tests, std::size_t look,
               const LookRule& at, const DecisionRule& rule,
               Correction correction = Correction::kBenjaminiHochberg);

/// The same for cells whose differences are all there: the looks one after the other, each at the
/// first LookRule::launches values of every cell, as long as every cell has so many. A call back
/// with the state after each look, if one is given.
struct SequentialCell {
  std::vector<double> d = {};  ///< as GroupDifferences::d, in the order of the groups
  double variance_floor = 0.0;
  double resolution = 0.0;
  Hypothesis hypothesis = {};
};
std::vector<Standing> take_looks(
    std::span<const SequentialCell> cells, std::span<const LookRule> looks,
    const DecisionRule& rule, Correction correction = Correction::kBenjaminiHochberg,
    const std::function<void(std::size_t look, std::span<const Standing>)>& after_look = {});

/// The absolute time of a cell is settled: its interval (at the look's confidence) is no wider than
/// +-1.5 % of the estimate and rests on 5 launches at least.
constexpr double kSettledHalfWidth = 0.015;
constexpr std::size_t kSettledLaunches = 5;
bool is_settled(double estimate, const std::optional<Interval>& interval, std::size_t launches);

}  // namespace invar::stats
