// Campaigns ran at different times: were they in the same regimes of the machine, and for the
// same shares of their time? (docs/methods.md, "Regimes of two campaigns")
#pragma once

#include <optional>
#include <span>
#include <string>

#include "analysis/compare/comparison.hpp"
#include "analysis/compare/contest.hpp"
#include "analysis/machine/regimes.hpp"
#include "analysis/study/summaries.hpp"
#include "store/reader.hpp"

namespace invar::analysis {

struct CampaignCanaries {
  const store::Data* data = nullptr;
  const Summaries* summaries = nullptr;
  std::string name = {};
};

// The canaries of all, split together, each campaign with the same weight however much it measured.
// Regime::campaign_shares: one a campaign. Of one kind, chosen as regimes_of does among those that
// all campaigns have: another one than the line must last in each of them.
Regimes common_regimes(std::span<const CampaignCanaries> campaigns,
                       std::optional<base::CanaryKind> fixed = {});

// What the regimes, and not the arms, contribute to log(time of B / time of A) over everything.
struct RegimePart {
  // By different shares of the regimes that both arms' visits were in.
  double log_ratio = 0;
  // Share of the visits that are in some regime for longer than the other arm's, where nothing is
  // known of what that regime does to this cell: the other arm has hardly any visits there.
  double unmatched = 0;
};

// By the canaries of the visits themselves.
RegimePart regime_part(const CellVisits& a, const CellVisits& b, const Regimes& regimes);

// More than half of min-effect, or more than 5 % of the visits without a counterpart: a ratio over
// everything would speak of the machine.
bool regimes_matter(const RegimePart& part, double min_effect);

// The ratio (of geometric means) and the times (Hodges and Lehmann's) say different things: one arm
// faster by verdict and the other by time, or equivalent with times further apart than min-effect.
// `gate`: the margin of a gate, which its verdicts speak of.
bool times_contradict(const ComparedCell& row, double min_effect, std::optional<double> gate = {});

// The quotient of the times is not the ratio: it lies outside of the ratio's interval, where there
// is one, and further from the ratio than min-effect.
bool times_miss_ratio(const ComparedCell& row, double min_effect);

}  // namespace invar::analysis
