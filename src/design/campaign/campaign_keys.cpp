#include "design/campaign/campaign_keys.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/text.hpp"
#include "design/campaign/campaign.hpp"
#include "design/campaign/launch_test.hpp"
#include "design/campaign/presets.hpp"
#include "design/campaign/toml_table.hpp"
#include "design/factors/adaptive_sizes.hpp"
#include "design/factors/launch_factors.hpp"
#include "design/factors/levels.hpp"
#include "design/factors/simulated.hpp"
#include "design/factors/size_samples.hpp"
#include "record/synchronisation.hpp"

namespace invar::design {

std::vector<std::string> all_keys(const TableKeys& table) {
  std::vector<std::string> keys = table.keys;
  for (const record::Factor& factor : record::factors()) {
    const bool here =
        table.table == kCellsKeys.table || (table.table == kEngineKeys.table && factor.in_engine);
    if (here && !factor.key.empty()) keys.emplace_back(factor.key);
  }
  if (table.table == kEngineKeys.table) {
    for (const LaunchFactor& factor : launch_factors()) keys.emplace_back(factor.key);
  }
  return keys;
}

std::optional<std::string> home_of_key(std::string_view key) {
  for (const TableKeys* table :
       {&kTopKeys, &kDesignKeys, &kEngineKeys, &kCellsKeys, &kFamilyKeys, &kGuidelineKeys,
        &kRaceKeys, &kEntryKeys, &kClockKeys, &kArmKeys, &kAnalysisKeys, &kVirtualClocksKeys}) {
    const std::vector<std::string> keys = all_keys(*table);
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) continue;
    return table->table.empty() ? "to the top of the file, before the first table"
                                : "into " + table->table;
  }
  return std::nullopt;
}

