// Both sides of every guideline of a campaign as pairs: two cells of one arm, measured together in
// a family of their own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/compare/contest.hpp"
#include "design/campaign/campaign.hpp"

namespace invar::analysis {

// Name of the decision (store::DecidedLine::decision) into how many calls splits divide
// (driver/decide/splits.hpp).
constexpr std::string_view kSplitsDecision = "splits";

// A guideline at a size, for a number of ranks, in an arm, against one right side.
struct GuidelinePlace {
  std::size_t guideline = 0;                // index into Campaign::guidelines
  std::uint32_t arm = 0;                    // index into Contest::labels
  std::optional<std::uint32_t> left = {};   // index into Contest::cells; none: it has no such cell
  std::optional<std::uint32_t> right = {};  // likewise
  std::vector<std::uint32_t> rights = {};   // likewise, all of the family
  // A is the right side, so that the ratio B / A is the factor by which the left one takes longer.
  // None: one of the sides has no visits.
  std::optional<Pair> pair = {};
};

// In the order of the campaign: guidelines, their families, arms, right sides. Of a family that has
// several right sides those that judge: the one that was chosen, or all where nothing was chosen.
std::vector<GuidelinePlace> guideline_places(const Contest& contest,
                                             const design::Campaign& campaign);

// The pairs of those that have one, in their order: one table, of which looks ask everything.
std::vector<Pair> pairs_of_places(const std::vector<GuidelinePlace>& places);
std::vector<Pair> guideline_pairs(const Contest& contest, const design::Campaign& campaign);

}  // namespace invar::analysis
