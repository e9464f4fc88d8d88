// How many repetitions and rounds pay, from what the first look measured: costs and variances of
// repetitions, visits and launch groups (docs/methods.md, "Looks").
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "analysis/compare/looks.hpp"
#include "record/arm_cell.hpp"

namespace invar::analysis {

// What the launch groups so far cost, in seconds.
struct GroupCosts {
  struct OfVisit {
    double visit_s = 0;       // without its repetitions: warm-up, canary, handing on the turn
    double repetition_s = 0;  // one more, waiting included
    bool every_round = true;  // a program runs once a launch, whatever rounds there are
  };
  double group_s = 0;    // all of it
  double startup_s = 0;  // what no visit took
  std::map<record::ArmCell, OfVisit> visits = {};

  // The time of a group with these visits in every round; `repetitions` by cell, else `usual`. What
  // is not measured costs nothing.
  [[nodiscard]] double seconds(const std::vector<record::ArmCell>& places, std::uint32_t rounds,
                               const std::map<std::uint32_t, std::uint32_t>& repetitions,
                               std::uint32_t usual) const;
};

// `group_s`: wall time of a typical complete group. `data`: with other suites' visits.
GroupCosts group_costs(const store::Data& data, double group_s);

struct Tuning {
  std::uint32_t rounds = 0;
  std::map<std::uint32_t, std::uint32_t> repetitions = {};  // by Cell::id
};

// `data`: without other suites' visits. For the cells of open pairs; what the campaign asks
// for may become a quarter or four times as much, but no less than 4 rounds and 10 repetitions. No
// cell with two groups: as asked.
Tuning tune(const store::Data& data, const Standings& standings, const Rules& rules,
            const GroupCosts& costs, std::uint32_t rounds, std::uint32_t repetitions);

}  // namespace invar::analysis
