// Which pairs a campaign asks about, of questions that have their own: what the looks of the driver
// decide, and what an answer says of them.
#pragma once

#include <string>

#include "analysis/compare/contest.hpp"
#include "analysis/study/rules.hpp"
#include "design/campaign/campaign.hpp"
#include "store/reader.hpp"

namespace invar::analysis {

// None for questions that ask what the rules compare: arms, or levels. Refers to both.
AskedPairs asked_pairs(const design::Campaign& campaign, const store::Data& data);

// A verdict of a look as a word: a guideline is violated or holds, a gate fails or passes.
std::string decided_word(const Pair& pair, stats::Verdict verdict, const Rules& rules);

}  // namespace invar::analysis
