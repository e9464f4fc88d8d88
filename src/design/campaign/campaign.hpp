// A campaign as people write it, resolved: every default filled in, every list expanded as far as
// that needs no machine (docs/formats.md describes the TOML).
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/canary_band.hpp"
#include "base/error.hpp"
#include "design/campaign/hosts.hpp"
#include "design/campaign/question.hpp"
#include "design/repetitions/repetition_rule.hpp"
#include "record/cell.hpp"
#include "record/operation/operation_info.hpp"
#include "record/virtual_clocks.hpp"
#include "tuning/decision_table.hpp"

namespace invar::design {

// Where something stands in the campaign's file, from 1; 0: it comes from no file.
struct Position {
  int line = 0;
  int column = 0;

  // Campaigns are compared by what they say, not by where they say it.
  bool operator==(const Position&) const { return true; }
};

// Where keys stand in the file.
struct Positions {
  std::map<std::string, Position, std::less<>> keys = {};
  [[nodiscard]] Position of(std::string_view key, Position otherwise = {}) const {
    const auto found = keys.find(key);
    return found == keys.end() ? otherwise : found->second;
  }

  bool operator==(const Positions&) const { return true; }
};

// A foreign program that prints one time (design/campaign/program.hpp).
struct Program {
  std::string command = {};  // words with placeholders; empty: none, the engine measures
  std::string parse = {};    // imb, imb:min, imb:max, osu, or a regular expression with one group
  std::string unit = {};     // of what the expression finds: ns, us, ms, s, or of a rate GB/s, ...

  bool operator==(const Program&) const = default;
};

// One alternative under comparison: a library profile, with settings or without, or a program
// under a library or by itself.
struct Arm {
  std::string label = {};
  // Name of a profile; of a program that is started without one: empty.
  std::string library = {};
  // Folder of the user's own operations, with which the library's engine is built; a path that
  // begins at the campaign's file. Empty: none.
  std::string operations = {};
  std::vector<std::pair<std::string, std::string>> settings = {};  // in the order written
  Program program = {};
  // The levels that this arm's launches have of the factors of a launch (launch_factors.hpp).
  std::vector<std::pair<std::string, std::string>> launch = {};
  // Label of the arm that this one is another launch setting of; empty: it is not a variant.
  std::string variant_of = {};
  Position at = {};
  Positions launch_positions = {};  // of the keys of `launch`

  [[nodiscard]] bool is_program() const { return !program.command.empty(); }
  bool operator==(const Arm&) const = default;
};

// Launch groups of the campaign. A fixed number has min = max.
struct Launches {
  std::uint32_t min = 3;
  std::uint32_t max = 60;

  bool operator==(const Launches&) const = default;
};

// `count` random sizes, log-uniform over [low, high]. They stay a request until the cells are made:
// a size must be a multiple of the datatype, which the operation decides.
struct RandomSizes {
  std::uint64_t low_bytes = 1;
  std::uint64_t high_bytes = 1;
  std::uint32_t count = 1;
  std::uint64_t multiple_bytes = 1;  // sizes are multiples of it
  // Different sizes that a launch group measures at most, others in every group; 0: all.
  std::uint32_t per_launch = 0;
  // One size in so many is measured and left out of fits; 0: none.
  std::uint32_t hold_out = 0;
  // The block has one size in so many of the draw.
  std::uint32_t every = 1;
  std::optional<std::uint64_t> seed = {};  // of the draw alone; none: the campaign's

  // One draw for the whole campaign (design/factors/size_samples.hpp); else every block has its
  // own.
  [[nodiscard]] bool is_common() const {
    return per_launch > 0 || hold_out > 0 || every > 1 || seed.has_value();
  }
  bool operator==(const RandomSizes&) const = default;
};

// By which rule sizes are added where a curve of times over sizes bends or jumps: ours, SKaMPI's or
// mpptest's; or where the fit of a curve by straight pieces breaks (docs/methods.md).
enum class RefinementRule : std::uint8_t { kInvar, kSkampi, kMpptest, kBreaks };

// Sizes that are chosen while the campaign runs, from low to high, both included.
struct AdaptiveSizes {
  std::uint64_t low_bytes = 0;
  std::uint64_t high_bytes = 0;
  // What a middle may deviate from the line through its neighbours; kBreaks has no such.
  double tolerance = 0.05;
  // How near two sizes may come: bytes, or a share of the size; both 0: one element.
  std::uint64_t separation_bytes = 0;
  double separation_share = 0;
  std::uint32_t most = 200;  // sizes in all
  RefinementRule rule = RefinementRule::kInvar;

