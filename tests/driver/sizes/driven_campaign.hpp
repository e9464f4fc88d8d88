// Campaigns without processes whose sizes are decided on between launch groups: driven to their
// end, and from wherever a driver was killed.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "driver/decide/added_cells.hpp"
#include "driver/decide/decisions.hpp"
#include "driver/decide/plans.hpp"
#include "store/synthetic.hpp"

namespace invar::driver::driven {

// What a driver sees of time.
struct PassingTime {
  std::optional<double> budget_s = {};
  double group_s = 0;  // that each group takes
  // When so many groups are finished; none: they follow each other.
  std::function<double(std::size_t groups)> elapsed_s = {};
};

// The arms of a group's launches, in their order.
inline std::vector<std::string> arms_of_group(const record::Plan& plan, std::uint32_t group) {
  std::map<std::uint32_t, std::string> by_launch;
  for (const record::PlanRow& row : plan.rows) {
    if (row.group == group) by_launch[row.launch] = row.arm;
  }
  std::vector<std::string> arms;
  for (const auto& [launch, arm] : by_launch) arms.push_back(arm);
  return arms;
}

// Up to its end, or to so many groups. `measure` writes what a launch group measured.
inline void drive(store::CampaignDir& dir, Prepared campaign, const PassingTime& time,
                  const std::function<void(std::uint32_t group)>& measure,
                  std::size_t most_groups = 1000) {
  for (const store::DecidedLine& decided : dir.state().decided) add_cells(campaign, decided);
  while (dir.state().groups.size() < most_groups) {
    std::set<std::uint32_t> finished;
    for (const store::GroupOutcome& group : dir.state().groups) finished.insert(group.group);
    const auto done = static_cast<std::uint32_t>(finished.size());
    const store::Data data = store::read_campaign_dir(dir.path());
    for (const Decision& decision : all_decisions()) {
      if (!decision.asked(campaign)) continue;
      const std::size_t before = dir.state().decided.size();
      write_step(dir, decision.name,
                 decision.decide({.prepared = campaign,
                                  .state = dir.state(),
                                  .finished = finished,
                                  .groups_complete = done,
                                  .spent = {.groups_done = done,
                                            .elapsed_s = time.elapsed_s ? time.elapsed_s(done)
                                                                        : time.group_s * done,
                                            .group_s = time.group_s,
                                            .most_s = time.group_s},
                                  .budget_s = time.budget_s,
                                  .measured = [&]() -> const store::Data& { return data; }}));
      if (dir.state().decided.size() > before) add_cells(campaign, dir.state().decided.back());
    }
    const auto group = next_group(dir.state(), finished);
    if (!group) break;
    measure(*group);
  }
  if (!dir.state().ended && dir.state().groups.size() < most_groups) dir.end();
}

inline std::vector<std::string> manifest_lines(const std::filesystem::path& dir) {
  std::ifstream file(dir / "manifest.jsonl");
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

// The plans and decisions that hold at a campaign's end.
inline std::vector<std::string> in_force(const std::filesystem::path& dir) {
  const store::Manifest manifest = store::read_manifest(manifest_lines(dir), "manifest");
  std::vector<std::string> all;
  for (const store::PlanCopy& plan : manifest.plans) all.push_back(plan.csv());
  for (const store::DecidedLine& line : manifest.decided) all.push_back(line.why + line.fields);
  return all;
}

// What a driver left in `killed` that was killed when the manifest of `whole` had `kept` lines;
// every other time in the midst of the next line.
inline void leave_killed(const std::filesystem::path& whole, const std::filesystem::path& killed,
                         std::size_t kept) {
  namespace fs = std::filesystem;
  const std::vector<std::string> lines = manifest_lines(whole);
  fs::remove_all(killed);
  fs::copy(whole, killed, fs::copy_options::recursive);
  std::string text;
  for (std::size_t i = 0; i < kept; ++i) text += lines[i] + '\n';
  const store::Manifest manifest = store::read_manifest(
      {lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(kept)}, "manifest");
  std::set<fs::path> sealed;
  for (const auto& [launch, seal] : manifest.seals) sealed.insert(killed / seal.dir);
  std::vector<fs::path> unsealed;
  for (const auto& entry : fs::directory_iterator(killed / "launches")) {
    if (!sealed.contains(entry.path())) unsealed.push_back(entry.path());
  }
  for (const fs::path& path : unsealed) fs::remove_all(path);
  std::ofstream(killed / "manifest.copy.jsonl", std::ios::trunc) << text;
  if (kept % 2 == 0 && kept < lines.size()) text += lines[kept].substr(0, lines[kept].size() / 2);
  std::ofstream(killed / "manifest.jsonl", std::ios::trunc) << text;
}

}  // namespace invar::driver::driven
