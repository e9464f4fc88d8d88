#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "stats/model/size_curve.hpp"

// Which sizes to measure next where curves of times over sizes are not straight, round after round:
// by our rule, by SKaMPI's, or by mpptest's (docs/methods.md, "Adaptive sizes and steps").
namespace invar::stats {

enum class RefiningRule : std::uint8_t { kInvar, kSkampi, kMpptest };

struct Refining {
  RefiningRule rule = RefiningRule::kInvar;
  double tolerance = 0.05;  ///< relative: what a middle may deviate from the line
  double alpha = 0.05;      ///< of the tests of a round, corrected
  double element = 1.0;     ///< new sizes are multiples of it
  /// No two sizes come nearer than the largest of these: the element, so many bytes, such a share
  /// of the size.
  double separation = 0.0;
  double separation_share = 0.0;
};

/// Groups that a round of the rule has.
std::size_t groups_of_round(RefiningRule rule);
/// A middle that is neither surely off the line nor surely near it gets rounds until it has so many
/// groups.
inline constexpr std::size_t kMostGroupsOfMiddle = 12;
/// No test of a middle rests on fewer.
inline constexpr std::size_t kLeastGroupsOfMiddle = 3;

/// What several curves have in common that are measured at the same sizes (those of several arms).
struct RefinedPlace {
  Refining how = {};
  std::vector<double> sizes = {};  ///< that there are, ascending, also those that some curve lacks
  std::size_t room = 0;            ///< for so many more sizes
};

struct RefinedCurve {
  std::size_t place = 0;
  SizeCurve times = {};
  /// Groups from this one on are of the last round: what none of them has measured is not a
  /// candidate once more.
  std::size_t first_new_group = 0;
};

enum class MiddleState : std::uint8_t {
  kNear,    ///< near the line, surely, or no more is to be learnt
  kOpen,    ///< more groups will tell
  kBeyond,  ///< off by more than the tolerance
};

/// The middle of three neighbouring sizes against the line through the outer two.
struct Middle {
  std::size_t curve = 0;
  double low = 0.0;
  double middle = 0.0;
  double high = 0.0;
  std::size_t groups = 0;   ///< that have all three
  double deviation = 0.0;   ///< mean over them, of logarithms
  std::optional<double> p;  ///< none: the rule has no test, or there are too few groups
  std::optional<double> p_adjusted;
  MiddleState state = MiddleState::kNear;
};

/// Two sizes between which a curve seems to jump.
struct SizeBracket {
  std::size_t curve = 0;
  double low = 0.0;
  double high = 0.0;

  bool operator==(const SizeBracket&) const = default;
};

/// Three neighbouring sizes between which a curve seems to bend, and not to jump.
struct SizeBend {
  std::size_t curve = 0;
  double low = 0.0;
  double middle = 0.0;
  double high = 0.0;

  bool operator==(const SizeBend&) const = default;
};

struct RefinedRound {
  std::vector<Middle> middles = {};             ///< all that the round was about
  std::vector<std::vector<double>> added = {};  ///< new sizes of each place, ascending
  /// Sizes that the next round needs of each place, ascending, new ones included.
  std::vector<std::vector<double>> needed = {};
  std::vector<SizeBracket> brackets = {};  ///< as near as they may come, or there is no more room
  std::vector<SizeBracket> cut = {};       ///< those that the new sizes lie in
  std::vector<SizeBend> bends = {};

  /// There is nothing to measure.
  [[nodiscard]] bool done() const;
};

/// From all that was measured so far. Pure: the same times, the same round.
///
/// Ours: candidates are all middles of which the last round has measured something. Student's t of
/// the groups' deviations against 0, corrected over the candidates of all curves (Benjamini and
/// Hochberg); off the line is what is significant and beyond the tolerance, near it what is within
/// one and a half of it by a one-sided bound of 90 %, or within half of it by the mean of six
/// groups. Beside a middle that is off, the half in which the curve jumps more is cut in the
/// middle, the other one too if it jumps by more than the tolerance by itself; where neither does
/// it is a bend, and the half is cut that is harder to reconcile with its neighbours.
///
/// mpptest's (Gropp and Lusk 1999): minimum over groups; where a middle is off by more than the
/// tolerance both halves are cut, at multiples of 4 bytes. SKaMPI's (autorefine.c of 5.0): the
/// largest products of extrapolation error and interval, kSkampiCuts a round, as long as there is
/// room. Neither knows of noise.
RefinedRound refine(std::span<const RefinedCurve> curves, std::span<const RefinedPlace> places);

/// Where curves jump, as far as is known: the round's brackets and cuts take the place of those
/// that they lie in. What was cut, and in no half of which a jump was found since, stays as it is.
void follow_jumps(std::vector<SizeBracket>& jumps, const RefinedRound& round);

inline constexpr std::size_t kSkampiCuts = 8;

/// Half-width of the 95 % interval of a middle's deviation after kMostGroupsOfMiddle groups, median
/// over all middles of the curves with kLeastGroupsOfMiddle groups or more: what can be known at
/// all. Empty: there is none.
std::optional<double> knowable_deviation(std::span<const RefinedCurve> curves);

}  // namespace invar::stats
