// Guidelines as PGMPI judges them (paper 003, IV.C): plain medians of launches, a test of each pair
// of sides without any correction, split-robustness inferred from times of smaller messages.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/guidelines/guidelines.hpp"

namespace invar::analysis {

enum class PgmpiTest : std::uint8_t { kWilcoxon, kKolmogorovSmirnov };

// The study is opened with method "pgmpi", which takes local times. Monotony and patterns:
// one-sided (the left side tends to take longer), Wilcoxon's rank-sum test by the normal
// approximation or Kolmogorov and Smirnov's; violated where p <= alpha. Split-robustness of a size
// m_j: violated where (1 + tolerance) k t(m_i) < t(m_j) with k = ceil(m_j / m_i), for the largest
// such m_i alone. Throws what pgmpi_guidelines_lack() says.
Guidelines pgmpi_guidelines(const Study& study, PgmpiTest test);
std::optional<Lack> pgmpi_guidelines_lack(const Study& study);

// The median time of an operation of a size.
struct SizeTime {
  std::uint64_t size_bytes = 0;
  double median_ns = 0;
};

// A size against k calls of a smaller one.
struct InferredSplit {
  std::size_t whole = 0;  // indices into the times
  std::size_t part = 0;
  std::uint64_t calls = 0;
  bool violated = false;
};

// For each size but the smallest, in ascending order as `times`: the largest smaller one whose
// calls take less time, else the next smaller one. Sizes of 0 are no
// parts, nor are those whose times are 0.
std::vector<InferredSplit> inferred_splits(const std::vector<SizeTime>& times, double tolerance);

}  // namespace invar::analysis
