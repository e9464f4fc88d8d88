// A campaign on disk whose groups are written as engines would, and the driver's loop without
// processes: for tests of what decisions make of it, also where a driver was killed.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "driver/decide/decisions.hpp"
#include "driver/decide/plans.hpp"
#include "store/synthetic.hpp"

namespace invar::driver::test {

// What is to be measured, and what would be.
struct Planted {
  synthetic::Options written = {};  // with its toml
  // Median of an arm in a cell and a group; none: written.median_ns.
  std::function<double(const std::string& arm, std::size_t cell, std::uint32_t group)> time_ns = {};
  // Canary of a group; none: written.canary_ns.
  std::function<double(std::uint32_t group)> canary_ns = {};
  // What was spent when so many groups are finished; none: no time passes.
  std::function<Spent(std::size_t groups)> spent = {};
};

inline Prepared campaign_of(const synthetic::Options& written) {
  Prepared prepared;
  prepared.campaign = design::read_campaign(written.toml, "c.toml");
  prepared.cells.cells = written.cells;
  prepared.cells.arms.assign(written.cells.size(), {0, 1});
  prepared.ranks = 2;
  return prepared;
}

// The group's launches have the arms that the plan gives them.
inline void measure_planted(store::CampaignDir& dir, const Planted& planted, std::uint32_t group) {
  const record::Plan& plan = plan_of(dir.state(), group);
  std::map<std::uint32_t, std::string> arms;  // by launch
  for (const record::PlanRow& row : plan.rows) {
    if (row.group == group) arms[row.launch] = row.arm;
  }
  synthetic::Options written = planted.written;
  written.arms.clear();
  for (const auto& [launch, arm] : arms) written.arms.push_back(arm);
  if (planted.time_ns) {
    written.median_ns = [&](std::size_t arm, std::size_t cell) {
      return planted.time_ns(written.arms[arm], cell, group);
    };
  }
  if (planted.canary_ns) written.canary_ns = planted.canary_ns(group);
  synthetic::write_group(dir, written, plan, group);
}

inline void drive_planted(store::CampaignDir& dir, const Planted& planted) {
  const Prepared campaign = campaign_of(planted.written);
  while (true) {
    std::set<std::uint32_t> finished;
    for (const store::GroupOutcome& group : dir.state().groups) finished.insert(group.group);
    const store::Data data = store::read_campaign_dir(dir.path());
    for (const Decision& decision : all_decisions()) {
      if (!decision.asked(campaign)) continue;
      write_step(dir, decision.name,
                 decision.decide({.prepared = campaign,
                                  .state = dir.state(),
                                  .finished = finished,
                                  .groups_complete = static_cast<std::uint32_t>(finished.size()),
                                  .spent = planted.spent ? planted.spent(finished.size()) : Spent(),
                                  .measured = [&]() -> const store::Data& { return data; }}));
    }
    const auto group = next_group(dir.state(), finished);
    if (!group) break;
    measure_planted(dir, planted, *group);
  }
  if (!dir.state().ended) dir.end();
}

inline store::CampaignDir begin_planted(const std::filesystem::path& dir, const Planted& planted) {
  const synthetic::Options& written = planted.written;
  return store::CampaignDir::create(dir, written.toml, synthetic::make_plan(written),
                                    synthetic::arm_records(written),
                                    {.scope = "2 ranks, 1 host", .cpus = {0, 1}});
}

inline std::vector<std::string> lines_of_manifest(const std::filesystem::path& dir) {
  std::ifstream file(dir / "manifest.jsonl");
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

// What is planned and decided, in the order in which it came into force.
inline std::vector<std::string> in_force(const std::filesystem::path& dir) {
  const store::Manifest manifest = store::read_manifest(lines_of_manifest(dir), "manifest");
  std::vector<std::string> all;
  for (const store::PlanCopy& plan : manifest.plans) all.push_back(plan.csv());
  for (const store::DecidedLine& decided : manifest.decided) {
    all.push_back(decided.decision + decided.why + decided.fields);
  }
  return all;
}

// Launches that no line seals: a driver that was killed there has not begun them, or lost them.
inline void remove_unsealed(const std::filesystem::path& dir,
                            const std::vector<std::string>& lines) {
  std::set<std::filesystem::path> sealed;
  for (const auto& [launch, seal] : store::read_manifest(lines, "manifest").seals) {
    sealed.insert(dir / seal.dir);
  }
  std::vector<std::filesystem::path> unsealed;
  for (const auto& entry : std::filesystem::directory_iterator(dir / "launches")) {
    if (!sealed.contains(entry.path())) unsealed.push_back(entry.path());
  }
  for (const std::filesystem::path& path : unsealed) std::filesystem::remove_all(path);
}

// A driver that is killed at any line of `whole`, or in the midst of it, is followed by one that
// decides and plans the same. `whole`: a campaign that came to its end; `killed`: a place for
// copies of it.
inline void expect_same_wherever_killed(const std::filesystem::path& whole,
                                        const std::filesystem::path& killed,
                                        const Planted& planted) {
  const std::vector<std::string> lines = lines_of_manifest(whole);
  const std::vector<std::string> decided = in_force(whole);
  const std::size_t groups = store::read_campaign_dir(whole).groups.size();
  const std::size_t first = 2 + planted.written.arms.size();  // campaign, plan, arms: made at once
  for (std::size_t kept = first; kept <= lines.size(); ++kept) {
    for (const bool torn : {false, true}) {
      SCOPED_TRACE(std::to_string(kept) + (torn ? " lines and a half" : " lines"));
      std::filesystem::remove_all(killed);
      std::filesystem::copy(whole, killed, std::filesystem::copy_options::recursive);
      const std::vector<std::string> first_lines(lines.begin(),
                                                 lines.begin() + static_cast<std::ptrdiff_t>(kept));
      remove_unsealed(killed, first_lines);
      std::string text;
      for (const std::string& line : first_lines) text += line + '\n';
      std::ofstream(killed / "manifest.copy.jsonl", std::ios::trunc) << text;
      if (torn && kept < lines.size()) text += lines[kept].substr(0, lines[kept].size() / 2);
      std::ofstream(killed / "manifest.jsonl", std::ios::trunc) << text;
      std::vector<std::string> notes;
      store::CampaignDir resumed = store::CampaignDir::resume(killed, notes);
      drive_planted(resumed, planted);
      EXPECT_EQ(in_force(killed), decided);
      EXPECT_THAT(store::read_campaign_dir(killed).groups, testing::SizeIs(groups));
    }
  }
}

}  // namespace invar::driver::test
