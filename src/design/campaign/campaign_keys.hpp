// The keys that a campaign knows, table by table. Keys of later parts of Invar are not here until
// they work, and so are refused as unknown.
#pragma once

#include <string>
#include <vector>

namespace invar::design {

struct TableKeys {
  std::string table;  // as it is written: "[design]"; empty: the top of the file
  std::vector<std::string> keys;
};

inline const TableKeys kTopKeys{"",
                                {"schema", "name", "seed", "design", "cells", "family", "guideline",
                                 "race", "entry", "engine", "clock", "arm", "analysis"}};
inline const TableKeys kDesignKeys{
    "[design]", {"launches", "budget", "stopping", "rounds", "repetitions", "order", "together"}};
// Those of the factors (record/factors.cpp) come to these two.
inline const TableKeys kCellsKeys{"[[cells]]", {"operation", "size", "arms"}};
inline const TableKeys kFamilyKeys{"[[family]]", {"name", "cells"}};
inline const TableKeys kGuidelineKeys{"[[guideline]]", {"rule", "families", "not-measured"}};
inline const TableKeys kNotMeasuredKeys{"'not-measured' of [[guideline]]", {"size", "arm", "why"}};
inline const TableKeys kRaceKeys{
    "[[race]]", {"operation", "size", "ranks", "family", "candidates", "not-raced"}};
inline const TableKeys kRaceCandidateKeys{"'candidates' of [[race]]", {"is", "arm"}};
inline const TableKeys kLeftCandidateKeys{"'not-raced' of [[race]]", {"is", "why"}};
inline const TableKeys kEntryKeys{"[[entry]]", {"operation", "ranks", "from", "to", "candidate"}};
inline const TableKeys kEngineKeys{"[engine]",
                                   {"pairing", "record", "oversubscribe", "visit-limit", "window",
                                    "retry-cap", "skew-limit", "launcher", "hosts", "hostfile"}};
inline const TableKeys kClockKeys{"[clock]", {"virtual"}};
inline const TableKeys kVirtualClocksKeys{"[clock.virtual]",
                                          {"offset", "skew", "wander", "latency", "seed"}};
inline const TableKeys kArmKeys{
    "[[arm]]",
    {"library", "label", "settings", "program", "parse", "unit", "launch", "variant-of", "ops"}};
inline const TableKeys kAnalysisKeys{
    "[analysis]",
    {"question", "method", "runtime", "min-effect", "alpha", "correction", "presets", "own-visits",
     "regime", "fail-on", "against", "alternative"}};

// With the keys of the factors that it may give levels to.
std::vector<std::string> all_keys(const TableKeys& table);

}  // namespace invar::design
