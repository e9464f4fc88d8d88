// Opening a campaign again: check, restore, adopt, discard (docs/formats.md, Manifest).
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>

#include "base/error.hpp"
#include "store/campaign_dir.hpp"
#include "store/files.hpp"
#include "store/launch_files.hpp"
#include "store/manifest/manifest_text.hpp"
#include "store/manifest/sealed_copies.hpp"
#include "store/open.hpp"
#include "store/own_files.hpp"
#include "store/version.hpp"

namespace invar::store {

namespace fs = std::filesystem;

class Resumption {
 public:
  Resumption(const fs::path& dir, std::vector<std::string>& notes)
      : notes_(notes), campaign_(dir, Lock::acquire(dir)) {}

  CampaignDir run(const CampaignCheck& campaign_check) {
    read_lines();
    const CopyCheck copies = checked_copies(campaign_check);
    restore(copies);
    fill_state();
    remove_left_overs();
    complete_moves();
    discard_damaged_groups();
    adopt_or_discard();
    note_failed_cells();
    take_failed_groups_off();
    return std::move(campaign_);
  }

 private:
  const fs::path& dir() const { return campaign_.dir_; }
  State& state() { return campaign_.state_; }

  [[noreturn]] static void damaged(std::string place, std::string what) {
    throw base::CommandError(base::Exit::kDamaged,
                             {{.place = std::move(place),
                               .what = std::move(what),
                               .remedy = "the campaign cannot be resumed; start another one"}});
  }

  void read_lines() {
    text_ = open_manifest(dir());
    // A first line says which schema the others follow; lost ones cannot be guessed.
    if (!text_.lost.empty() || text_.lines.empty()) {
      damaged((dir() / kManifest).string(), text_.lines.empty()
                                                ? "both copies of the manifest are damaged"
                                                : "line " + std::to_string(text_.lost.front()) +
                                                      " is damaged in both copies of the manifest");
    }
    try {
      manifest_ = read_manifest(text_.lines, (dir() / kManifest).string());
    } catch (const std::runtime_error& error) {
      if (dynamic_cast<const base::CommandError*>(&error) != nullptr) throw;
      damaged(dir().string(), error.what());
    }
  }

  CopyCheck checked_copies(const CampaignCheck& campaign_check) {
    try {
      CopyCheck copies = check_sealed_copies(dir(), manifest_, campaign_check);
      if (!copies.edits.empty()) throw base::UserError(copies.edits);
      return copies;
    } catch (const std::runtime_error& error) {
      if (dynamic_cast<const base::CommandError*>(&error) != nullptr) throw;
      damaged((dir() / kManifest).string(), error.what());
    }
  }

  void restore(const CopyCheck& copies) {
    const std::string whole = text_.text();
    if (!text_.main_whole) write_file(dir() / kManifest, whole);
    if (!text_.copy_whole) write_file(dir() / kManifestCopy, whole);
    campaign_.next_line_ = text_.lines.size() + 1;
    for (const std::string& line : text_.unfinished) notes_.push_back(line + "; mended");
    for (const DataFault& fault : text_.damage) {
      note_restored(fault.place + ' ' + fault.what, "from the other copy of the manifest");
    }
    for (const SealedCopy& copy : copies.to_restore) write_file(dir() / copy.file, copy.text);
    for (const DataFault& fault : copies.damage) {
      note_restored(fault.place + ' ' + fault.what, "from the manifest");
    }
  }

  void note_restored(const std::string& what, const std::string& source) {
    notes_.push_back(what + "; restored " + source);
    campaign_.append(restored_line(campaign_.next_line_, what));
  }

  void fill_state() {
    campaign_.session_ = session_name();
    state() = {.campaign_toml = manifest_.campaign_toml,
               .place = manifest_.place,
               .arms = manifest_.arms,
               .planned_groups = manifest_.planned_groups,
               .batches = manifest_.batches,
               .looks = manifest_.looks,
               .decided = manifest_.decided,
               .warnings = manifest_.warnings,
               .ended = manifest_.ended,
               .mended = manifest_.ended_once};
    for (const PlanCopy& plan : manifest_.plans) {
      record::append_plan(state().plans,
                          record::read_plan(plan.csv(), (dir() / plan.file).string()));
    }
    for (const auto& [number, group] : manifest_.groups) state().groups.push_back(group.outcome);
    for (const FailedCell& failed : manifest_.failed_cells) {
      state().failed_cells.emplace_back(failed.cell, failed.arm);
    }
    for (const DroppedArm& dropped : manifest_.dropped_arms) {
      state().dropped_arms.push_back(dropped.arm);
    }
    campaign_.seals_ = manifest_.seals;
    campaign_.moves_ = manifest_.moves;
  }

