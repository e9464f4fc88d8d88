// All questions that may be asked of a study, one row each: why it cannot be answered here, and its
// answer. Commands and the page know no other list of them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <variant>

#include "analysis/compare/comparison.hpp"
#include "analysis/factors/factors.hpp"
#include "analysis/questions/local_global.hpp"
#include "analysis/questions/self_test.hpp"
#include "analysis/questions/show.hpp"
#include "analysis/questions/sync_bias.hpp"
#include "analysis/study/lack.hpp"
#include "analysis/study/study.hpp"
#include "design/campaign/question.hpp"

namespace invar::analysis {

using Answered = std::variant<Comparison, Factors, SelfTest, LocalGlobal, SyncBias, Show>;

// On the page of a campaign that was made for something else: not at all; where there is an answer;
// surely, so that it says why there is none.
enum class OnPage { kNo, kIfAny, kExpected };

enum class Detail { kAll, kWithoutFigures };

struct QuestionRow {
  design::Question question = design::Question::kCompare;
  // Why these data cannot answer it; none: they can.
  std::optional<Lack> (*lacking)(const Study&) = nullptr;
  // Only where nothing is lacking.
  Answered (*ask)(const Study&, Detail) = nullptr;
  OnPage (*on_page)(const Study&) = nullptr;
};

// In the order of design::questions().
std::span<const QuestionRow> question_rows();
const QuestionRow& row_of(design::Question question);

const std::string& sentence_of(const Answered& answered);
const Health& health_of(const Answered& answered);
// What reporters print.
Answer answer_of(const Answered& answered);

// The question that a study's (first) campaign was made for, and how that is known.
struct AskedQuestion {
  design::Question question = design::Question::kCompare;
  std::string how = {};  // "its campaign says so"
};
// The campaign's own word; of one that was sealed before campaigns had it, from what it varies: a
// self-test plants delays, and so on. One arm has nobody to be compared with: its times are shown.
AskedQuestion asked_question(const Study& study);

}  // namespace invar::analysis
