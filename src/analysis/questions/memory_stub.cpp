// STUB of M2: so that the program links until the analysis of memory comes.
#include "analysis/questions/question_row.hpp"

namespace invar::analysis {

QuestionRow memory_row() {
  return {design::Question::kMemory,
          [](const Study&) -> std::optional<Lack> {
            return Lack{.faults = {{.place = "memory", .what = "is analysed by a later part"}}};
          },
          [](const Study&, Detail) { return Answered{}; },
          [](const Study&) { return OnPage::kNo; }};
}

}  // namespace invar::analysis
