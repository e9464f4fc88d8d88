#include <utility>

#include "analysis/directory/verified.hpp"
#include "base/text.hpp"

namespace invar::analysis {

Answer answer_of(const Verified& verified) {
  const store::Verification& found = verified.found;
  const bool damaged = !found.damage.empty();
  const bool edited = !found.edits.empty();
  const bool unfinished = !found.unfinished.empty();
  const std::string state = damaged      ? "damaged"
                            : edited     ? "edited"
                            : unfinished ? "unfinished"
                                         : "whole";
  const std::string words = damaged      ? "is damaged"
                            : edited     ? "was edited after it began"
                            : unfinished ? "is unfinished, and what it has is whole"
                                         : "is complete and whole";
  TidyTable faults{
      .id = "faults",
      .columns = {{.name = "kind"}, {.name = "place"}, {.name = "what"}, {.name = "remedy"}}};
  Answer answer{
      .question = "verify",
      .sentence = verified.dir + " " + words + ": " +
                  (verified.clocks ? std::string()
                                   : base::count_text(found.launches, "sealed launch") + ", ") +
                  std::to_string(found.bytes) + " bytes checked.",
      .facts = {{"dir", verified.dir},
                {"state", state},
                {"launches", found.launches},
                {"bytes", found.bytes}},
      .health = {.damaged = found.damage.size(), .unfinished = unfinished ? 1U : 0U}};
  for (const store::DataFault& fault : found.damage) {
    faults.rows.push_back({"damage", fault.place, fault.what, std::nullopt});
    answer.notes.push_back(fault.place + ": " + fault.what);
  }
  for (const base::Fault& fault : found.edits) {
    faults.rows.push_back({"edit", fault.place, fault.what, fault.remedy});
    answer.notes.push_back(fault.text());
  }
  for (const std::string& what : found.unfinished) {
    faults.rows.push_back({"unfinished", std::nullopt, what, std::nullopt});
    answer.notes.push_back(what);
  }
  answer.tables.push_back(std::move(faults));
  if (!verified.remedy.empty()) {
    answer.next = {{verified.clocks ? "what to do" : "go on with", verified.remedy}};
  }
  return answer;
}

}  // namespace invar::analysis
