#include "design/campaign_keys.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

#include "design/campaign.hpp"
#include "design/levels.hpp"
#include "design/presets.hpp"
#include "design/toml_table.hpp"

namespace invar::design {

std::vector<std::string> all_keys(const TableKeys& table) {
  std::vector<std::string> keys = table.keys;
  for (const LevelsKey& levels : levels_keys()) {
    const bool here =
        table.table == kCellsKeys.table || (table.table == kEngineKeys.table && levels.engine);
    if (here) keys.emplace_back(levels.key);
  }
  return keys;
}

std::optional<std::string> home_of_key(std::string_view key) {
  for (const TableKeys* table : {&kTopKeys, &kDesignKeys, &kEngineKeys, &kCellsKeys, &kClockKeys,
                                 &kArmKeys, &kAnalysisKeys, &kVirtualClocksKeys}) {
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

// Of the key in the block, else in [engine].
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
      !std::all_of(syncs.begin(), syncs.end(), record::starts_by_clock)) {
    found.push_back({position_of(campaign, block, "arrival"),
                     "ranks can only be late on purpose where all know when a repetition starts",
                     "use sync 'round-time' or 'window', or arrival 'none'"});
  }
  if (wtime && campaign.virtual_clocks.any()) {
    found.push_back({position_of(campaign, block, "clock"),
                     "clock 'mpi-wtime' has no virtual clocks: its origin may differ from rank to "
                     "rank",
                     "use clock 'auto', or leave [clock.virtual] out"});
  }
  for (const std::string& sync : levels_of(campaign, block, "sync")) {
    if (!record::starts_by_clock(sync)) continue;
    const std::string needs =
        ", which sync '" + sync + (sync == "round-time" ? "' (the default) needs" : "' needs");
    if (wtime) {
      found.push_back({position_of(campaign, block, "clock"),
                       "clock 'mpi-wtime' cannot agree on a start time between ranks" + needs,
                       "use clock 'auto', or sync 'dissemination' or 'barrier'"});
    }
    const std::string barrier = "use sync 'dissemination' or 'barrier' with it";
    if (engine.oversubscribe) {
      found.push_back({engine.positions.of("oversubscribe"),
                       "ranks that share cores cannot keep a start time" + needs, barrier});
    }
    if (engine.pinning == "none") {
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

// Other suites' ways of measuring, in visits of their own.
void add_preset_conflicts(const Campaign& campaign, std::vector<Conflict>& found) {
  const Position at = campaign.analysis.positions.of("presets");
  bool wtime = false;
  bool window = false;
  for (const record::Scheme* scheme : schemes_of(campaign.analysis.presets)) {
    wtime = wtime || scheme->clock == "mpi-wtime";
    window = window || record::starts_by_clock(scheme->sync);
  }
  if (wtime && campaign.virtual_clocks.any()) {
    found.push_back({at, "suites read MPI_Wtime, which has no virtual clocks",
                     "leave presets or [clock.virtual] out"});
  }
  const bool shared = campaign.engine.oversubscribe || campaign.engine.pinning == "none";
  if (window && shared) {
    found.push_back({at, "ranks that share cores, or are not pinned, cannot keep skampi's windows",
                     "leave skampi out of presets"});
  }
  const bool ranks = std::ranges::any_of(campaign.analysis.presets, [](const std::string& name) {
    const Preset* preset = find_preset(name);
    return preset != nullptr && needs_ranks(preset->processing);
  });
  if (ranks && campaign.engine.record == "extent") {
    found.push_back(
        {campaign.engine.positions.of("record", at),
         "suites report what single ranks take, which record = \"extent\" does not keep",
         "use record = \"per-rank\" or \"auto\" with presets"});
  }
}

}  // namespace

std::vector<Conflict> conflicts(const Campaign& campaign) {
  std::vector<Conflict> found;
  for (const CellsBlock& block : campaign.cells) add_conflicts(campaign, block, found);
  if (campaign.has_program() && campaign.engine.pairing == "turns") {
    found.push_back({campaign.engine.positions.of("pairing"),
                     "a program takes no turns: it measures on its own from its start to its end, "
                     "while other arms wait",
                     "use pairing 'launches', or leave it out"});
  }
  if (campaign.has_program() && campaign.analysis.runtime == "global") {
    found.push_back({campaign.analysis.positions.of("runtime"),
                     "what a program prints is no time in the campaign's global clock",
                     "use runtime 'local' or 'auto'"});
  }
  add_preset_conflicts(campaign, found);
  if (campaign.analysis.runtime == "global" && campaign.analysis.method != "invar") {
    found.push_back({campaign.analysis.positions.of("runtime"),
                     "method '" + campaign.analysis.method + "' uses local run-times",
                     "use runtime 'local' or 'auto', or method 'invar'"});
  }
  if (campaign.stopping == Stopping::kLooks) {
    if (campaign.analysis.method != "invar") {
      found.push_back({campaign.analysis.positions.of("method"),
                       "stopping = \"looks\" needs method 'invar': looks at p-values of method '" +
                           campaign.analysis.method + "' would claim too much",
                       "use method 'invar', or stopping = \"fixed\""});
    }
    const bool pinned = campaign.engine.pinning != "none";
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

}  // namespace invar::design
