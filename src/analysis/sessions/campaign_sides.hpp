// The two sides of a comparison of campaigns, and what stands side by side: each side is one
// campaign, whose values are its launches, or several, each of them a session and one value.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/compare/contest.hpp"
#include "analysis/machine/regimes.hpp"
#include "analysis/study/lack.hpp"
#include "analysis/study/study.hpp"
#include "base/canary_band.hpp"

namespace invar::analysis {

struct OneCampaign {
  const store::Data* data = nullptr;  // without visits that were made another suite's way
  const Summaries* summaries = nullptr;
  const StartSkews* starts = nullptr;
  std::string name = {};
  CellTable table = {};
  CellTable headline = {};  // of the reference regime, where there is one
  std::vector<CellTable> in_view = {};
};

struct CampaignSide {
  std::string name = {};  // of the only campaign; "A" and "B" of several
  std::vector<OneCampaign> campaigns = {};
  // The arms that all of its campaigns have, and which one each is there: [arm][campaign].
  std::vector<std::string> labels = {};
  std::vector<std::vector<std::uint32_t>> arms = {};

  [[nodiscard]] bool of_sessions() const { return campaigns.size() > 1; }
};

using CampaignSides = std::array<CampaignSide, 2>;

// How many sessions a sentence names of a side.
constexpr std::size_t kMostSessionsNamed = 4;

// Which arms of a side are in some pair, by index into CampaignSide::labels.
using UsedArms = std::vector<std::uint32_t>;
// Where they are in one of the side's campaigns.
std::vector<std::uint32_t> arms_in(const CampaignSide& side, const UsedArms& used,
                                   std::size_t campaign);

// At whose regime the looks of a campaign were; none: there were no looks, or they were at all
// regimes together.
std::optional<base::CanaryBand> looked_at(const OneCampaign& campaign);

// The study has two campaigns or more, each with groups and valid repetitions.
CampaignSides sides_of_study(const Study& study);

// "2026-11-21-om", or as many of the last parts of its path as tell it from all others:
// "monday/om". The whole path where it ends like another one.
std::string name_of_campaign(const Study& study, std::size_t campaign);

// A cell that all campaigns have, and which one it is there: [side][campaign].
struct SharedCell {
  record::Cell cell = {};
  std::array<std::vector<std::size_t>, 2> in = {};
};
std::vector<SharedCell> shared_cells(const CampaignSides& sides);
// No cell is common: what each has.
Lack lack_of_shared_cells(const CampaignSides& sides);

// What the machine did in all campaigns.
struct CommonRegimes {
  // Regime::campaign_shares are the sides', the means over their campaigns.
  Regimes regimes = {};
  std::optional<base::CanaryBand> reference = {};  // none: there is none that all were in
  std::vector<std::string> moved = {};             // arms that move canaries, a text a campaign
  std::vector<std::string> views = {};
};

// Splits the canaries of all campaigns together, and what each measured. A preset knows nothing of
// regimes.
CommonRegimes split_regimes(CampaignSides& sides, const Rules& rules);

// Over sessions: some had other states of the machine than others, so that no reference regime is
// common to all. To be asked before split_regimes().
std::optional<base::Fault> fault_of_regimes(const CampaignSides& sides, const Rules& rules);

// Arms of both sides side by side, in the cells that are shared.
Contest contest_of_sides(const CampaignSides& sides, const std::vector<SharedCell>& cells,
                         const CommonRegimes& common);

}  // namespace invar::analysis
