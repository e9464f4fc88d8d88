// One launch group: all its launches alive at the same time, taking turns (or, with pairing
// "launches", one after the other), until all are done or one has failed.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "driver/decide/limits.hpp"
#include "driver/prepare/prepare.hpp"
#include "record/plan.hpp"
#include "store/campaign_dir.hpp"

namespace invar::driver {

struct GroupRequest {
  const Prepared& prepared;
  const record::Plan& plan;  // the one that holds the group
  std::uint32_t group = 0;
  std::uint32_t attempt = 1;
  Limits limits = {};
  std::vector<std::pair<std::uint32_t, std::string>> failed_cells = {};  // cell, arm
  // Passes by cell and arm, where an earlier group decided on them (LaunchSpec::decided_loops).
  std::map<std::pair<std::uint32_t, std::string>, std::uint32_t> decided_loops = {};
  std::vector<std::string> dropped_arms = {};
  std::set<std::string> never_end = {};  // arms that did not end in an earlier group
  bool full_environment = false;
  // What runs then is ended: the budget is over.
  std::optional<std::chrono::steady_clock::time_point> latest_end = {};
  // Tells whoever watches why nothing goes on; none: nobody does.
  std::function<void(const std::string&)> say = {};
};

struct GroupResult {
  bool complete = false;
  bool interrupted = false;
  bool out_of_time = false;  // it still ran at its latest end
  std::uint32_t visits = 0;  // of an unfinished group: how many of them were made, roughly
  std::uint32_t of_visits = 0;
  std::string failed_arm = {};  // the first to fail; empty if complete
  std::string reason = {};
  std::optional<std::uint32_t> failed_cell = {};  // that it was at; none: at none, or unknown
  bool machine = false;                           // the machine is to blame, no arm
  bool unwritable = false;                        // and it is that the campaign cannot be written
  double seconds = 0;
  // (launch, arm label), in the order of the arms.
  std::vector<std::pair<std::uint32_t, std::string>> launches = {};
  // What went wrong when everything was measured and written: nothing is lost by it.
  std::vector<std::string> warnings = {};
  std::vector<std::string> never_end = {};  // arms that had to be ended then
  // Frequencies that are not any more what they were before.
  std::vector<std::string> not_put_back = {};
};

// Starts and watches; when it returns no process of the group is left. Nothing is sealed yet.
GroupResult run_group(store::CampaignDir& dir, const GroupRequest& request);

}  // namespace invar::driver
