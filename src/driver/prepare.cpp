#include "driver/prepare.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "launch/launcher.hpp"
#include "launch/profile.hpp"
#include "launch/profile_file.hpp"

namespace invar::driver {
namespace {

void choose_arms(design::Campaign& campaign, const Overrides& overrides) {
  if (campaign.arms.empty()) {
    for (const launch::Profile& profile : launch::all_profiles()) {
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
void pin_down_ranks(design::Campaign& campaign, std::uint32_t ranks) {
  for (design::CellsBlock& block : campaign.cells) {
    const bool written = block.levels.contains("ranks") || block.levels.contains("nodes") ||
                         block.levels.contains("ppn");
    if (!written) block.levels["ranks"] = {std::to_string(ranks)};
  }
}

}  // namespace

Prepared prepare(design::Campaign campaign, const Overrides& overrides, const std::string& place) {
  if (overrides.budget_s) campaign.budget_s = overrides.budget_s;
  if (overrides.launches) campaign.launches = {*overrides.launches, *overrides.launches};
  choose_arms(campaign, overrides);
  Prepared prepared;
  prepared.arms = launch::check_arms(campaign.arms);
  const std::vector<std::uint32_t> cores = launch::core_cpus();
  design::Surroundings surroundings{.slots = static_cast<std::uint32_t>(cores.size())};
  for (const launch::CheckedArm& arm : prepared.arms) {
    surroundings.operations.push_back(arm.profile.operations);
  }
  pin_down_ranks(campaign, surroundings.slots * surroundings.hosts);
  prepared.cells = design::resolve_cells(campaign, surroundings, place);
  // Smaller communicators are parts of the launch's.
  for (const record::Cell& cell : prepared.cells.cells) {
    prepared.ranks = std::max(prepared.ranks, cell.ranks);
  }
  for (std::uint32_t rank = 0; rank < prepared.ranks; ++rank) {
    prepared.cpus.push_back(cores[rank % cores.size()]);
  }
  prepared.campaign = std::move(campaign);
  return prepared;
}

std::string scope_text(const Prepared& prepared) {
  return std::to_string(prepared.ranks) + (prepared.ranks == 1 ? " rank" : " ranks") + ", 1 host";
}

store::ArmRecord arm_record(const design::Arm& arm, const launch::CheckedArm& checked) {
  return {.label = arm.label,
          .library = checked.profile.name,
          .library_version = checked.profile.version,
          .settings = arm.settings,
          .settings_checked = checked.settings_checked,
          .checksums = launch::library_checksums(checked.profile),
          .profile_json = launch::profile_json(checked.profile)};
}

std::vector<double> startup_s(const Prepared& prepared) {
  std::vector<double> seconds;
  for (const launch::CheckedArm& arm : prepared.arms) seconds.push_back(arm.profile.startup_s);
  return seconds;
}

}  // namespace invar::driver
