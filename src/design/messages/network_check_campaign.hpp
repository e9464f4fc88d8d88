// The two campaigns of `invar network DIR --check`: what is measured on the real arms and no model
// was fitted to, and the same and the model's own messages on simulated ones.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "design/campaign/campaign.hpp"

namespace invar::design {

// Who takes part in the collectives: as many as have a core each.
struct CheckRanks {
  std::uint32_t ranks = 2;
  bool between_hosts = false;  // one on each
};

// Operations that nothing is fitted to, and whose ranks' reductions are told to the simulator.
inline constexpr const char* kCheckedCollectives[] = {"bcast", "allreduce", "halo"};
inline constexpr const char* kCheckedReduction = "reduce_local";

// Ascending: a factor of four from one to the next, up to `high_bytes`; whole numbers of an int.
std::vector<std::uint64_t> checked_sizes(std::uint64_t high_bytes);

struct MeasuredCheckOrder {
  Campaign network = {};  // whose arms, hosts and options it has
  CheckRanks ranks = {};
  std::vector<std::uint64_t> sizes_bytes = {};  // of all operations
  double budget_s = 0;
  std::uint64_t seed = 0;
};
// Collectives one by one, never in batches; reductions of a rank alone. Many groups, as the budget
// allows.
Campaign measured_check_campaign(const MeasuredCheckOrder& order);

// Cells of the network's campaign that a platform must give back.
struct CheckedMessages {
  std::string operation = {};
  std::string arrival = {};  // "none", or how late the receiver is
  std::vector<std::uint64_t> sizes_bytes = {};
};

struct SimulatedCheckOrder {
  std::vector<Arm> arms = {};  // with their platforms
  std::vector<CheckedMessages> messages = {};
  std::uint32_t ranks = 2;  // of collectives
  std::vector<std::uint64_t> sizes_bytes = {};
  std::uint64_t seed = 0;
};
// The simulator is deterministic: one launch group, a few repetitions.
Campaign simulated_check_campaign(const SimulatedCheckOrder& order);

}  // namespace invar::design
