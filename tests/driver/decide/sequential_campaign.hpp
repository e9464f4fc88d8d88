// A small campaign as the driver has it before its first group.
#pragma once

#include <cstdint>
#include <optional>

#include "driver/prepare/prepare.hpp"

namespace invar::driver::test {

// Two libraries, three sizes of a broadcast, six rounds, looks.
inline Prepared sequential(std::optional<double> budget_s) {
  Prepared prepared;
  prepared.place = "race";
  prepared.campaign.stopping = design::Stopping::kLooks;
  prepared.campaign.launches = design::kLookLaunches;
  prepared.campaign.budget_s = budget_s;
  prepared.campaign.rounds = 6;
  for (const char* label : {"a", "b"}) {
    prepared.campaign.arms.push_back({.label = label, .library = label});
    prepared.arms.push_back({.label = label});
    prepared.arms.back().profile.startup_s = 1;
  }
  for (std::uint32_t id = 0; id < 3; ++id) {
    prepared.cells.cells.push_back({.id = id, .operation = "bcast", .size_bytes = 8U << id});
    prepared.cells.arms.push_back({0, 1});
  }
  return prepared;
}

}  // namespace invar::driver::test