  // Temporary files of a killed write, and plans that no line tells of: nothing was run from them.
  void remove_left_overs() {
    std::set<std::string> known{"plan.csv"};
    for (const PlanCopy& plan : manifest_.plans) known.insert(plan.file);
    std::vector<fs::path> plans;
    std::error_code error;
    for (const auto& entry : entries_of(dir())) {
      const std::string name = entry.path().filename().string();
      if (is_left_over(entry.path())) fs::remove(entry.path(), error);
      if (name.starts_with("plan-") && name.ends_with(".csv") && !known.contains(name)) {
        plans.push_back(entry.path());
      }
    }
    for (const fs::path& plan : plans) {
      make_directories(dir() / "discarded");
      const std::string name = plan.filename().string();
      move_path(plan, dir() / campaign_.free_discarded_name(name));
      notes_.push_back(name + " was written, but not put into force; moved to discarded/");
    }
  }

  void complete_moves() {
    for (const Move& move : campaign_.moves_) {
      const bool sealed_again =
          std::any_of(campaign_.seals_.begin(), campaign_.seals_.end(),
                      [&](const auto& seal) { return seal.second.dir == move.from; });
      if (move.to.empty() || sealed_again || !fs::exists(dir() / move.from) ||
          fs::exists(dir() / move.to))
        continue;
      make_directories(dir() / "discarded");
      move_path(dir() / move.from, dir() / move.to);
    }
  }

  void discard_damaged_groups() {
    std::map<std::uint32_t, std::vector<DataFault>> damage;
    for (const auto& [launch, seal] : campaign_.seals_) {
      LaunchFiles files = read_sealed_launch(dir(), seal);
      for (DataFault& fault : files.faults) damage[seal.group].push_back(std::move(fault));
      for (const record::FailureLine& line : files.journal.failures) {
        failures_.push_back({.cell = line.cell, .arm = seal.arm, .reason = line.reason});
      }
    }
    for (const auto& [group, faults] : damage) {
      for (const DataFault& fault : faults) notes_.push_back(fault.place + ' ' + fault.what);
      discard(group, faults.front().place + ' ' + faults.front().what, "is measured again");
    }
  }

  void discard(std::uint32_t group, const std::string& reason, const std::string& outlook) {
    notes_.push_back("group " + std::to_string(group) + " was moved to discarded/ and " + outlook);
    campaign_.discard_group(group, reason);
    std::erase_if(state().groups, [&](const GroupOutcome& outcome) {
      return outcome.complete && outcome.group == group;
    });
    state().ended = false;
  }

  // The group's launches that have no seal, each checked; nothing if one of them is not whole.
  std::optional<std::vector<LaunchSeal>> adoptable(std::uint32_t group) {
    if (campaign_.launches_of(group).empty()) return std::nullopt;  // all its arms were dropped
    std::vector<LaunchSeal> seals;
    std::vector<FailedCell> failures;
    for (const auto& launch : campaign_.launches_of(group)) {
      if (campaign_.seals_.contains(launch.launch)) continue;
      const std::string name = launch_dir_name(launch.launch, launch.arm);
      if (!fs::exists(dir() / name)) return std::nullopt;
      LaunchFiles files = read_unsealed_launch(dir(), name, campaign_.rows_of(launch.launch),
                                               campaign_.cells_that_failed(launch.arm));
      if (!files.faults.empty()) return std::nullopt;
      for (const record::FailureLine& line : files.journal.failures) {
        failures.push_back({.cell = line.cell, .arm = launch.arm, .reason = line.reason});
      }
      double end_ps = 0;
      for (const record::VisitLine& line : files.journal.visits) {
        end_ps = std::max(end_ps, static_cast<double>(line.end_ps));
      }
      seconds_ = std::max(seconds_, end_ps * 1e-12);
      seals.push_back({.launch = launch.launch,
                       .group = group,
                       .arm = launch.arm,
                       .dir = name,
                       // It ran under the driver before this one.
                       .session = manifest_.session,
                       .files = std::move(files.files)});
    }
    failures_.insert(failures_.end(), failures.begin(), failures.end());
    return seals;
  }

