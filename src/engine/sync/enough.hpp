// When a visit has what it needs: the same question for every synchronisation, and for what is
// recorded of the visit.
#pragma once

#include <algorithm>
#include <cstdint>

namespace invar::engine {

// With fewer than these nobody can say what most repetitions are like.
constexpr std::uint32_t kFewestToTell = 16;

// `valid` and `lost` exclude each other: in the latter a rank began later than it matters, because
// it had lost its processor. With many ranks most repetitions are such. Then more of them are no
// better, and the analysis keeps them all with what their starts were apart
// (analysis/study/start_skews.hpp): here it ends.
constexpr bool mostly_lost(std::uint32_t valid, std::uint32_t lost, std::uint32_t repetitions) {
  return lost > valid && valid + lost >= std::max(repetitions, kFewestToTell);
}
constexpr bool has_enough(std::uint32_t valid, std::uint32_t lost, std::uint32_t repetitions) {
  return valid >= repetitions || mostly_lost(valid, lost, repetitions);
}

}  // namespace invar::engine
