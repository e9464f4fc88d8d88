#include "driver/prepare/prepare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <numeric>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "base/collect.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "design/campaign/hosts.hpp"
#include "design/campaign/program.hpp"
#include "design/factors/launch_factors.hpp"
#include "design/factors/simulated.hpp"
#include "design/plan/families.hpp"
#include "design/plan/teams.hpp"
#include "driver/prepare/arena_bytes.hpp"
#include "driver/prepare/conditions.hpp"
#include "driver/prepare/last_regime.hpp"
#include "driver/prepare/memory_checks.hpp"
#include "driver/prepare/old_settings.hpp"
#include "driver/prepare/own_host.hpp"
#include "driver/prepare/simulation.hpp"
#include "group/team_ranks.hpp"
#include "host/environment.hpp"
#include "host/facts.hpp"
#include "host/identity.hpp"
#include "host/placement.hpp"
#include "launch/libraries/profile.hpp"
#include "launch/libraries/profile_file.hpp"
#include "launch/libraries/profile_with.hpp"
#include "launch/start/launcher.hpp"
#include "launch/systems/system.hpp"
#include "record/launch_spec.hpp"
#include "record/memory/levels.hpp"
#include "record/p2p/compute_level.hpp"
#include "record/p2p/levels.hpp"
#include "record/p2p/pattern.hpp"
#include "record/p2p/rank_hosts.hpp"
#include "stats/decide/outliers.hpp"

