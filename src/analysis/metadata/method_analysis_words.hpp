// The half of method_words that tells of the analysis; used by the other half only.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "analysis/metadata/method_words.hpp"

namespace invar::analysis {

// Collects what a text cites.
class Citations {
 public:
  // " [Hunold 2016]"; the key is one of known_references().
  std::string operator()(const std::string& key);
  [[nodiscard]] std::vector<Reference> references() const;

 private:
  std::set<std::string> keys_ = {};
};

// The first paragraph. `measured_by`: the versions that measured; none: they are not known.
std::string measured_with_words(const std::vector<std::string>& measured_by, Citations& cite);
// From repetitions to verdicts.
std::string statistics_words(const MethodSource& source, Citations& cite);
// What the pictures show.
std::string figure_words(const MethodSource& source, Citations& cite);

}  // namespace invar::analysis
