#include "analysis/guidelines/guideline_pairs.hpp"

#include <algorithm>
#include <map>
#include <string_view>

#include "design/plan/families.hpp"
#include "design/rules/guideline.hpp"

namespace invar::analysis {
namespace {

// Whether the arm has visits of the cell, also where it was never measured in the reference regime.
bool is_measured(const Contest& contest, std::uint32_t cell, std::uint32_t arm) {
  return !contest.times.front().whole()[cell][arm].empty();
}

// The right sides by which the arm is judged: what a decision did not choose has no visits that
// judge. Where it has none at all, the first one stands for them.
std::vector<std::uint32_t> judged_rights(const Contest& contest, const design::FamilySides& sides,
                                         std::uint32_t arm) {
  std::vector<std::uint32_t> rights = sides.rights;
  std::erase_if(rights, [&](std::uint32_t right) { return !is_measured(contest, right, arm); });
  if (rights.empty() && !sides.rights.empty()) rights.push_back(sides.rights.front());
  return rights;
}

}  // namespace

std::vector<GuidelinePlace> guideline_places(const Contest& contest,
                                             const design::Campaign& campaign) {
  std::map<std::string_view, const design::FamilyBlock*> families;
  for (const design::FamilyBlock& family : campaign.families) families[family.name] = &family;
  std::vector<GuidelinePlace> places;
  for (std::size_t i = 0; i < campaign.guidelines.size(); ++i) {
    const design::GuidelineBlock& block = campaign.guidelines[i];
    const double tolerance = design::parse_guidelines(block.rule, "").front().tolerance;
    for (const std::string& name : block.families) {
      const design::FamilySides sides = design::sides_of(*families.at(name), contest.cells);
      for (std::uint32_t arm = 0; arm < contest.labels.size(); ++arm) {
        const GuidelinePlace here{
            .guideline = i, .arm = arm, .left = sides.left, .rights = sides.rights};
        const std::vector<std::uint32_t> rights = judged_rights(contest, sides, arm);
        if (rights.empty()) places.push_back(here);
        for (const std::uint32_t right : rights) {
          GuidelinePlace& place = places.emplace_back(here);
          place.right = right;
          if (!sides.left || !is_measured(contest, *sides.left, arm) ||
              !is_measured(contest, right, arm)) {
            continue;
          }
          place.pair =
              Pair{.a = {.cell = right, .arm = arm},
                   .b = {.cell = *sides.left, .arm = arm},
                   .hypothesis = {.alternative = stats::Alternative::kGreater, .margin = tolerance},
                   .place = *sides.left};
        }
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
