// Campaigns of races with known times in them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "analysis/planted.hpp"
#include "analysis/tuning/races.hpp"
#include "design/races/race.hpp"

namespace invar::planted {

// What a candidate takes in a race, in ns.
struct PlantedCandidate {
  std::string text = {};
  std::size_t arm = 0;  // of the plan
  double time_ns = 1000;
};

struct PlantedRace {
  std::uint64_t size_bytes = 8;
  std::vector<PlantedCandidate> candidates = {};
};

inline constexpr std::size_t kGivenArm = 0;
inline constexpr std::size_t kDefaultArm = 1;
inline constexpr std::size_t kSwitchingArm = 2;

// Races of bcast on two ranks, in the arms "bad" (as given), "library-default" and "algorithms".
struct PlantedRaces {
  explicit PlantedRaces(const std::vector<PlantedRace>& races) {
    plan.arms = {"bad", "library-default", "algorithms"};
    plan.cells.clear();
    campaign.analysis.question = design::Question::kTune;
    for (const std::string& label : plan.arms) {
      campaign.arms.push_back({.label = label, .library = "openmpi"});
    }
    for (const PlantedRace& race : races) add(race, campaign.races);
  }

  // Races that a decision has added.
  void add_under_way(const std::vector<PlantedRace>& races,
                     std::vector<design::RaceBlock>& blocks) {
    for (const PlantedRace& race : races) add(race, blocks);
  }

  [[nodiscard]] store::Data data() {
    plan.time_ns = [times = times_](std::size_t arm, std::size_t cell) {
      const double time_ns = times[cell][arm];
      return time_ns > 0 ? time_ns : 1000;
    };
    store::Data measured = planted::data(plan);
    for (std::uint32_t cell = 0; cell < plan.cells.size(); ++cell) {
      for (std::uint32_t arm = 0; arm < plan.arms.size(); ++arm) {
        if (times_[cell][arm] == 0) remove_cell(measured, arm, cell);
      }
    }
    return measured;
  }

  [[nodiscard]] analysis::Study study(const store::Data& measured) const {
    return {measured, campaign, analysis::make_rules(campaign, {}), {}};
  }
  [[nodiscard]] analysis::TuneRaces found() { return analysis::tune_races(study(data())); }

  planted::Plan plan = {};
  design::Campaign campaign = {};

 private:
  void add(const PlantedRace& planted, std::vector<design::RaceBlock>& blocks) {
    design::RaceBlock& race = blocks.emplace_back();
    race.operation = "bcast";
    race.size_bytes = planted.size_bytes;
    race.ranks = 2;
    race.family = design::race_name("bcast", planted.size_bytes, 2);
    for (const PlantedCandidate& candidate : planted.candidates) {
      race.candidates.push_back({.is = candidate.text, .arm = plan.arms.at(candidate.arm)});
      const design::RacedAs as =
          design::raced_as("bcast", *tuning::parse_candidate(candidate.text).value, false);
      record::Cell cell = planted::cell(as.operation, planted.size_bytes);
      cell.algorithm = as.algorithm;
      cell.segment_bytes = as.segment_bytes;
      cell.family = race.family;
      cell.ranks = 2;
      std::size_t index = 0;
      while (index < plan.cells.size() && !plan.cells[index].same_levels(cell)) ++index;
      if (index == plan.cells.size()) {
        plan.cells.push_back(cell);
        times_.emplace_back(plan.arms.size(), 0.0);
      }
      times_[index][candidate.arm] = candidate.time_ns;
    }
  }

  std::vector<std::vector<double>> times_ = {};  // [cell][arm]; 0: that arm does not have it
};

}  // namespace invar::planted
