// `invar tune DIR`: the races and, once they are confirmed, what the tuned file gains, as one
// answer.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/answer/answer.hpp"
#include "analysis/study/study.hpp"
#include "analysis/tuning/confirmation.hpp"
#include "analysis/tuning/kept.hpp"
#include "analysis/tuning/races.hpp"

namespace invar::analysis {

// What a campaign that races came to, with the latest of its confirmations that judged; where none
// did, the latest that can be answered.
struct TunedCampaign {
  TuneRaces races = {};
  std::vector<design::TuneCell> cells = {};  // that a confirmation measures
  KeptTables kept = {};                      // after all confirmations
  std::optional<Confirmation> confirmation = {};
  std::vector<std::string> earlier_sessions = {};  // of the races and of earlier confirmations
  std::size_t confirmed_times = 0;                 // confirmations that judged
  Health not_judged = {};                          // of those behind the last one that judged
  std::vector<Warning> warnings = {};              // about confirmations that did not
};

// Throws what races_lack() says.
TunedCampaign tuned_campaign(const Study& study);

// "confirmed in a session that was measured in before: another day may differ, ...", "confirmed 2
// times, the last time in another session than before"; empty: no confirmation has judged.
std::string session_words(const TunedCampaign& found);

Answer answer_of(const TunedCampaign& found);

}  // namespace invar::analysis
