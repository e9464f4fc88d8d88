// Stretches of time in which the machine was slower: change points of all visits of a launch group,
// in the order in which they were measured (docs/methods.md, "Perturbations"). Nothing is dropped.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analysis/answer/answer.hpp"
#include "analysis/study/rules.hpp"
#include "analysis/study/summaries.hpp"
#include "store/reader.hpp"

namespace invar::analysis {

struct Perturbation {
  std::uint32_t group = 0;
  std::uint32_t launch = 0;  // 0: those of the group overlap, and it is of all of them
  std::vector<std::uint32_t> blocks = {};  // whole ones, ascending: all that it touches
  double slowdown = 0;  // median of (time / usual time of that arm and cell in its launch) - 1
  std::size_t visits = 0;
  double begin_s = 0;  // since the group's origin, or the launch's, where these do not overlap
  double end_s = 0;

  bool operator==(const Perturbation&) const = default;
};

// By group, then by time; launch by launch where the launches of a group follow each other (pairing
// kLaunches). Only stretches of at least three visits that were 10 % slower, of less
// than a third of a time line's visits together: what is more is a regime. Arms and cells with
// fewer than three visits in a launch have no usual time and do not count.
std::vector<Perturbation> find_perturbations(const store::Data& data, const Summaries& summaries,
                                             Pairing pairing);

// A block to measure once more, in a later launch group.
struct RepeatedBlock {
  std::uint32_t group = 0;  // where it was disturbed
  std::uint32_t round = 0;
  std::uint32_t block = 0;
  std::uint32_t cell = 0;  // Cell::id

  bool operator==(const RepeatedBlock&) const = default;
};

// The whole blocks of these stretches, in the order of the group and the block: what a driver plans
// once more. Both measurements enter the estimate. Each block once.
std::vector<RepeatedBlock> blocks_to_repeat(const store::Data& data,
                                            std::span<const Perturbation> perturbations);

// "blocks 12 to 15 of group 4 ran 30 % slower ...": the worst ones.
std::vector<Warning> perturbation_warnings(std::span<const Perturbation> perturbations);

}  // namespace invar::analysis
