#include "store/campaign_dir.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <stdexcept>

#include "base/error.hpp"
#include "base/text.hpp"
#include "store/files.hpp"
#include "store/launch_files.hpp"
#include "store/manifest/manifest_text.hpp"

namespace invar::store {

namespace fs = std::filesystem;

std::string launch_dir_name(std::uint32_t launch, const std::string& arm) {
  constexpr std::size_t kLongest = 60;
  std::array<char, 16> number{};
  std::snprintf(number.data(), number.size(), "%04u", launch);
  std::string name = "launches/" + std::string(number.data()) + '-';
  for (const char c : arm.substr(0, kLongest)) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("._+=#-").find(c) != std::string_view::npos;
    name += plain ? c : '_';
  }
  return name;
}

std::string session_name() {
  std::string name = utc_time_text().substr(0, 10);
  if (const auto boot = base::read_file("/proc/sys/kernel/random/boot_id")) {
    if (boot->size() >= 8) name += '.' + boot->substr(0, 8);
  }
  for (const char* variable : {"SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID"}) {
    const char* job = std::getenv(variable);
    if (job == nullptr || *job == '\0') continue;
    name += std::string(".job-") + job;
    break;
  }
  return name;
}

// The copy follows the main file and is not waited for: after a power cut it may lack the last
// lines, which readers know.
void CampaignDir::append(const std::string& line, bool durable) {
  // What failed once (a full disk) may have been tried again since: no gap is left.
  if (copy_is_behind_) {
    const std::optional<std::string> main = read_text(dir_ / kManifest);
    if (!main) {
      throw base::UserError((dir_ / kManifest).string(), "has been taken away while it is written",
                            "end what does that; 'invar run --resume' restores it");
    }
    write_file(dir_ / kManifestCopy, *main);
  }
  append_to_file(dir_ / kManifest, line + '\n', durable);
  ++next_line_;
  copy_is_behind_ = true;
  append_to_file(dir_ / kManifestCopy, line + '\n', false);
  copy_is_behind_ = false;
}

std::vector<CampaignDir::PlannedLaunch> CampaignDir::launches_of(std::uint32_t group,
                                                                 bool also_dropped) const {
  std::vector<PlannedLaunch> launches;
  std::set<std::uint32_t> seen;
  for (const record::Plan& plan : state_.plans) {
    for (const record::PlanRow& row : plan.rows) {
      if (row.group != group || !seen.insert(row.launch).second) continue;
      const bool dropped = std::find(state_.dropped_arms.begin(), state_.dropped_arms.end(),
                                     row.arm) != state_.dropped_arms.end();
      if (!dropped || also_dropped) launches.push_back({.launch = row.launch, .arm = row.arm});
    }
  }
  return launches;
}

std::vector<const record::PlanRow*> CampaignDir::rows_of(std::uint32_t launch) const {
  std::vector<const record::PlanRow*> rows;
  for (const record::Plan& plan : state_.plans) {
    for (const record::PlanRow& row : plan.rows) {
      if (row.launch == launch) rows.push_back(&row);
    }
  }
  return rows;
}

std::vector<std::uint32_t> CampaignDir::cells_that_failed(const std::string& of_arm) const {
  std::vector<std::uint32_t> cells;
  for (const auto& [cell, arm] : state_.failed_cells) {
    if (arm == of_arm) cells.push_back(cell);
  }
  return cells;
}

std::string CampaignDir::free_discarded_name(const std::string& from) const {
  const std::string base = "discarded/" + fs::path(from).filename().string();
  const auto taken = [&](const std::string& name) {
    return fs::exists(fs::symlink_status(dir_ / name)) ||
           std::any_of(moves_.begin(), moves_.end(),
                       [&](const Move& move) { return move.to == name; });
  };
  std::string name = base;
  for (int i = 2; taken(name); ++i) name = base + '.' + std::to_string(i);
  return name;
}

// The line first: a driver that is ended between line and rename is completed by the next one.
void CampaignDir::take_out(std::uint32_t group, const std::string& reason,
                           const std::vector<std::pair<std::uint32_t, std::string>>& dirs) {
  if (dirs.empty()) return;
  make_directories(dir_ / "discarded");
  std::vector<Move> moves;
  for (const auto& [launch, from] : dirs) {
    const bool there = fs::exists(dir_ / from);
    moves.push_back({.launch = launch, .from = from, .to = there ? free_discarded_name(from) : ""});
  }
  append(discarded_line(next_line_, group, reason, moves));
  for (const Move& move : moves) {
    moves_.push_back(move);
    seals_.erase(move.launch);
    if (!move.to.empty()) move_path(dir_ / move.from, dir_ / move.to);
  }
}

fs::path CampaignDir::make_launch_dir(std::uint32_t launch, const std::string& arm) {
  const std::string name = launch_dir_name(launch, arm);
  if (fs::exists(dir_ / name)) {
    const auto rows = rows_of(launch);
    take_out(rows.empty() ? 0 : rows.front()->group, "left over from an earlier try",
             {{launch, name}});
  }
  make_directories(dir_ / name);
  return dir_ / name;
}