namespace invar::driver {
namespace {

void choose_arms(design::Campaign& campaign, const Overrides& overrides) {
  if (campaign.arms.empty()) {
    for (const launch::Profile& profile : launch::usual_profiles()) {
      campaign.arms.push_back({.label = profile.name, .library = profile.name});
    }
    if (campaign.arms.empty()) {
      throw base::UserError("campaign", "no MPI library is installed",
                            "install one, for example with 'apt-get install openmpi-bin "
                            "libopenmpi-dev', or name it with 'invar mpi add'");
    }
  }
  if (overrides.arms.empty()) return;
  std::vector<std::string> labels;
  for (const design::Arm& arm : campaign.arms) labels.push_back(arm.label);
  std::vector<design::Arm> chosen;
  base::Faults faults;
  for (const std::string& label : overrides.arms) {
    const auto at = std::find(labels.begin(), labels.end(), label);
    if (at == labels.end()) {
      faults.add("--arms", "there is no arm '" + label + "'", base::did_you_mean(label, labels));
    } else {
      chosen.push_back(campaign.arms[static_cast<std::size_t>(at - labels.begin())]);
    }
  }
  faults.throw_if_any();
  campaign.arms = std::move(chosen);
}

// A campaign that is repeated elsewhere must not take another machine's number of cores.
void pin_down_ranks(design::Campaign& campaign, const design::Surroundings& surroundings) {
  for (design::CellsBlock& block : campaign.cells) {
    const bool written = block.levels.contains("ranks") || block.levels.contains("nodes") ||
                         block.levels.contains("ppn");
    if (written) continue;
    // A program that is started by itself is one process.
    const bool alone = std::ranges::all_of(campaign.arms, [](const design::Arm& arm) {
      return arm.is_program() && arm.library.empty() &&
             !design::takes(arm.program.command, "ranks");
    });
    if (alone) {
      block.levels["ranks"] = {"1"};
    } else if (surroundings.hosts == 1) {
      block.levels["ranks"] = {std::to_string(surroundings.slots)};
    } else {
      block.levels["nodes"] = {std::to_string(surroundings.hosts)};
      block.levels["ppn"] = {std::to_string(surroundings.slots)};
    }
  }
}

// The cells that the arm measures. An arm without a cell gets no launch.
std::vector<const record::Cell*> cells_of(const Prepared& prepared, std::uint32_t arm) {
  std::vector<const record::Cell*> cells;
  for (const record::Cell& cell : prepared.cells.cells) {
    const std::vector<std::uint32_t>& arms = prepared.cells.arms.at(cell.id);
    if (prepared.campaign.arms.at(arm).is_program()) continue;  // its buffers are its own matter
    if (std::find(arms.begin(), arms.end(), arm) != arms.end()) cells.push_back(&cell);
  }
  return cells;
}

// Index of the host of every rank of a launch.
std::vector<std::uint32_t> hosts_of_ranks(const Prepared& prepared) {
  const std::uint32_t each = std::max(prepared.ranks / prepared.host_count(), 1U);
  std::vector<std::uint32_t> hosts(prepared.ranks);
  for (std::uint32_t rank = 0; rank < prepared.ranks; ++rank) hosts[rank] = rank / each;
  return hosts;
}

// Bytes of a cell's buffers on every rank of the launch; none on those that the cell lets sleep.
std::vector<std::uint64_t> bytes_of_ranks(const record::Cell& cell,
                                          const record::OperationInfo& operation,
                                          std::span<const std::uint32_t> host_of_rank) {
  std::vector<std::uint64_t> bytes(host_of_rank.size(), 0);
  std::vector<std::uint64_t> of_cell = design::buffer_bytes(cell, operation);
  // Every group shuffles anew: each rank has the largest buffers at times.
  if (cell.rank_order == "shuffled") {
    of_cell.assign(of_cell.size(), design::most_buffer_bytes(cell, operation));
  }
  const std::vector<std::uint32_t> team = group::team_ranks(cell, host_of_rank, 0);
  for (std::size_t number = 0; number < team.size(); ++number)
    bytes[team[number]] = of_cell[number];
  return bytes;
}

// Cells whose buffers lie in one arena (engine/memory); those of malloc in none.
using KindOfMemory = std::array<std::string, 3>;
KindOfMemory kind_of_memory(const record::Cell& cell) {
  return {cell.allocation, cell.pages, cell.numa};
}

// On every rank of a launch of the arm: of each kind of memory its largest cell and the spare room
// of its arena, counts and displacements, the buffer of buffered sends. Not what is in huge pages
// that are reserved (check_memory_levels()).
std::vector<double> bytes_of_arm(const Prepared& prepared, std::uint32_t arm,
                                 std::span<const std::uint32_t> host_of_rank,
                                 std::uint64_t cache_bytes) {
  const std::size_t ranks = host_of_rank.size();
  std::vector<double> total_bytes(ranks, 0);
  const std::vector<const record::Cell*> cells = cells_of(prepared, arm);
  if (cells.empty()) return total_bytes;
  std::map<KindOfMemory, std::vector<std::uint64_t>> largest_bytes;
  // The largest region through which the buffers of a cell move on (ops/buffers/cold.cpp).
  std::vector<std::uint64_t> largest_cycle_bytes(ranks, 0);
  // Counts and displacements are those of one cell at a time.
  std::uint64_t most_array_bytes = 0;
  // Likewise, for MPI_Bsend.
  std::uint64_t most_attached_bytes = 0;
  const std::uint64_t region_bytes = host::kCachesToLeave * cache_bytes;
  // What ranks stream meanwhile, one region for all cells (ops/overlap/overlap.cpp).
  std::uint64_t streamed_bytes = 0;
  // What memory operations take for their reference beyond the caches
  // (engine/memory/reference.hpp).
  constexpr std::uint64_t kReferenceCaches = 4;
  std::uint64_t reference_bytes = 0;
  for (const record::Cell* cell : cells) {
    const record::OperationInfo& operation = prepared.cells.operation(arm, cell->operation);
    const std::vector<std::uint64_t> bytes = bytes_of_ranks(*cell, operation, host_of_rank);
    most_array_bytes = std::max(most_array_bytes, design::array_bytes(*cell, operation));
    most_attached_bytes = std::max(most_attached_bytes, design::attached_bytes(*cell, operation));
    if (operation.walks > 0) reference_bytes = kReferenceCaches * cache_bytes;
    std::vector<std::uint64_t>& largest = largest_bytes[kind_of_memory(*cell)];
    largest.resize(ranks, 0);
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      if (!record::page_bytes_of(cell->pages)) {
        largest[rank] = std::max(largest[rank], bytes[rank]);
      }
      if (cell->compute != record::Cell().compute &&
          cell->compute_kernel == record::kComputeKernels.back()) {
        streamed_bytes = region_bytes;
      }
      if (cell->cache != "cold-cycle") continue;
      largest_cycle_bytes[rank] = std::max(largest_cycle_bytes[rank], bytes[rank] + region_bytes);
    }
  }
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    std::uint64_t arenas_bytes = 0;
    for (const auto& [kind, largest] : largest_bytes) arenas_bytes += arena_bytes(largest[rank]);
    // One rank of each host has the reference of its visits.
    const auto first = std::ranges::find(host_of_rank, host_of_rank[rank]);
    const bool has_reference = static_cast<std::size_t>(first - host_of_rank.begin()) == rank;
    total_bytes[rank] = static_cast<double>(arenas_bytes + largest_cycle_bytes[rank] +
                                            streamed_bytes + (has_reference ? reference_bytes : 0) +
                                            most_array_bytes + most_attached_bytes);
  }
  return total_bytes;
}

