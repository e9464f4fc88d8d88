#include "analysis/questions/questions.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "analysis/compare/compare.hpp"
#include "analysis/factors/factors.hpp"
#include "analysis/questions/varied.hpp"
#include "analysis/steps/steps.hpp"
#include "analysis/study/select.hpp"

namespace invar::analysis {
namespace {

AskedQuestion inferred(const Study& study) {
  const store::Data& data = study.data();
  if (plants_delays(study) && data.arms.size() == 2 && same_arm(data.arms)) {
    return {design::Question::kSelfTest, false,
            "its cells have planted delays, and its arms are one library twice"};
  }
  if (varies_factors(study))
    return {design::Question::kFactors, false, "its cells or launches differ in factors"};
  const bool syncs = varies(study, "sync");
  if (syncs && data.arms.size() == 1) {
    return {design::Question::kLocalGlobal, false,
            "one arm is measured under several synchronisations"};
  }
  if (syncs && varies(study, "dither_ns")) {
    return {design::Question::kSyncBias, false,
            "arms are measured under several synchronisations and dithers"};
  }
  return {design::Question::kCompare, false, "its arms are measured in the same cells"};
}

// Each arm by itself, or by an answer that compares in its own way: which of them takes less time
// is not part of that.
bool judges_arms_apart(design::Question question) {
  using enum design::Question;
  return question == kGuidelines || question == kNrep || question == kTune ||
         question == kTuneConfirm;
}

}  // namespace

QuestionRow compare_row() {
  return {design::Question::kCompare, comparison_lack,
          [](const Study& study, Detail) {
            Comparison comparison = compare(study);
            Answer answer = answer_of(comparison);
            add_steps(answer, study);
            return Answered{.answer = std::move(answer), .found = std::move(comparison)};
          },
          [](const Study& study) {
            return judges_arms_apart(asked_question(study).question) ? OnPage::kNo : OnPage::kIfAny;
          },
          "compare"};
}

QuestionRow factors_row() {
  return {design::Question::kFactors, factors_lack,
          [](const Study& study, Detail detail) {
            Factors found =
                factors(study, detail == Detail::kWithoutFigures ? FactorPictures::kNone
                                                                 : FactorPictures::kAll);
            if (detail == Detail::kOnAPage) limit_figures(found);
            Answer answer = answer_of(found);
            return Answered{.answer = std::move(answer), .found = std::move(found)};
          },
          [](const Study& study) {
            // A self-test's page is about that alone. Launches are a factor of every campaign.
            if (plants_delays(study)) return OnPage::kNo;
            return varies_factors(study) ? OnPage::kExpected : OnPage::kIfAny;
          },
          "factors"};
}

std::span<const QuestionRow> question_rows() {
  static const std::vector<QuestionRow> rows{
#define INVAR_QUESTION(id, enumerator, name, about, conflict) id##_row(),
#include "design/campaign/questions.def"
#undef INVAR_QUESTION
  };
  return rows;
}

const QuestionRow& row_of(design::Question question) {
  return question_rows()[static_cast<std::size_t>(question)];
}

AskedQuestion asked_question(const Study& study) {
  const design::AnalysisOptions& written = study.campaign().analysis;
  AskedQuestion asked = written.names_question()
                            ? AskedQuestion{written.question, true, "its campaign says so"}
                            : inferred(study);
  if (asked.question == design::Question::kCompare && study.data().arms.size() < 2 &&
      study.rules().against == nullptr) {
    return {design::Question::kShow, false, "one arm has nobody to be compared with"};
  }
  return asked;
}

std::optional<Warning> remark_on(const AskedQuestion& asked) {
  if (asked.written) return std::nullopt;
  return Warning("the question is '" + std::string(design::to_string(asked.question)) +
                     "', because " + asked.how,
                 Gravity::kBorne);
}

}  // namespace invar::analysis
