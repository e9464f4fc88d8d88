// What the stages without MPI know of an operation. The engine prints it (`invar-engine
// --describe`), so that a user's own operations are known to campaigns like ours.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace invar::record {

struct DatatypeInfo {
  std::string name = {};
  std::uint32_t size_bytes = 1;              // of the data of one element
  std::vector<std::string> reductions = {};  // on it; the first is the usual one

  bool operator==(const DatatypeInfo&) const = default;
};

struct OperationInfo {
  std::string name = {};
  std::string summary = {};
  bool sized = true;        // false: no size, like barrier
  bool rooted = false;      // has a root
  bool reduces = false;     // takes a reduction operator; default datatype int32 instead of byte
  bool in_place = false;    // has a form with MPI_IN_PLACE
  bool neighbours = false;  // needs a communicator with a topology
  bool persistent = false;  // its arguments are fixed before the calls: no rotating root
  std::vector<DatatypeInfo> datatypes = {};  // that it can be verified with; the first is the usual
  // Why the library at hand cannot do it; empty: it can.
  std::string missing = {};

  // Null: it is not verified with a datatype of that name.
  [[nodiscard]] const DatatypeInfo* datatype(std::string_view type) const {
    for (const DatatypeInfo& known : datatypes) {
      if (known.name == type) return &known;
    }
    return nullptr;
  }
};

}  // namespace invar::record
