#include "analysis/reproduce/reproduce.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "analysis/words/words.hpp"
#include "base/text.hpp"
#include "stats/describe/quantile.hpp"

namespace invar::analysis {
namespace {

constexpr std::size_t kNamed = 5;

using RepeatedValues = std::vector<std::optional<double>>;

bool is_usable(const std::optional<double>& value) {
  return value && *value > 0 && std::isfinite(*value);
}

// The values that there are, over the least of them.
std::vector<double> over_least(const RepeatedValues& values) {
  std::vector<double> there;
  for (const std::optional<double>& value : normalised(values)) {
    if (value) there.push_back(*value);
  }
  return there;
}

std::optional<Spread> spread_of(const RepeatedValues& values) {
  Spread spread;
  for (const std::optional<double>& value : values) {
    if (!is_usable(value)) continue;
    spread.least = spread.repeats == 0 ? *value : std::min(spread.least, *value);
    spread.largest = std::max(spread.largest, *value);
    ++spread.repeats;
  }
  if (spread.repeats < 2) return std::nullopt;
  spread.spread = (spread.largest - spread.least) / spread.least;
  spread.box = stats::tukey_box(over_least(values));
  return spread;
}

ReproducedCell cell_of(const MethodRepeats& method, std::size_t cell, std::size_t arm,
                       double min_effect) {
  ReproducedCell row{.cell = cell, .arm = arm};
  for (const RepeatValues& repeat : method.repeats) {
    const RepeatedValue& value = repeat.values.at(cell).at(arm);
    row.times_ns.push_back(is_usable(value.time_ns) ? value.time_ns : std::nullopt);
    if (!row.times_ns.back() && row.missing.empty()) {
      row.missing = value.missing.empty() ? "no time" : value.missing;
    }
    if (arm == 0) continue;
    row.ratios.push_back(is_usable(value.ratio) ? value.ratio : std::nullopt);
    if (method.taken == Taken::kAnswer) row.verdicts.push_back(value.verdict);
  }
  row.time = spread_of(row.times_ns);
  row.ratio = spread_of(row.ratios);
  row.winner_changed =
      row.ratio && row.ratio->largest > 1 + min_effect && row.ratio->least < 1 / (1 + min_effect);
  return row;
}

std::optional<SpreadSummary> summary_of(const std::vector<ReproducedCell>& cells,
                                        std::optional<Spread> ReproducedCell::*which,
                                        RepeatedValues ReproducedCell::*values,
                                        std::size_t repeats) {
  SpreadSummary summary;
  std::vector<double> over;
  std::vector<double> spreads;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::optional<Spread>& spread = cells[i].*which;
    if (!spread || spread->repeats < repeats) continue;
    if (spreads.empty() || spread->spread > summary.worst) {
      summary.worst = spread->spread;
      summary.worst_cell = i;
    }
    spreads.push_back(spread->spread);
    const std::vector<double> own = over_least(cells[i].*values);
    over.insert(over.end(), own.begin(), own.end());
  }
  if (spreads.empty()) return std::nullopt;
  summary.count = spreads.size();
  summary.median = stats::median_in_place(spreads);
  summary.box = stats::tukey_box(over);
  return summary;
}

void count_verdicts(ReproducedMethod& method) {
  std::size_t judged = 0;
  bool any = false;
  for (const ReproducedCell& row : method.cells) {
    if (row.verdicts.empty()) continue;
    const auto has = [&](stats::Verdict verdict) {
      return std::ranges::any_of(row.verdicts, [=](const auto& one) { return one == verdict; });
    };
    any = any || std::ranges::any_of(row.verdicts, [](const auto& one) { return one.has_value(); });
    // Two repeats that contradict each other do so whatever the others say.
    if (has(stats::Verdict::kFaster) && has(stats::Verdict::kSlower)) ++method.opposite_verdicts;
    if (std::ranges::any_of(row.verdicts, [](const auto& one) { return !one; })) continue;
    ++judged;
    const stats::Verdict first = *row.verdicts.front();
    const bool alike =
        std::ranges::all_of(row.verdicts, [=](const auto& one) { return one == first; });
    if (alike && first != stats::Verdict::kUndecided) ++method.decided_alike;
  }
  if (any) method.judged = judged;
}

ReproducedMethod reproduced_method(const MethodRepeats& input, std::size_t cells, std::size_t arms,
                                   double min_effect) {
  ReproducedMethod method{
      .name = input.name, .taken = input.taken, .shares_time = input.shares_time};
  for (const RepeatValues& repeat : input.repeats) method.machine_s.push_back(repeat.machine_s);
  method.cells.reserve(cells * arms);
  for (std::size_t cell = 0; cell < cells; ++cell) {
    for (std::size_t arm = 0; arm < arms; ++arm) {
      method.cells.push_back(cell_of(input, cell, arm, min_effect));
    }
  }
  const std::size_t repeats = input.repeats.size();
  method.times =
      summary_of(method.cells, &ReproducedCell::time, &ReproducedCell::times_ns, repeats);
  method.ratios =
      summary_of(method.cells, &ReproducedCell::ratio, &ReproducedCell::ratios, repeats);
  for (const ReproducedCell& row : method.cells) {
    if (!row.ratio || row.ratio->repeats < repeats) continue;
    ++method.comparisons;
    if (row.winner_changed) ++method.winners_changed;
  }
  if (input.taken == Taken::kAnswer) count_verdicts(method);
  return method;
}

// "osu, one run: no value in every repeat for bcast, 8 B, 2 ranks, of mpich (2 of 10: it failed)".
std::string missing_text(const Reproduced& result, const ReproducedMethod& method) {
  const record::CellTexts text(result.cells);
  std::vector<std::string> names;
  for (const ReproducedCell& row : method.cells) {
    if (row.missing.empty()) continue;
    const auto there = std::ranges::count_if(row.times_ns, [](const auto& t) { return !!t; });
    names.push_back(text(result.cells[row.cell]) + ", of " + result.arms[row.arm].label + " (" +
                    std::to_string(there) + " of " + std::to_string(row.times_ns.size()) + ": " +
                    row.missing + ")");
  }
  if (names.empty()) return {};
  return method.name + ": left out of its line, because not every repeat has a value: " +
         base::first_items(names, kNamed, "; ", "cell");
}

void check(const ReproduceInput& input) {
  for (const MethodRepeats& method : input.methods) {
    if (method.repeats.size() < 2 || method.repeats.size() != input.methods[0].repeats.size()) {
      throw std::invalid_argument("reproduce: two repeats or more, as many of each method");
    }
    for (const RepeatValues& repeat : method.repeats) {
      const bool fits = repeat.values.size() == input.cells.size() &&
                        std::ranges::all_of(repeat.values, [&](const auto& arms) {
                          return arms.size() == input.arms.size();
                        });
      if (!fits) throw std::invalid_argument("reproduce: a value for every cell and arm");
    }
  }
  if (input.methods.empty()) throw std::invalid_argument("reproduce: no method");
}

std::string spread_words(const std::optional<SpreadSummary>& summary) {
  return summary ? percent_text(summary->median) : std::string("an unknown amount");
}

std::string reproduce_sentence(const Reproduced& result) {
  const ReproducedMethod& ours = result.methods.front();
  std::string text = "Between " + std::to_string(result.repeats) + " repeats invar's times differ ";
  text += "by " + spread_words(ours.times) + " in the median cell";
  if (result.arms.size() > 1) text += ", its ratios by " + spread_words(ours.ratios);
  const bool own_time = std::ranges::any_of(result.methods, [](const ReproducedMethod& method) {
    return method.taken != Taken::kAnswer && !method.shares_time;
  });
  std::vector<std::string> others;
  for (const ReproducedMethod& method : result.methods) {
    if (method.taken == Taken::kAnswer || !method.times) continue;
    // What our own visits give as well is told by the table.
    if (method.shares_time && own_time) continue;
    const std::string words = percent_text(method.times->median);
    if (method.taken == Taken::kOneRun) {
      others.push_back(method.name + "'s by " + words);
    } else if (!others.empty() && others.back().starts_with(method.name + "'s")) {
      others.back() += " (same time: " + words + ")";
    }
  }
  if (!others.empty()) text += "; the times that one run reports: " + list_text(others);
  if (ours.judged && *ours.judged > 0) {
    text +=
        "; " + std::string(ours.opposite_verdicts == 0 ? "no" : "contrary") + " verdicts of " +
        "invar contradict each other" +
        (ours.opposite_verdicts == 0 ? ""
                                     : " in " + count_text(ours.opposite_verdicts, "comparison"));
  }
  return text + ".";
}

}  // namespace

