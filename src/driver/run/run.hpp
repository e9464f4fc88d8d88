// Runs a campaign from its plan to its last group, or goes on with one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "driver/decide/decisions.hpp"
#include "driver/prepare/prepare.hpp"
#include "record/plan.hpp"

namespace invar::driver {

struct RunResult {
  std::uint32_t groups_complete = 0;
  std::uint32_t groups_failed = 0;
  bool interrupted = false;
  bool library_changed = false;  // stopped; what it changed under was discarded
  bool file_edited = false;      // likewise, and it is a file that a setting names
  double elapsed_s = 0;
};

// A new campaign in `dir`, which must not exist. With `plan` (edited by hand; the campaign's number
// of launches is that of its groups) exactly its groups are run; without, the plan is made from the
// campaign's seed: the groups that it asks for at least, and after the first one, from its cost, as
// many more as the budget allows; what failed is tried once more. check_launches() has passed.
// `part`: what of a larger undertaking this is (driver/run/progress.hpp). `decisions` are asked
// before every group.
RunResult run_new(const Prepared& prepared, const std::optional<record::Plan>& plan,
                  const std::filesystem::path& dir, const std::string& part = {},
                  std::span<const Decision> decisions = all_decisions());

// What a stopped driver left: follows the sealed plan, tries failed groups once more.
RunResult run_resumed(const std::filesystem::path& dir, const std::string& part = {},
                      std::span<const Decision> decisions = all_decisions());

// Launches of any size once had single ranks for every suite, also for one that can do without:
// what was begun so in `dir` goes on so. (For others read_sealed_campaign() sees to it.)
void record_as_begun(design::Campaign& campaign, const std::filesystem::path& dir);

// Groups planned at first: what the campaign asks for at least.
record::Plan first_plan(const Prepared& prepared);

}  // namespace invar::driver
