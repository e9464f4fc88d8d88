// What the stages without MPI know of an operation. The engine prints it (`invar-engine
// --describe`), so that a user's own operations are known to campaigns like ours.
#pragma once

#include <string>

namespace invar::record {

struct OperationInfo {
  std::string name = {};
  std::string summary = {};
  bool sized = true;     // false: no size, like barrier
  bool rooted = false;   // has a root
  bool reduces = false;  // takes a reduction operator; default datatype int32 instead of byte
  // Why the library at hand cannot do it; empty: it can.
  std::string missing = {};
};

}  // namespace invar::record