namespace {

bool contains(const std::vector<std::string>& levels, std::string_view level) {
  return std::find(levels.begin(), levels.end(), level) != levels.end();
}

// "'round-time' or 'window'".
std::string agreed_starts() {
  std::string names;
  for (const record::Synchronisation& sync : record::synchronisations()) {
    if (sync.agreed_start) names += (names.empty() ? "'" : " or '") + std::string(sync.name) + "'";
  }
  return names;
}

// Where the key stands: in the block, else in [engine].
Position position_of(const Campaign& campaign, const CellsBlock& block, std::string_view key) {
  return block.levels.contains(key) ? block.positions.of(key) : campaign.engine.positions.of(key);
}

void add_conflicts(const Campaign& campaign, const CellsBlock& block,
                   std::vector<Conflict>& found) {
  const EngineOptions& engine = campaign.engine;
  const bool wtime = contains(levels_of(campaign, block, "clock"), "mpi-wtime");
  const std::vector<std::string>& arrivals = levels_of(campaign, block, "arrival");
  const std::vector<std::string>& syncs = levels_of(campaign, block, "sync");
  if (arrivals != std::vector<std::string>{"none"} &&
      !std::all_of(syncs.begin(), syncs.end(), [](const std::string& sync) {
        return record::synchronisation(sync).agreed_start;
      })) {
    found.push_back({position_of(campaign, block, "arrival"),
                     "ranks can only be late on purpose where all know when a repetition starts",
                     "use sync " + agreed_starts() + ", or arrival 'none'"});
  }
  if (wtime && campaign.virtual_clocks.any()) {
    found.push_back({position_of(campaign, block, "clock"),
                     "clock 'mpi-wtime' has no virtual clocks: its origin may differ from rank to "
                     "rank",
                     "use clock 'auto', or leave [clock.virtual] out"});
  }
  for (const std::string& sync : levels_of(campaign, block, "sync")) {
    const record::Synchronisation& row = record::synchronisation(sync);
    const bool usual = sync == record::Cell().sync;
    const std::string needs =
        ", which sync '" + sync + (usual ? "' (the default) needs" : "' needs");
    // Simulated ranks read one exact clock, whatever its name.
    if (wtime && row.needs_common_clock && !is_simulated(campaign)) {
      found.push_back({position_of(campaign, block, "clock"),
                       "clock 'mpi-wtime' cannot agree on a start time between ranks" + needs,
                       "use clock 'auto', or sync 'dissemination' or 'barrier'"});
    }
    const std::string barrier = "use sync 'dissemination' or 'barrier' with it";
    if (engine.oversubscribe && !row.allows_shared_cores) {
      found.push_back({engine.positions.of("oversubscribe"),
                       "ranks that share cores cannot keep a start time" + needs, barrier});
    }
    if (!row.allows_shared_cores && all_unpinned(campaign)) {
      found.push_back({engine.positions.of("pinning"),
                       "ranks that are not pinned cannot keep a start time" + needs, barrier});
    }
  }
  if (campaign.analysis.runtime == "global" && wtime) {
    found.push_back({campaign.analysis.positions.of("runtime"),
                     "clock 'mpi-wtime' gives local run-times only, its ranks cannot be compared",
                     "use runtime 'local', or clock 'auto'"});
  }
}

// Levels of what launches share that take turns differ, in a list of [engine] or from arm to arm.
void add_shared_conflict(const Campaign& campaign, const LaunchFactor& factor,
                         std::vector<Conflict>& found) {
  if (campaign.engine.pairing != "turns" || factor.shared_by_turns.empty()) return;
  Position at = campaign.engine.positions.of(factor.key);
  const auto list = campaign.engine.launch_levels.find(factor.key);
  if (list == campaign.engine.launch_levels.end() || list->second.size() < 2) {
    const auto level = [&](const Arm& arm) { return level_of(campaign, arm, factor.key); };
    const auto other =
        std::find_if(campaign.arms.begin(), campaign.arms.end(),
                     [&](const Arm& arm) { return level(arm) != level(campaign.arms.front()); });
    if (other == campaign.arms.end()) return;
    // One of the two has a level of its own.
    const Arm& first = campaign.arms.front();
    at = other->launch_positions.of(factor.key, first.launch_positions.of(factor.key, other->at));
  }
  found.push_back(
      {at, "launches that take turns on the same cores have " + std::string(factor.shared_by_turns),
       "write pairing = \"launches\" with several levels of " + std::string(factor.key)});
}

// Where ranks sit says nothing of those that move about.
void add_placement_conflict(const Campaign& campaign, std::vector<Conflict>& found) {
  constexpr std::string_view kKey = "placement-in-host";
  if (!any_unpinned(campaign)) return;
  const LaunchFactor& factor = *find_launch_factor(kKey);
  const auto levels = campaign.engine.launch_levels.find(kKey);
  const bool listed = levels != campaign.engine.launch_levels.end() &&
                      levels->second != std::vector<std::string>{std::string(factor.usual)};
  const auto arm = std::ranges::find_if(campaign.arms, [&](const Arm& one) {
    return std::ranges::any_of(one.launch, [&](const auto& level) {
      return level.first == kKey && level.second != factor.usual;
    });
  });
  if (!listed && arm == campaign.arms.end()) return;
  found.push_back(
      {listed ? campaign.engine.positions.of(kKey) : arm->launch_positions.of(kKey, arm->at),
       "ranks that are not pinned have no place in their host",
       "leave placement-in-host out, or use pinning \"core\" alone"});
}

// Arms that are no variants of each other. Labels may still be missing.
std::size_t base_arms(const Campaign& campaign) {
  std::size_t count = 0;
  std::set<std::string> known;
  for (const Arm& arm : campaign.arms) {
    if (base_label(arm).empty() || known.insert(base_label(arm)).second) ++count;
  }
  return count;
}

// Delays are planted by all arms but the first and its variants. A campaign without arms does
// not tell before resolve_cells() how many there will be.
void add_delay_conflict(const Campaign& campaign, std::vector<Conflict>& found) {
  constexpr std::string_view kDelay = "delay";
  for (const CellsBlock& block : campaign.cells) {
    const auto levels = block.levels.find(kDelay);
    if (levels == block.levels.end() || levels->second == std::vector<std::string>{"0"}) continue;
    if (campaign.arms.empty() || base_arms(campaign) > 1) continue;
    found.push_back({block.positions.of(kDelay, block.at),
                     "delays are planted by all arms but the first, and there is one only",
                     "write a second [[arm]], which may be the same library, or leave delay out"});
  }
}

// Other suites' ways of measuring, in visits of their own.
void add_preset_conflicts(const Campaign& campaign, std::vector<Conflict>& found) {
  const Position at = campaign.analysis.positions.of("presets");
  bool wtime = false;
  bool window = false;
  for (const record::Scheme* scheme : schemes_of(campaign.analysis.presets)) {
    wtime = wtime || scheme->clock == "mpi-wtime";
    window = window || record::synchronisation(scheme->sync).needs_common_clock;
  }
  if (wtime && campaign.virtual_clocks.any()) {
    found.push_back({at, "suites read MPI_Wtime, which has no virtual clocks",
                     "leave presets or [clock.virtual] out"});
  }
  if (!campaign.analysis.own_visits) {
    const Position own = campaign.analysis.positions.of("own-visits");
    const Preset* method = find_preset(campaign.analysis.method);
    const bool one =
        method != nullptr && !method->scheme.empty() &&
        campaign.analysis.presets == std::vector<std::string>{campaign.analysis.method};
    if (!one) {
      found.push_back({own, "own-visits = false leaves nothing but the visits of one suite",
                       "write method = \"osu\" and presets = [\"osu\"], or another suite that "
                       "measures its own way"});
    }
    if (campaign.engine.pairing == "turns") {
      found.push_back({campaign.engine.positions.of("pairing", own),
                       "own-visits = false: a suite runs under one library after the other",
                       "write pairing = \"launches\""});
    }
    if (campaign.has_program()) {
      found.push_back({own,
                       "own-visits = false: a program cannot be measured in another suite's way",
                       "leave the programs out"});
    }
  }
  // One unpinned level among several is enough: the visits of its launches would be missing.
  if (window && (campaign.engine.oversubscribe || any_unpinned(campaign))) {
    found.push_back({at, "ranks that share cores, or are not pinned, cannot keep skampi's windows",
                     "leave skampi out of presets, or pin the ranks of all launches"});
  }
  if (any_needs_ranks(campaign.analysis.presets) && campaign.engine.record == "extent") {
    found.push_back(
        {campaign.engine.positions.of("record", at),
         "suites report what single ranks take, which record = \"extent\" does not keep",
         "use record = \"per-rank\" or \"auto\" with presets"});
  }
}

// A level that stands for several is more than one, of however few ranks.
std::vector<std::string> written_levels(const record::Factor& factor,
                                        const std::vector<std::string>& written) {
  if (factor.expand == nullptr) return written;
  constexpr std::uint32_t kFewestRanks = 2;
  std::vector<std::string> levels;
  for (const std::string& level : written) {
    const std::vector<std::string> expanded = factor.expand(level, kFewestRanks);
    levels.insert(levels.end(), expanded.begin(), expanded.end());
  }
  return levels;
}

// How often the block writes a level of what [analysis] compares: every operation, size or level.
std::vector<std::string> levels_against(const Campaign& campaign, const CellsBlock& block) {
  const std::string& against = campaign.analysis.against;
  if (against == "operation") return block.operations;
  if (against == "size") {
    std::vector<std::string> sizes;
    sizes.reserve(block.sizes_bytes.size());
    for (const std::uint64_t size_bytes : block.sizes_bytes) {
      sizes.push_back(std::to_string(size_bytes));
    }
    return sizes;
  }
  if (const auto written = block.levels.find(against); written != block.levels.end()) {
    return written_levels(*record::find_factor_by_key(against), written->second);
  }
  // One that is not written is the usual one.
  return record::find_factor_by_key(against)->in_engine ? levels_of(campaign, block, against)
                                                        : std::vector<std::string>{""};
}

// Levels of one factor are compared inside of arms.
void add_against_conflicts(const Campaign& campaign, std::vector<Conflict>& found) {
  const AnalysisOptions& analysis = campaign.analysis;
  if (analysis.against.empty()) return;
  const Position at = analysis.positions.of("against");
  const auto add = [&](std::string what, std::string remedy) {
    found.push_back({at, std::move(what), std::move(remedy)});
  };
  std::set<std::string> levels;
  for (const CellsBlock& block : campaign.cells) {
    const std::vector<std::string> written = levels_against(campaign, block);
    levels.insert(written.begin(), written.end());
  }
  if (levels.size() < 2) {
    add("'" + analysis.against + "' has one level, so that nothing can be compared with another",
        "name two levels of it, or leave 'against' out");
  }
  if (campaign.has_program()) {
    add("a program is run by itself for every cell: its cells are not measured together",
        "leave the programs out, or 'against'");
  }
  if (analysis.method != "invar") {
    add("method '" + analysis.method + "' compares arms only",
        "use method 'invar', or leave 'against' out");
  }
  if (analysis.question != Question::kCompare) {
    add("against is what a comparison is made of, and question = \"" +
            std::string(to_string(analysis.question)) + "\" is none",
        "use question = \"compare\", or leave 'against' out");
  }
}

// Who else decides on the number of repetitions.
void add_prediction_conflicts(const Campaign& campaign, std::vector<Conflict>& found) {
  if (!campaign.prediction) return;
  const std::string remedy = "write a number of repetitions";
  if (campaign.stopping == Stopping::kLooks) {
    found.push_back({campaign.prediction_at,
                     "repetitions are predicted, and stopping = \"looks\" finds the best number of "
                     "them at its first look",
                     remedy + ", or stopping = \"fixed\""});
  }
  if (!campaign.analysis.own_visits) {
    found.push_back({campaign.prediction_at,
                     "repetitions are predicted, and without own visits a suite repeats as often "
                     "as it does",
                     remedy});
  }
  const bool programs =
      !campaign.arms.empty() && std::all_of(campaign.arms.begin(), campaign.arms.end(),
                                            [](const Arm& arm) { return arm.is_program(); });
  if (programs) {
    found.push_back({campaign.prediction_at,
                     "repetitions are predicted, and programs repeat as often as they like",
                     remedy});
  }
}

}  // namespace

