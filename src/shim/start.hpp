// What happens around a program's use of MPI.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "shim/table/active_table.hpp"

namespace invar::shim {

// The variables of the environment that rank 0 looks at: the path of a decision table (table.csv,
// docs/formats.md), and "1" for a report.
inline constexpr const char* kTableVariable = "INVAR_TUNED_TABLE";
inline constexpr const char* kReportVariable = "INVAR_TUNED_REPORT";

// In MPI_Init, on all ranks of MPI_COMM_WORLD: rank 0 reads the table and tells the others, so that
// all have one. What is wrong with it goes to standard error, with its place; nothing is replaced
// then, because a part of a table is another one.
void begin() noexcept;

// In MPI_Finalize: from here on nothing is replaced. The report, if there is to be one.
void end() noexcept;

// Takes the table from now on, for communicators that are not known yet. The same on all ranks.
// What is wrong with it; empty: nothing.
std::vector<base::Fault> use_table(std::string_view text, const std::string& place);

// Null: none.
const ActiveTable* table_in_use();

}  // namespace invar::shim
