#include "analysis/guidelines/guideline_pairs.hpp"

#include <algorithm>
#include <map>
#include <string_view>

#include "design/rules/guideline.hpp"

namespace invar::analysis {
namespace {

// The side's cell in the family.
std::optional<std::uint32_t> cell_of_side(const Contest& contest, const std::string& family,
                                          const design::CellsBlock& side) {
  for (std::uint32_t i = 0; i < contest.cells.size(); ++i) {
    const record::Cell& cell = contest.cells[i];
    const bool sized = side.sizes_bytes.empty() || cell.size_bytes == side.sizes_bytes.front();
    if (cell.family == family && sized && cell.operation == side.operations.front()) return i;
  }
  return std::nullopt;
}

}  // namespace

std::vector<GuidelinePlace> guideline_places(const Contest& contest,
                                             const design::Campaign& campaign) {
  std::map<std::string_view, const design::FamilyBlock*> families;
  for (const design::FamilyBlock& family : campaign.families) families[family.name] = &family;
  const CellTable& whole = contest.times.front().whole();
  std::vector<GuidelinePlace> places;
  for (std::size_t i = 0; i < campaign.guidelines.size(); ++i) {
    const design::GuidelineBlock& block = campaign.guidelines[i];
    const double tolerance = design::parse_guidelines(block.rule, "").front().tolerance;
    for (const std::string& name : block.families) {
      const std::vector<design::CellsBlock>& sides = families.at(name)->cells;
      const auto left = cell_of_side(contest, name, sides.front());
      const auto right = cell_of_side(contest, name, sides.back());
      for (std::uint32_t arm = 0; arm < contest.labels.size(); ++arm) {
        GuidelinePlace& place = places.emplace_back(
            GuidelinePlace{.guideline = i, .arm = arm, .left = left, .right = right});
        // Also where they were never measured in the reference regime.
        if (!left || !right || whole[*left][arm].empty() || whole[*right][arm].empty()) continue;
        place.pair =
            Pair{.a = {.cell = *right, .arm = arm},
                 .b = {.cell = *left, .arm = arm},
                 .hypothesis = {.alternative = stats::Alternative::kGreater, .margin = tolerance},
                 .place = *left};
      }
    }
  }
  return places;
}

std::vector<Pair> pairs_of_places(const std::vector<GuidelinePlace>& places) {
  std::vector<Pair> pairs;
  pairs.reserve(places.size());
  for (const GuidelinePlace& place : places) {
    if (place.pair) pairs.push_back(*place.pair);
  }
  return pairs;
}

std::vector<Pair> guideline_pairs(const Contest& contest, const design::Campaign& campaign) {
  return pairs_of_places(guideline_places(contest, campaign));
}

}  // namespace invar::analysis
