#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

// Descriptions of one sample, and Tukey's filter.
namespace invar::stats {

/// Q1 - 1.5 IQR and Q3 + 1.5 IQR with type 7 quartiles (Tukey 1977; Hunold and Carpen-Amarie, IEEE
/// TPDS 2016, section 3.3).
struct TukeyFences {
  double low = 0.0;
  double high = 0.0;
};

TukeyFences tukey_fences(std::span<const double> values);
/// Linear time; reorders scratch.
TukeyFences tukey_fences_in_place(std::span<double> scratch);

/// The values inside the fences, fences included, in their order. Never empty: the median is always
/// inside.
std::vector<double> tukey_filter(std::span<const double> values);

/// Tukey's box: type 7 quartiles, and how far the values inside the fences reach. What lies beyond
/// low and high is an outlier.
struct TukeyBox {
  double low = 0.0;
  double first_quartile = 0.0;
  double median = 0.0;
  double third_quartile = 0.0;
  double high = 0.0;
};

/// Throws on an empty sample, NaN, infinity.
TukeyBox tukey_box(std::span<const double> values);

/// What is printed about a sample; all values in the unit of the sample.
struct Summary {
  std::size_t count = 0;
  double minimum = 0.0;
  double first_quartile = 0.0;
  double median = 0.0;
  double third_quartile = 0.0;
  double maximum = 0.0;
  double mean = 0.0;
  std::optional<double> standard_deviation = std::nullopt;  ///< empty for a single value
};

/// Throws on an empty sample, NaN, infinity.
Summary summarize(std::span<const double> values);
/// Linear time, no memory; reorders scratch.
Summary summarize_in_place(std::span<double> scratch);

}  // namespace invar::stats