std::string gib_text(double bytes) { return fmt::format("{:.1f} GiB", bytes / (1ULL << 30U)); }

void read_hostfile(design::EngineOptions& engine, const std::string& place) {
  if (engine.hostfile.empty()) return;
  const std::filesystem::path path = std::filesystem::path(place).parent_path() / engine.hostfile;
  const auto text = base::read_file(path.string());
  if (!text) {
    const design::Position at = engine.positions.of("hostfile");
    throw base::UserError({.place = place,
                           .line = at.line,
                           .column = at.column,
                           .what = "hostfile '" + path.string() + "' cannot be read",
                           .remedy = "name a file with one host a line; the path begins at the "
                                     "campaign's file"});
  }
  // What is kept with the data needs no other file.
  engine.hosts = design::read_hostfile(*text, path.string());
  engine.hostfile.clear();
}

// Those written; else those of the batch job that this is. With their slots; none: this host.
std::vector<design::Host> choose_hosts(const design::EngineOptions& engine, std::uint32_t cores) {
  // Hosts of a job are not written down: a resume may be another job.
  std::vector<design::Host> hosts = engine.hosts.empty() ? launch::job_hosts() : engine.hosts;
  for (design::Host& host : hosts) {
    if (host.slots == 0) host.slots = cores;
  }
  return hosts;
}

// Folders of own operations, as paths that hold wherever the campaign is kept.
void find_operations(design::Campaign& campaign, const std::string& place) {
  base::Faults faults;
  const std::filesystem::path beside = std::filesystem::path(place).parent_path();
  for (design::Arm& arm : campaign.arms) {
    if (arm.operations.empty()) continue;
    try {
      arm.operations = launch::checked_operations(beside / arm.operations).string();
    } catch (const base::UserError& error) {
      for (const base::Fault& fault : error.faults()) faults.add(fault);
    }
  }
  faults.throw_if_any();
}

// Variants differ in how they are started, not in their library and settings: these are checked
// once.
std::vector<launch::CheckedArm> check_variants(const design::Campaign& campaign,
                                               const std::string& place) {
  std::vector<design::Arm> different;
  std::vector<std::size_t> of_arm;
  for (const design::Arm& arm : campaign.arms) {
    const auto known = std::find_if(different.begin(), different.end(), [&](const auto& other) {
      return !arm.variant_of.empty() && other.variant_of == arm.variant_of &&
             other.library == arm.library && other.operations == arm.operations &&
             other.settings == arm.settings && other.program == arm.program;
    });
    of_arm.push_back(static_cast<std::size_t>(known - different.begin()));
    if (known == different.end()) different.push_back(arm);
  }
  base::Faults faults;
  std::vector<launch::CheckedArm> checked;
  base::collect(faults, [&] { checked = launch::check_arms(different, campaign.engine.launcher); });
  if (!faults.empty()) {
    // Cells are resolved for arms that are right; what is wrong with them by itself is told now.
    for (const design::Conflict& unused :
         design::unused_keys(campaign, launch::known_operations())) {
      faults.add({.place = place,
                  .line = unused.at.line,
                  .column = unused.at.column,
                  .what = unused.what,
                  .remedy = unused.remedy});
    }
    faults.throw_if_any();
  }
  std::vector<launch::CheckedArm> arms;
  for (std::size_t i = 0; i < of_arm.size(); ++i) {
    arms.push_back(checked[of_arm[i]]);
    arms.back().label = campaign.arms[i].label;
  }
  return arms;
}

constexpr std::string_view kPlacement = "placement-in-host";

