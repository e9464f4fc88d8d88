// A confirmation as an answer: before and after, what stays, how the file is used.
#include <algorithm>
#include <utility>

#include "analysis/compare/compared_table.hpp"
#include "analysis/questions/question_row.hpp"
#include "analysis/study/times.hpp"
#include "analysis/tuning/confirmation.hpp"
#include "analysis/tuning/tuned_dir.hpp"
#include "analysis/tuning/tuned_use.hpp"
#include "analysis/tuning/tuning_words.hpp"
#include "analysis/words/words.hpp"
#include "base/text.hpp"
#include "base/units.hpp"

namespace invar::analysis {
namespace {

Word effect_word(const ConfirmedCell& cell) {
  const std::optional<Effect> effect = cell.effect();
  if (!effect) return {.words = "no verdict"};
  const std::string name(to_string(*effect));
  switch (*effect) {
    case Effect::kGains:
      return {.name = name, .words = "gains, stays"};
    case Effect::kGainsLess:
      return {.name = name, .words = "gains less, dropped"};
    case Effect::kSame:
      return {.name = name, .words = "no entry, not slower"};
    case Effect::kSlower:
      return {.name = name, .words = cell.entry ? "slower, dropped" : "no entry, slower"};
    case Effect::kUndecided:
      break;
  }
  if (!cell.entry) return {.name = name, .words = "no entry, undecided"};
  if (!cell.stays) return {.name = name, .words = "undecided"};
  return {.name = name,
          .words = *cell.stays ? "undecided this time, stays: confirmed before"
                               : "undecided, not in the file yet"};
}

TidyTable cells_table(const Confirmation& found) {
  TidyTable table{
      .id = "confirmed",
      .columns = {{.name = "cell", .kind = Kind::kCell},
                  {.name = "entry"},
                  {.name = "before_ns",
                   .kind = Kind::kTime,
                   .low = "before_low_ns",
                   .high = "before_high_ns"},
                  {.name = "before_low_ns", .kind = Kind::kTime},
                  {.name = "before_high_ns", .kind = Kind::kTime},
                  {.name = "after_ns",
                   .kind = Kind::kTime,
                   .low = "after_low_ns",
                   .high = "after_high_ns"},
                  {.name = "after_low_ns", .kind = Kind::kTime},
                  {.name = "after_high_ns", .kind = Kind::kTime},
                  {.name = "gain", .kind = Kind::kShare, .low = "gain_low", .high = "gain_high"},
                  {.name = "gain_low", .kind = Kind::kShare},
                  {.name = "gain_high", .kind = Kind::kShare},
                  {.name = "gain_ns", .kind = Kind::kTime},
                  {.name = "groups", .kind = Kind::kCount},
                  {.name = "p", .kind = Kind::kP},
                  {.name = "p_adjusted", .kind = Kind::kP},
                  {.name = "effect", .kind = Kind::kVerdict},
                  {.name = "stays", .kind = Kind::kYesNo},
                  {.name = "look", .kind = Kind::kCount}},
      .shown = {{.column = "cell"},
                {.header = "before", .column = "before_ns"},
                {.header = "after", .column = "after_ns"},
                {.header = "gain", .column = "gain"},
                {.header = "a call", .column = "gain_ns"},
                {.header = "entry", .column = "entry", .absent = "-"},
                {.header = "", .column = "effect"}}};
  for (const ConfirmedCell& cell : found.cells) {
    std::vector<Value> values{cell.sides.cell,
                              cell.entry ? Value(tuning::to_string(*cell.entry)) : Value()};
    append_time(values, cell.sides.time_a);
    append_time(values, cell.sides.time_b);
    values.emplace_back(cell.gain());
    append_interval(values, cell.gain_interval());
    values.emplace_back(cell.gain_ns());
    values.emplace_back(cell.sides.launches);
    values.emplace_back(cell.sides.p);
    values.emplace_back(cell.sides.p_adjusted);
    values.emplace_back(effect_word(cell));
    values.emplace_back(cell.stays);
    values.emplace_back(cell.sides.look);
    table.rows.push_back(std::move(values));
  }
  return table;
}

std::string reading(const Confirmation& found) {
  EstimateWords estimates;
  for (const ConfirmedCell& cell : found.cells) {
    estimates.add(cell.sides.time_a);
    estimates.add(cell.sides.time_b);
  }
  std::string text = "times: " + runtime_words(found.global_runtime) + ", " + estimates.text() +
                     " over groups, " + percent_text(1 - found.alpha) +
                     "; gain: what a call takes less of its time before, paired by turns";
  if (!found.no_verdict.empty()) {
    return text + "; nothing is judged, and the intervals are of each row by itself";
  }
  text += "; an entry gains where the lower end is above " + percent_text(found.min_effect) +
          " (of an undecided one the interval is of its row by itself, without the correction)";
  if (found.comparisons > 0) {
    text += "; corrected for " + count_text(found.comparisons, "comparison");
    if (!found.looks.empty()) text += " at every look";
  }
  return text;
}

// The cell that gains most of its time; null: none gains.
const ConfirmedCell* best_gain(const Confirmation& found) {
  const ConfirmedCell* best = nullptr;
  for (const ConfirmedCell& cell : found.cells) {
    if (cell.effect() != Effect::kGains) continue;
    if (best == nullptr || cell.gain().value_or(0) > best->gain().value_or(0)) best = &cell;
  }
  return best;
}

std::string gain_range(const Confirmation& found) {
  double least = 1;
  double most = 0;
  for (const ConfirmedCell& cell : found.cells) {
    if (cell.effect() != Effect::kGains) continue;
    least = std::min(least, cell.gain().value_or(0));
    most = std::max(most, cell.gain().value_or(0));
  }
  const std::string low = percent_text(least);
  const std::string high = percent_text(most);
  return low == high ? low : low + " to " + high;
}

// What a call takes more where the tuned arm is slower although no entry holds: the way past the
// shim, or the library's own way through its rules.
std::string slower_clause(const Confirmation& found) {
  std::size_t slower = 0;
  std::size_t without_entry = 0;
  double most_ns = 0;
  for (const ConfirmedCell& cell : found.cells) {
    if (cell.effect() != Effect::kSlower) continue;
    ++slower;
    if (cell.entry) continue;
    ++without_entry;
    if (const std::optional<double> gain_ns = cell.gain_ns())
      most_ns = std::max(most_ns, -*gain_ns);
  }
  if (slower == 0) return "; no cell is seen to be slower";
  std::string text = "; " + count_text(slower, "cell") + (slower == 1 ? " is" : " are") + " slower";
  if (without_entry == 0) return text;
  text +=
      without_entry < slower ? ", " + std::to_string(without_entry) + " of them" : std::string(",");
  return text + " without an entry and by at most " + base::duration_text(most_ns) + " a call";
}

// What becomes of entries that are not seen to gain.
std::string entries_clause(const Confirmation& found) {
  std::size_t dropped = 0;
  std::size_t stay = 0;  // undecided, as all that follow
  std::size_t open = 0;
  std::size_t unknown = 0;  // asked alone
  for (const ConfirmedCell& cell : found.cells) {
    const std::optional<Effect> effect = cell.effect();
    if (!cell.entry || !effect || effect == Effect::kGains) continue;
    if (effect != Effect::kUndecided) {
      ++dropped;
    } else {
      ++(!cell.stays ? unknown : *cell.stays ? stay : open);
    }
  }
  std::string text;
  if (dropped > 0) text += "; the entries of " + count_text(dropped, "cell") + " are dropped";
  if (stay > 0) {
    text += "; those of " + count_text(stay, "cell") +
            " are undecided this time and stay, because they were confirmed before";
  }
  if (open > 0) {
    text += "; those of " + count_text(open, "cell") +
            " are undecided, and not kept until a confirmation with more time decides";
  }
  if (unknown > 0) text += "; those of " + count_text(unknown, "cell") + " are undecided";
  return text;
}

}  // namespace

std::string confirmation_sentence(const Confirmation& found) {
  const std::string ending = ": " + found.scope + looks_clause(found.looks) + '.';
  if (!found.no_verdict.empty()) return "No verdicts: " + found.no_verdict + ending;
  const auto with_entry = static_cast<std::size_t>(std::ranges::count_if(
      found.cells, [](const ConfirmedCell& cell) { return cell.entry.has_value(); }));
  const std::size_t gains = found.count(Effect::kGains);
  const std::string given = found.arms.empty() ? "the arm" : found.arms.front().label;
  std::string text;
  if (gains == 0) {
    text = "The tuned file gains nothing that is sure: none of " + count_text(with_entry, "cell") +
           " with an entry is more than " + percent_text(found.min_effect) + " faster than " +
           given;
  } else {
    const ConfirmedCell& best = *best_gain(found);
    text = "The tuned file gains " + gain_range(found) + " of " + given + "'s time in " +
           std::to_string(gains) + " of " + count_text(with_entry, "cell") +
           " with an entry, most in " + place_words(best.sides.cell);
    if (best.gain_ns()) text += ": " + base::duration_text(*best.gain_ns()) + " a call";
  }
  text += slower_clause(found);
  return text + entries_clause(found) + ending;
}

Answer answer_of(const Confirmation& found) {
  Answer answer{.question = "tune-confirm",
                .sentence = found.sentence,
                .scope = found.scope,
                .facts = {{"arms", arms_value(found.arms)},
                          {"runtime", found.global_runtime ? "global" : "local"},
                          {"alpha", found.alpha},
                          {"min_effect", found.min_effect},
                          {"comparisons", found.comparisons},
                          {"has_confirmation", true}},
                .tables = {cells_table(found), entries_table(found.confirmed)},
                .notes = {reading(found)},
                .warnings = found.warnings,
                .health = found.health};
  if (found.arms.size() == 2) {
    answer.tables.push_back(use_table(use_of(found.arms.front(), found.arms.back())));
  }
  if (!found.dir.empty()) {
    const std::string dir = base::shell_quoted(found.dir.string());
    answer.next = {{"data", dir}};
    if (status_of(found.health) != base::Exit::kDone) {
      answer.next.push_back({"go on", "invar run --resume -o " + dir});
    }
    answer.next.push_back({"page", "invar report " + dir});
  }
  return answer;
}

QuestionRow tune_confirm_row() {
  return {design::Question::kTuneConfirm, confirmation_lack,
          [](const Study& study, Detail) {
            Confirmation found = confirmation(study);
            Answer answer = answer_of(found);
            return Answered{.answer = std::move(answer), .found = std::move(found)};
          },
          [](const Study& study) {
            return study.campaign().entries.empty() ? OnPage::kNo : OnPage::kExpected;
          }};
}

}  // namespace invar::analysis
