// The question `all-pairs`.
#include "analysis/questions/question_row.hpp"
#include "analysis/study/lack.hpp"

namespace invar::analysis {
namespace {

// No data have an answer yet.
std::optional<Lack> all_pairs_lack(const Study& study) {
  if (std::optional<Lack> lack = lack_of_groups(study.data())) return lack;
  return Lack{.faults = {{.place = study.data().dir.string(),
                          .what = "this version of Invar does not answer 'all-pairs'",
                          .remedy = "invar show has the times of all cells"}}};
}

}  // namespace

QuestionRow all_pairs_row() {
  return {design::Question::kAllPairs, all_pairs_lack,
          [](const Study&, Detail) { return Answered{}; },
          [](const Study&) { return OnPage::kNo; }};
}

}  // namespace invar::analysis
