// The campaign of `invar race`: which arm takes less time?
#pragma once

#include <string>
#include <vector>

#include "design/recipes/quick_order.hpp"

namespace invar::design {

struct RaceOrder {
  QuickOrder quick = {};
  // False: the command's defaults, for which a program may have no use.
  bool operations_written = true;
  bool sizes_written = true;
  Program program = {};  // no command: the engine measures
  std::vector<std::string> presets = {};
  std::vector<Host> hosts = {};
  std::string hostfile = {};
  std::string against = {};  // the factor whose levels race inside every arm; empty: arms race
  // Folder of own operations that the engines are built with; of programs none is. Empty: none.
  std::string operations = {};
  bool sequential = true;
  bool sequential_written = false;
};

// With sizes that are chosen under way, or more ranks than cores, a race is never sequential.
// Throws UserError with every fault, each with its option of `invar race`.
Campaign race_campaign(const RaceOrder& order);

}  // namespace invar::design
