// A campaign's directory as the driver writes it: campaign.toml, plan.csv (plan-2.csv, ...),
// manifest.jsonl, launches/..., discarded/..., lock. Nothing is ever changed in place: the manifest
// is append-only, a launch is sealed by its manifest line (docs/formats.md).
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "record/plan.hpp"

namespace invar::store {

// One driver at a time. Held by an open, close-on-exec, exclusively locked file; gone with the
// process, however it ends.
class Lock {
 public:
  // Throws UserError if another driver holds it (with its pid and host).
  static Lock acquire(const std::filesystem::path& dir);
  Lock(Lock&& other) noexcept;
  Lock& operator=(Lock&&) = delete;
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
  ~Lock();

 private:
  explicit Lock(int descriptor) : descriptor_(descriptor) {}
  int descriptor_ = -1;
};

// An arm as it was really used, for the manifest (and so for every later answer).
struct ArmRecord {
  std::string label = {};
  std::string library = {};          // the profile's name
  std::string library_version = {};  // first line of MPI_Get_library_version
  std::vector<std::pair<std::string, std::string>> settings = {};
  // "accepted as 4", "unverified": how each setting was checked, in the same order.
  std::vector<std::string> settings_checked = {};
  std::map<std::string, std::string> checksums = {};  // file of the library -> checksum
  std::string profile_json = {};                      // the whole profile
};

struct GroupOutcome {
  std::uint32_t group = 0;
  bool complete = false;
  std::string reason = {};  // of a failure: who, where, what
  double seconds = 0;       // wall time
  std::uint32_t tries = 1;
};

// What a driver finds when it opens a directory.
struct State {
  std::string campaign_toml = {};
  std::vector<record::Plan> plans = {};
  std::vector<ArmRecord> arms = {};
  std::vector<GroupOutcome> groups = {};             // finished, complete or failed
  std::optional<std::uint32_t> planned_groups = {};  // decided after the pilot
  // (cell, arm label) that failed: not measured any more.
  std::vector<std::pair<std::uint32_t, std::string>> failed_cells = {};
  std::vector<std::string> dropped_arms = {};
  bool ended = false;
};

class CampaignDir {
 public:
  // Makes the directory with campaign.toml and the first plan. Throws UserError if it exists
  // already (unless it is an empty directory) or cannot be written; nothing is left behind then.
  static CampaignDir create(const std::filesystem::path& dir, const std::string& campaign_toml,
                            const record::Plan& plan, const std::vector<ArmRecord>& arms,
                            const std::string& scope);

  // For `run --resume`: checks everything that is sealed; restores a damaged campaign.toml or plan
  // from the manifest and the manifest's copy from the file; an edited one is exit 2; both bad:
  // exit
  // 5. Unsealed launches whose group is complete and whose end line holds are adopted, others go to
  // discarded/, and so do the launches of damaged sealed groups. What was done is told line by line
  // in `notes`. Failed groups are taken off the list of finished ones, so that they are tried once
  // more.
  static CampaignDir resume(const std::filesystem::path& dir, std::vector<std::string>& notes);

  [[nodiscard]] const State& state() const { return state_; }
  [[nodiscard]] const std::filesystem::path& path() const { return dir_; }

  // Directory of a launch: launches/0007-LABEL (made, empty; a stale one goes to discarded/).
  std::filesystem::path make_launch_dir(std::uint32_t launch, const std::string& arm);

  // Checks the end line and the checksums of the launch and appends its manifest line. Throws
  // CommandError (kMeasurementFailed) with the reason if the launch is not whole.
  void seal_launch(std::uint32_t launch, std::uint32_t group, const std::string& arm);
  // Moves the group's launches that were not sealed to discarded/ (after a failure).
  void discard_group(std::uint32_t group, const std::string& reason);
  void finish_group(const GroupOutcome& outcome);
  void add_plan(const record::Plan& plan);
  void decide_groups(std::uint32_t planned_groups, const std::string& why);
  void fail_cell(std::uint32_t cell, const std::string& arm, const std::string& reason);
  void drop_arm(const std::string& arm, const std::string& reason);
  void warn(const std::string& text);
  // The campaign is done; later lines are not expected.
  void end();

 private:
  CampaignDir(std::filesystem::path dir, Lock lock);
  void append(std::string_view json_without_brace);

  std::filesystem::path dir_;
  Lock lock_;
  State state_ = {};
};

}  // namespace invar::store
