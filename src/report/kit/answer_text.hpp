// Any answer for people: on a terminal, and what is said of it beside a table for machines.
#pragma once

#include <string>

#include "analysis/study/answer.hpp"

namespace invar::report {

// The columns that it is to be shown with, aligned; nothing where it is not to be shown.
std::string table_text(const analysis::TidyTable& table);

// The sentence first and on one line, however long, for `head` and `grep`; the tables; how to read
// them; what to look at; what to do next.
std::string answer_text(const analysis::Answer& answer);

// What CSV has no room for: the sentence, and what makes it doubtful.
std::string answer_talk(const analysis::Answer& answer);

}  // namespace invar::report
