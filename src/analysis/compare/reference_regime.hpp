// The machine's reference regime, as an answer tells of it.
#pragma once

#include <optional>
#include <string>

#include "analysis/compare/comparison.hpp"
#include "analysis/compare/contest.hpp"
#include "analysis/study/study.hpp"

namespace invar::analysis {

// The band that a campaign's answers speak of; none: nothing is ever left out.
std::optional<base::CanaryBand> reference_band_of(const Study& study);

// What the headline speaks of; none where the contest has no reference.
std::optional<ReferenceRegime> reference_regime(const Contest& contest);

// "canary 0.143 us (60 % of visits)".
std::string regime_text(const ReferenceRegime& regime);

// ", canary 0.143 us (60 % of visits)": which state of the machine the answer is about. Empty where
// nothing is left out.
std::string regime_scope(const std::optional<ReferenceRegime>& reference);

// "The last comparison on this host was of another regime of the machine (412ns:630ns): ...". Empty
// where both are of the same one, or nothing is known of an earlier one.
std::string other_regime_sentence(const std::optional<ReferenceRegime>& reference,
                                  const std::optional<base::CanaryBand>& before);

}  // namespace invar::analysis