// This host stands for all, each of which places its own ranks: they are meant to be alike.
void place_ranks(const design::Campaign& campaign, const std::vector<std::uint32_t>& cpus,
                 std::uint32_t ranks, const std::string& place, Prepared& prepared) {
  const std::vector<host::Core> cores = host::read_cores(cpus, sysfs_root());
  for (const design::Arm& arm : campaign.arms) {
    const std::string level = design::level_of(campaign, arm, kPlacement);
    if (prepared.placed_cpus.contains(level)) continue;
    if (level == record::kNumaInHost && host::numa_nodes(cores) < 2) {
      const design::Position at =
          arm.launch_positions.of(kPlacement, campaign.engine.positions.of(kPlacement));
      throw base::UserError(
          {.place = place,
           .line = at.line,
           .column = at.column,
           .what = "placement-in-host \"numa\" needs two NUMA nodes, and there is one among the " +
                   base::count_text(cores.size(), "core") + " that this host allows",
           .remedy = "use \"packed\" or \"spread\""});
    }
    prepared.placed_cpus[level] = host::place_ranks(cores, ranks, level);
  }
  prepared.cpus =
      prepared.placed_cpus.at(design::level_of(campaign, campaign.arms.front(), kPlacement));
}

}  // namespace

const std::vector<std::uint32_t>& cpus_of_arm(const Prepared& prepared, std::size_t arm) {
  const auto placed = prepared.placed_cpus.find(
      design::level_of(prepared.campaign, prepared.campaign.arms.at(arm), kPlacement));
  return placed == prepared.placed_cpus.end() ? prepared.cpus : placed->second;
}

void claim_cores(Prepared& prepared) {
  const design::Campaign& campaign = prepared.campaign;
  if (campaign.engine.oversubscribe || design::is_simulated(campaign)) return;
  std::vector<std::uint32_t> cpus;
  for (std::size_t arm = 0; arm < campaign.arms.size(); ++arm) {
    if (campaign.arms[arm].is_program() || design::is_unpinned(campaign, campaign.arms[arm])) {
      continue;
    }
    // Where a template puts the ranks, only they know.
    if (prepared.hosts.empty() && !prepared.arms.at(arm).profile.launch_template.empty()) continue;
    const std::vector<std::uint32_t>& of_arm = cpus_of_arm(prepared, arm);
    cpus.insert(cpus.end(), of_arm.begin(), of_arm.end());
  }
  if (!cpus.empty() && some_are_here(prepared.hosts))
    prepared.claims = claim_cpus(cpus, prepared.place);
}

void keep_engines(Prepared& prepared) {
  std::set<std::filesystem::path> kept;
  prepared.engines.reserve(prepared.arms.size());
  for (const launch::CheckedArm& arm : prepared.arms) {
    const std::filesystem::path& engine = arm.profile.engine;
    if (engine.empty() || !kept.insert(engine).second) continue;
    prepared.engines.push_back(std::make_shared<const launch::EngineUse>(engine));
  }
}

double buffer_bytes(const Prepared& prepared) {
  const bool by_turns = prepared.campaign.engine.pairing == "turns";
  const std::uint64_t cache_bytes = host::last_level_cache_bytes().value_or(0);
  const std::vector<std::uint32_t> host_of_rank = hosts_of_ranks(prepared);
  std::vector<double> bytes(prepared.host_count(), 0);
  for (std::uint32_t arm = 0; arm < prepared.campaign.arms.size(); ++arm) {
    const std::vector<double> of_ranks = bytes_of_arm(prepared, arm, host_of_rank, cache_bytes);
    std::vector<double> of_hosts(bytes.size(), 0);
    for (std::size_t rank = 0; rank < of_ranks.size(); ++rank) {
      of_hosts[host_of_rank[rank]] += of_ranks[rank];
    }
    for (std::size_t host = 0; host < bytes.size(); ++host) {
      bytes[host] = by_turns ? bytes[host] + of_hosts[host] : std::max(bytes[host], of_hosts[host]);
    }
  }
  // All hosts of a simulation are one process.
  if (design::is_simulated(prepared.campaign)) {
    return std::accumulate(bytes.begin(), bytes.end(), 0.0);
  }
  return *std::max_element(bytes.begin(), bytes.end());
}

