#include "analysis/method_words.hpp"

namespace invar::analysis {

MethodText method_text(std::span<const MethodSource> campaigns) {
  (void)campaigns;
  return {};
}

std::span<const Reference> known_references() { return {}; }

}  // namespace invar::analysis
