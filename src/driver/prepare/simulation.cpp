#include "driver/prepare/simulation.hpp"

#include <algorithm>
#include <filesystem>

#include "base/error.hpp"
#include "base/text.hpp"
#include "design/factors/simulated.hpp"
#include "launch/libraries/profile.hpp"
#include "launch/start/named_files.hpp"

namespace invar::driver {
namespace {

void throw_conflicts(const std::vector<design::Conflict>& conflicts, const std::string& place) {
  base::Faults faults;
  for (const design::Conflict& conflict : conflicts) {
    faults.add({.place = place,
                .line = conflict.at.line,
                .column = conflict.at.column,
                .what = conflict.what,
                .remedy = conflict.remedy});
  }
  faults.throw_if_any();
}

// The campaign's own hosts, or all of the arm's machine.
std::vector<design::Host> hosts_of_machine(const design::Campaign& campaign,
                                           const launch::CheckedArm& arm) {
  if (!campaign.engine.hosts.empty()) return campaign.engine.hosts;
  std::vector<design::Host> hosts;
  for (const std::string& name : arm.machine_hosts) hosts.push_back({.name = name, .slots = 1});
  return hosts;
}

}  // namespace

bool begin_simulation(design::Campaign& campaign, const std::string& place) {
  const auto simulates = [](const design::Arm& arm) {
    return !arm.library.empty() && launch::is_simulator(arm.library);
  };
  const auto count = static_cast<std::size_t>(std::ranges::count_if(campaign.arms, simulates));
  if (count == 0) {
    throw_conflicts(design::not_simulated(campaign), place);
    return false;
  }
  if (count != campaign.arms.size()) {
    const auto other = std::ranges::find_if_not(campaign.arms, simulates);
    throw base::UserError({.place = place,
                           .line = other->at.line,
                           .column = other->at.column,
                           .what = "'" + other->label +
                                   "' runs on real hosts and other arms are simulated: their times "
                                   "are of two machines, and no launches of both are alike",
                           .remedy = "measure both in campaigns of their own: invar compare takes "
                                     "two"});
  }
  const std::filesystem::path beside = std::filesystem::absolute(place).parent_path();
  for (design::Arm& arm : campaign.arms) launch::find_files(arm.settings, beside);
  throw_conflicts(design::make_simulated(campaign), place);
  return true;
}

std::vector<design::Host> simulated_hosts(const design::Campaign& campaign,
                                          const std::vector<launch::CheckedArm>& arms,
                                          const std::string& place) {
  base::Faults faults;
  for (const launch::CheckedArm& arm : arms) {
    std::vector<std::string> missing;
    for (const design::Host& host : campaign.engine.hosts) {
      if (std::ranges::find(arm.machine_hosts, host.name) == arm.machine_hosts.end()) {
        missing.push_back(host.name);
      }
    }
    if (missing.empty()) continue;
    const design::Position at = campaign.engine.positions.of("hosts");
    faults.add({.place = place,
                .line = at.line,
                .column = at.column,
                .what = "the machine that '" + arm.label + "' simulates has no host '" +
                        base::join(missing, "', '") + "'",
                .remedy = base::did_you_mean(missing.front(), arm.machine_hosts)});
  }
  faults.throw_if_any();
  std::vector<design::Host> fewest;
  for (const launch::CheckedArm& arm : arms) {
    std::vector<design::Host> hosts = hosts_of_machine(campaign, arm);
    for (design::Host& host : hosts) host.slots = std::max(host.slots, 1U);
    if (fewest.empty() || hosts.size() < fewest.size()) fewest = std::move(hosts);
  }
  return fewest;
}

std::vector<design::Host> hosts_of_arm(const Prepared& prepared, std::size_t arm) {
  if (!design::is_simulated(prepared.campaign)) return prepared.hosts;
  std::vector<design::Host> hosts = hosts_of_machine(prepared.campaign, prepared.arms.at(arm));
  hosts.resize(std::min(hosts.size(), prepared.hosts.size()));
  return hosts;
}

}  // namespace invar::driver
