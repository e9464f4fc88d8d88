#include "analysis/tuning/tuning.hpp"

#include <algorithm>
#include <utility>

#include "analysis/questions/question_row.hpp"
#include "analysis/tuning/tuned_dir.hpp"
#include "analysis/tuning/tuned_use.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "store/reader.hpp"

namespace invar::analysis {
namespace {

namespace fs = std::filesystem;

// None, and a warning, for one that cannot be answered (yet).
std::optional<Confirmation> confirmed_in(const fs::path& dir, std::vector<Warning>& warnings) {
  try {
    const Study study(store::read_campaign_dir(dir));
    if (const std::optional<Lack> lack = confirmation_lack(study)) {
      warnings.emplace_back(dir.string() + ": " + lack->text() + "; " +
                            resume_command(study.data()) + " goes on");
      return std::nullopt;
    }
    return confirmation(study);
  } catch (const base::CommandError& error) {
    warnings.emplace_back(dir.string() + " cannot be answered: " + error.faults().front().what);
    return std::nullopt;
  }
}

void add_sessions(const std::vector<std::string>& from, std::vector<std::string>& to) {
  for (const std::string& session : from) {
    if (std::ranges::find(to, session) == to.end()) to.push_back(session);
  }
}

// As the directory has it now: what was confirmed, for who uses it.
std::optional<TunedUse> use_of_directory(const fs::path& dir) {
  const std::optional<std::string> text = base::read_file((dir / kVariablesFile).string());
  if (!text) return std::nullopt;
  return use_in(*text);
}

TidyTable not_shown(TidyTable table) {
  table.shown.clear();
  return table;
}

}  // namespace

TunedCampaign tuned_campaign(const Study& study) {
  TunedCampaign found{.races = tune_races(study)};
  found.earlier_sessions = study.data().sessions;
  for (const std::uint32_t number : confirmations_in(found.races.dir)) {
    std::optional<Confirmation> confirmed =
        confirmed_in(confirmation_dir(found.races.dir, number), found.warnings);
    if (!confirmed) continue;
    if (found.confirmation) add_sessions(found.confirmation->sessions, found.earlier_sessions);
    found.confirmation = std::move(confirmed);
    ++found.confirmed_times;
  }
  return found;
}

std::string session_words(const TunedCampaign& found) {
  if (!found.confirmation) return {};
  const bool known =
      std::ranges::any_of(found.confirmation->sessions, [&](const std::string& session) {
        return std::ranges::find(found.earlier_sessions, session) != found.earlier_sessions.end();
      });
  const std::string times =
      found.confirmed_times == 1
          ? ""
          : ' ' + std::to_string(found.confirmed_times) + " times, the last time";
  return known ? "confirmed" + times +
                     " in a session that was measured in before: another day may "
                     "differ, and invar tune --confirm measures again"
               : "confirmed" + times + " in another session than before";
}

Answer answer_of(const TunedCampaign& found) {
  Answer races = answer_of(found.races);
  const std::string dir = base::shell_quoted(found.races.dir.string());
  if (!found.confirmation) {
    for (const Warning& warning : found.warnings) races.warnings.push_back(warning);
    return races;
  }
  Answer answer = answer_of(*found.confirmation);
  answer.question = "tune";
  answer.facts.push_back({"session", session_words(found)});
  std::erase_if(answer.tables, [](const TidyTable& table) { return table.id == "variables"; });
  if (!found.races.dir.empty()) {
    if (const std::optional<TunedUse> use = use_of_directory(found.races.dir);
        use && !use->empty()) {
      answer.tables.push_back(use_table(*use));
      answer.notes.push_back("the same for a shell: . " +
                             base::shell_quoted((found.races.dir / kVariablesFile).string()));
    }
  }
  // What raced is for machines, and for the page.
  for (const char* id : {"winners", "candidates"}) {
    if (const TidyTable* table = find_table(races, id)) answer.tables.push_back(not_shown(*table));
  }
  answer.notes.push_back(session_words(found));
  for (const Warning& warning : races.warnings) answer.warnings.push_back(warning);
  for (const Warning& warning : found.warnings) answer.warnings.push_back(warning);
  answer.health += found.races.health;
  answer.next = {
      {"data", dir}, {"once more", "invar tune --confirm " + dir}, {"page", "invar report " + dir}};
  return answer;
}

QuestionRow tune_row() {
  return {design::Question::kTune, races_lack,
          [](const Study& study, Detail) {
            TunedCampaign found = tuned_campaign(study);
            Answer answer = answer_of(found);
            return Answered{.answer = std::move(answer), .found = std::move(found)};
          },
          [](const Study& study) {
            return study.campaign().races.empty() ? OnPage::kNo : OnPage::kExpected;
          }};
}

}  // namespace invar::analysis
