// What a campaign is made for: one line a question in questions.def.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace invar::design {

enum class Question {
#define INVAR_QUESTION(id, enumerator, name, about, conflict) enumerator,
#include "design/campaign/questions.def"
#undef INVAR_QUESTION
};

struct Campaign;
struct Conflict;

struct QuestionInfo {
  Question question = Question::kCompare;
  std::string_view name = {};   // as a campaign has it: "local-global"
  std::string_view about = {};  // "which factors of a campaign matter"
  // Why no campaign that is designed like this one can have data for it; null: any may have.
  std::optional<Conflict> (*conflict)(const Campaign&) = nullptr;
};

// In the order of the enumeration.
std::span<const QuestionInfo> questions();
std::string_view to_string(Question question);
// Null if there is no question of that name.
const QuestionInfo* find_question(std::string_view name);
std::vector<std::string> question_names();

}  // namespace invar::design
