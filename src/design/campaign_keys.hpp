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

inline const TableKeys kTopKeys{
    "", {"schema", "name", "seed", "design", "cells", "engine", "arm", "analysis"}};
inline const TableKeys kDesignKeys{
    "[design]", {"launches", "budget", "stopping", "rounds", "repetitions", "order"}};
inline const TableKeys kCellsKeys{"[[cells]]",
                                  {"operation", "size", "ranks", "root", "datatype", "reduction"}};
inline const TableKeys kEngineKeys{
    "[engine]",
    {"pairing", "sync", "clock", "cache", "record", "oversubscribe", "pinning", "dither"}};
inline const TableKeys kArmKeys{"[[arm]]", {"library", "label", "settings"}};
inline const TableKeys kAnalysisKeys{"[analysis]",
                                     {"method", "runtime", "min-effect", "alpha", "correction"}};

}  // namespace invar::design
