// What the manifest says, and its lines (docs/formats.md, "Manifest").
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/canary_band.hpp"
#include "record/cell.hpp"
#include "record/operation/operation_info.hpp"
#include "record/plan.hpp"

namespace invar::store {

constexpr int kSchema = 1;

// What probes found, before anything was timed, of a level of the factor `algorithm`: in one cell,
// or (without a size) on so many ranks.
struct TriedLevel {
  std::string operation = {};
  std::string level = {};
  std::uint32_t ranks = 0;
  std::optional<std::uint64_t> size_bytes = {};
  std::string problem = {};  // why it is not measured; empty: it is
  // What its messages were: "messages as of bcast@chain", "unknown", "not seen"; empty: nobody has
  // looked. And the level of the same messages that is measured in its place; empty: none.
  std::string ran = {};
  std::string same_as = {};
  // What it breaks without being hindered: calls without elements, operators that do not commute.
  std::string empty_failure = {};
  std::string ordered_failure = {};

  bool operator==(const TriedLevel&) const = default;
};

// An arm as it was really used, for the manifest (and so for every later answer).
struct ArmRecord {
  std::string label = {};
  std::string library = {};          // the profile's name
  std::string library_version = {};  // first line of MPI_Get_library_version
  std::vector<std::pair<std::string, std::string>> settings = {};
  // "accepted as 4", "unverified": how each setting was checked, in the same order.
  std::vector<std::string> settings_checked = {};
  // What the library chose for its messages and collectives, in a short launch before the campaign:
  // ("pml", "ob1"), ("btl", "self, vader"). Empty: it does not tell.
  std::vector<std::pair<std::string, std::string>> components = {};
  std::vector<TriedLevel> levels = {};                // none: no cell has such a level
  std::map<std::string, std::string> checksums = {};  // file of the library -> checksum
  std::string profile_json = {};                      // the whole profile; empty: no library
  // What its engine said of exactly the operations that the campaign's cells use. None: a program,
  // or a campaign of an earlier version.
  std::vector<record::OperationInfo> operations = {};
  // If the arm is a foreign program: its command line with placeholders, how its output is read
  // ("imb", "osu", "time: ([0-9.]+) ms"), and the file that is run. Its checksum, and those of
  // files that the command names, stand among the others.
  std::string program = {};
  std::string program_parse = {};
  std::string program_file = {};

  bool operator==(const ArmRecord&) const = default;
};

// Where a campaign runs.
struct Place {
  std::string scope = {};                // "2 ranks, 1 host"
  std::vector<std::uint32_t> cpus = {};  // of the ranks of a host
  std::vector<std::string> hosts = {};   // names, in the order of the ranks
  // The machine's reference regime that the last comparison on the first host was of, before this
  // campaign. None: there was none, or a campaign of an earlier version.
  std::optional<base::CanaryBand> regime_before = {};
  // Variables that steer MPI libraries, from the environment in which the campaign began: they act
  // on every arm that does not set them itself. None: a campaign of an earlier version.
  std::optional<std::vector<std::pair<std::string, std::string>>> variables = {};

  bool operator==(const Place&) const = default;
};

struct GroupOutcome {
  std::uint32_t group = 0;
  bool complete = false;
  std::string reason = {};  // of a failure: who, where, what
  std::string arm = {};     // of a failure: the label of the arm that is to blame, if one is
  double seconds = 0;       // wall time
  std::uint32_t tries = 1;

  bool operator==(const GroupOutcome&) const = default;
};

struct FailedCell {
  std::uint32_t cell = 0;
  std::string arm = {};
  std::string reason = {};

  bool operator==(const FailedCell&) const = default;
};

struct DroppedArm {
  std::string arm = {};
  std::string reason = {};

  bool operator==(const DroppedArm&) const = default;
};

// Size and checksum of a file of a sealed launch.
struct FileSeal {
  std::uint64_t bytes = 0;
  std::uint32_t crc = 0;

  bool operator==(const FileSeal&) const = default;
};

struct LaunchSeal {
  std::uint32_t launch = 0;
  std::uint32_t group = 0;
  std::string arm = {};
  std::string dir = {};      // "launches/0007-openmpi"
  std::string session = {};  // allocation and day
  std::map<std::string, FileSeal> files = {};

  bool operator==(const LaunchSeal&) const = default;
};

// A plan as the manifest holds it. Its text may be megabytes, and analyses need only the cells, so
// it stays escaped until somebody asks.
struct PlanCopy {
  std::string file = {};  // "plan.csv", "plan-2.csv"
  std::uint32_t crc = 0;
  std::vector<record::Cell> cells = {};
  std::string escaped_csv = {};  // a JSON string, quotes included