  bool operator==(const AdaptiveSizes&) const = default;
};

// Levels of factors by their key in a campaign ("rank-order"), as record::Factor::parse reads them.
using Levels = std::map<std::string, std::vector<std::string>, std::less<>>;

// [[cells]]: the product of its lists. Lists and ranges of sizes are expanded, in bytes.
struct CellsBlock {
  std::vector<std::string> operations = {};
  std::vector<std::uint64_t> sizes_bytes = {};  // ignored by operations without a size
  std::vector<RandomSizes> random_sizes = {};   // after the sizes above
  std::vector<AdaptiveSizes> adaptive = {};     // after these: the first sizes of each
  // What is written; a factor that is left out has its usual level (design/plan/resolve.cpp), and
  // of those of the engine the levels of [engine].
  Levels levels = {};
  std::vector<std::string> arms = {};  // labels of those that measure it; empty: all

  // For messages that need the machine or the catalogue.
  Position at = {};
  Positions positions = {};                        // of the keys
  std::vector<Position> operation_positions = {};  // as many as operations, or none

  bool operator==(const CellsBlock& other) const {
    return operations == other.operations && sizes_bytes == other.sizes_bytes &&
           random_sizes == other.random_sizes && adaptive == other.adaptive &&
           levels == other.levels && arms == other.arms;
  }
  // Sizes are written, of whichever kind.
  [[nodiscard]] bool has_sizes() const {
    return !sizes_bytes.empty() || !random_sizes.empty() || !adaptive.empty();
  }
};

// Families that [design] together makes are called by this and a number.
constexpr std::string_view kTogetherName = "together-";

// [[family]]: cells that are measured together because they are compared.
struct FamilyBlock {
  std::string name = {};
  // Each takes all cells of the campaign that have its levels; what it does not name may be any.
  std::vector<CellsBlock> cells = {};
  Position at = {};

  bool operator==(const FamilyBlock&) const = default;
};

// A rule that cannot be measured, and why.
struct NotMeasured {
  std::optional<std::uint64_t> size_bytes = {};  // of its left side; none: at no size
  std::string arm = {};                          // its label; empty: in no arm
  std::string why = {};

  bool operator==(const NotMeasured&) const = default;
};

// [[guideline]]: a performance guideline, and the families by which it is judged.
struct GuidelineBlock {
  std::string rule = {};  // as parse_guidelines() reads it: "GL3: gather(n) <= allgather(n)"
  // Each of two cells, the left side's first; of a split of several right ones, of which the pilot
  // group chooses.
  std::vector<std::string> families = {};
  std::vector<NotMeasured> not_measured = {};
  Position at = {};

  bool operator==(const GuidelineBlock&) const = default;
};

// One of those that race: what it is (tuning/candidate.hpp), and the arm whose launches run it.
struct RaceCandidate {
  std::string is = {};
  std::string arm = {};

  bool operator==(const RaceCandidate&) const = default;
};

// One that does not, and why.
struct LeftCandidate {
  std::string is = {};
  std::string why = {};

  bool operator==(const LeftCandidate&) const = default;
};

// [[race]]: all that can be made to run in one cell, measured together (design/races/race.hpp).
struct RaceBlock {
  std::string operation = {};
  std::optional<std::uint64_t> size_bytes = {};  // none: the operation has no size
  std::uint32_t ranks = 0;
  std::string family = {};                     // that its cells stand in
  std::vector<RaceCandidate> candidates = {};  // the first is the arm as its user gave it
  std::vector<LeftCandidate> not_raced = {};
  Position at = {};

  bool operator==(const RaceBlock&) const = default;
};

// [[entry]]: an entry of the decision table that is confirmed.
struct EntryBlock {
  tuning::Entry entry = {};
  Position at = {};