Journal CampaignDir::seal_launch(std::uint32_t launch, std::uint32_t group,
                                 const std::string& arm) {
  const std::string name = launch_dir_name(launch, arm);
  LaunchFiles files = read_unsealed_launch(dir_, name, rows_of(launch), cells_that_failed(arm));
  if (!files.faults.empty()) {
    std::vector<base::Fault> faults;
    for (const DataFault& fault : files.faults) {
      faults.push_back({.place = (dir_ / fault.place).string(), .what = fault.what});
    }
    throw base::CommandError(base::Exit::kMeasurementFailed, std::move(faults));
  }
  append_seal({.launch = launch,
               .group = group,
               .arm = arm,
               .dir = name,
               .session = session_,
               .files = std::move(files.files)});
  return std::move(files.journal);
}

void CampaignDir::append_seal(LaunchSeal seal) {
  // The group's line is waited for, and carries this one along: a group is short, and the disk
  // slow.
  append(launch_line(next_line_, seal), false);
  seals_[seal.launch] = std::move(seal);
}

void CampaignDir::discard_group(std::uint32_t group, const std::string& reason) {
  std::vector<std::pair<std::uint32_t, std::string>> dirs;
  for (const PlannedLaunch& launch : launches_of(group, true)) {
    const std::string name = launch_dir_name(launch.launch, launch.arm);
    if (fs::exists(dir_ / name) || seals_.contains(launch.launch)) {
      dirs.emplace_back(launch.launch, name);
    }
  }
  take_out(group, reason, dirs);
}

void CampaignDir::finish_group(const GroupOutcome& outcome) {
  GroupLine line{.outcome = outcome};
  for (const auto& [launch, seal] : seals_) {
    if (outcome.complete && seal.group == outcome.group) line.launches.push_back(launch);
  }
  if (outcome.complete) {
    for (const PlannedLaunch& launch : launches_of(outcome.group)) {
      if (!seals_.contains(launch.launch)) {
        throw std::logic_error("launch " + std::to_string(launch.launch) + " of group " +
                               std::to_string(outcome.group) + " is not sealed");
      }
    }
    if (line.launches.empty()) throw std::logic_error("a complete group has launches");
    // Seals speak of files that launchers and ranks wrote and nobody waited for: after a power cut
    // the line must not vouch for what is not there.
    sync_file_system(dir_);
  }
  append(group_line(next_line_, line));
  const auto before =
      std::find_if(state_.groups.begin(), state_.groups.end(),
                   [&](const GroupOutcome& other) { return other.group == outcome.group; });
  if (before != state_.groups.end()) {
    *before = outcome;
  } else {
    state_.groups.push_back(outcome);
  }
}

std::string CampaignDir::next_plan_file() const {
  return "plan-" + std::to_string(state_.plans.size() + 1) + ".csv";
}

void CampaignDir::add_plan(const record::Plan& plan) {
  const std::string file = next_plan_file();
  const std::string csv = record::plan_csv(plan);
  write_file(dir_ / file, csv);
  append(plan_line(next_line_, file, plan, csv));
  record::append_plan(state_.plans, plan);
}

void CampaignDir::decide_groups(std::uint32_t planned_groups, const std::string& why) {
  append(decision_line(next_line_, planned_groups, why));
  state_.planned_groups = planned_groups;
}

void CampaignDir::decide_batches(const record::Calls& calls, const std::string& why) {
  append(batches_line(next_line_, calls, why));
  state_.batches = calls;
}

void CampaignDir::note_look(const LookLine& look) {
  append(look_line(next_line_, look));
  append_look(state_.looks, look);
}

void CampaignDir::decide(const DecidedLine& decided, const std::optional<record::Plan>& plan) {
  if (plan) {
    const std::string file = next_plan_file();
    const std::string csv = record::plan_csv(*plan);
    write_file(dir_ / file, csv);
    append(decided_line(next_line_, decided, PlanText{.file = file, .plan = *plan, .csv = csv}));
    record::append_plan(state_.plans, *plan);
  } else {
    append(decided_line(next_line_, decided, std::nullopt));
  }
  if (decided.planned_groups) state_.planned_groups = decided.planned_groups;
  state_.decided.push_back(decided);
}

void CampaignDir::fail_cell(std::uint32_t cell, const std::string& arm, const std::string& reason) {
  append(failed_cell_line(next_line_, {.cell = cell, .arm = arm, .reason = reason}));
  state_.failed_cells.emplace_back(cell, arm);
}

void CampaignDir::drop_arm(const std::string& arm, const std::string& reason) {
  append(dropped_arm_line(next_line_, {.arm = arm, .reason = reason}));
  state_.dropped_arms.push_back(arm);
}

void CampaignDir::warn(const WarningLine& warning) {
  append(warning_line(next_line_, warning));
  state_.warnings.push_back(warning);
}

void CampaignDir::end() {
  append(end_line(next_line_));
  sync_file(dir_ / kManifestCopy);
  state_.ended = true;
}

}  // namespace invar::store
