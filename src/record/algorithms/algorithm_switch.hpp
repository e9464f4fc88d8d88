// What makes a library run one of its algorithms for a cell, inside a launch: numbers that are
// written to its control variables (MPI_T) and put back. The driver works them out; the engine
// writes them and knows no library.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace invar::record {

struct AlgorithmSwitch {
  std::string operation = {};
  std::string level = {};  // Cell::algorithm
  // The library reads the variables when a communicator is made, and keeps what it has read: they
  // hold then, too, and each level has a communicator of its own. Else they hold only while the
  // operation is called.
  bool at_making = false;
  // By their names in MPI_T, in the order in which they are written.
  std::vector<std::pair<std::string, std::int64_t>> variables = {};

  bool operator==(const AlgorithmSwitch&) const = default;
};

// "bcast algorithm:chain:segment=64 at-making coll_tuned_bcast_algorithm=2 ...": one line.
std::string switch_text(const AlgorithmSwitch& one);

// The reverse. Throws UserError, naming `place`, for what is no such line.
AlgorithmSwitch read_switch(std::string_view text, const std::string& place);

}  // namespace invar::record