  bool operator==(const EntryBlock&) const = default;
};

// When a campaign ends: the number of launch groups follows from the cost alone, or the driver
// looks at the results under way (stats/decide/sequential.hpp) and measures what is decided no
// more.
enum class Stopping { kFixed, kLooks };

// The cell's level of every factor that may stand in [engine].
Levels engine_levels(const record::Cell& cell);

struct EngineOptions {
  std::string pairing = "turns";  // turns | launches (also what is left out becomes with programs)
  // Every factor of [engine] has its levels here.
  Levels levels = engine_levels(record::Cell());
  std::string record = "auto";  // auto | extent | per-rank
  // core | none | simulated (what ranks of a simulator have, simulated.hpp); where levels are
  // listed, the first of them
  std::string pinning = "core";
  std::string verification = "0.1";  // share of the visits; likewise
  std::string progress = "probe";    // none | bystanders | probe; likewise
  std::string connect = "auto";      // none | pattern | hosts | all | auto; likewise
  // The written levels of the factors of a launch; of those above only lists.
  Levels launch_levels = {};
  bool oversubscribe = false;
  // A visit that takes longer counts as hung; none: from the plan (driver/decide/limits.hpp).
  std::optional<double> visit_limit_s = {};
  // The length of all windows, where the synchronisation is by windows. None: they adapt to what a
  // call takes.
  std::optional<double> window_s = {};
  // Repetitions that do not count are made once more, up to this multiple of those asked for.
  double retry_cap = 2;
  // A repetition counts if a rank lost its processor across the start, but by no more than this, or
  // 2 % of a call.
  double skew_limit_s = 1e-6;
  std::string launcher{kOwnLauncher};
  // Where ranks run; of both at most one is written. None: the batch job's hosts, else this one.
  std::vector<Host> hosts = {};
  std::string hostfile = {};  // path, relative to the campaign's file
  Positions positions = {};

  bool operator==(const EngineOptions&) const = default;
};

struct AnalysisOptions {
  Question question = Question::kCompare;
  std::string method = "invar";  // invar | a test over launches (launch_test.hpp) | a preset
  // For the test over launches: two-sided | less | greater.
  std::string alternative = "two-sided";
  std::string runtime = "auto";   // auto | local | global
  double min_effect = 0.02;       // [0, 1)
  double alpha = 0.05;            // (0, 1)
  std::string correction = "bh";  // bh | holm
  // Suites whose own way of measuring gets visits of its own.
  std::vector<std::string> presets = {};
  // False: nothing but the visits of `method`, the only one of `presets`, as many calls as its runs
  // make (design/recipes/suite_campaign.hpp).
  bool own_visits = true;
  // The machine's reference regime; none: chosen from the canaries.
  std::optional<base::CanaryBand> regime = {};
  // The campaign is a gate: may an arm take longer than the first one by more than this, relative?
  // None: it asks who is faster.
  std::optional<double> gate = {};
  // The factor whose levels are compared, inside every arm, with its first one: "operation", "size"
  // or a key. Empty: arms are compared.
  std::string against = {};
  Positions positions = {};

  // False: the file does not say what it asks. Campaigns had no such key once.
  [[nodiscard]] bool names_question() const { return positions.keys.contains("question"); }
  bool operator==(const AnalysisOptions&) const = default;
};

// Launches of the first and of the last look (the sizes in between are in
// stats/decide/sequential.hpp).
constexpr Launches kLookLaunches{.min = 3, .max = 30};

// A seed must fit a TOML integer.
constexpr std::uint64_t kMaxSeed = 0x7fffffffffffffffU;

// Whether the text was stored with data: what it says means for ever what it meant then, though
// the same words would be refused today. Not a part of what a campaign says.
struct FromSealedText {
  bool yes = false;

  bool operator==(const FromSealedText&) const { return true; }
};

struct Campaign {
  std::string name = {};
  std::uint64_t seed = 0;  // up to kMaxSeed
  Launches launches = {};
  std::optional<double> budget_s = {};
  Stopping stopping = Stopping::kFixed;
  std::uint32_t rounds = 10;
  std::uint32_t repetitions = 50;
  // How many repetitions are enough is predicted from the pilot group, which has the range's most
  // (`repetitions` is a visit's share of these); of question `nrep` all launches have. None: the
  // number is written.
  std::optional<RepetitionRule> prediction = {};
  Position prediction_at = {};
  bool shuffled = true;
  // "operation", "size", keys of factors: cells that differ in these alone are a family.
  std::vector<std::string> together = {};
  std::vector<CellsBlock> cells = {};
  std::vector<FamilyBlock> families = {};  // besides those of `together`
  std::vector<GuidelineBlock> guidelines = {};
  std::vector<RaceBlock> races = {};
  std::vector<EntryBlock> entries = {};
  EngineOptions engine = {};
  record::VirtualClocks virtual_clocks = {};
  std::vector<Arm> arms = {};  // empty: all registered profiles
  AnalysisOptions analysis = {};
  FromSealedText from_sealed_text = {};

