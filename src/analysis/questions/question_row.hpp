// What analysis knows of a question: why it cannot be answered here, its answer, and when a page
// has it. Every line of design/campaign/questions.def has its row beside what answers it.
#pragma once

#include <any>
#include <optional>
#include <string_view>

#include "analysis/answer/answer.hpp"
#include "analysis/study/lack.hpp"
#include "analysis/study/study.hpp"
#include "design/campaign/question.hpp"

namespace invar::analysis {

struct Answered {
  Answer answer = {};
  // All that was found, of whichever type, where more of it is drawn, or judged by --fail-on, than
  // the answer's tables; else empty.
  std::any found = {};

  // Null: it is another question's.
  template <typename Found>
  [[nodiscard]] const Found* as() const {
    return std::any_cast<Found>(&found);
  }
};

// On the page of a campaign that was made for something else: not at all; where there is an answer;
// surely, so that it says why there is none.
enum class OnPage { kNo, kIfAny, kExpected };

// For a page: as much as it can hold.
enum class Detail { kAll, kOnAPage, kWithoutFigures };

struct QuestionRow {
  design::Question question = design::Question::kCompare;
  // Why these data cannot answer it; none: they can.
  std::optional<Lack> (*lacking)(const Study&) = nullptr;
  // Only where nothing is lacking.
  Answered (*ask)(const Study&, Detail) = nullptr;
  OnPage (*on_page)(const Study&) = nullptr;
  // The answer's own key in the page's data, of questions older than `answers`. Empty: it is
  // one of the `answers`, whose figures are drawn from their tables.
  std::string_view page_key = {};
};

// compare_row(), factors_row(), ...
#define INVAR_QUESTION(id, enumerator, name, about, conflict) QuestionRow id##_row();
#include "design/campaign/questions.def"
#undef INVAR_QUESTION

}  // namespace invar::analysis
