// What every question returns. Whoever prints it (src/report/kit: terminal, CSV, JSON, page) needs
// to know nothing of the question.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/answer/health.hpp"
#include "analysis/answer/tidy_table.hpp"

namespace invar::analysis {

// What a warning means for the answer.
enum class Gravity {
  kDoubt,  // puts the verdicts in doubt: stands right below the sentence
  kNote,   // worth knowing
  kBorne,  // the method allows for it already: only for who asks
};

struct Warning {
  std::string text = {};
  Gravity gravity = Gravity::kNote;
  // Why a sequential campaign ended, if the text is about what it left undecided. Empty: the text
  // is about something else.
  std::string left_open = {};

  // Nearly all of them are notes, put together from words.
  // NOLINTBEGIN(google-explicit-constructor)
  Warning(std::string words, Gravity how_grave = Gravity::kNote)
      : text(std::move(words)), gravity(how_grave) {}
  Warning(const char* words) : text(words) {}
  operator const std::string&() const { return text; }
  // NOLINTEND(google-explicit-constructor)
  bool operator==(const Warning&) const = default;
};
// All of them as texts, the gravest first, where there is no other place for doubts.
std::vector<std::string> texts_of(std::vector<Warning> warnings);

// A text behind a word that says what it is.
struct Remark {
  std::string label = {};
  std::string text = {};
  bool own_line = false;  // of what comes next: it stands on a line by itself
};

struct Answer {
  std::string question = {};  // "compare"
  int schema = 1;             // of its facts and tables as JSON
  std::string sentence = {};  // the answer itself, with its scope; always printed first
  // The part of the sentence that tells of conditions; none: this question has no such part.
  std::optional<std::string> detail = {};
  std::string scope = {};  // "2 ranks, 1 host, shared memory, this session"

  Record facts = {};  // for machines: how it was computed, and what has no shape of a table
  // The first one that has an id is what --format csv prints.
  std::vector<TidyTable> tables = {};

  std::string head = {};                // what all rows of all shown tables have in common
  std::vector<std::string> notes = {};  // how the tables are read
  std::vector<Remark> remarks = {};     // {"why", "osu counts warm-ups"}
  std::vector<Warning> warnings = {};   // what makes it doubtful
  Health health = {};
  // Where the data lie, and commands that name them: {"again", "invar run ..."}. Nothing else names
  // directories, so whoever does not keep the data clears it.
  std::vector<Remark> next = {};
};

// Null if there is none with this id.
const TidyTable* find_table(const Answer& answer, std::string_view id);

}  // namespace invar::analysis
