// Campaigns of guidelines with known factors in them.
#pragma once

#include <string>
#include <vector>

#include "analysis/guidelines/guidelines.hpp"
#include "analysis/planted.hpp"
#include "design/rules/guideline.hpp"

namespace invar::planted {

// A rule at sizes 8, 16, ...: how many times as long as its right side the left one takes.
struct PlantedRule {
  std::string rule = {};
  std::vector<double> factors = {};
};

// Left sides are bcast, right ones allgather, whatever the rule says, and take 1 us.
struct PlantedGuidelines {
  explicit PlantedGuidelines(const std::vector<PlantedRule>& rules) {
    plan.arms = {"openmpi"};
    plan.cells.clear();
    campaign.analysis.question = design::Question::kGuidelines;
    std::vector<double> times_ns;
    for (const PlantedRule& planted : rules) {
      design::GuidelineBlock& block = campaign.guidelines.emplace_back();
      block.rule = planted.rule;
      const std::string name = design::parse_guidelines(planted.rule, "").front().name;
      std::uint64_t size_bytes = 8;
      for (const double factor : planted.factors) {
        design::FamilyBlock family{.name = name + '-' + std::to_string(size_bytes)};
        for (const char* operation : {"bcast", "allgather"}) {
          family.cells.push_back({.operations = {operation}, .sizes_bytes = {size_bytes}});
          record::Cell& cell = plan.cells.emplace_back(planted::cell(operation, size_bytes));
          cell.family = family.name;
          cell.ranks = 2;
        }
        times_ns.push_back(1000 * factor);
        times_ns.push_back(1000);
        block.families.push_back(family.name);
        campaign.families.push_back(std::move(family));
        size_bytes *= 2;
      }
    }
    plan.time_ns = [times_ns](std::size_t, std::size_t cell) { return times_ns[cell]; };
  }

  [[nodiscard]] analysis::Study study(const store::Data& data) const {
    return {data, campaign, analysis::make_rules(campaign, {}), {}};
  }
  [[nodiscard]] analysis::Guidelines found() const {
    return analysis::guidelines(study(planted::data(plan)));
  }

  planted::Plan plan = {};
  design::Campaign campaign = {};
};

}  // namespace invar::planted
