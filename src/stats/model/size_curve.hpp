#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

// Times over sizes, one curve: what three or four neighbouring sizes say of its shape. Everything
// is computed inside of each launch group first, because what the machine did to a whole group is
// in all of its sizes alike and cancels there.
namespace invar::stats {

/// The times of one size: natural logarithms, one a launch group; none where a group has not
/// measured it.
struct SizeTimes {
  double size = 0.0;
  std::vector<std::optional<double>> log_times = {};
};

/// A curve: sizes ascending, each once, all with the same groups in the same order.
using SizeCurve = std::vector<SizeTimes>;

/// By group, of those that measured all that is needed for it.
using ByGroup = std::vector<std::optional<double>>;

/// Those that there are.
std::vector<double> present(const ByGroup& values);

/// How far the middle is above the straight line (in the size) through low and high, as a
/// logarithm. Indices of sizes, low < middle < high, else std::invalid_argument.
ByGroup deviations_from_line(std::span<const SizeTimes> curve, std::size_t low, std::size_t middle,
                             std::size_t high);

/// How much the curve jumps between two sizes, beyond what the line through two sizes on one side
/// of them says that it grows, as a logarithm. jumps_from_below goes on with the line through
/// `before` and `low` to `high`; jumps_from_above goes back with the line through `high` and
/// `behind` to `low`. Where the curve only bends the two have different signs, or one of them is 0.
/// A group whose line meets 0 on its way says nothing. before < low < high < behind, else
/// std::invalid_argument.
ByGroup jumps_from_below(std::span<const SizeTimes> curve, std::size_t before, std::size_t low,
                         std::size_t high);
ByGroup jumps_from_above(std::span<const SizeTimes> curve, std::size_t low, std::size_t high,
                         std::size_t behind);

/// The smaller one where both point in one direction, else 0.
double agreed(double a, double b);

/// Index of the nearest size below `low` (above `high`) that is at least `widths` times as far from
/// it as the two are from each other, because a shorter line goes astray; not beyond half of `low`
/// (twice `high`), where the curve may be another one: then the farthest within. Its neighbour
/// where that lies beyond, too. None at the end of the curve.
std::optional<std::size_t> size_before(std::span<const SizeTimes> curve, std::size_t low,
                                       std::size_t high, double widths = 1.0);
std::optional<std::size_t> size_behind(std::span<const SizeTimes> curve, std::size_t low,
                                       std::size_t high, double widths = 1.0);

}  // namespace invar::stats
