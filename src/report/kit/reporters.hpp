// One reporter a format: each prints any answer, and knows no question.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "analysis/answer/answer.hpp"

namespace invar::report {

enum class Format { kTable, kCsv, kJson, kMarkdown };

// What goes to standard output, and what is said beside it on standard error.
struct Printed {
  std::string out = {};
  std::string talk = {};
};

struct Reporter {
  Format format;
  std::string_view name;  // of --format
  // `table`: the id of the table that is asked for, where a format has room for one only; empty:
  // the answer's first. `verbose`: with all that people are spared otherwise.
  Printed (*print)(const analysis::Answer& answer, std::string_view table, bool verbose);
};

std::span<const Reporter> reporters();
const Reporter& reporter(Format format);

}  // namespace invar::report
