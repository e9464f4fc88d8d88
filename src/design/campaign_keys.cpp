#include "design/campaign_keys.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

#include "design/campaign.hpp"
#include "design/toml_table.hpp"

namespace invar::design {

std::optional<std::string> home_of_key(std::string_view key) {
  for (const TableKeys* table :
       {&kTopKeys, &kDesignKeys, &kCellsKeys, &kEngineKeys, &kArmKeys, &kAnalysisKeys}) {
    if (std::find(table->keys.begin(), table->keys.end(), key) == table->keys.end()) continue;
    return table->table.empty() ? "to the top of the file, before the first table"
                                : "into " + table->table;
  }
  return std::nullopt;
}

std::vector<Conflict> conflicts(const Campaign& campaign) {
  const EngineOptions& engine = campaign.engine;
  std::vector<Conflict> found;
  if (engine.sync == "round-time") {
    if (engine.clock == "mpi-wtime") {
      found.push_back({"engine.clock",
                       "clock 'mpi-wtime' cannot agree on a start time between ranks, which sync "
                       "'round-time' (the default) needs",
                       "use clock 'auto', or sync 'dissemination' or 'barrier'"});
    }
    const std::string barrier = "use sync 'dissemination' or 'barrier' with it";
    if (engine.oversubscribe) {
      found.push_back({"engine.oversubscribe",
                       "ranks that share cores cannot keep a start time, which sync 'round-time' "
                       "(the default) needs",
                       barrier});
    }
    if (engine.pinning == "none") {
      found.push_back({"engine.pinning",
                       "ranks that are not pinned cannot keep a start time, which sync "
                       "'round-time' (the default) needs",
                       barrier});
    }
  }
  if (campaign.analysis.runtime == "global") {
    if (engine.clock == "mpi-wtime") {
      found.push_back({"analysis.runtime",
                       "clock 'mpi-wtime' gives local run-times only, its ranks cannot be compared",
                       "use runtime 'local', or clock 'auto'"});
    }
    if (campaign.analysis.method == "reprompi") {
      found.push_back({"analysis.runtime", "method 'reprompi' uses local run-times",
                       "use runtime 'local' or 'auto', or method 'invar'"});
    }
  }
  return found;
}

}  // namespace invar::design
