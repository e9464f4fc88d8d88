// How the time that a synchronisation takes grows with the number of ranks p.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/clocks/clock_trials.hpp"

namespace invar::analysis {

// seconds = constant_s + per_doubling_s log2 p + per_rank_s (p - 1): the constant alone, one of the
// other two, or both of these.
struct ScalingLaw {
  std::string algorithm = {};
  double constant_s = 0, per_doubling_s = 0, per_rank_s = 0;
  double r_squared = 0;                 // 1 of a constant
  std::optional<double> exponent = {};  // of p - 1, a line through the logarithms
  std::optional<double> exponent_r_squared = {};

  // "7.5 ms log2 p + 0.24 ms (p - 1)".
  [[nodiscard]] std::string text() const;
};

// One an algorithm, in the order of the rows; none with fewer than three numbers of ranks above 1,
// or where no law has an R^2 of .9.
std::vector<ScalingLaw> scaling_laws(const std::vector<TrialsRow>& rows);

// "The time grows with p - 1 for jk, grows with log2 p for hca2, grows as a log2 p + b (p - 1) for
// hca". Empty: no law.
std::string laws_text(const std::vector<ScalingLaw>& laws);

}  // namespace invar::analysis
