#include "analysis/tuning/tuning.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "analysis/questions/question_row.hpp"
#include "analysis/tuning/tuned_dir.hpp"
#include "analysis/tuning/tuned_use.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "design/recipes/confirm_campaign.hpp"
#include "store/reader.hpp"

namespace invar::analysis {
namespace {

namespace fs = std::filesystem;

struct FoundConfirmation {
  Confirmation confirmation = {};
  std::string why_not = {};  // it changes nothing of what is in force; empty: it does
};

// Why it changes nothing of what is in force; empty: it does.
std::string why_it_does_not_count(const Confirmation& confirmation, const store::Data& data) {
  if (confirmation.health.damaged > 0) return "it is damaged";
  if (confirmation.health.unfinished > 0) {
    return "it is not at its end; " + resume_command(data) + " goes on";
  }
  if (confirmation.no_verdict.empty()) return {};
  std::string why = "no verdicts: " + confirmation.no_verdict;
  for (const store::WarningLine& noted : data.warnings) why += "; " + noted.text;
  return why;
}

// Sizes of the operation in the race are multiples of it.
std::uint64_t size_unit_of(const store::Data& data, const std::string& operation) {
  const auto cell = std::ranges::find(data.cells, operation, &record::Cell::operation);
  if (cell == data.cells.end() || data.arms.empty()) return 1;
  const std::vector<record::OperationInfo>& known = data.arms.front().operations;
  const auto info = std::ranges::find(known, operation, &record::OperationInfo::name);
  const record::DatatypeInfo* type = info == known.end() ? nullptr : info->datatype(cell->datatype);
  return type == nullptr ? 1 : type->size_bytes;
}

// None, and a warning, for one that cannot be answered (yet): then its health is all there is of
// it.
std::optional<FoundConfirmation> confirmed_in(const fs::path& dir, std::vector<Warning>& warnings,
                                              Health& health) {
  try {
    const Study study(store::read_campaign_dir(dir));
    if (const std::optional<Lack> lack = confirmation_lack(study)) {
      warnings.emplace_back(dir.string() + ": " + lack->text() + "; " +
                            resume_command(study.data()) + " goes on");
      health += study.health();
      return std::nullopt;
    }
    FoundConfirmation found{.confirmation = confirmation(study)};
    found.why_not = why_it_does_not_count(found.confirmation, study.data());
    if (!found.why_not.empty()) {
      warnings.emplace_back(dir.string() + " changes nothing: " + found.why_not);
    }
    return found;
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
  found.cells = cells_to_confirm(
      design::raced_cells(all_races(study)), found.races.gaps,
      [&](const std::string& operation) { return size_unit_of(study.data(), operation); });
  std::vector<Confirmation> judged;
  std::optional<Confirmation> other;
  for (const std::uint32_t number : confirmations_in(found.races.dir)) {
    std::optional<FoundConfirmation> one =
        confirmed_in(confirmation_dir(found.races.dir, number), found.warnings, found.not_judged);
    if (!one) continue;
    if (one->why_not.empty()) {
      judged.push_back(std::move(one->confirmation));
      found.not_judged = {};
    } else {
      found.not_judged += one->confirmation.health;
      other = std::move(one->confirmation);
    }
  }
  found.kept = kept_tables(found.races.table, found.cells, judged);
  found.confirmed_times = judged.size();
  found.earlier_sessions = study.data().sessions;
  if (judged.empty()) {
    found.confirmation = std::move(other);
    if (found.confirmation) found.confirmation->confirmed = found.kept.in_force;
    return found;
  }
  const auto before = std::span(judged).first(judged.size() - 1);
  for (const Confirmation& earlier : before) {
    add_sessions(earlier.sessions, found.earlier_sessions);
  }
  tell_what_stays(judged.back(), before);
  found.confirmation = std::move(judged.back());
  found.confirmation->confirmed = found.kept.in_force;
  return found;
}

std::string session_words(const TunedCampaign& found) {
  if (!found.confirmation || found.confirmed_times == 0) return {};
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
    races.warnings.insert(races.warnings.begin(), found.warnings.begin(), found.warnings.end());
    return races;
  }
  Answer answer = answer_of(*found.confirmation);
  answer.question = "tune";
  for (auto& fact : answer.facts) {
    if (fact.name == "has_confirmation") fact.value = found.confirmed_times > 0;
  }
  const std::string session = session_words(found);
  if (!session.empty()) answer.facts.push_back({"session", session});
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
  if (!session.empty()) answer.notes.push_back(session);
  // A terminal shows the first few: what was measured in vain, and what the file leaves as it is.
  std::vector<Warning> warnings = found.warnings;
  for (const auto& more : {gap_warnings(found.races), answer.warnings, races.warnings}) {
    for (const Warning& warning : more) {
      if (std::ranges::find(warnings, warning) == warnings.end()) warnings.push_back(warning);
    }
  }
  answer.warnings = std::move(warnings);
  // The shown one has not judged: then its health is among those.
  answer.health = found.races.health;
  answer.health += found.not_judged;
  if (found.confirmed_times > 0) answer.health += found.confirmation->health;
  answer.next = {{"data", dir}};
  if (!found.kept.to_test.empty()) {
    answer.next.push_back({"once more", "invar tune --confirm " + dir});
  }
  answer.next.push_back({"page", "invar report " + dir});
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
