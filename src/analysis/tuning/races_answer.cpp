// Races as an answer: what wins where, the decision table, every candidate.
#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "analysis/compare/compared_table.hpp"
#include "analysis/study/times.hpp"
#include "analysis/tuning/races.hpp"
#include "analysis/tuning/tuned_use.hpp"
#include "analysis/tuning/tuning_words.hpp"
#include "analysis/words/words.hpp"
#include "base/text.hpp"
#include "base/units.hpp"

namespace invar::analysis {
namespace {

std::vector<TidyColumn> candidate_columns() {
  return {{.name = "operation"},
          {.name = "size_bytes", .kind = Kind::kBytes},
          {.name = "ranks", .kind = Kind::kCount},
          {.name = "candidate"},
          {.name = "arm"},
          {.name = "winner", .kind = Kind::kYesNo},
          {.name = "time_ns", .kind = Kind::kTime, .low = "time_low_ns", .high = "time_high_ns"},
          {.name = "time_low_ns", .kind = Kind::kTime},
          {.name = "time_high_ns", .kind = Kind::kTime},
          {.name = "ratio", .kind = Kind::kRatio, .low = "ratio_low", .high = "ratio_high"},
          {.name = "ratio_low", .kind = Kind::kRatio},
          {.name = "ratio_high", .kind = Kind::kRatio},
          {.name = "groups", .kind = Kind::kCount},
          {.name = "p", .kind = Kind::kP},
          {.name = "p_adjusted", .kind = Kind::kP},
          {.name = "verdict", .kind = Kind::kVerdict},
          {.name = "look", .kind = Kind::kCount},
          {.name = "beaten_by"},
          {.name = "added", .kind = Kind::kYesNo},
          {.name = "why"}};
}

std::vector<Value> candidate_values(const RacedCell& cell, std::size_t number) {
  const RacedCandidate& one = cell.candidates[number];
  const std::optional<ComparedCell>& row = one.against_given;
  std::vector<Value> values{cell.operation,
                            cell.size_bytes,
                            cell.ranks,
                            one.text,
                            one.arm.empty() ? Value() : Value(one.arm),
                            cell.winner == number};
  append_time(values, one.time);
  values.push_back(row ? Value(row->ratio) : Value());
  append_interval(values, row ? row->ratio_interval : std::nullopt);
  values.push_back(row ? Value(row->launches) : Value());
  values.push_back(row ? Value(row->p) : Value());
  values.push_back(row ? Value(row->p_adjusted) : Value());
  values.push_back(row ? Value(verdict_on_b(*row)) : Value());
  values.push_back(row ? Value(row->look) : Value());
  values.push_back(one.beaten_by.empty() ? Value() : Value(one.beaten_by));
  values.emplace_back(cell.added);
  values.push_back(one.why.empty() ? Value() : Value(one.why));
  return values;
}

TidyTable candidates_table(const TuneRaces& found) {
  TidyTable table{.id = "candidates", .columns = candidate_columns()};
  for (const RacedCell& cell : found.cells) {
    for (std::size_t i = 0; i < cell.candidates.size(); ++i) {
      table.rows.push_back(candidate_values(cell, i));
    }
  }
  return table;
}

// The winner, else the arm as given.
const RacedCandidate& fastest(const RacedCell& cell) {
  return cell.candidates[cell.winner.value_or(0)];
}

TidyTable winners_table(const TuneRaces& found) {
  TidyTable table{
      .id = "winners",
      .columns = {{.name = "cell", .kind = Kind::kCell},
                  {.name = "given_ns",
                   .kind = Kind::kTime,
                   .low = "given_low_ns",
                   .high = "given_high_ns"},
                  {.name = "given_low_ns", .kind = Kind::kTime},
                  {.name = "given_high_ns", .kind = Kind::kTime},
                  {.name = "winner"},
                  {.name = "winner_ns",
                   .kind = Kind::kTime,
                   .low = "winner_low_ns",
                   .high = "winner_high_ns"},
                  {.name = "winner_low_ns", .kind = Kind::kTime},
                  {.name = "winner_high_ns", .kind = Kind::kTime},
                  {.name = "ratio", .kind = Kind::kRatio, .low = "ratio_low", .high = "ratio_high"},
                  {.name = "ratio_low", .kind = Kind::kRatio},
                  {.name = "ratio_high", .kind = Kind::kRatio},
                  {.name = "raced", .kind = Kind::kCount},
                  {.name = "unbeaten", .kind = Kind::kCount}},
      .shown = {{.column = "cell"},
                {.header = found.given(), .column = "given_ns"},
                {.header = "fastest", .column = "winner"},
                {.header = "", .column = "winner_ns"},
                {.header = "ratio", .column = "ratio"},
                {.header = "of", .column = "raced"},
                {.header = "not beaten", .column = "unbeaten"}}};
  for (const RacedCell& cell : found.cells) {
    const RacedCandidate& best = fastest(cell);
    const std::optional<ComparedCell>& row = best.against_given;
    std::vector<Value> values{cell.cell};
    append_time(values, cell.candidates.front().time);
    values.emplace_back(cell.open() ? std::string("undecided") : candidate_words(best.candidate));
    append_time(values, cell.winner ? best.time : std::nullopt);
    values.push_back(row ? Value(row->ratio) : Value());
    append_interval(values, row ? row->ratio_interval : std::nullopt);
    values.emplace_back(cell.raced());
    values.emplace_back(cell.unbeaten());
    table.rows.push_back(std::move(values));
  }
  return table;
}

std::string reading(const TuneRaces& found) {
  EstimateWords estimates;
  for (const RacedCell& cell : found.cells) {
    for (const RacedCandidate& one : cell.candidates) estimates.add(one.time);
  }
  std::string text =
      "times: " + runtime_words(found.global_runtime) + ", " + estimates.text() +
      " over the groups in which each ran, " + percent_text(1 - found.alpha) + "; ratio: to " +
      found.given() +
      ", paired by rounds; of: candidates that were measured there; not beaten: those "
      "that no other one surely beats; between equals the arm as given stays, then "
      "the library's own choice";
  if (found.comparisons > 0) {
    text += "; corrected for " + count_text(found.comparisons, "comparison");
    if (!found.looks.empty()) text += " at every look";
  }
  return text;
}

// Who did not race, by reasons; those that would have sent another one's messages are one line.
std::vector<Warning> left_warnings(const TuneRaces& found) {
  std::vector<std::pair<std::string, std::set<std::string>>> reasons;
  std::set<std::string> alike;
  for (const RacedCell& cell : found.cells) {
    for (const RacedCandidate& one : cell.candidates) {
      if (one.why.empty()) continue;
      if (one.alike) {
        alike.insert(cell.operation + ' ' + one.text);
        continue;
      }
      auto reason = std::ranges::find(reasons, one.why,
                                      &std::pair<std::string, std::set<std::string>>::first);
      if (reason == reasons.end()) reason = reasons.insert(reason, {one.why, {}});
      reason->second.insert(cell.operation + ' ' + one.text);
    }
  }
  constexpr std::size_t kNamed = 3;
  std::vector<Warning> warnings;
  warnings.reserve(reasons.size());
  for (const auto& [why, names] : reasons) {
    const std::vector<std::string> list(names.begin(), names.end());
    warnings.emplace_back(
        "not raced, or out of the race: " + base::first_items(list, kNamed, ", ") + ": " + why,
        why.starts_with("it failed") ? Gravity::kNote : Gravity::kBorne);
  }
  if (!alike.empty()) {
    const std::vector<std::string> list(alike.begin(), alike.end());
    warnings.emplace_back(count_text(list.size(), "algorithm") +
                              " did not race at some size where another one sends the same "
                              "messages, and races for both: " +
                              base::first_items(list, kNamed, ", "),
                          Gravity::kBorne);
  }
  return warnings;
}

std::string gap_words(const SwitchingGap& gap) {
  return gap.below.operation + ' ' + base::size_text(gap.below.size_bytes.value_or(0)) + " to " +
         base::size_text(gap.above.size_bytes.value_or(0)) + " on " +
         count_text(gap.below.ranks, "rank");
}

}  // namespace

std::string races_sentence(const TuneRaces& found) {
  if (!found.no_verdict.empty())
    return "No verdicts: " + found.no_verdict + ": " + found.scope + '.';
  const auto won = static_cast<std::size_t>(std::ranges::count_if(
      found.cells, [](const RacedCell& cell) { return cell.winner.has_value(); }));
  // A size half way that told nothing is not a cell of which anything is said.
  const auto told = static_cast<std::size_t>(
      std::ranges::count_if(found.cells, [](const RacedCell& cell) { return !cell.open(); }));
  const std::string ending = ": " + found.scope + looks_clause(found.looks) + '.';
  if (won == 0) {
    return "Nothing that can be made to run is surely more than " + percent_text(found.min_effect) +
           " faster than " + found.given() + " in " + count_text(told, "cell") + ending;
  }
  const RacedCell* most = nullptr;
  for (const RacedCell& cell : found.cells) {
    if (cell.gain() && (most == nullptr || *cell.gain() > *most->gain())) most = &cell;
  }
  std::string text = "Something is faster than " + found.given() + " in " + std::to_string(won) +
                     " of " + count_text(told, "cell");
  if (most != nullptr) {
    text += ", most of all in " + place_words(most->cell) + ": " +
            candidate_words(fastest(*most).candidate) + " takes " + percent_text(*most->gain()) +
            " less";
  }
  const auto left = static_cast<std::size_t>(std::ranges::count_if(
      found.gaps, [](const SwitchingGap& gap) { return !gap.between && gap.lost_at_both_ends(); }));
  if (left > 0) {
    text += "; it lost at both ends of " + count_text(left, "range") +
            " of sizes and stays in between, because nothing is surely faster at both";
  }
  return text + "; nothing of it is confirmed yet" + ending;
}

std::vector<Warning> gap_warnings(const TuneRaces& found) {
  std::vector<std::string> as_given;
  std::vector<std::string> taken;
  bool more_would_tell = false;  // where nobody has looked and the sizes are far apart
  for (const SwitchingGap& gap : found.gaps) {
    // So near to each other nobody looks any further, and at one of them the arm is as good.
    if (!gap.coarse() && (gap.between || !gap.lost_at_both_ends())) continue;
    if (gap.between) {
      taken.push_back(gap_words(gap) + " (" + candidate_words(*gap.between) + ')');
    } else {
      as_given.push_back(gap_words(gap));
      more_would_tell = more_would_tell || (gap.coarse() && !gap.tried);
    }
  }
  constexpr std::size_t kNamed = 3;
  std::vector<Warning> warnings;
  if (!as_given.empty()) {
    warnings.emplace_back(
        found.given() + " stays as it is between " + base::first_items(as_given, kNamed, ", ") +
        ": nothing is surely faster at both ends" +
        (more_would_tell ? "; a larger budget measures where the winner changes" : std::string()));
  }
  if (!taken.empty()) {
    warnings.emplace_back(
        "where the winner changes was not measured, and what is faster at both "
        "ends is written for the sizes in between: " +
        base::first_items(taken, kNamed, ", "));
  }
  return warnings;
}

Answer answer_of(const TuneRaces& found) {
  Answer answer{
      .question = "tune",
      .sentence = found.sentence,
      .scope = found.scope,
      .facts = {{"arms", arms_value(found.arms)},
                {"runtime", found.global_runtime ? "global" : "local"},
                {"alpha", found.alpha},
                {"min_effect", found.min_effect},
                {"comparisons", found.comparisons},
                {"has_confirmation", false}},
      .tables = {winners_table(found), entries_table(found.table), candidates_table(found)},
      .notes = {reading(found)},
      // A terminal shows only the first few warnings. These say what is written where nothing was
      // measured.
      .warnings = gap_warnings(found),
      .health = found.health};
  for (const auto& more : {found.warnings, left_warnings(found)}) {
    for (const Warning& warning : more) answer.warnings.push_back(warning);
  }
  if (!found.dir.empty()) {
    const std::string dir = base::shell_quoted(found.dir.string());
    answer.next = {{"data", dir}};
    if (status_of(found.health) != base::Exit::kDone) {
      answer.next.push_back({"go on", "invar run --resume -o " + dir});
    } else if (!found.table.empty()) {
      // Who ended the race by other means than `invar tune`, or took a file away, has none.
      if (!std::filesystem::exists(found.dir / kTableFile)) {
        answer.next.push_back({"files", "invar tune " + dir});
      }
      answer.next.push_back({"confirm", "invar tune --confirm " + dir});
    }
    answer.next.push_back({"every candidate", "invar tune " + dir + " --format json"});
    answer.next.push_back({"page", "invar report " + dir});
  }
  return answer;
}

}  // namespace invar::analysis