std::vector<Conflict> conflicts(const Campaign& campaign) {
  std::vector<Conflict> found;
  add_prediction_conflicts(campaign, found);
  for (const CellsBlock& block : campaign.cells) add_conflicts(campaign, block, found);
  if (campaign.has_program() && campaign.engine.pairing == "turns") {
    found.push_back({campaign.engine.positions.of("pairing"),
                     "a program takes no turns: it measures on its own from its start to its end, "
                     "while other arms wait",
                     "use pairing 'launches', or leave it out"});
  }
  const auto asks = [&](const LaunchFactor& factor) {
    if (factor.from_outside != FromOutside::kNothing) return false;
    return campaign.engine.launch_levels.contains(factor.key) ||
           std::any_of(campaign.arms.begin(), campaign.arms.end(), [&](const Arm& arm) {
             return arm.is_program() &&
                    std::any_of(arm.launch.begin(), arm.launch.end(),
                                [&](const auto& l) { return l.first == factor.key; });
           });
  };
  std::vector<std::string> for_programs{"env:NAME settings"};
  for (const LaunchFactor& factor : launch_factors()) {
    if (factor.from_outside != FromOutside::kNothing) for_programs.emplace_back(factor.key);
  }
  for (const LaunchFactor& factor : launch_factors()) {
    if (!campaign.has_program() || !asks(factor)) continue;
    found.push_back(
        {campaign.engine.positions.of(factor.key),
         "a program is started as it is: it has no levels of " + std::string(factor.key),
         "leave " + std::string(factor.key) + " out, or the program; " +
             base::join(for_programs, ", ") + " can be levels of a program"});
  }
  for (const LaunchFactor& factor : launch_factors()) {
    add_shared_conflict(campaign, factor, found);
  }
  add_placement_conflict(campaign, found);
  add_delay_conflict(campaign, found);
  if (campaign.has_program() && campaign.analysis.runtime == "global") {
    found.push_back({campaign.analysis.positions.of("runtime"),
                     "what a program prints is not a time in the campaign's global clock",
                     "use runtime 'local' or 'auto'"});
  }
  add_preset_conflicts(campaign, found);
  for (Conflict& conflict : adaptive_conflicts(campaign)) found.push_back(std::move(conflict));
  for (Conflict& conflict : sample_conflicts(campaign)) found.push_back(std::move(conflict));
  const QuestionInfo& asked = *find_question(to_string(campaign.analysis.question));
  if (asked.conflict != nullptr) {
    if (std::optional<Conflict> conflict = asked.conflict(campaign)) {
      found.push_back(std::move(*conflict));
    }
  }
  if (campaign.analysis.gate && campaign.analysis.method != "invar") {
    found.push_back({campaign.analysis.positions.of("fail-on"),
                     "method '" + campaign.analysis.method + "' has no test of a margin",
                     "use method 'invar', or leave fail-on out"});
  }
  if (campaign.analysis.gate && campaign.analysis.question != Question::kCompare) {
    found.push_back({campaign.analysis.positions.of("fail-on"),
                     "fail-on is about arms, and question = \"" +
                         std::string(to_string(campaign.analysis.question)) + "\" is not",
                     "use question = \"compare\", or leave fail-on out"});
  }
  add_against_conflicts(campaign, found);
  const bool launch_test = launch_test_of(campaign.analysis.method).has_value();
  if (campaign.analysis.runtime == "global" && campaign.analysis.method != "invar" &&
      !launch_test) {
    found.push_back({campaign.analysis.positions.of("runtime"),
                     "method '" + campaign.analysis.method + "' uses local run-times",
                     "use runtime 'local' or 'auto', or method 'invar'"});
  }
  if (campaign.analysis.alternative != AnalysisOptions().alternative && !launch_test) {
    found.push_back({campaign.analysis.positions.of("alternative"),
                     no_direction_text(campaign.analysis.method),
                     "use method 'wilcoxon', 't' or 'ks', or leave alternative out"});
  }
  if (campaign.stopping == Stopping::kLooks) {
    if (campaign.analysis.method != "invar") {
      found.push_back({campaign.analysis.positions.of("method"),
                       "stopping = \"looks\" needs method 'invar': looks at p-values of method '" +
                           campaign.analysis.method + "' would claim too much",
                       "use method 'invar', or stopping = \"fixed\""});
    }
    const bool pinned = !any_unpinned(campaign);
    if (campaign.engine.oversubscribe || !pinned) {
      found.push_back({campaign.engine.positions.of(pinned ? "oversubscribe" : "pinning"),
                       "stopping = \"looks\" needs verdicts, which such data do not allow",
                       "use stopping = \"fixed\""});
    }
  }
  // What follows from [engine] is the same for every block.
  const auto same = [](const Conflict& a, const Conflict& b) {
    return a.what == b.what && a.at.line == b.at.line && a.at.column == b.at.column;
  };
  std::vector<Conflict> once;
  for (Conflict& conflict : found) {
    if (std::none_of(once.begin(), once.end(),
                     [&](const Conflict& known) { return same(known, conflict); })) {
      once.push_back(std::move(conflict));
    }
  }
  return once;
}

