// How often a test simulates: rates need many repeats, memory errors show in a few.
#pragma once

#include <algorithm>
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

}  // namespace invar::test
