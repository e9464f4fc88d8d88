// The question `p2p`.
#include "analysis/questions/question_row.hpp"
#include "analysis/study/lack.hpp"

namespace invar::analysis {
namespace {

// No data have an answer yet.
std::optional<Lack> p2p_lack(const Study& study) {
  if (std::optional<Lack> lack = lack_of_groups(study.data())) return lack;
  return Lack{.faults = {{.place = study.data().dir.string(),
                          .what = "this version of Invar does not answer 'p2p'",
                          .remedy = "invar show has the times of all cells"}}};
}

}  // namespace

QuestionRow p2p_row() {
  return {design::Question::kP2p, p2p_lack, [](const Study&, Detail) { return Answered{}; },
          [](const Study&) { return OnPage::kNo; }};
}

}  // namespace invar::analysis
