// Does an arm move the canaries of the blocks that it shares with another one? Then a regime is
// that arm's doing, and to leave out a regime is to choose among the arm's own visits
// (docs/methods.md, "The reference regime").
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "analysis/study/summaries.hpp"
#include "base/canary_band.hpp"
#include "store/reader.hpp"

namespace invar::analysis {

struct MovedCanaries {
  std::uint32_t slow = 0;     // index into Data::arms
  std::uint32_t fast = 0;     // the arm in whose blocks the other one lies slower
  std::size_t groups = 0;     // launch groups in which it does so
  std::size_t differing = 0;  // in which either lies slower than the other
};

// `cuts_ns` of canaries of `kind`, ascending: what lies beyond another cut is slower. The blocks of
// a launch group share the luck of its launches, such as where their pages lie in memory: a group
// is one observation of two arms, the share of its blocks in which one lies slower less the share
// in which the other does. The sign test over groups, at 1 % over all pairs of arms, so that eight
// groups are the least that show anything; and the mean over groups must be what makes a regime, 5
// % of the blocks. Two arms that are the same library with the same settings cannot move anything,
// and are not asked.
std::optional<MovedCanaries> moved_canaries(const store::Data& data, const Summaries& summaries,
                                            std::span<const double> cuts_ns,
                                            base::CanaryKind kind = base::CanaryKind::kLine);

// "'mpich' lies in a slower regime than 'openmpi' in the blocks that they share (11 of 12 launch
// groups where they differ)".
std::string moved_text(const store::Data& data, const MovedCanaries& moved);

}  // namespace invar::analysis