std::string largest_buffers_text(const Prepared& prepared) {
  std::uint64_t most_bytes = 0;
  std::uint64_t all_bytes = 0;
  const record::Cell* largest = nullptr;
  for (std::uint32_t arm = 0; arm < prepared.campaign.arms.size(); ++arm) {
    for (const record::Cell* cell : cells_of(prepared, arm)) {
      const record::OperationInfo& operation = prepared.cells.operation(arm, cell->operation);
      std::uint64_t on_a_rank = 0;
      std::uint64_t on_all = 0;
      for (const std::uint64_t bytes : design::buffer_bytes(*cell, operation)) {
        on_a_rank = std::max(on_a_rank, bytes);
        on_all += bytes;
      }
      if (largest != nullptr && on_all <= all_bytes) continue;
      largest = cell;
      most_bytes = on_a_rank;
      all_bytes = on_all;
    }
  }
  if (largest == nullptr) return "none";
  return base::size_text(most_bytes) + " on a rank, " + base::size_text(all_bytes) +
         " on all: " + record::cell_text(*largest);
}

void check_memory(const Prepared& prepared, std::optional<std::uint64_t> free_bytes,
                  const std::string& place) {
  // This host stands for all: they are meant to be alike.
  const double bytes = buffer_bytes(prepared);
  if (!free_bytes || bytes <= static_cast<double>(*free_bytes)) return;
  const auto& cells = prepared.cells.cells;
  const auto largest = std::ranges::max_element(cells, {}, [&](const record::Cell& cell) {
    return design::most_buffer_bytes(cell, prepared.cells.operation(cell.operation));
  });
  // Every message of a window has a slot of its own.
  const bool windows =
      record::messages_of(*largest, prepared.cells.operation(largest->operation).messages) > 1;
  throw base::UserError(place,
                        "needs about " + gib_text(bytes) + " of buffers, " +
                            gib_text(static_cast<double>(*free_bytes)) + " are free",
                        "the largest cell is " + record::cell_text(*largest) +
                            ": take smaller sizes, " +
                            (windows ? "a smaller window or fewer partners, " : "") +
                            "fewer ranks or arms, or pairing = \"launches\" in a campaign");
}

namespace {

design::Surroundings surroundings_of(const Prepared& prepared, std::uint32_t cores) {
  design::Surroundings surroundings{.slots = cores, .hosts = prepared.host_count()};
  for (std::size_t i = 0; i < prepared.hosts.size(); ++i) {
    const std::uint32_t slots = prepared.hosts[i].slots;
    surroundings.slots = i == 0 ? slots : std::min(surroundings.slots, slots);
  }
  return surroundings;
}

// The campaign's arms, each with its library's engine and its settings tried.
void prepare_arms(design::Campaign& campaign, const Overrides& overrides, const std::string& place,
                  Prepared& prepared) {
  choose_arms(campaign, overrides);
  find_operations(campaign, place);
  design::expand_variants(campaign, place);
  prepared.arms = check_variants(campaign, place);
}

}  // namespace

