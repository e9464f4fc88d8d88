// The machine's reference regime, as an answer tells of it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "analysis/answer/tidy_table.hpp"
#include "analysis/compare/comparison.hpp"
#include "analysis/compare/contest.hpp"
#include "analysis/machine/regimes.hpp"
#include "analysis/study/study.hpp"

namespace invar::analysis {

// The band that a campaign's answers speak of; none: nothing is ever left out.
std::optional<base::CanaryBand> reference_band_of(const Study& study);

// What the headline speaks of; none where the contest has no reference.
std::optional<ReferenceRegime> reference_regime(const Contest& contest);

// Adds views to a contest: beside the reference regime every other one, and everything together;
// without a reference, where nothing is left out of the headline, each regime. Its times say which
// they are (TimedVisits::choice).
void add_views(Contest& contest, const Study& study, const Regimes& regimes,
               std::span<const std::uint32_t> arms);

// As machines read it; empty: there is none.
Value reference_value(const std::optional<ReferenceRegime>& reference);

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
