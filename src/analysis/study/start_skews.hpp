// What is made of repetitions in which a rank was ready, but lost its processor across the start
// (record::kLost), and began so much later that it matters (record::kApart). Decided once for every
// cell, over all visits: decided visit by visit, the same cell would hold times of two kinds.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "store/reader.hpp"

namespace invar::analysis {

// Repetitions that are neither warm-up, late nor past their window; those of them in which a rank
// lost its processor; and those of these whose starts were too far apart.
struct StartCounts {
  std::uint64_t judged = 0;
  std::uint64_t lost = 0;
  std::uint64_t apart = 0;

  [[nodiscard]] bool mostly_apart() const { return 2 * apart > judged; }
};

// Those of all arms.
struct CellStarts : StartCounts {
  bool mostly = false;  // most of some arm's were apart
  // Most of some arm's were apart, as they are where there are many ranks, here or in a cell that
  // this one is compared with: all of all arms are kept, because the rest of that arm's would be a
  // choice of lucky ones, or nothing.
  bool all_kept = false;
  // Where all are kept: 95 % of the starts were at most so far apart, to 3 % and never less.
  double skew_ns = 0;
};

class StartSkews {
 public:
  StartSkews() = default;
  // Looks at the records of cells in which something was lost only: at none of campaigns from
  // before that was told. Memory: 4 KiB for each cell of which all are kept. `one_for_all`: all
  // cells are compared with each other, so that what holds for one of them holds for all.
  // `kept_elsewhere`: cells (their ids) that are compared with such of other campaigns, of which
  // all are kept.
  explicit StartSkews(const store::Data& data, bool one_for_all = false,
                      const std::set<std::uint32_t>& kept_elsewhere = {});

  // Repetitions of this cell (its id) that are kApart count as any others.
  [[nodiscard]] bool keeps_apart(std::uint32_t cell) const;
  // None: nothing was lost in any visit of the cell.
  [[nodiscard]] const CellStarts* of(std::uint32_t cell) const;
  // "starts up to 3.1 us apart in 4 of 20 cells (and 2 compared with them): most repetitions had a
  // rank that lost its processor". Empty: there is no such cell.
  [[nodiscard]] std::string scope() const;

 private:
  std::map<std::uint32_t, CellStarts> cells_ = {};  // by Cell::id
  std::size_t measured_cells_ = 0;
};

// A repetition that began together enough, if it counts otherwise.
inline bool began_together(const record::Timing& timing, bool keeps_apart) {
  return keeps_apart || (timing.flags & record::kApart) == 0;
}

// Fewer repetitions count than were asked for. Where those that were apart do, so does what was
// made in their place: as many count as were asked for if, at the usual retry-cap of 2, no more
// attempts were of no use (late, past their window) than were of some.
inline bool holds_fewer(const record::VisitLine& line, bool keeps_apart) {
  if (!line.retry_cap_reached) return false;
  const std::uint64_t counting = std::uint64_t{line.valid} + line.apart;
  return !keeps_apart || line.apart == 0 || 2 * counting + line.warm_up < line.records;
}

}  // namespace invar::analysis
