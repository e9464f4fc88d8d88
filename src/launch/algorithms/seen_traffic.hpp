// Which messages levels send: probes in which the library counts them, never while something is
// timed.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "launch/algorithms/probe_launch.hpp"
#include "launch/algorithms/told_level.hpp"
#include "tuning/probes/ran.hpp"

namespace invar::launch {

// A call whose messages are asked for.
struct TrafficOrder {
  std::string operation = {};
  std::uint32_t ranks = 2;
  std::uint64_t size_bytes = 0;
  // What is told; null: nothing (`default`).
  const ToldLevel* level = nullptr;
};

struct SeenTraffic {
  // Why nobody has counted; empty: it was.
  std::string why_not = {};
  tuning::Traffic messages = {};
  std::vector<tuning::ReferenceTraffic> references = {};
};

// The profile's library can count messages at all.
bool counts_messages(const Profile& profile);

// In the order of `orders`. Several share a launch, each on ranks of its own; one that does not end
// well is repeated order by order.
std::vector<SeenTraffic> see_traffic(const ProbePlace& place, std::span<const TrafficOrder> orders);

// Orders that share a launch, by their numbers: as they come, up to `most_ranks` together.
std::vector<std::vector<std::size_t>> traffic_launches(std::span<const TrafficOrder> orders,
                                                       std::uint32_t most_ranks);

// What the engine has written (engine/algorithms/traffic.hpp), with the messages of the whole
// world; as many as `orders`. Throws UserError for text that is not that.
std::vector<SeenTraffic> read_traffic(std::string_view json, const tuning::Traffic& world,
                                      std::size_t orders);

}  // namespace invar::launch
