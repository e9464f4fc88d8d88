// A campaign's raw data, read: what stage 3 works on. Files are mapped, records are never copied.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "record/journal.hpp"
#include "record/timing.hpp"
#include "store/campaign_dir.hpp"
#include "store/fault.hpp"
#include "store/manifest/manifest.hpp"

namespace invar::store {

struct Visit {
  record::VisitLine line = {};
  std::span<const record::Timing> records = {};
  // One a repetition and rank, in this order; empty where single ranks were not recorded.
  std::span<const record::RankTicks> rank_records = {};
  // In the order of repetition, rank and mark; empty where the operation has no marks.
  std::span<const record::MarkTicks> mark_records = {};
  bool program = false;  // of a foreign program: one number that it printed
  // What a tick in both of these is worth, over the whole launch; 0: not recorded.
  double tick_ps = 0;
  bool one_clock = false;  // all its ranks read one clock: their ticks can be compared
  // By how much two of its ranks' readings of one moment may differ all the same, because messages
  // alone compare clocks; none: several clocks, or nothing is recorded (earlier engines).
  std::optional<double> agree_within_ns = {};
  // A tick is worth `tick_ps` on all its ranks. False where hosts have counters of different
  // frequencies, or nobody compared these: only rank 0's is recorded.
  bool one_rate = true;
};

// Time of one call in a batch that lasts 20 steps of the cell's clock, and that step.
struct BatchCall {
  double call_ns = 0;
  double step_ns = 0;
  // Until the partners of a message know that all are through: what multiples of late ranks speak
  // of. 0: nobody asked, or an earlier engine, whose multiples were of the call.
  double known_ns = 0;
};

// A run of a foreign program that gave no time.
struct Missed {
  std::uint32_t launch = 0;
  std::uint32_t arm = 0;  // index into Data::arms
  std::uint32_t cell = 0;
  std::string reason = {};
};

// A cache as the host's kernel tells of it.
struct ToldCache {
  std::uint32_t level = 0;
  std::uint64_t bytes = 0;
  std::uint32_t ways = 0;        // 0: not told
  std::uint32_t line_bytes = 0;  // likewise
  std::string shared_cpus = {};  // "0-7"
};

struct Launch {
  std::uint32_t launch = 0;
  std::uint32_t group = 0;
  std::uint32_t arm = 0;  // index into Data::arms
  std::filesystem::path dir = {};
  std::string session = {};  // allocation and day
  double clock_step_ns = 0;  // measured; 0: env.json does not tell
  // The last digit that a foreign program printed, by Cell::id.
  std::map<std::uint32_t, double> printed_step_ns = {};
  // What was done to a number that it printed, so that it is the time of a call; by Cell::id.
  std::map<std::uint32_t, std::string> converted = {};
  // The clock was made coarse for a test (INVAR_TEST_CLOCK_STEP_NS): no measurement of anything.
  double test_clock_step_ns = 0;
  bool virtual_clocks = false;  // clocks were wrong on purpose
  // By an engine from before lost starts were told: one visit without global times made all
  // run-times of a campaign local (docs/methods.md).
  bool earlier_engine = false;
  bool delays_planted = false;  // its calls were made slower on purpose
  double delay_check = 1;       // what such delays take against what they should
  std::map<std::uint32_t, BatchCall> batch_calls = {};  // by Cell::id; of cells that it prepared
  // Data caches, innermost first. Empty: not told, as by launches behind the first one on a host.
  std::vector<ToldCache> caches = {};
  // Bytes of one load or store of a memory operation, by Cell::id.
  std::map<std::uint32_t, std::uint32_t> width_bytes = {};
  // Largest change of the clock's rate against the kernel's during the launch.
  double rate_change_ppm = 0;
  // Sent during the launch over the busiest network interface of its hosts.
  std::uint64_t network_packets = 0;
  std::string network_interface = {};
  std::vector<Visit> visits = {};  // in the order of execution
};

struct Group {
  std::uint32_t group = 0;
  std::vector<Launch> launches = {};  // in the order of their numbers
  double seconds = 0;                 // wall time
};

struct Data {
  std::filesystem::path dir = {};
  std::string campaign_toml = {};  // as sealed, whatever the file says
  // Versions of Invar that measured: "0.1.0 (commit 1a2b3c4d5e6f)", of old campaigns "0.1.0".
  std::vector<std::string> made_by = {};
  std::string scope = {};               // "2 ranks, 1 host"
  std::vector<std::string> hosts = {};  // names, in the order of the ranks; as it began
  std::optional<base::CanaryBand> regime_before = {};  // Place, as the next
  std::optional<std::vector<std::pair<std::string, std::string>>> variables = {};
  std::string session = {};                // of the first launch
  std::vector<std::string> sessions = {};  // of all groups here, in order of appearance
  std::vector<ArmRecord> arms = {};
  std::vector<record::Cell> cells = {};
  std::vector<Group> groups = {};  // complete and undamaged ones only, ascending
  std::vector<GroupOutcome> failed_groups = {};
  std::vector<Missed> missed = {};  // in complete groups
  // Visits made before a cell failed are still in `groups`: their results were wrong or the library
  // in an unknown state, so an analysis leaves out the cell of that arm.
  std::vector<FailedCell> failed_cells = {};
  std::vector<DroppedArm> dropped_arms = {};
  std::vector<WarningLine> warnings = {};
  std::vector<DataFault> damage = {};  // groups with damage are left out whole
  std::vector<std::uint32_t> damaged_groups = {};
  std::optional<std::uint32_t> planned_groups = {};
  std::vector<LookLine> looks = {};  // of a sequential campaign
  // What other decisions said: which groups are no evidence about which cells (judges()).
  std::vector<DecidedLine> decided = {};
  bool ended = false;
  double clock_step_ns = 0;  // largest measured step of the launches' clocks
  // Keeps the files mapped.
  std::shared_ptr<const void> mapped = {};

  // What is known of an operation: as that arm's engine described it, else as the first arm that
  // says something of it. Where no arm does (programs alone, a campaign of an earlier version) it
  // is what operations were then (earlier_operation()).
  [[nodiscard]] record::OperationInfo operation(std::uint32_t arm, std::string_view name) const;
  [[nodiscard]] record::OperationInfo operation(std::string_view name) const;
  // Some arm says something of it.
  [[nodiscard]] bool describes(std::string_view name) const;
};

// An operation of a campaign from before operations were described there: all ranks start, one time
// `whole`, no marks. What it says of buffers is only what answers about such campaigns rest on; it
// follows from the names of the collectives of that time, for ever.
record::OperationInfo earlier_operation(std::string_view name);

// Reads all complete groups and checks every byte of theirs. Throws UserError if `dir` is no
// campaign directory, if its schema is unknown or if this user may not read it. Damage is not
// thrown but listed. Where the manifest itself is lost in part there are no groups at all, because
// the lost line may have been the one that took data out.
Data read_campaign_dir(const std::filesystem::path& dir);

struct Verification {
  std::vector<DataFault> damage = {};        // exit 5
  std::vector<std::string> unfinished = {};  // exit 4
  // campaign.toml or a plan was edited after the campaign began: exit 2.
  std::vector<base::Fault> edits = {};
  std::uint64_t launches = 0;  // sealed
  std::uint64_t bytes = 0;     // checked

  // Damage before edits before what is unfinished.
  [[nodiscard]] base::Exit status() const;
};

// Checks every byte that has a checksum. Throws as read_campaign_dir does.
Verification verify_campaign_dir(const std::filesystem::path& dir,
                                 const CampaignCheck& campaign_check = {});

}  // namespace invar::store
