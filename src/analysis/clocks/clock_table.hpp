// Tables that `invar clocks ... --format csv` printed, read back for a page.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/error.hpp"

namespace invar::analysis {

struct ClockKind {
  std::string_view name;    // of the experiment
  std::string_view header;  // names of the columns, without a line feed
  // A letter a column: t text, n number, o number or empty.
  std::string_view types;
};
// A kind stands there once more with the columns that it had before.
std::span<const ClockKind> clock_kinds();

// The header line that the experiment of this name prints, for its writer. Throws
// std::invalid_argument for a name that has none.
std::string_view clock_csv_header(std::string_view kind);

using ClockField = std::variant<std::monostate, double, std::string>;  // monostate: empty

struct ClockTable {
  std::string kind = {};
  std::string source = {};  // name of the file, without its folder
  std::vector<std::string> columns = {};
  std::vector<std::vector<ClockField>> rows = {};
};

// The kind follows from the header; accuracy over several numbers of ranks is "scaling", which
// prints the same columns. Everything that is wrong goes to `faults` with line and column; a table
// with faults is not to be used.
ClockTable read_clock_table(std::string_view csv, const std::string& place, base::Faults& faults);

}  // namespace invar::analysis
