// The joint fit of the data, and the same of every resample of launch groups.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "analysis/network/fit/joint_fit.hpp"
#include "analysis/network/fit/resamples.hpp"

namespace invar::analysis {

struct JointQuestion {
  JointPoints points = {};                  // of all launch groups
  std::vector<JointPoints> resampled = {};  // of resampled ones
  std::size_t groups = 0;
  double confidence = 0.95;
  double min_effect = 0.02;
};

class SolvedJoint {
 public:
  // Refers to the question.
  SolvedJoint(const JointQuestion& question, JointShape shape);

  [[nodiscard]] const JointQuestion& question() const { return *question_; }
  [[nodiscard]] const JointFit& fit() const { return fit_; }
  // None: nothing to fit.
  [[nodiscard]] const std::optional<JointSolution>& solution() const { return solution_; }

  // Estimates a value that follows from the unknowns. There must be a solution. `confidence`: none
  // means the question's.
  [[nodiscard]] ModelEstimate estimate(
      const std::function<double(std::span<const double> unknowns)>& value,
      std::optional<double> confidence = {}) const;
  // With what resamples say of it.
  [[nodiscard]] ModelEstimate estimate(double value, std::span<const double> resampled,
                                       std::size_t groups) const;

 private:
  const JointQuestion* question_;
  JointFit fit_;
  std::optional<JointSolution> solution_ = {};
  std::vector<JointSolution> resampled_ = {};  // of those that have one
};

// What trains say, by the shape's gap_parts.
struct JudgedGaps {
  JointShape shape = {};  // with shares_gap as it was judged
  // Messages in a row follow each other as fast as their sender or receiver is free: the train says
  // nothing of g, nor of G.
  std::vector<bool> busy = {};
};

// A train's G is that of round trips where resamples do not tell one from the other at 99 %
// (without any: within the smallest effect). A test that decides what is fitted has to be wrong
// more rarely than the intervals of the fit: where it is, these are those of a chance. `solved`:
// with a G of its own for every train.
JudgedGaps judge_gaps(const SolvedJoint& solved);

}  // namespace invar::analysis
