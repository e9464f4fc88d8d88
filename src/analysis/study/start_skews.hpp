// What is made of repetitions in which a rank was ready, but lost its processor across the start
// (record::kLost). Each is worth what its start skew is. Decided once for every cell, over all arms
// and visits: decided visit by visit, the same cell would hold times of two kinds.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <utility>

#include "store/reader.hpp"

namespace invar::analysis {

struct CellStarts {
  // Repetitions that are neither warm-up, late nor past their window; those of them in which a rank
  // lost its processor; and those of these whose starts were further apart than the arm's limit.
  std::uint64_t judged = 0;
  std::uint64_t lost = 0;
  std::uint64_t apart = 0;
  // Most of them were apart, as they are where there are many ranks: all are kept, because the rest
  // would be a choice of lucky ones, or nothing.
  bool all_kept = false;
  // Where all are kept: 95 % of the starts were at most so far apart.
  double skew_ns = 0;
};

class StartSkews {
 public:
  static constexpr std::int64_t kAnySkew = std::numeric_limits<std::int64_t>::max();

  // Looks at the records of visits in which something was lost only: at none of campaigns from
  // before that was told.
  explicit StartSkews(const store::Data& data);

  // Repetitions of an arm's visits of a cell that are kLost are left out where their start skew is
  // above this. `cell`: its id.
  [[nodiscard]] std::int64_t most_ps(std::uint32_t arm, std::uint32_t cell) const;
  // None: nothing was lost in any visit of the cell.
  [[nodiscard]] const CellStarts* of(std::uint32_t cell) const;
  // "starts up to 3.1 us apart in 4 of 20 cells: most repetitions had a rank that lost its
  // processor". Empty: there is no such cell.
  [[nodiscard]] std::string scope() const;

 private:
  std::map<std::uint32_t, CellStarts> cells_ = {};  // by Cell::id
  // The smallest of an arm's limits in a cell: they follow from what a call took in a launch.
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t> limits_ps_ = {};
  std::size_t measured_cells_ = 0;
};

// A repetition that began together enough, if it counts otherwise.
inline bool began_together(const record::Timing& timing, std::int64_t most_skew_ps) {
  return (timing.flags & record::kLost) == 0 || timing.start_skew_ps <= most_skew_ps;
}

}  // namespace invar::analysis
