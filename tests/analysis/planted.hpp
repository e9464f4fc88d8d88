// Campaign data in memory with known ratios in them: what analysis reads, without files.
#pragma once

#include <cmath>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <numbers>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "analysis/study/study.hpp"
#include "base/random.hpp"
#include "store/reader.hpp"

namespace invar::planted {

inline record::Cell cell(const std::string& operation, std::optional<std::uint64_t> size_bytes) {
  record::Cell cell{.operation = operation, .size_bytes = size_bytes};
  cell.datatype = size_bytes ? "byte" : "";
  return cell;
}

struct Plan {
  std::vector<std::string> arms = {"openmpi", "mpich"};
  std::vector<record::Cell> cells = {cell("allreduce", 8), cell("allreduce", 1024),
                                     cell("allreduce", 16384)};
  std::uint32_t groups = 8;
  std::uint32_t rounds = 4;
  std::uint32_t repetitions = 15;
  std::uint32_t warm_up = 2;  // ten times slower, so that keeping them would show
  std::uint32_t calls = 1;
  // Planted: true time of an arm in a cell.
  std::function<double(std::size_t arm, std::size_t cell)> time_ns = [](std::size_t, std::size_t) {
    return 1000.0;
  };
  // Where it differs from visit to visit.
  std::function<double(std::uint32_t group, std::uint32_t block, std::size_t arm, std::size_t cell)>
      visit_ns = {};
  // Standard deviations of the log: luck of a group (all arms share it), of one launch in all its
  // cells, of one visit, of one repetition.
  double group_sd = 0.2;
  double launch_sd = 0.003;
  double visit_sd = 0.003;
  double noise_sd = 0.02;
  double step_ns = 0;
  // Slower by this factor at the start of a visit, falling linearly to 1 at its end.
  double burn_in = 1;
  std::function<std::uint16_t(std::size_t arm, std::size_t cell, std::uint32_t repetition)> flags =
      [](std::size_t, std::size_t, std::uint32_t) { return std::uint16_t{0}; };
  std::function<double(std::uint32_t group)> canary_ns = [](std::uint32_t) { return 260.0; };
  // Where it depends on the block as well: the regime of a visit's time.
  std::function<double(std::uint32_t group, std::uint32_t block)> block_canary_ns = {};
  // Where it depends on the arm as well; 0: none was measured.
  std::function<double(std::uint32_t group, std::uint32_t block, std::size_t arm)> arm_canary_ns =
      {};
  // The chain of dependent multiplications; without it there is none.
  std::function<double(std::uint32_t group, std::uint32_t block, std::size_t arm)> chain_ns = {};
  // Factor on the time of a visit.
  std::function<double(std::uint32_t group, std::uint32_t block, std::size_t arm)> slower =
      [](std::uint32_t, std::uint32_t, std::size_t) { return 1.0; };
  double global_factor = 1;  // global times over local ones
  bool skip_global = false;  // global times are nonsense and flagged so
  std::uint64_t seed = 7;
};

inline double normal(base::Random& random) {
  const double radius = std::sqrt(-2 * std::log(1 - random.uniform()));
  return radius * std::cos(2 * std::numbers::pi * random.uniform());
}

using Records = std::deque<std::vector<record::Timing>>;

inline std::vector<std::int64_t> canaries_ps(const Plan& plan, std::uint32_t group,
                                             std::uint32_t block, std::size_t arm) {
  double canary_ns = plan.canary_ns(group);
  if (plan.block_canary_ns) canary_ns = plan.block_canary_ns(group, block);
  if (plan.arm_canary_ns) canary_ns = plan.arm_canary_ns(group, block, arm);
  if (canary_ns == 0) return {};
  return {std::llround(canary_ns * 1000)};
}

inline store::Visit visit(const Plan& plan, Records& records, base::Random& random, double log_luck,
                          std::size_t arm, std::size_t cell) {
  const double luck = log_luck + plan.visit_sd * normal(random);
  std::vector<record::Timing>& timings = records.emplace_back();
  for (std::uint32_t i = 0; i < plan.warm_up + plan.repetitions; ++i) {
    const bool warm_up = i < plan.warm_up;
    double time_ns = plan.time_ns(arm, cell) * std::exp(luck + plan.noise_sd * normal(random));
    if (warm_up) time_ns *= 10;
    const double done = static_cast<double>(i) / (plan.warm_up + plan.repetitions);
    time_ns *= 1 + (plan.burn_in - 1) * (1 - done);
    if (plan.step_ns > 0) time_ns = std::round(time_ns / plan.step_ns) * plan.step_ns;
    record::Timing timing{};
    timing.repetition = i;
    timing.local_max_ps = std::llround(time_ns * 1000);
    timing.global_ps =
        plan.skip_global ? 999'999'999 : std::llround(time_ns * 1000 * plan.global_factor);
    timing.flags = plan.flags(arm, cell, i);
    if (warm_up) timing.flags |= record::kWarmUp;
    if (plan.skip_global) timing.flags |= record::kGlobalInvalid;
    // A late repetition waited for nobody: its time is nonsense.
    if ((timing.flags & record::kLate) != 0) timing.local_max_ps = timing.global_ps = 1;
    timings.push_back(timing);
  }
  store::Visit result;
  result.line.cell = static_cast<std::uint32_t>(cell);
  result.line.calls = plan.calls;
  result.records = timings;
  return result;
}

inline store::Data data(Plan plan) {
  store::Data data;
  data.dir = "om";
  data.scope = "2 ranks, 1 host";
  data.session = "2026-11-21";
  data.ended = true;
  data.clock_step_ns = plan.step_ns;
  data.planned_groups = plan.groups;
  for (std::uint32_t i = 0; i < plan.cells.size(); ++i) plan.cells[i].id = i;
  data.cells = plan.cells;
  for (const std::string& label : plan.arms) {
    const std::string library = label.substr(0, label.find('#'));
    data.arms.push_back({.label = label, .library = library, .library_version = library + " 1"});
  }
  auto records = std::make_shared<Records>();
  base::Random random(plan.seed);
  std::uint32_t launches = 0;
  for (std::uint32_t group = 1; group <= plan.groups; ++group) {
    store::Group& measured = data.groups.emplace_back();
    measured.group = group;
    const double group_luck = plan.group_sd * normal(random);
    for (std::uint32_t arm = 0; arm < plan.arms.size(); ++arm) {
      store::Launch& launch = measured.launches.emplace_back();
      launch.group = group;
      launch.launch = ++launches;
      launch.arm = arm;
      const double luck = group_luck + plan.launch_sd * normal(random);
      std::uint32_t block = 0;
      for (std::uint32_t round = 0; round < plan.rounds; ++round) {
        for (std::size_t cell = 0; cell < plan.cells.size(); ++cell) {
          double slower = plan.slower(group, block, arm);
          if (plan.visit_ns) {
            slower *= plan.visit_ns(group, block, arm, cell) / plan.time_ns(arm, cell);
          }
          store::Visit one = visit(plan, *records, random, luck + std::log(slower), arm, cell);
          one.line.round = round;
          one.line.block = block;
          one.line.canary_ps = canaries_ps(plan, group, block, arm);
          if (plan.chain_ns) {
            one.line.chain_ps = {std::llround(plan.chain_ns(group, block, arm) * 1000)};
          }
          // By turns: every arm once in each block.
          one.line.begin_ps =
              static_cast<std::int64_t>(block * plan.arms.size() + arm) * 1'000'000'000;
          one.line.end_ps = one.line.begin_ps + 900'000'000;
          ++block;
          launch.visits.push_back(std::move(one));
        }
      }
    }
  }
  data.mapped = records;
  return data;
}

// Slower by `ratios[cell]` in the second arm.
inline Plan with_ratios(const std::vector<double>& ratios) {
  Plan plan;
  plan.time_ns = [ratios](std::size_t arm, std::size_t cell) {
    return 1000.0 * (arm == 1 ? ratios[cell] : 1.0);
  };
  return plan;
}

// A look at the first `groups` launch groups.
inline store::LookLine look_after(std::uint32_t look, std::uint32_t groups) {
  store::LookLine line{.look = look};
  line.groups.resize(groups);
  std::iota(line.groups.begin(), line.groups.end(), 1U);
  return line;
}

// Drops every visit of an arm to a cell, as if it had never been planned.
inline void remove_cell(store::Data& data, std::uint32_t arm, std::uint32_t cell) {
  for (store::Group& group : data.groups) {
    for (store::Launch& launch : group.launches) {
      if (launch.arm != arm) continue;
      std::erase_if(launch.visits,
                    [&](const store::Visit& visit) { return visit.line.cell == cell; });
    }
  }
}

// The data as a study with these rules, whatever campaign they come from.
inline analysis::Study study(const store::Data& data, const analysis::Rules& rules = {},
                             const analysis::CompareOptions& options = {}) {
  design::Campaign campaign;
  campaign.analysis.presets = rules.measured;
  campaign.analysis.own_visits = rules.own_visits;
  return {data, campaign, rules, options};
}
inline analysis::Study both(const store::Data& first, const store::Data& second,
                            const analysis::Rules& rules = {},
                            const analysis::CompareOptions& options = {}) {
  return {study(first, rules, options), study(second, rules, options)};
}
// Several campaigns a side, each a session.
inline analysis::Study sides(const std::vector<store::Data>& first,
                             const std::vector<store::Data>& second,
                             const analysis::Rules& rules = {},
                             const analysis::CompareOptions& options = {}) {
  std::vector<analysis::Study> ours;
  std::vector<analysis::Study> theirs;
  for (const store::Data& data : first) ours.push_back(study(data, rules, options));
  for (const store::Data& data : second) theirs.push_back(study(data, rules, options));
  return {std::span<const analysis::Study>(ours), std::span<const analysis::Study>(theirs)};
}

}  // namespace invar::planted