  // Throws std::runtime_error if it is no JSON string.
  [[nodiscard]] std::string csv() const;
};

// A launch that was taken out of the data.
struct Move {
  std::uint32_t launch = 0;
  std::string from = {};  // "launches/0007-openmpi"
  std::string to = {};    // "discarded/0007-openmpi"; empty: it was gone already

  bool operator==(const Move&) const = default;
};

struct GroupLine {
  GroupOutcome outcome = {};
  std::vector<std::uint32_t> launches = {};  // sealed, if it is complete
};

// One look of a sequential campaign: what it rested on, and what it said (docs/formats.md). The
// decisions are a record: an analysis computes them anew from the data of the groups.
struct LookLine {
  struct Decided {
    std::uint32_t cell = 0;                    // Cell::id
    std::optional<std::uint32_t> cell_b = {};  // of B, if two cells were compared; none: `cell`
    std::string arm_a = {};
    std::string arm_b = {};  // empty: the absolute time of arm_a is settled
    // Which of the visits' times, "local" or "global"; empty: the campaign's own.
    std::string time_a = {};
    std::string time_b = {};
    std::string verdict = {};  // about arm_a; "settled" of a time
    std::optional<double> ratio = {};
    std::optional<double> p_adjusted = {};

    bool operator==(const Decided&) const = default;

    // Two arms of one cell, by the campaign's own time.
    [[nodiscard]] bool of_arms() const {
      return !arm_b.empty() && !cell_b && time_a.empty() && time_b.empty();
    }
  };
  std::uint32_t look = 0;                  // from 1
  double alpha = 0;                        // its share, times the campaign's alpha
  std::vector<std::uint32_t> groups = {};  // complete ones at the time, ascending
  std::vector<Decided> decided = {};       // at this look
  std::vector<std::uint32_t> open = {};    // cells of which something is undecided
  std::size_t questions = 0;               // that the campaign asks
  std::size_t undecided = 0;               // of these
  // From here on; after the first look, else empty: as before.
  std::optional<std::uint32_t> rounds = {};
  std::map<std::uint32_t, std::uint32_t> repetitions = {};  // by cell
  // The machine's reference regime, of the first look: what all looks speak of.
  std::optional<base::CanaryBand> regime = {};

  bool operator==(const LookLine&) const = default;
};

// Which cells are timed in batches, for all arms alike.
struct BatchesLine {
  record::Calls calls = {};  // perhaps of no cell
  std::string why = {};
};

// What the looks of a sequential campaign had not decided when it ended.
struct LeftOpen {
  std::string reason = {};    // why it ended: "all looks were taken"
  std::size_t undecided = 0;  // questions
  std::size_t questions = 0;  // that the campaign asks

  // "all looks were taken: 1 of 3 questions is not decided"
  [[nodiscard]] std::string text() const;
  bool operator==(const LeftOpen&) const = default;
};

// Manifests of earlier versions have it as text alone. They are sealed, so their words must be
// understood for ever; only read_manifest() does. None: the text says something else.
std::optional<LeftOpen> left_open_in_words(std::string_view text);

// Begins the text of a warning about cells that are not measured in an arm: behind their names
// stands ": " and why.
inline constexpr std::string_view kLeftOutCells = "left out: ";

// What was worth telling while measuring.
struct WarningLine {
  std::string text = {};                   // for people
  std::optional<LeftOpen> left_open = {};  // if that is what the text tells
  // The way of measuring brings it with it, and the analysis allows for it: only for who asks.
  // Never of a manifest's line.
  bool borne = false;

  // Nearly all of them are text alone, put together from words.
  // NOLINTBEGIN(google-explicit-constructor)
  WarningLine() = default;
  WarningLine(std::string words, bool is_borne = false) : text(std::move(words)), borne(is_borne) {}
  WarningLine(const char* words) : text(words) {}
  WarningLine(LeftOpen open) : text(open.text()), left_open(std::move(open)) {}
  // NOLINTEND(google-explicit-constructor)
  bool operator==(const WarningLine&) const = default;
};

// What is not evidence, because something was chosen by looking at it, or was not chosen.
struct NotJudging {
  // None: all that there are, and all to come. What judges in no group is measured no more.
  std::vector<std::uint32_t> groups = {};
  // Cell::id; none: all cells that these groups have, of which there is one then.
  std::vector<std::uint32_t> cells = {};
  std::vector<std::string> arms = {};  // labels; none: all of them

  bool operator==(const NotJudging&) const = default;
};

// A cell that no plan had before.
struct AddedCell {
  record::Cell cell = {};              // with its id
  std::vector<std::string> arms = {};  // labels of the arms that measure it