Prepared prepare(design::Campaign campaign, const Overrides& overrides, const std::string& place) {
  if (overrides.budget_s) campaign.budget_s = overrides.budget_s;
  if (overrides.regime) campaign.analysis.regime = overrides.regime;
  if (overrides.launches && campaign.stopping == design::Stopping::kLooks) {
    throw base::UserError("--launches", "the campaign says stopping = \"looks\": looks decide",
                          "leave it out, or write launches = { max = 12 } into [design]");
  }
  if (overrides.launches) campaign.launches = {*overrides.launches, *overrides.launches};
  Prepared prepared;
  // What a killed driver left behind is not part of this campaign's machine.
  for (const std::string& problem : put_back_left_settings(host_roots())) {
    fmt::print(stderr, "invar: {}\n", problem);
  }
  const double made_before_s = launch::making_ready_s();
  const std::vector<std::uint32_t> cores = launch::core_cpus();
  const auto here = static_cast<std::uint32_t>(cores.size());
  read_hostfile(campaign.engine, place);
  const bool simulated = begin_simulation(campaign, place);
  design::Surroundings surroundings;
  if (simulated) {
    // Only the simulator knows the hosts of a machine.
    prepare_arms(campaign, overrides, place, prepared);
    prepared.hosts = simulated_hosts(campaign, prepared.arms, place);
    surroundings = surroundings_of(prepared, 1);
    design::check_teams(campaign, surroundings, place);
  } else {
    // Before the arms, whose engines may have to be built and whose settings are tried.
    prepared.hosts = choose_hosts(campaign.engine, here);
    surroundings = surroundings_of(prepared, here);
    design::check_teams(campaign, surroundings, place);
    prepare_arms(campaign, overrides, place, prepared);
  }
  for (const launch::CheckedArm& arm : prepared.arms) {
    surroundings.operations.push_back(arm.profile.operations);
  }
  pin_down_ranks(campaign, surroundings);
  prepared.cells = design::resolve_cells(campaign, surroundings, place);
  prepared.algorithms =
      try_algorithms(campaign, prepared.arms, prepared.cells, place, overrides.sealed);
  if (!prepared.algorithms.empty()) {
    surroundings.lack_of_algorithm = [&](std::uint32_t arm, const record::Cell& cell) {
      return prepared.algorithms.at(arm).lack(cell);
    };
    prepared.cells = design::resolve_cells(campaign, surroundings, place);
  }
  design::check_commands(campaign, prepared.cells, place);
  // Smaller communicators are parts of the launch's.
  std::uint32_t hosts = 1;
  std::uint32_t each = 1;
  for (const record::Cell& cell : prepared.cells.cells) {
    hosts = std::max(hosts, cell.nodes);
    each = std::max(each, cell.ppn);
  }
  if (!prepared.hosts.empty()) prepared.hosts.resize(hosts);
  prepared.ranks = hosts * each;
  const bool bound =
      !simulated && !design::all_unpinned(campaign) && !campaign.engine.oversubscribe;
  if (each > here && bound) {
    const design::Position at = campaign.engine.positions.of("hosts");
    throw base::UserError(
        {.place = place,
         .line = at.line,
         .column = at.column,
         .what = std::to_string(each) +
                 " ranks on a host are to be bound, but this host, whose "
                 "cores tell which, has " +
                 std::to_string(here),
         .remedy = "start invar on one of the hosts, name fewer slots, or use pinning = \"none\""});
  }
  if (!simulated) place_ranks(campaign, cores, each, place, prepared);
  if (hosts > 1 && campaign.virtual_clocks.any()) {
    throw base::UserError(place,
                          "[clock.virtual] is for ranks of one host, and this campaign has " +
                              std::to_string(hosts) + " hosts, whose real clocks differ",
                          "leave [clock.virtual] out, or write nodes = 1 in [[cells]]");
  }
  check_conditions(campaign, prepared.hosts, place);
  prepared.place = place;
  prepared.campaign = std::move(campaign);
  for (std::size_t i = 0; i < prepared.arms.size(); ++i) {
    if (prepared.arms[i].profile.name.empty()) continue;
    launch::check_start(prepared.arms[i].profile,
                        {.ranks = prepared.ranks,
                         .hosts = hosts_of_arm(prepared, i),
                         .launcher = prepared.campaign.engine.launcher,
                         .environment = prepared.arms[i].environment,
                         .dir = "."},
                        !prepared.campaign.engine.hosts.empty());
  }
  check_memory(prepared, host::available_memory_bytes(), place);
  check_memory_levels(prepared, host_roots(), place);
  // Engines are built once, whatever is measured then.
  prepared.begun += std::chrono::duration_cast<std::chrono::steady_clock::duration>(
      std::chrono::duration<double>(launch::making_ready_s() - made_before_s));
  return prepared;
}

void spend(Prepared& prepared, double seconds) {
  prepared.begun -= std::chrono::duration_cast<std::chrono::steady_clock::duration>(
      std::chrono::duration<double>(seconds));
}

std::string scope_text(const Prepared& prepared) {
  return base::count_text(prepared.ranks, "rank") + ", " +
         base::count_text(prepared.host_count(), "host");
}

store::Place place_of(const Prepared& prepared) {
  store::Place place{.scope = scope_text(prepared), .cpus = prepared.cpus};
  for (const design::Host& host : prepared.hosts) place.hosts.push_back(host.name);
  if (prepared.hosts.empty()) place.hosts.push_back(host::host_name());
  place.regime_before = last_regime(place.hosts.front());
  place.variables.emplace();
  for (const auto& [name, value] : host::steering_variables()) {
    place.variables->emplace_back(name, value);
  }
  return place;
}