std::vector<Conflict> unused_keys(const CellsBlock& block,
                                  const std::vector<const record::OperationInfo*>& operations) {
  std::vector<Conflict> found;
  const auto none = [&](const auto& applies) {
    return std::none_of(operations.begin(), operations.end(),
                        [&](const record::OperationInfo* info) { return applies(*info); });
  };
  if (block.positions.of("size").line > 0 &&
      none([](const record::OperationInfo& info) { return info.sized; })) {
    found.push_back(
        {block.positions.of("size"), "none of these operations has a size", "remove it"});
  }
  for (const record::Factor& factor : record::factors()) {
    if (factor.applies == nullptr || !block.levels.contains(factor.key)) continue;
    if (!none(factor.applies)) continue;
    found.push_back({block.positions.of(factor.key),
                     "none of these operations " + std::string(factor.lack), "remove it"});
  }
  return found;
}

std::vector<Conflict> unused_keys(const Campaign& campaign,
                                  const std::vector<record::OperationInfo>& known) {
  std::vector<Conflict> found;
  for (const CellsBlock& block : campaign.cells) {
    std::vector<const record::OperationInfo*> operations;
    for (const std::string& name : block.operations) {
      const auto info = std::find_if(known.begin(), known.end(),
                                     [&](const auto& one) { return one.name == name; });
      if (info != known.end()) operations.push_back(&*info);
    }
    if (operations.empty() || operations.size() != block.operations.size()) continue;
    for (Conflict& conflict : unused_keys(block, operations)) found.push_back(std::move(conflict));
  }
  return found;
}

}  // namespace invar::design
