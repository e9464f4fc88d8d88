// What every question returns. Whoever prints it (src/report/kit: terminal, CSV, JSON, page) needs
// to know nothing of the question.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/study/health.hpp"
#include "analysis/study/tidy_table.hpp"

namespace invar::analysis {

// A text behind a word that says what it is.
struct Remark {
  std::string label = {};
  std::string text = {};
};

struct Answer {
  std::string question = {};  // "compare"
  std::string sentence = {};  // the answer itself, with its scope; always printed first
  // The part of the sentence that tells of conditions; none: this question has no such part.
  std::optional<std::string> detail = {};
  std::string scope = {};  // "2 ranks, 1 host, shared memory, this session"

  Record facts = {};  // for machines: how it was computed, and what has no shape of a table
  // The first one that has an id is what --format csv prints.
  std::vector<TidyTable> tables = {};

  std::string head = {};                   // what all rows of all shown tables have in common
  std::vector<std::string> notes = {};     // how the tables are read
  std::vector<Remark> remarks = {};        // {"why", "osu counts warm-ups"}
  std::vector<std::string> warnings = {};  // what makes it doubtful
  Health health = {};
  std::vector<Remark> next = {};  // where the data lie, and commands: {"again", "invar run ..."}
};

// Null if there is none with this id.
const TidyTable* find_table(const Answer& answer, std::string_view id);

}  // namespace invar::analysis
