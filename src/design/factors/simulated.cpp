#include "design/factors/simulated.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>

#include "base/text.hpp"
#include "design/factors/launch_factors.hpp"
#include "design/factors/levels.hpp"
#include "record/algorithms/algorithm_level.hpp"
#include "record/cell.hpp"

namespace invar::design {
namespace {

constexpr std::string_view kPinning = "pinning";
constexpr std::string_view kClock = "mpi-wtime";

// A factor of cells and the levels that simulated ranks can have of it, the first where none is
// written; the other levels have no effect there, or never end.
struct SimulatedFactor {
  std::string_view key;
  std::span<const std::string_view> levels;
  std::string_view why;
};

constexpr std::array<std::string_view, 3> kSyncs{"round-time", "dissemination", "none"};
constexpr std::array<std::string_view, 2> kClocks{kClock, "auto"};
constexpr std::array<std::string_view, 1> kNoDelay{"0"};
constexpr std::array<std::string_view, 1> kOff{"off"};
constexpr std::array<std::string_view, 1> kWarm{"warm"};
constexpr std::array<std::string_view, 3> kQuietOthers{"asleep", "receiving", "traffic"};
constexpr std::array<std::string_view, 4> kForms{"non-blocking", "blocking", "persistent",
                                                 "sendrecv"};
constexpr std::array<std::string_view, 1> kAsGiven{record::kAsGivenAlgorithm};

constexpr std::string_view kNoComputing = "in a simulation computing takes no time";

constexpr std::array kSimulatedFactors{
    SimulatedFactor{
        "sync", kSyncs,
        "simulated ranks begin together by messages, or at a moment that these agree on: none of "
        "them can watch a page while the others come"},
    SimulatedFactor{"clock", kClocks,
                    "simulated ranks live in the time of MPI_Wtime; other clocks show what the "
                    "simulator itself takes"},
    SimulatedFactor{"delay", kNoDelay, kNoComputing},
    SimulatedFactor{"compute", kOff, kNoComputing},
    SimulatedFactor{"others", kQuietOthers, kNoComputing},
    SimulatedFactor{"cache", kWarm, "a simulated machine has no caches"},
    SimulatedFactor{"form", kForms, "SimGrid's SMPI has no MPI_Mprobe"},
    SimulatedFactor{
        "algorithm", kAsGiven,
        "SimGrid has no tool interface to tell it an algorithm while it runs; options of "
        "an arm do (smpi/bcast=...)"},
};

// What is the same for all launches, with its only possible level.
struct SimulatedKey {
  std::string_view key;
  std::string_view level;
  std::string EngineOptions::*where;
  std::string_view why;
};

constexpr std::array kSimulatedKeys{
    SimulatedKey{"pairing", "launches", &EngineOptions::pairing,
                 "a simulation is a process of its own that nobody can hand a turn to"},
    SimulatedKey{kPinning, kSimulatedRanks, &EngineOptions::pinning,
                 "simulated ranks run on no core of this machine"},
    SimulatedKey{"launcher", kOwnLauncher, &EngineOptions::launcher,
                 "a simulation is started on this machine, by SimGrid's own launcher"},
    SimulatedKey{"progress", "none", &EngineOptions::progress,
                 "simulated messages need no call of the library to travel"},
};

// Conditions of processes and hosts; of those that have a key above that says all.
constexpr std::array<std::string_view, 8> kHostFactors{"aslr",
                                                       "thp",
                                                       "environment-size",
                                                       "governor",
                                                       "huge-pages",
                                                       "numa-balancing",
                                                       "placement-in-host",
                                                       "clock-sync"};
constexpr std::string_view kNoProcess =
    "is a matter of processes and hosts, and simulated ranks are neither";

bool is_allowed(const SimulatedFactor& factor, const std::string& level) {
  return std::ranges::find(factor.levels, level) != factor.levels.end();
}

std::string remedy_of(const SimulatedFactor& factor) {
  std::vector<std::string> levels;
  for (const std::string_view level : factor.levels)
    levels.push_back("\"" + std::string(level) + "\"");
  return "leave " + std::string(factor.key) + " out, or write " + base::join(levels, " or ");
}

Conflict refused(Position at, std::string_view key, const std::string& level, std::string_view why,
                 std::string remedy) {
  return {at, std::string(key) + " = \"" + level + "\": " + std::string(why), std::move(remedy)};
}

void settle_factor(const SimulatedFactor& factor, Campaign& campaign,
                   std::vector<Conflict>& found) {
  for (const CellsBlock& block : campaign.cells) {
    const auto written = block.levels.find(factor.key);
    if (written == block.levels.end()) continue;
    for (const std::string& level : written->second) {
      if (is_allowed(factor, level)) continue;
      found.push_back(refused(block.positions.of(factor.key, block.at), factor.key, level,
                              factor.why, remedy_of(factor)));
    }
  }
  const auto general = campaign.engine.levels.find(factor.key);
  if (general == campaign.engine.levels.end()) return;  // stands in [[cells]] alone
  const Position at = campaign.engine.positions.of(factor.key);
  const record::Factor& known = *record::find_factor_by_key(factor.key);
  const bool usual = general->second == std::vector<std::string>{known.text(record::Cell())};
  if (usual && at.line == 0) {
    general->second = {std::string(factor.levels.front())};
    return;
  }
  for (const std::string& level : general->second) {
    if (is_allowed(factor, level)) continue;
    found.push_back(refused(at, factor.key, level, factor.why, remedy_of(factor)));
  }
}

void settle_key(const SimulatedKey& key, Campaign& campaign, std::vector<Conflict>& found) {
  std::string& value = campaign.engine.*key.where;
  const Position at = campaign.engine.positions.of(key.key);
  const std::string remedy = "leave " + std::string(key.key) + " out";
  const auto listed = campaign.engine.launch_levels.find(key.key);
  if (listed != campaign.engine.launch_levels.end()) {
    found.push_back(refused(at, key.key, base::join(listed->second, "\", \""), key.why, remedy));
  }
  for (const Arm& arm : campaign.arms) {
    for (const auto& [name, level] : arm.launch) {
      if (name != key.key || level == key.level) continue;
      found.push_back(
          refused(arm.launch_positions.of(name, arm.at), key.key, level, key.why, remedy));
    }
  }
  if (value == key.level) return;
  // What is usual means the same whether it is written or not.
  if (value == EngineOptions().*key.where) {
    value = key.level;
  } else {
    found.push_back(refused(at, key.key, value, key.why, remedy));
  }
}

void refuse_host_factor(std::string_view name, const Campaign& campaign,
                        std::vector<Conflict>& found) {
  const LaunchFactor& factor = *find_launch_factor(name);
  const auto listed = campaign.engine.launch_levels.find(name);
  const bool general = listed != campaign.engine.launch_levels.end() &&
                       listed->second != std::vector<std::string>{std::string(factor.usual)};
  const auto own = std::ranges::find_if(campaign.arms, [&](const Arm& arm) {
    return std::ranges::any_of(arm.launch, [&](const auto& level) {
      return level.first == name && level.second != factor.usual;
    });
  });
  if (!general && own == campaign.arms.end()) return;
  found.push_back(
      {general ? campaign.engine.positions.of(name) : own->launch_positions.of(name, own->at),
       std::string(name) + " " + std::string(kNoProcess), "leave " + std::string(name) + " out"});
}

}  // namespace

bool is_simulated(const Campaign& campaign) { return campaign.engine.pinning == kSimulatedRanks; }

std::vector<Conflict> make_simulated(Campaign& campaign) {
  std::vector<Conflict> found;
  for (const SimulatedKey& key : kSimulatedKeys) settle_key(key, campaign, found);
  for (const SimulatedFactor& factor : kSimulatedFactors) settle_factor(factor, campaign, found);
  for (const std::string_view name : kHostFactors) refuse_host_factor(name, campaign, found);
  if (campaign.engine.oversubscribe) {
    found.push_back({campaign.engine.positions.of("oversubscribe"),
                     "simulated ranks need no cores: there may be as many as their hosts take",
                     "leave oversubscribe out"});
  }
  if (campaign.virtual_clocks.any()) {
    found.push_back({{}, "simulated ranks read one exact clock", "leave [clock.virtual] out"});
  }
  if (!campaign.analysis.presets.empty()) {
    found.push_back(
        {campaign.analysis.positions.of("presets"),
         "suites synchronise by MPI_Barrier or by watching a clock, and simulated ranks "
         "begin together by messages of ours",
         "leave presets out"});
  }
  if (campaign.has_program()) {
    found.push_back({{},
                     "a program prints its own times, and a simulation has only those of MPI_Wtime",
                     "leave the programs out"});
  }
  return found;
}

std::vector<Conflict> not_simulated(const Campaign& campaign) {
  std::vector<Conflict> found;
  if (!any_has_level(campaign, kPinning, kSimulatedRanks)) return found;
  found.push_back({campaign.engine.positions.of(kPinning),
                   "pinning = \"simulated\" is what ranks of a simulator have, and no arm is one",
                   "leave pinning out, or name simgrid as the library"});
  return found;
}

}  // namespace invar::design
