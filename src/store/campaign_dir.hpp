// A campaign's directory as the driver writes it: campaign.toml, plan.csv (plan-2.csv, ...),
// manifest.jsonl and its copy, launches/..., discarded/..., lock. Nothing is ever changed in place:
// the manifest is append-only, a launch is sealed by its manifest line (docs/formats.md).
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "record/plan.hpp"
#include "store/journal_reader.hpp"
#include "store/lock.hpp"
#include "store/manifest/manifest.hpp"

namespace invar::store {

// Tells an edited campaign.toml from a damaged one (the store knows nothing of campaigns). None: it
// is not a campaign. Else what is wrong with it all the same: what only a newer Invar can have
// written.
using CampaignCheck =
    std::function<std::optional<std::vector<base::Fault>>(const std::string& toml)>;

// What a driver finds when it opens a directory.
struct State {
  std::string campaign_toml = {};
  Place place = {};
  std::vector<record::Plan> plans = {};
  std::vector<ArmRecord> arms = {};
  std::vector<GroupOutcome> groups = {};             // finished, complete or failed
  std::vector<GroupOutcome> failed_before = {};      // after resume: failed, to be tried once more
  std::vector<std::uint32_t> adopted = {};           // after resume: groups that only lacked seals
  std::optional<std::uint32_t> planned_groups = {};  // decided after the pilot
  std::optional<record::Calls> batches = {};         // decided after the pilot
  std::vector<LookLine> looks = {};                  // of a sequential campaign
  std::vector<DecidedLine> decided = {};             // by other decisions
  // (cell, arm label) that failed: not measured any more.
  std::vector<std::pair<std::uint32_t, std::string>> failed_cells = {};
  std::vector<std::string> dropped_arms = {};
  std::vector<WarningLine> warnings = {};
  bool ended = false;
  // It had come to its end when it was opened: what is measured now mends it.
  bool mended = false;
};

// Throws the UserError that CampaignDir::create() would throw for this directory, so that it comes
// before anything that takes time. Makes nothing.
void check_new_directory(const std::filesystem::path& dir);

class CampaignDir {
 public:
  // Makes the directory (and those above it) with campaign.toml and the first plan. Throws
  // UserError if it exists already (unless it is an empty directory) or cannot be written; nothing
  // is left behind then.
  static CampaignDir create(const std::filesystem::path& dir, const std::string& campaign_toml,
                            const record::Plan& plan, const std::vector<ArmRecord>& arms,
                            const Place& place);

  // For `run --resume`: checks everything that is sealed; restores a damaged campaign.toml or plan
  // from the manifest, and each copy of the manifest from the other; an edited file is a UserError
  // (all edits at once, nothing touched); both copies bad: CommandError (kDamaged). Unsealed
  // launches whose group is complete and whose end line holds are adopted, others go to discarded/,
  // and so do the launches of damaged sealed groups. What was done is told line by line in `notes`.
  // Failed groups are taken off the list of finished ones, so that they are tried once more.
  static CampaignDir resume(const std::filesystem::path& dir, std::vector<std::string>& notes,
                            const CampaignCheck& campaign_check = {});

  [[nodiscard]] const State& state() const { return state_; }
  // By launch; discarded ones are gone.
  [[nodiscard]] const std::map<std::uint32_t, LaunchSeal>& seals() const { return seals_; }
  [[nodiscard]] const std::filesystem::path& path() const { return dir_; }

  // Directory of a launch: launches/0007-LABEL (made, empty; a stale one goes to discarded/).
  std::filesystem::path make_launch_dir(std::uint32_t launch, const std::string& arm);

  // Checks the end line, the checksums and the visits of the launch against the plan and appends
  // its manifest line. Returns the journal (cells that failed, what the pilot measured). Throws
  // CommandError (kMeasurementFailed) with the reasons if the launch is not whole. To be called
  // when no process of the launch is left: the line covers stdout and stderr too.
  Journal seal_launch(std::uint32_t launch, std::uint32_t group, const std::string& arm);
  // Moves all of the group's launches to discarded/, sealed or not: a group fails as a whole.
  void discard_group(std::uint32_t group, const std::string& reason);
  // A complete group must have a seal for every planned launch of an arm that was not dropped.
  void finish_group(const GroupOutcome& outcome);
  void add_plan(const record::Plan& plan);
  void decide_groups(std::uint32_t planned_groups, const std::string& why);
  // Which cells are timed in batches, for all arms alike; decided once.
  void decide_batches(const record::Calls& calls, const std::string& why);
  void note_look(const LookLine& look);
  // A decision of any other kind with its plan, if it brings one.
  void decide(const DecidedLine& decided, const std::optional<record::Plan>& plan);
  void fail_cell(std::uint32_t cell, const std::string& arm, const std::string& reason);
  void drop_arm(const std::string& arm, const std::string& reason);
  void warn(const WarningLine& warning);
  // The campaign is done; later lines are not expected.
  void end();

 private:
  friend class Resumption;

  struct PlannedLaunch {
    std::uint32_t launch = 0;
    std::string arm = {};
  };

  CampaignDir(std::filesystem::path dir, Lock lock)
      : dir_(std::move(dir)), lock_(std::move(lock)) {}
  void append(const std::string& line, bool durable = true);
  [[nodiscard]] std::string next_plan_file() const;
  // Launches of the group in the plan; `also_dropped`: of dropped arms too.
  [[nodiscard]] std::vector<PlannedLaunch> launches_of(std::uint32_t group,
                                                       bool also_dropped = false) const;
  [[nodiscard]] std::vector<const record::PlanRow*> rows_of(std::uint32_t launch) const;
  [[nodiscard]] std::vector<std::uint32_t> cells_that_failed(const std::string& of_arm) const;
  [[nodiscard]] std::string free_discarded_name(const std::string& from) const;
  void take_out(std::uint32_t group, const std::string& reason,
                const std::vector<std::pair<std::uint32_t, std::string>>& dirs);
  void append_seal(LaunchSeal seal);

  std::filesystem::path dir_;
  Lock lock_;
  State state_ = {};
  std::string session_ = {};
  std::uint64_t next_line_ = 1;
  bool copy_is_behind_ = false;  // a line could not be written to the manifest's copy
  std::map<std::uint32_t, LaunchSeal> seals_ = {};
  std::vector<Move> moves_ = {};
};

// "launches/0007-openmpi": characters that a file name should not have become '_'.
std::string launch_dir_name(std::uint32_t launch, const std::string& arm);

// Allocation and day of a driver that starts now: "2026-11-21.3f2a91c0", with ".job-4711" inside a
// batch job; the second part is from the boot id.
std::string session_name();

}  // namespace invar::store
