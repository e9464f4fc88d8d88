#include "launch/algorithms/seen_traffic.hpp"

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "launch/kinds/kind.hpp"

namespace invar::launch {
namespace {

using TrafficJson = nlohmann::json;

// Ranks of a launch, which share the cores: more start slowly.
constexpr std::uint32_t kMostRanks = 32;
constexpr std::string_view kCountsFile = "counts";

record::Try try_of(const TrafficOrder& order) {
  record::Try one{.kind = record::TryKind::kTraffic,
                  .operation = order.operation,
                  .size_bytes = order.size_bytes,
                  .ranks = order.ranks};
  if (order.level != nullptr) {
    one.segment_bytes = order.level->candidate.segment_bytes;
    one.switched = record::switch_text(order.level->told);
  }
  return one;
}

tuning::ReferenceTraffic reference_of(const TrafficJson& json) {
  tuning::ReferenceTraffic reference{.name = json.at("name").get<std::string>(),
                                     .segment_bytes = json.at("segment_bytes").get<std::uint64_t>(),
                                     .order = json.at("order").get<std::string>()};
  for (const TrafficJson& one : json.at("messages")) {
    reference.messages.push_back({.from = one.at(0).get<int>(),
                                  .to = one.at(1).get<int>(),
                                  .messages = one.at(2).get<std::uint64_t>(),
                                  .bytes = one.at(3).get<std::uint64_t>()});
  }
  return reference;
}

std::vector<SeenTraffic> nobody_counted(std::size_t orders, const std::string& why) {
  return {orders, SeenTraffic{.why_not = why}};
}

tuning::Traffic world_messages(const ProbeDir& dir, std::uint32_t ranks) {
  tuning::Traffic world;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    const std::string name = std::string(kCountsFile) + '.' + std::to_string(rank) + ".prof";
    const tuning::Traffic own = tuning::read_monitoring(dir.read(name), name);
    world.insert(world.end(), own.begin(), own.end());
  }
  return world;
}

bool all_ranks_wrote(const ProbeDir& dir, std::uint32_t ranks) {
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    if (dir.read(std::string(kCountsFile) + '.' + std::to_string(rank) + ".prof").empty()) {
      return false;
    }
  }
  return true;
}

struct Together {
  std::vector<SeenTraffic> seen = {};
  bool ended_well = true;  // false: one of the orders may be to blame
};

// Sees all orders in one launch.
Together see_together(const ProbePlace& place, std::span<const TrafficOrder> orders) {
  const ProbeDir dir(place);
  ProbePlace counting{
      .profile = place.profile, .environment = place.environment, .launcher = place.launcher};
  for (auto& variable :
       kind_of(place.profile.family)
           .counting(dir.path() / kCountsFile, place.environment, place.profile.environment)) {
    counting.environment.push_back(std::move(variable));
  }
  std::vector<record::Try> tries;
  std::uint32_t ranks = 0;
  tries.reserve(orders.size());
  for (const TrafficOrder& order : orders) {
    tries.push_back(try_of(order));
    ranks += order.ranks;
  }
  const std::string problem =
      run_watched(counting, dir, "--traffic", ranks, tries, {.file = record::kTrafficFile});
  if (!problem.empty()) return {nobody_counted(orders.size(), problem), false};
  try {
    const std::string json = dir.read(record::kTrafficFile);
    std::vector<SeenTraffic> seen = read_traffic(json, world_messages(dir, ranks), orders.size());
    if (all_ranks_wrote(dir, ranks)) return {std::move(seen)};
    for (SeenTraffic& one : seen) {
      if (one.why_not.empty()) one.why_not = "the library has not written what it counted";
    }
    return {std::move(seen)};
  } catch (const base::UserError& error) {
    return {nobody_counted(orders.size(), error.what())};
  }
}

}  // namespace

bool counts_messages(const Profile& profile) { return kind_of(profile.family).counting != nullptr; }

std::vector<std::vector<std::size_t>> traffic_launches(std::span<const TrafficOrder> orders,
                                                       std::uint32_t most_ranks) {
  std::vector<std::vector<std::size_t>> launches;
  std::uint32_t ranks = 0;
  for (std::size_t i = 0; i < orders.size(); ++i) {
    if (launches.empty() || ranks + orders[i].ranks > most_ranks) {
      launches.emplace_back();
      ranks = 0;
    }
    launches.back().push_back(i);
    ranks += orders[i].ranks;
  }
  return launches;
}

std::vector<SeenTraffic> read_traffic(std::string_view json, const tuning::Traffic& world,
                                      std::size_t orders) {
  const std::string place(record::kTrafficFile);
  try {
    const TrafficJson all = TrafficJson::parse(json);
    if (!all.at("counts").get<bool>()) {
      return nobody_counted(orders, all.at("why").get<std::string>());
    }
    std::vector<SeenTraffic> seen(orders, SeenTraffic{.why_not = "the engine says nothing of it"});
    for (const TrafficJson& one : all.at("tries")) {
      SeenTraffic& traffic = seen.at(one.at("try").get<std::size_t>());
      traffic.why_not = one.at("failure").get<std::string>();
      traffic.messages = tuning::traffic_of_group(world, one.at("first_rank").get<int>(),
                                                  one.at("ranks").get<int>());
      for (const TrafficJson& reference : one.at("references")) {
        traffic.references.push_back(reference_of(reference));
      }
    }
    return seen;
  } catch (const TrafficJson::exception& problem) {
    throw base::UserError(place, std::string("is not readable: ") + problem.what());
  } catch (const std::out_of_range&) {
    throw base::UserError(place, "speaks of a try that nobody asked for");
  }
}

std::vector<SeenTraffic> see_traffic(const ProbePlace& place,
                                     std::span<const TrafficOrder> orders) {
  if (!counts_messages(place.profile)) {
    return nobody_counted(orders.size(), std::string(kind_of(place.profile.family).title) +
                                             " cannot be asked which messages it sends");
  }
  std::vector<SeenTraffic> seen(orders.size());
  for (const std::vector<std::size_t>& launch : traffic_launches(orders, kMostRanks)) {
    const std::span<const TrafficOrder> some = orders.subspan(launch.front(), launch.size());
    Together together = see_together(place, some);
    const bool again = !together.ended_well && some.size() > 1;
    for (std::size_t i = 0; i < some.size(); ++i) {
      seen[launch[i]] = again ? see_together(place, some.subspan(i, 1)).seen.front()
                              : std::move(together.seen[i]);
    }
  }
  return seen;
}

}  // namespace invar::launch
