// What a method says of differences whose truth is known: how often it is wrong where there is
// none, how often it finds a planted one. Pure: numbers in, numbers out.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "stats/decide/inference.hpp"
#include "stats/types.hpp"

namespace invar::analysis {

// One cell; every d is log(time of the first) - log(time of the second) of one launch group, and
// the same groups stand at the same places everywhere.
struct KnownCell {
  std::vector<double> equal = {};  // nothing planted
  double variance_floor = 0;       // of one d, from the clock's step
  double resolution = 0;           // smallest relative difference that the clock shows
  // Planted into the second one, by level; as many levels in every cell, each as long as `equal`.
  std::vector<std::vector<double>> planted = {};
  std::vector<bool> testable = {};  // by level: above the clock's resolution
};

// False verdicts in disjoint tables of `groups` launch groups in which all cells are equal.
struct FalseVerdicts {
  std::size_t groups = 0;  // a table
  std::size_t tables = 0;
  std::size_t tables_wrong = 0;  // with a verdict `faster` or `slower`
  std::size_t tables_limit = 0;  // so many still agree with alpha, 99 % one-sided
  std::size_t cells = 0;
  std::size_t cells_wrong = 0;
  double uncorrected_share = 0;  // of p below alpha before any correction
  // 95 %, by tables, because the cells of a table share their launches' luck.
  std::optional<stats::Interval> uncorrected_interval = {};

  [[nodiscard]] bool holds() const { return tables_wrong <= tables_limit; }
};

// How often one planted level is found, planted into one cell of a table at a time while the others
// are equal.
struct Power {
  std::size_t groups = 0;  // a table
  std::size_t tables = 0;  // each once for every cell
  // Means over the cells where it is testable; none: in no cell.
  std::optional<double> found = {};       // adjusted p <= alpha and the right sign
  std::optional<double> equivalent = {};  // called equivalent
  // By cell; none: not testable there.
  std::vector<std::optional<double>> found_by_cell = {};
};

// Tables follow each other without a common group; what is left at the end is not used. No table:
// all counts are 0. `groups` at least 2, else std::invalid_argument.
FalseVerdicts judge_equal(std::span<const KnownCell> cells, std::size_t groups,
                          const stats::DecisionRule& rule, stats::Correction correction);
Power judge_planted(std::span<const KnownCell> cells, std::size_t level, std::size_t groups,
                    const stats::DecisionRule& rule, stats::Correction correction);

}  // namespace invar::analysis