  // One arm is enough: levels are compared, or both sides of guidelines, or what an arm can be made
  // to run.
  [[nodiscard]] bool compares_inside_arms() const {
    return !analysis.against.empty() || analysis.question == Question::kGuidelines ||
           analysis.question == Question::kTune;
  }
  [[nodiscard]] bool has_program() const {
    return std::any_of(arms.begin(), arms.end(), [](const Arm& arm) { return arm.is_program(); });
  }
  [[nodiscard]] const Arm* find_arm(std::string_view label) const {
    const auto found =
        std::find_if(arms.begin(), arms.end(), [&](const Arm& arm) { return arm.label == label; });
    return found == arms.end() ? nullptr : &*found;
  }
  bool operator==(const Campaign&) const = default;
};

// The campaign predicts how many repetitions are enough; its rounds are known.
void predict_repetitions(Campaign& campaign, const RepetitionRule& rule);

// What is known of operations before any arm is looked for. Called only where there are faults.
using KnownOperations = std::function<std::vector<record::OperationInfo>()>;

// Reads TOML. Throws UserError with all faults, each with file:line:column and a "did you mean"
// (only a file that is no TOML at all has one fault, where reading had to stop). With `known` also
// those of keys that apply to none of a block's operations. Arms are labelled.
Campaign read_campaign(std::string_view toml, const std::string& place,
                       const KnownOperations& known = {});

// The copy that was sealed with a campaign's data. The same, but for three things. A schema or a
// question that is unknown here can only be a newer Invar's. `record = "auto"` keeps single ranks
// for suites of any size, as it once did (new campaigns: up to record::kSuitesPerRankUpTo ranks,
// above it is refused). And a factor whose key is missing has
// the level that an absent column means (`absent`), not today's usual one: all keys of [engine]
// that there were are written at sealing.
Campaign read_sealed_campaign(std::string_view toml, const std::string& place,
                              const record::Cell& absent = record::cell_of_absent_levels(0));

// What a text that should be such a copy has of a newer Invar, with its places; empty: nothing, it
// reads well. None: it is not a campaign.
std::optional<std::vector<base::Fault>> written_by_newer(std::string_view toml,
                                                         const std::string& place);

// The same as TOML, with every key of [engine] written out: what `plan` and `run` store.
// read_campaign(campaign_toml(c)) equals c if c's arms are labelled.
std::string campaign_toml(const Campaign& campaign);

// For `invar init`: the keys that nearly everybody changes, explained. No arms: all libraries of
// the machine.
std::string short_campaign(const std::vector<Arm>& arms, const std::vector<std::string>& operations,
                           const std::vector<std::uint64_t>& sizes_bytes);
// The same with every key there is; the operations are those of the catalogue.
std::string commented_campaign();

// Options that exclude each other: where, why, and what to do. resolve_cells checks them too, for
// campaigns that come from no file.
struct Conflict {
  Position at;
  std::string what;
  std::string remedy;
};
std::vector<Conflict> conflicts(const Campaign& campaign);

// Keys of a block that apply to none of its operations: what is written and has no effect is a
// mistake of its writer.
std::vector<Conflict> unused_keys(const CellsBlock& block,
                                  const std::vector<const record::OperationInfo*>& operations);
// The same of all blocks whose operations are all known.
std::vector<Conflict> unused_keys(const Campaign& campaign,
                                  const std::vector<record::OperationInfo>& known);

// "openmpi", "label=openmpi", "openmpi:KEY=VALUE,KEY=VALUE", "slow=openmpi:KEY=VALUE"; a comma in
// a value is `\,`, a backslash `\\`. `env:KEY=VALUE` passes any variable on. Throws UserError with
// all faults, naming `place`.
Arm parse_arm(std::string_view text, const std::string& place);

// The inverse of parse_arm, for the command that repeats a race.
std::string arm_text(const Arm& arm);

// Labels for arms that have none: the library's name, with `+settings` where the same library also
// takes part without; the same label twice becomes `openmpi#1`, `openmpi#2`. Throws UserError
// naming `place` when two arms have the same explicit label.
void label_arms(std::vector<Arm>& arms, const std::string& place = "arm");

// Sizes of the command line: "8,1KiB:64KiB": a list of sizes and of ranges by factor 2, the end
// included where the factor meets it. Throws UserError with all faults, naming `place`.
std::vector<std::uint64_t> parse_size_list(std::string_view text, const std::string& place);

}  // namespace invar::design
