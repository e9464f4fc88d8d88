#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

// Many tests in one table.
namespace invar::stats {

/// Adjusted p-values that may be compared with alpha directly, in the order given. Holm (1979)
/// keeps the probability of any false claim, Benjamini and Hochberg (1995) the expected share of
/// false ones among the claims (also under positive dependence). p in [0, 1], else
/// std::invalid_argument; an empty list gives an empty list.
std::vector<double> holm(std::span<const double> p);
std::vector<double> benjamini_hochberg(std::span<const double> p);

/// The same where some tests do not exist: they stay empty and do not count.
std::vector<std::optional<double>> holm(std::span<const std::optional<double>> p);
std::vector<std::optional<double>> benjamini_hochberg(std::span<const std::optional<double>> p);

/// Confidence of the intervals printed for the `rejected` of `tests` hypotheses that
/// Benjamini-Hochberg rejected at alpha: 1 - alpha rejected / tests (Benjamini and Yekutieli 2005).
/// The expected share of such intervals that miss is at most alpha, and a rejected hypothesis is
/// outside its interval. 1 <= rejected <= tests, else std::invalid_argument.
double selected_confidence(double alpha, std::size_t rejected, std::size_t tests);

/// The same for rejections by Holm: 1 - alpha / (tests - rejected + 1), Holm's own last threshold,
/// which is never less.
double selected_confidence_holm(double alpha, std::size_t rejected, std::size_t tests);

/// Number of asterisks for a p-value: 3 up to .001, 2 up to .01, 1 up to .05, else 0 (Hunold and
/// Carpen-Amarie 2016).
int asterisks(double p);

}  // namespace invar::stats
