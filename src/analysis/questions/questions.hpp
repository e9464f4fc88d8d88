// All questions that may be asked of a study. Commands and the page know no other list of them.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "analysis/questions/question_row.hpp"

namespace invar::analysis {

// In the order of design::questions().
std::span<const QuestionRow> question_rows();
const QuestionRow& row_of(design::Question question);

// The question that a study's (first) campaign was made for, and how that is known.
struct AskedQuestion {
  design::Question question = design::Question::kCompare;
  bool written = false;  // the campaign (or a command) names it
  std::string how = {};  // "its arms are measured in the same cells"
};
// The campaign's own word; of one that was sealed before campaigns had it, from what it varies: a
// self-test plants delays, and so on. One arm has nobody to be compared with: its times are shown.
AskedQuestion asked_question(const Study& study);
// Why an answer answers this question, for who asks; none where the campaign names it.
std::optional<Warning> remark_on(const AskedQuestion& asked);

}  // namespace invar::analysis
