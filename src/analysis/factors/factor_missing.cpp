#include "analysis/factors/factor_missing.hpp"

#include <algorithm>

#include "analysis/factors/factors_sentence.hpp"
#include "analysis/words/words.hpp"
#include "design/factors/launch_factors.hpp"

namespace invar::analysis {
namespace {

// Levels of arms and launches of which no launch is complete.
std::vector<MissingLevel> without_launch(const store::Data& data,
                                         const design::Campaign& campaign) {
  std::vector<MissingLevel> missing;
  const auto has_data = [&](const std::string& label) {
    return std::ranges::any_of(data.groups, [&](const store::Group& group) {
      return std::ranges::any_of(group.launches, [&](const store::Launch& launch) {
        return data.arms[launch.arm].label == label;
      });
    });
  };
  const auto reason_of = [&](const std::string& label) {
    for (const store::DroppedArm& dropped : data.dropped_arms) {
      if (dropped.arm == label) return "'" + label + "' " + dropped.reason;
    }
    return "'" + label + "' has no complete launch";
  };
  const auto check = [&](const std::string& factor, const std::string& level, const auto& has) {
    const design::Arm* first = nullptr;
    for (const design::Arm& arm : campaign.arms) {
      if (!has(arm)) continue;
      if (has_data(arm.label)) return;
      if (first == nullptr) first = &arm;
    }
    const bool known = std::ranges::any_of(missing, [&](const MissingLevel& other) {
      return other.factor == factor && other.level == level;
    });
    if (first != nullptr && !known) {
      missing.push_back({.factor = factor, .level = level, .reason = reason_of(first->label)});
    }
  };
  for (const design::Arm& arm : campaign.arms) {
    check("arm", design::base_label(arm), [&](const design::Arm& other) {
      return design::base_label(other) == design::base_label(arm);
    });
    for (const design::LaunchFactor& factor : design::launch_factors()) {
      const std::string level = design::level_of(campaign, arm, factor.key);
      check(std::string(factor.factor), level, [&](const design::Arm& other) {
        return design::level_of(campaign, other, factor.key) == level;
      });
    }
  }
  return missing;
}

// Why the first place with a known reason has no time.
std::string reason_of(const AbsentLevel& absent, const store::Data& data,
                      const Summaries& summaries) {
  for (const auto& [cell, arm] : absent.places) {
    const std::uint32_t id = data.cells[cell].id;
    const std::string& label = data.arms[arm].label;
    for (const store::FailedCell& failed : data.failed_cells) {
      if (failed.cell == id && failed.arm == label) return "'" + label + "' " + failed.reason;
    }
    for (const store::Missed& missed : data.missed) {
      if (missed.cell == id && missed.arm == arm) return "'" + label + "' " + missed.reason;
    }
    for (const EmptyVisits& empty : summaries.empty) {
      if (empty.cell == cell && empty.arm == arm) return "no repetition was valid";
    }
    for (const VisitSummary& visit : summaries.visits) {
      if (visit.cell == cell && visit.arm == arm && !(visit.median_ns > 0)) {
        return "its times are shorter than the clock can tell";
      }
    }
  }
  return "none of its cells was measured";
}

}  // namespace

std::vector<MissingLevel> missing_levels(const store::Data& data, const design::Campaign& campaign,
                                         const Summaries& summaries,
                                         std::span<const FactorTable> tables) {
  std::vector<MissingLevel> missing = without_launch(data, campaign);
  std::vector<std::vector<std::string>> targets(missing.size());  // that lack the level
  const std::size_t everywhere = missing.size();
  for (const FactorTable& table : tables) {
    for (const AbsentLevel& absent : table.absent) {
      const auto same = std::ranges::find_if(missing, [&](const MissingLevel& other) {
        return other.factor == absent.factor && other.level == absent.level;
      });
      const auto at = static_cast<std::size_t>(same - missing.begin());
      if (same == missing.end()) {
        missing.push_back({.factor = absent.factor,
                           .level = absent.level,
                           .reason = reason_of(absent, data, summaries)});
        targets.emplace_back();
      }
      if (missing[at].reference_now.empty()) missing[at].reference_now = absent.reference_now;
      targets[at].push_back(target_text(table.cell));
    }
  }
  for (std::size_t i = everywhere; i < missing.size(); ++i) {
    if (targets[i].size() < tables.size()) missing[i].where = list_text(targets[i]);
  }
  return missing;
}

}  // namespace invar::analysis
