// Any answer for people: on a terminal, and what is said of it beside a table for machines.
#pragma once

#include <cstddef>
#include <string>

#include "analysis/answer/answer.hpp"
#include "report/kit/text_table.hpp"

namespace invar::report {

// The columns that it is to be shown with, aligned; nothing where it is not to be shown.
std::string table_text(const analysis::TidyTable& table);

// The same table before it is written.
TextTable text_table(const analysis::TidyTable& table);

// A screen: unless it is verbose, no answer has more lines.
constexpr std::size_t kMostLines = 60;
// Reasons for doubt below the sentence, unless it is verbose.
constexpr std::size_t kMostDoubts = 3;
// Warnings below the tables, unless it is verbose.
constexpr std::size_t kMostNotes = 3;

// The sentence first and on one line, however long, for `head` and `grep`; below it what puts it in
// doubt; the tables, the last ones cut where the screen ends; how to read them; what to look at;
// what to do next. What is left out is counted.
std::string answer_text(const analysis::Answer& answer, bool verbose = false);

// The same for a comment beside a change of a program: the sentence, what to look at, the tables
// and how they are read; nothing that names a directory of the machine that measured. As many
// remarks as on a terminal.
std::string answer_markdown(const analysis::Answer& answer, bool verbose = false);

// What CSV has no room for: the sentence, and what makes it doubtful.
std::string answer_talk(const analysis::Answer& answer, bool verbose = false);

}  // namespace invar::report
