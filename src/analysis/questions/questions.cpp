#include "analysis/questions/questions.hpp"

#include <algorithm>
#include <array>

#include "analysis/compare/compare.hpp"
#include "analysis/study/select.hpp"
#include "record/cell.hpp"

namespace invar::analysis {
namespace {

bool plants_delays(const Study& study) {
  return std::ranges::any_of(study.data().cells,
                             [](const record::Cell& cell) { return cell.delay_ns > 0; });
}

// Cells differ in this factor.
bool varies(const Study& study, std::string_view factor) {
  const std::vector<record::Cell>& cells = study.data().cells;
  const record::Factor* known = record::find_factor(factor);
  return std::ranges::any_of(cells, [&](const record::Cell& cell) {
    return known->text(cell) != known->text(cells.front());
  });
}

// Something is varied that is no question of operations, sizes, ranks, libraries or
// synchronisation.
bool varies_factors(const Study& study) {
  const bool launches = std::ranges::any_of(
      study.campaign().arms, [](const design::Arm& arm) { return !arm.variant_of.empty(); });
  return launches || std::ranges::any_of(record::factors(), [&](const record::Factor& factor) {
           using enum record::FactorRole;
           const bool other = factor.role == kSubject || factor.role == kRanks ||
                              factor.role == kStart || factor.role == kFamily;
           return !other && record::tells_cells_apart(factor, study.data().cells);
         });
}

OnPage if_expected(bool expected) { return expected ? OnPage::kExpected : OnPage::kNo; }

// A self-test's page is about that alone. Launches are a factor of every campaign.
OnPage factors_on_page(const Study& study) {
  if (plants_delays(study)) return OnPage::kNo;
  return varies_factors(study) ? OnPage::kExpected : OnPage::kIfAny;
}

// Rows that differ in more than their synchronisation are what `factors` is for.
bool varies_syncs_alone(const Study& study, bool or_dither) {
  return !plants_delays(study) && !varies_factors(study) &&
         (varies(study, "sync") || (or_dither && varies(study, "dither_ns")));
}

constexpr std::array<QuestionRow, 6> kRows{{
    {design::Question::kCompare, comparison_lack,
     [](const Study& study, Detail) -> Answered { return compare(study); },
     [](const Study&) { return OnPage::kIfAny; }},
    {design::Question::kFactors, factors_lack,
     [](const Study& study, Detail detail) -> Answered {
       return factors(study, detail == Detail::kAll ? FactorPictures::kAll : FactorPictures::kNone);
     },
     factors_on_page},
    {design::Question::kSelfTest, self_test_lack,
     [](const Study& study, Detail) -> Answered { return self_test(study); },
     [](const Study& study) { return if_expected(plants_delays(study)); }},
    {design::Question::kLocalGlobal, local_global_lack,
     [](const Study& study, Detail) -> Answered { return local_global(study); },
     [](const Study& study) { return if_expected(varies_syncs_alone(study, false)); }},
    {design::Question::kSyncBias, comparison_lack,
     [](const Study& study, Detail) -> Answered { return sync_bias(study); },
     [](const Study& study) {
       return if_expected(study.data().arms.size() > 1 && varies_syncs_alone(study, true));
     }},
    {design::Question::kShow, show_lack,
     [](const Study& study, Detail) -> Answered { return show(study); },
     [](const Study&) { return OnPage::kNo; }},
}};

AskedQuestion inferred(const Study& study) {
  const store::Data& data = study.data();
  if (plants_delays(study) && data.arms.size() == 2 && same_arm(data.arms)) {
    return {design::Question::kSelfTest,
            "its cells have planted delays, and its arms are one library twice"};
  }
  if (varies_factors(study))
    return {design::Question::kFactors, "its cells or launches differ in factors"};
  const bool syncs = varies(study, "sync");
  if (syncs && data.arms.size() == 1) {
    return {design::Question::kLocalGlobal, "one arm is measured under several synchronisations"};
  }
  if (syncs && varies(study, "dither_ns")) {
    return {design::Question::kSyncBias,
            "arms are measured under several synchronisations and dithers"};
  }
  return {design::Question::kCompare, "its arms are measured in the same cells"};
}

}  // namespace

std::span<const QuestionRow> question_rows() { return kRows; }

const QuestionRow& row_of(design::Question question) {
  return kRows.at(static_cast<std::size_t>(question));
}

const std::string& sentence_of(const Answered& answered) {
  return std::visit([](const auto& answer) -> const std::string& { return answer.sentence; },
                    answered);
}

const Health& health_of(const Answered& answered) {
  return std::visit(
      [](const auto& answer) -> const Health& {
        if constexpr (requires { answer.health; }) {
          return answer.health;
        } else {
          return answer.comparison.health;
        }
      },
      answered);
}

Answer answer_of(const Answered& answered) {
  return std::visit([](const auto& result) { return answer_of(result); }, answered);
}

AskedQuestion asked_question(const Study& study) {
  const design::AnalysisOptions& written = study.campaign().analysis;
  AskedQuestion asked = written.names_question()
                            ? AskedQuestion{written.question, "its campaign says so"}
                            : inferred(study);
  if (asked.question == design::Question::kCompare && study.data().arms.size() < 2) {
    return {design::Question::kShow, "one arm has nobody to be compared with"};
  }
  return asked;
}

}  // namespace invar::analysis
