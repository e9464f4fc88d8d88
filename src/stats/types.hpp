#pragma once

namespace invar::stats {

/// Direction of a test. For two samples x and y: kLess claims that x tends to be smaller than y,
/// kGreater that it tends to be larger (R's convention; the Kolmogorov-Smirnov test differs, see
/// kolmogorov_smirnov.hpp).
enum class Alternative { kTwoSided, kLess, kGreater };

/// Confidence interval. One-sided intervals have an infinite end. `confidence` is the asked level,
/// in (0, 1).
struct Interval {
  double low = 0.0;
  double high = 0.0;
  double confidence = 0.0;

  bool operator==(const Interval&) const = default;
};

}  // namespace invar::stats
