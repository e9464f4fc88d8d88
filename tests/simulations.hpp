// How often a test simulates: rates need many repeats, memory errors show in a few. Where a few
// could not tell a right rate from a wrong one, only the full number is judged (kSanitized).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace invar::test {

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kSanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif
#else
constexpr bool kSanitized = false;
#endif

// A tenth, and two at least, where the sanitizers make everything ten times slower.
constexpr std::size_t simulations(std::size_t usual) {
  return kSanitized ? std::max<std::size_t>(usual / 10, 2) : usual;
}

// So many of `trials` succeed at least, in all but one of a thousand tries, if each one does with
// this probability: also few simulations judge a method by what few can show.
inline int least_successes(std::size_t trials, double probability) {
  const auto n = static_cast<double>(trials);
  double below = 0;
  for (std::size_t k = 0; k <= trials; ++k) {
    const auto x = static_cast<double>(k);
    below += std::exp(std::lgamma(n + 1) - std::lgamma(x + 1) - std::lgamma(n - x + 1) +
                      x * std::log(probability) + (n - x) * std::log1p(-probability));
    if (below > 1e-3) return static_cast<int>(k);
  }
  return static_cast<int>(trials);
}

}  // namespace invar::test