  // Groups that have launches but are not complete; launches that belong nowhere are taken out.
  std::set<std::uint32_t> open_groups() {
    std::map<std::string, std::uint32_t> planned;  // directory -> group
    for (const record::Plan& plan : state().plans) {
      for (const record::PlanRow& row : plan.rows) {
        planned[launch_dir_name(row.launch, row.arm)] = row.group;
      }
    }
    std::set<std::string> sealed;
    for (const auto& [launch, seal] : campaign_.seals_) sealed.insert(seal.dir);
    std::set<std::uint32_t> open;
    std::vector<std::string> strays;
    for (const auto& entry : entries_of(dir() / "launches")) {
      const std::string name = "launches/" + entry.path().filename().string();
      const auto found = planned.find(name);
      const GroupOutcome* outcome = found == planned.end() ? nullptr : outcome_of(found->second);
      if (found != planned.end() && (outcome == nullptr || !outcome->complete)) {
        open.insert(found->second);
      } else if (!sealed.contains(name)) {
        strays.push_back(name);
      }
    }
    for (const std::string& name : strays) {
      notes_.push_back(name + " belongs to no group that is open; moved to discarded/");
      make_directories(dir() / "discarded");
      move_path(dir() / name, dir() / campaign_.free_discarded_name(name));
    }
    return open;
  }

  void adopt_or_discard() {
    for (const std::uint32_t group : open_groups()) {
      seconds_ = 0;
      const bool failed = outcome_of(group) != nullptr;
      auto seals = failed ? std::nullopt : adoptable(group);
      if (!seals) {
        discard(group, failed ? "the group had failed" : "the group was not finished",
                failed ? "is tried once more" : "is measured again");
        continue;
      }
      for (LaunchSeal& seal : *seals) campaign_.append_seal(std::move(seal));
      campaign_.finish_group({.group = group, .complete = true, .seconds = seconds_});
      state().adopted.push_back(group);
      notes_.push_back("group " + std::to_string(group) +
                       " was complete and only lacked its seal; adopted");
    }
    // Also the version of Invar that goes on.
    if (manifest_.session != campaign_.session_ || manifest_.made_by.back() != version_text()) {
      campaign_.append(session_line(campaign_.next_line_, campaign_.session_));
    }
  }

  const GroupOutcome* outcome_of(std::uint32_t group) {
    const auto found =
        std::find_if(state().groups.begin(), state().groups.end(),
                     [&](const GroupOutcome& outcome) { return outcome.group == group; });
    return found == state().groups.end() ? nullptr : &*found;
  }

  // A driver may have ended after a launch was sealed and before its failures were noted.
  void note_failed_cells() {
    for (const FailedCell& failed : failures_) {
      const std::pair<std::uint32_t, std::string> key(failed.cell, failed.arm);
      auto& known = state().failed_cells;
      if (std::find(known.begin(), known.end(), key) != known.end()) continue;
      campaign_.fail_cell(failed.cell, failed.arm, failed.reason);
    }
  }

  void take_failed_groups_off() {
    auto& groups = state().groups;
    for (const GroupOutcome& outcome : groups) {
      if (outcome.complete) continue;
      state().failed_before.push_back(outcome);
      state().ended = false;
      notes_.push_back("group " + std::to_string(outcome.group) + " failed before (" +
                       outcome.reason + "); it is tried once more");
    }
    std::erase_if(groups, [](const GroupOutcome& outcome) { return !outcome.complete; });
  }

  std::vector<std::string>& notes_;
  CampaignDir campaign_;
  ManifestText text_ = {};
  Manifest manifest_ = {};
  std::vector<FailedCell> failures_ = {};
  double seconds_ = 0;
};

CampaignDir CampaignDir::resume(const fs::path& dir, std::vector<std::string>& notes,
                                const CampaignCheck& campaign_check) {
  open_manifest(dir);  // no lock is left in a directory that is not a campaign
  refuse_other_owner(dir);
  return Resumption(dir, notes).run(campaign_check);
}

}  // namespace invar::store
