// When a visit has what it needs: the same question for every synchronisation, and for what is
// recorded of the visit.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>

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
// `lost_before`: the cell's earlier visits were mostly lost as well. One visit alone may have met a
// disturbed stretch: it uses all its attempts.
constexpr bool has_enough(std::uint32_t valid, std::uint32_t lost, std::uint32_t repetitions,
                          bool lost_before) {
  return valid >= repetitions || (lost_before && mostly_lost(valid, lost, repetitions));
}

// What the earlier visits of the launch were like, by cell, as one rank knows it.
class StartHistory {
 public:
  void add(std::uint32_t cell, std::uint32_t valid, std::uint32_t lost) {
    Counts& counts = cells_[cell];
    counts.valid += valid;
    counts.lost += lost;
  }
  // Ranks that were not in the same visits know others: what they say is combined with |.
  [[nodiscard]] std::uint32_t bits(std::uint32_t cell) const {
    const auto known = cells_.find(cell);
    if (known == cells_.end()) return 0;
    return known->second.lost > known->second.valid ? kLostBefore : kKeptBefore;
  }
  // Somebody knows that most were lost, and nobody knows otherwise.
  static bool lost_before(std::uint32_t bits) { return bits == kLostBefore; }

 private:
  static constexpr std::uint32_t kLostBefore = 1;
  static constexpr std::uint32_t kKeptBefore = 2;
  struct Counts {
    std::uint64_t valid = 0;
    std::uint64_t lost = 0;
  };
  std::map<std::uint32_t, Counts> cells_ = {};
};

}  // namespace invar::engine