store::ArmRecord arm_record(const Prepared& prepared, std::size_t number) {
  const design::Arm& arm = prepared.campaign.arms.at(number);
  const launch::CheckedArm& checked = prepared.arms.at(number);
  store::ArmRecord record{
      .label = arm.label,
      .library = checked.profile.name,
      .library_version = checked.profile.version,
      .settings = arm.settings,
      .settings_checked = checked.settings_checked,
      .components = checked.components,
      .levels = number < prepared.algorithms.size() ? prepared.algorithms[number].levels
                                                    : std::vector<store::TriedLevel>(),
      .checksums = launch::checksums_of(checked),
      .profile_json = checked.profile.name.empty() ? "" : launch::profile_json(checked.profile),
      .program = arm.program.command,
      .program_parse = arm.program.parse + (arm.program.unit.empty() ? "" : " ") + arm.program.unit,
      .program_file = checked.program ? checked.program->file : ""};
  if (number < prepared.cells.operations.size()) {
    for (const auto& [name, info] : prepared.cells.operations[number]) {
      record.operations.push_back(info);
    }
  }
  return record;
}

std::vector<double> startup_s(const Prepared& prepared) {
  std::vector<double> seconds;
  for (const launch::CheckedArm& arm : prepared.arms) seconds.push_back(arm.profile.startup_s);
  return seconds;
}

std::vector<std::string> left_out_texts(const Prepared& prepared) {
  constexpr std::size_t kEach = 8;
  const record::CellTexts text(design::all_cells(prepared.cells));
  struct Reason {
    std::vector<std::string> each = {};
    std::vector<std::string> arms = {};
    std::set<std::string> cells = {};
  };
  std::vector<std::pair<std::string, Reason>> reasons;
  for (const design::LeftOut& left_out : prepared.cells.left_out) {
    auto found = std::find_if(reasons.begin(), reasons.end(),
                              [&](const auto& known) { return known.first == left_out.reason; });
    if (found == reasons.end()) {
      found = reasons.insert(reasons.end(), {left_out.reason, {}});
    }
    const std::string cell = text(left_out.cell);
    Reason& reason = found->second;
    reason.each.push_back(cell + " in '" + left_out.arm + "': " + left_out.reason);
    reason.cells.insert(cell);
    if (std::find(reason.arms.begin(), reason.arms.end(), left_out.arm) == reason.arms.end()) {
      reason.arms.push_back(left_out.arm);
    }
  }
  std::vector<std::string> texts;
  for (auto& [why, reason] : reasons) {
    if (reason.each.size() <= kEach) {
      texts.insert(texts.end(), reason.each.begin(), reason.each.end());
    } else {
      texts.push_back(base::count_text(reason.cells.size(), "cell") + " in " +
                      base::count_text(reason.arms.size(), "arm") + " (" +
                      base::first_items(reason.arms, 3, ", ") + "): " + why);
    }
  }
  return texts;
}

std::string lonely_cells_text(const Prepared& prepared) {
  const auto& arms = prepared.cells.arms;
  if (!prepared.campaign.analysis.against.empty()) {
    const auto& cells = prepared.cells.cells;
    const auto alone = std::count_if(cells.begin(), cells.end(),
                                     [](const record::Cell& cell) { return cell.family.empty(); });
    if (alone == 0 || !prepared.campaign.shuffled) return "";
    return std::to_string(alone) + " of " + base::count_text(cells.size(), "cell") +
           (alone == 1 ? " differs" : " differ") + " from the others in more than '" +
           prepared.campaign.analysis.against + "' and " + (alone == 1 ? "is" : "are") +
           " not compared";
  }
  if (prepared.campaign.arms.size() < 2 || prepared.campaign.compares_inside_arms()) return "";
  const auto lonely = std::count_if(arms.begin(), arms.end(),
                                    [](const auto& of_cell) { return of_cell.size() < 2; });
  if (lonely == 0) return "";
  if (static_cast<std::size_t>(lonely) == arms.size()) {
    return "nothing can be compared: no cell is measured in two arms";
  }
  return std::to_string(lonely) + " of " + base::count_text(arms.size(), "cell") +
         (lonely == 1 ? " is" : " are") + " measured in one arm only and not compared";
}