std::vector<std::optional<double>> normalised(const std::vector<std::optional<double>>& values) {
  std::optional<double> least;
  for (const std::optional<double>& value : values) {
    if (is_usable(value)) least = least ? std::min(*least, *value) : *value;
  }
  std::vector<std::optional<double>> over;
  over.reserve(values.size());
  for (const std::optional<double>& value : values) {
    over.push_back(least && is_usable(value) ? std::optional(*value / *least) : std::nullopt);
  }
  return over;
}

std::string_view taken_name(Taken taken) {
  switch (taken) {
    case Taken::kAnswer:
      return "answer";
    case Taken::kOneRun:
      return "one-run";
    case Taken::kSameTime:
      break;
  }
  return "same-time";
}

std::string method_text(const std::string& name, Taken taken) {
  if (taken == Taken::kAnswer) return name;
  return name + (taken == Taken::kOneRun ? ", one run" : ", same time");
}

Reproduced reproduce(ReproduceInput input) {
  check(input);
  Reproduced result{.repeats = input.methods.front().repeats.size(),
                    .min_effect = input.min_effect,
                    .cells = std::move(input.cells),
                    .arms = std::move(input.arms)};
  for (const MethodRepeats& method : input.methods) {
    result.methods.push_back(
        reproduced_method(method, result.cells.size(), result.arms.size(), input.min_effect));
  }
  result.sentence = reproduce_sentence(result);
  for (const ReproducedMethod& method : result.methods) {
    // The mean lacks a value exactly where the first run does.
    if (method.taken == Taken::kSameTime) continue;
    if (std::string text = missing_text(result, method); !text.empty()) {
      result.warnings.emplace_back(std::move(text));
    }
  }
  return result;
}

}  // namespace invar::analysis
