#pragma once

#include <array>
#include <string_view>

// How a level of memory is left behind when a buffer outgrows it (docs/methods.md, "Plateaus").
namespace invar::stats {

/// Which accesses miss a level of capacity C in a pass over a buffer of s bytes that was walked
/// over before.
enum class KneeShape {
  kJump,         ///< LRU, a cyclic walk: all of them, from C on
  kWays,         ///< LRU in sets, the buffer in one piece: those of the sets that are too full
  kPages,        ///< LRU in sets, pages where chance put them: likewise
  kRandom,       ///< random replacement, a cyclic walk
  kIndependent,  ///< every access at a place of its own choice: those that are not among C bytes
};

inline constexpr std::array kKneeShapes{KneeShape::kJump, KneeShape::kWays, KneeShape::kPages,
                                        KneeShape::kRandom, KneeShape::kIndependent};

/// Lines of a set that the shapes with sets take for granted: what most caches have. With 4 or 16
/// both shapes are much the same.
inline constexpr double kShapeWays = 8;

/// "jump", "ways", "pages", "random", "independent".
std::string_view to_string(KneeShape shape);

/// The share of accesses that miss, in [0, 1], never falling; ratio = s / C, > 0:
///
///     kJump         0 up to 1, then 1
///     kWays         (w + 1) (1 - 1 / ratio), at least 0 and at most 1
///     kPages        P(Poisson(w ratio) >= w)
///     kRandom       m = 1 - exp(-m ratio), the largest solution (0 up to 1)
///     kIndependent  1 - 1 / ratio, at least 0
///
/// Throws std::invalid_argument where the ratio is not positive and finite.
double missing_share(KneeShape shape, double ratio);

/// The least ratio whose share is at least `share`, in (0, 1); of a jump 1.
double ratio_of_share(KneeShape shape, double share);

}  // namespace invar::stats
