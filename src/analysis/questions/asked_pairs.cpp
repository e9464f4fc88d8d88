#include "analysis/questions/asked_pairs.hpp"

#include "analysis/guidelines/guideline_pairs.hpp"
#include "analysis/tuning/confirmation.hpp"
#include "analysis/tuning/race_pairs.hpp"
#include "analysis/words/numbers.hpp"

namespace invar::analysis {

AskedPairs asked_pairs(const design::Campaign& campaign, const store::Data& data) {
  switch (campaign.analysis.question) {
    case design::Question::kGuidelines:
      return [&campaign](const Contest& contest) { return guideline_pairs(contest, campaign); };
    case design::Question::kTune:
      return [&campaign, &data](const Contest& contest) {
        return pairs_alone(
            race_pairs(contest, campaign.races, expelled_candidates(data, campaign.races)));
      };
    case design::Question::kTuneConfirm:
      return [&campaign](const Contest& contest) { return confirmation_pairs(contest, campaign); };
    default:
      return {};
  }
}

std::string decided_word(const Pair& pair, stats::Verdict verdict, const Rules& rules) {
  if (rules.guidelines) return std::string(stats::to_string(verdict));
  if (rules.confirms) return confirmed_word(pair, verdict);
  return verdict_name(verdict);
}

}  // namespace invar::analysis
