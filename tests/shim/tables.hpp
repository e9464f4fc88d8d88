// Decision tables of tests, and what the shim did by them.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "shim/start.hpp"
#include "shim/table/active_table.hpp"

namespace invar::shim::test {

inline constexpr const char* kHeader = "operation,ranks,from_bytes,to_bytes,candidate\n";

// For all sizes up to 1 MiB.
inline std::string line_of(std::string_view operation, int ranks, const std::string& candidate) {
  const bool sized = operation != "barrier";
  return std::string(operation) + "," + std::to_string(ranks) + ",0," + (sized ? "1048576" : "0") +
         "," + candidate + "\n";
}

// "allreduce=ring" -> "mockup:allreduce=ring", "bcast@chain" -> "reference:bcast@chain".
inline std::string candidate_of(std::string_view name) {
  return (name.find('@') == std::string_view::npos ? "mockup:" : "reference:") + std::string(name);
}
inline std::string collective_of(std::string_view name) {
  return std::string(name.substr(0, name.find_first_of("=@")));
}

// From now on, for communicators that are made from now on. The faults as one text.
inline std::string take_table(const std::string& lines) {
  std::string text;
  for (const base::Fault& fault : use_table(kHeader + lines, "table.csv")) {
    text += fault.text() + "\n";
  }
  return text;
}

// The counts of the first entry of the table in use.
inline std::uint64_t replaced_calls() { return table_in_use()->entries().front().replaced.load(); }
inline std::uint64_t passed_on_calls(PassedOn reason) {
  return table_in_use()->entries().front().passed_on[static_cast<std::size_t>(reason)].load();
}

// A communicator that the shim does not know yet, with the ranks of `comm`.
inline MPI_Comm another(MPI_Comm comm) {
  MPI_Comm made = MPI_COMM_NULL;
  PMPI_Comm_dup(comm, &made);
  return made;
}

}  // namespace invar::shim::test