namespace {

// Pairs of ranks that are compared with each other: those inside a host, or those between two.
std::size_t most_pairs_of_a_kind(const record::Cell& cell) {
  const auto hosts = record::hosts_of_ranks(cell);
  std::size_t inside = 0;
  std::size_t between = 0;
  for (std::uint32_t a = 0; a < cell.ranks; ++a) {
    for (std::uint32_t b = a + 1; b < cell.ranks; ++b) {
      ++(!hosts || hosts->at(a) == hosts->at(b) ? inside : between);
    }
    if (std::max(inside, between) >= stats::kFewestAlike) break;
  }
  return std::max(inside, between);
}

// Empty: in some cell there are pairs enough, or nobody asked.
std::string few_pairs_text(const Prepared& prepared) {
  if (prepared.campaign.analysis.question != design::Question::kAllPairs) return {};
  std::optional<std::size_t> most;  // of the cell that has most
  std::uint32_t ranks = 0;
  for (const record::Cell& cell : prepared.cells.cells) {
    const auto pattern = record::parse_pattern(cell.pattern);
    if (!pattern || pattern->kind != record::PatternKind::kMatching) continue;
    const std::size_t of_cell = most_pairs_of_a_kind(cell);
    if (most && *most >= of_cell) continue;
    most = of_cell;
    ranks = cell.ranks;
  }
  if (!most || *most >= stats::kFewestAlike) return {};
  return "no pair will be called slower than the others: of " + base::count_text(ranks, "rank") +
         " at most " + base::count_text(*most, "pair") + (*most == 1 ? " is" : " are") +
         " of a kind (inside a host, or between hosts), and " +
         std::to_string(stats::kFewestAlike) +
         " are needed to compare, as 3 ranks of one host have them; what each takes is measured "
         "all the same";
}

}  // namespace

std::vector<std::string> unanswerable_texts(const Prepared& prepared) {
  std::vector<std::string> texts{lonely_cells_text(prepared), few_pairs_text(prepared)};
  std::erase(texts, "");
  return texts;
}

double seconds_of_groups(const Prepared& prepared, std::uint32_t groups,
                         std::uint32_t repetitions) {
  design::Campaign campaign = prepared.campaign;
  campaign.rounds = 1;
  campaign.repetitions = repetitions;
  design::Counters counters;
  const record::Plan group = design::plan_groups(campaign, prepared.cells, 1, counters);
  return groups * design::estimate(campaign, prepared.cells, group, startup_s(prepared)).seconds;
}

std::uint32_t with_choosing_pilot(const Prepared& prepared, std::uint32_t groups) {
  return groups + (design::sides_to_choose(prepared.campaign, prepared.cells).empty() ? 0U : 1U);
}

GroupEstimates estimate_groups(const Prepared& prepared) {
  const std::vector<double> startups_s = startup_s(prepared);
  const auto estimate = [&](const std::vector<record::ArmCell>& dropped) {
    design::Counters counters;
    const record::Plan group =
        design::plan_groups(prepared.campaign, prepared.cells, 1, counters, dropped);
    return design::estimate(prepared.campaign, prepared.cells, group, startups_s);
  };
  GroupEstimates estimates{.first = estimate({})};
  std::vector<record::ArmCell> not_chosen;
  for (const design::SideChoice& choice :
       design::sides_to_choose(prepared.campaign, prepared.cells)) {
    for (const std::uint32_t right : std::span(choice.rights).first(choice.rights.size() - 1)) {
      not_chosen.push_back({.cell = prepared.cells.cells[right].id, .arm = choice.arm});
    }
  }
  estimates.next = not_chosen.empty() ? estimates.first : estimate(not_chosen);
  return estimates;
}

double least_seconds(const Prepared& prepared) {
  const std::uint32_t groups = with_choosing_pilot(prepared, prepared.campaign.launches.min);
  if (groups == 0) return 0;
  const GroupEstimates estimates = estimate_groups(prepared);
  return estimates.first.seconds + (groups - 1) * estimates.next.seconds;
}

std::string beyond_budget_text(const Prepared& prepared) {
  const design::Campaign& campaign = prepared.campaign;
  if (!campaign.budget_s) return "";
  const double least_s = least_seconds(prepared);
  if (least_s <= *campaign.budget_s) return "";
  const std::uint32_t groups = with_choosing_pilot(prepared, campaign.launches.min);
  return "the least of " + base::count_text(groups, "group") + " takes about " +
         base::span_text(least_s) + ", beyond the budget of " + base::span_text(*campaign.budget_s);
}

}  // namespace invar::driver
