// What the libraries have for a whole operation, whichever algorithm it runs.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tuning/library.hpp"

namespace invar::tuning {

// "MPI_Reduce_scatter", "REDUCE_SCATTER".
std::string mpi_name_of(std::string_view operation);
std::string capitals_of(std::string_view operation);

// It combines with an operator, which need not commute.
bool combines(std::string_view operation);

struct OpenMpiOperation {
  std::string_view operation;
  int number = 0;  // in a classic file of rules
  // The knob of a forced algorithm that does what `faninout` does in a file.
  std::string_view fanout_variable = {};
};

// Null: coll/tuned has nothing to choose for it.
const OpenMpiOperation* find_open_mpi_operation(std::string_view operation);

// What a selection tree of MPICH asks for the operation's size: "avg_msg_size", "total_msg_size".
// Empty: it can ask for none, and stops the program if it does.
std::string_view mpich_size_key(std::string_view operation);

// Why nothing that depends on a size may be written for it: a sentence without a point. Nothing: it
// may.
std::optional<std::string_view> harm_of_rules(Library library, std::string_view operation);

// What a user of rules for it must know besides. Empty: nothing.
std::string_view caution_of_rules(Library library, std::string_view operation);

}  // namespace invar::tuning
