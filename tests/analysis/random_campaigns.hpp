// Campaigns of a machine that changes, whose launches have bad luck and whose arms leave: what no
// printed number may contradict a verdict in.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "analysis/compare/looks.hpp"
#include "analysis/planted.hpp"
#include "stats/decide/sequential.hpp"

namespace invar::random_campaigns {

struct Shape {
  std::uint32_t fewest_arms = 2;
  std::uint32_t most_arms = 3;
  std::uint32_t cells = 2;
  bool regimes = false;     // the canaries of groups and blocks lie in two heaps
  bool looks = true;        // of some campaigns
  bool two_levels = false;  // every cell also of another operation, which `against` compares
};

struct RandomCampaign {
  store::Data data = {};
  analysis::Rules rules = {};
};

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : random_(seed) {}

  bool chance(double share) { return random_.uniform() < share; }
  std::uint32_t below(std::uint32_t count) {
    return static_cast<std::uint32_t>(random_.uniform() * count);
  }

 private:
  base::Random random_;
};

// An arm that is there no more from some group on.
inline void remove_launches(store::Data& data, std::uint32_t arm, std::uint32_t from_group) {
  for (store::Group& group : data.groups) {
    if (group.group < from_group) continue;
    std::erase_if(group.launches, [&](const store::Launch& launch) { return launch.arm == arm; });
  }
}

// Looks as the driver takes them: the band of the first one is what it saw.
inline void take_looks(store::Data& data, const analysis::Rules& rules) {
  const std::size_t groups = data.groups.size();
  for (std::size_t i = 0; i < stats::kLooks.size() && stats::kLooks[i].launches <= groups; ++i) {
    const auto launches = static_cast<std::uint32_t>(stats::kLooks[i].launches);
    store::LookLine line = planted::look_after(static_cast<std::uint32_t>(i + 1), launches);
    if (i == 0) {
      store::Data then = data;
      then.groups.resize(launches);
      line.regime = analysis::look_ground(then, rules).regime;
    }
    data.looks.push_back(std::move(line));
  }
}

inline std::vector<record::Cell> random_cells(const Shape& shape) {
  std::vector<record::Cell> cells;
  for (std::uint32_t i = 0; i < shape.cells; ++i) {
    cells.push_back(planted::cell("allreduce", std::uint64_t{8} << i));
  }
  for (std::uint32_t i = 0; shape.two_levels && i < shape.cells; ++i) {
    cells.push_back(planted::cell("mine", std::uint64_t{8} << i));
  }
  return cells;
}

// In the slow regime every time is three times as long, and the arms are not what they were.
inline void add_regimes(planted::Plan& plan, Dice& dice) {
  const std::uint32_t stretch = 1 + dice.below(4);  // groups
  const std::uint32_t begin = dice.below(2);
  const std::uint32_t mixed = dice.below(3) == 0 ? 5 : 1000;  // every fifth group changes half way
  const std::uint32_t half = plan.rounds * static_cast<std::uint32_t>(plan.cells.size()) / 2;
  const auto slow = [=](std::uint32_t group, std::uint32_t block) {
    const bool whole = (group / stretch + begin) % 2 == 1;
    return group % mixed == 0 && block >= half ? !whole : whole;
  };
  plan.block_canary_ns = [=](std::uint32_t group, std::uint32_t block) {
    return (slow(group, block) ? 500.0 : 130.0) * (1 + 0.01 * ((group + block) % 5));
  };
  plan.slower = [=, before = plan.slower](std::uint32_t group, std::uint32_t block,
                                          std::size_t arm) {
    const double factor = slow(group, block) ? (arm == 1 ? 2.2 : 3.0) : 1.0;
    return factor * before(group, block, arm);
  };
}

inline RandomCampaign random_campaign(std::uint64_t seed, const Shape& shape = {}) {
  Dice dice(seed);
  planted::Plan plan;
  plan.seed = seed;
  const std::uint32_t arms =
      shape.fewest_arms + dice.below(shape.most_arms - shape.fewest_arms + 1);
  plan.arms.clear();
  for (std::uint32_t arm = 0; arm < arms; ++arm) {
    plan.arms.emplace_back(1, static_cast<char>('a' + arm));
  }
  plan.cells = random_cells(shape);
  plan.groups = 3 + dice.below(8);
  plan.rounds = 2 + dice.below(3);
  if (shape.regimes) plan.groups += 4;
  if (shape.regimes) plan.rounds = 3;
  plan.repetitions = 4;
  plan.warm_up = 0;
  plan.launch_sd = dice.chance(0.5) ? 0.003 : 0.05;
  constexpr std::array kRatios{1.0, 1.01, 0.97, 1.05, 0.8, 1.5};
  std::vector<double> ratios;
  for (std::size_t i = 0; i < arms * plan.cells.size(); ++i) {
    ratios.push_back(kRatios.at(dice.below(kRatios.size())));
  }
  plan.time_ns = [ratios, cells = plan.cells.size()](std::size_t arm, std::size_t cell) {
    return 1000 * ratios[cells * arm + cell];
  };
  // A machine that changes for good, and a group in which one arm had bad luck.
  const std::uint32_t slow_from = 1 + dice.below(12);
  const std::uint32_t unlucky_group = 1 + dice.below(20);
  const std::uint32_t unlucky_arm = dice.below(3);
  plan.slower = [=](std::uint32_t group, std::uint32_t, std::size_t arm) {
    return (group >= slow_from ? 2.5 : 1.0) *
           (group == unlucky_group && arm == unlucky_arm ? 30.0 : 1.0);
  };
  if (shape.regimes) add_regimes(plan, dice);
  RandomCampaign campaign{.data = planted::data(plan)};
  if (dice.chance(0.5)) remove_launches(campaign.data, dice.below(3), 2 + dice.below(8));
  if (shape.two_levels) campaign.rules.against = record::find_cell_factor("operation");
  if (shape.looks && dice.chance(0.3)) {
    campaign.rules.sequential = true;
    take_looks(campaign.data, campaign.rules);
  }
  return campaign;
}

}  // namespace invar::random_campaigns