  bool operator==(const AddedCell& other) const {
    return cell.id == other.cell.id && cell.same_levels(other.cell) && arms == other.arms;
  }
};

// What a decision between two launch groups said. Its plan stands in the same line, so that all of
// it is in force or nothing.
struct DecidedLine {
  std::string decision = {};  // name
  std::string why = {};       // for people
  std::vector<NotJudging> not_judging = {};
  std::vector<AddedCell> added = {};  // only with a plan, which has them
  // Groups of the whole campaign; none: as before.
  std::optional<std::uint32_t> planned_groups = {};
  // What this decision alone needs to know later: a JSON object, kept as it is.
  std::string fields = "{}";

  bool operator==(const DecidedLine&) const = default;
};

// False if something that was decided from the group's data concerns the cell of this arm.
bool judges(const std::vector<DecidedLine>& decided, std::uint32_t group, std::uint32_t cell,
            std::string_view arm);
// It was not chosen: no group judges, and none has to measure it.
bool judges_nowhere(const std::vector<DecidedLine>& decided, std::uint32_t cell,
                    std::string_view arm);

// All lines taken together, later ones overruling earlier ones.
struct Manifest {
  // Versions that measured, each once, in their order: "0.1.0 (commit 1a2b3c4d5e6f)".
  std::vector<std::string> made_by = {};
  std::string created = {};  // UTC
  Place place = {};          // when it began; no hosts in a campaign of an earlier version
  std::string session = {};  // of the latest driver
  std::string campaign_toml = {};
  std::vector<PlanCopy> plans = {};
  std::vector<ArmRecord> arms = {};
  std::map<std::uint32_t, LaunchSeal> seals = {};  // by launch; discarded ones are gone
  std::map<std::uint32_t, GroupLine> groups = {};  // by group; latest outcome
  std::optional<std::uint32_t> planned_groups = {};
  std::optional<record::Calls> batches = {};  // decided, perhaps for no cell at all
  std::vector<LookLine> looks = {};           // in their order; a look that was taken again: once
  std::vector<DecidedLine> decided = {};      // in their order
  std::vector<FailedCell> failed_cells = {};
  std::vector<DroppedArm> dropped_arms = {};
  std::vector<WarningLine> warnings = {};
  std::vector<Move> moves = {};
  bool ended = false;       // nothing was measured or decided after "end"
  bool ended_once = false;  // there is an "end", whatever came after it

  // All cells of all plans; index = Cell::id.
  [[nodiscard]] std::vector<record::Cell> cells() const;
};

// Takes the lines together; empty ones (lost) are passed over. Throws UserError for a schema or a
// kind of line that this version does not know, std::runtime_error for a line that lacks what its
// kind must have.
Manifest read_manifest(const std::vector<std::string>& lines, const std::string& place);

// Adds a look to those before it; the same one, taken again, overrules itself and what followed.
void append_look(std::vector<LookLine>& looks, LookLine look);

// The lines, each without the line feed; `number` counts from 1 over the manifest.
std::string campaign_line(std::uint64_t number, const std::string& toml, const Place& place,
                          const std::string& session);
std::string plan_line(std::uint64_t number, const std::string& file, const record::Plan& plan,
                      const std::string& csv);
std::string arm_line(std::uint64_t number, const ArmRecord& arm);
std::string session_line(std::uint64_t number, const std::string& session);
std::string launch_line(std::uint64_t number, const LaunchSeal& seal);
std::string group_line(std::uint64_t number, const GroupLine& group);
std::string decision_line(std::uint64_t number, std::uint32_t planned_groups,
                          const std::string& why);
std::string batches_line(std::uint64_t number, const record::Calls& calls, const std::string& why);
std::string look_line(std::uint64_t number, const LookLine& look);
// With the plan that it brings into force: its file, and the text of that.
struct PlanText {
  const std::string& file;
  const record::Plan& plan;
  const std::string& csv;
};
std::string decided_line(std::uint64_t number, const DecidedLine& decided,
                         const std::optional<PlanText>& plan);
std::string failed_cell_line(std::uint64_t number, const FailedCell& failed);
std::string dropped_arm_line(std::uint64_t number, const DroppedArm& dropped);
std::string warning_line(std::uint64_t number, const WarningLine& warning);
std::string discarded_line(std::uint64_t number, std::uint32_t group, const std::string& reason,
                           const std::vector<Move>& moves);
std::string restored_line(std::uint64_t number, const std::string& what);
std::string end_line(std::uint64_t number);

}  // namespace invar::store
