#include "analysis/questions/sync_bias.hpp"

#include <algorithm>

#include "analysis/compare/compare.hpp"
#include "analysis/compare/method_table.hpp"
#include "analysis/words/sync_words.hpp"
#include "analysis/words/where.hpp"
#include "analysis/words/words.hpp"

namespace invar::analysis {
namespace {

// The smallest and the largest ratio of one pair of arms in one place.
struct Extremes {
  const ComparedCell* least = nullptr;
  const ComparedCell* most = nullptr;
  bool contradict = false;  // one arm is faster in one row, the other one in another
  std::size_t rows = 0;

  [[nodiscard]] double factor() const { return *most->ratio / *least->ratio; }
  [[nodiscard]] bool apart() const {
    return least->ratio_interval && most->ratio_interval &&
           least->ratio_interval->high < most->ratio_interval->low;
  }
};

bool same_pair(const ComparedCell& a, const ComparedCell& b) {
  return a.arm_a == b.arm_a && a.arm_b == b.arm_b;
}

std::vector<record::Cell> cells_of(const SyncBias& bias) {
  std::vector<record::Cell> cells;
  for (const SyncBiasRow& row : bias.rows) cells.push_back(row.compared.cell);
  return cells;
}

std::vector<Extremes> extremes_of(const SyncBias& bias) {
  std::vector<Extremes> all;
  for (const std::vector<std::size_t>& place : by_place(cells_of(bias))) {
    std::vector<Extremes> pairs;
    for (const std::size_t i : place) {
      const ComparedCell& row = bias.rows[i].compared;
      if (!row.ratio || row.regime) continue;
      auto pair = std::ranges::find_if(
          pairs, [&](const Extremes& known) { return same_pair(*known.least, row); });
      if (pair == pairs.end()) {
        pairs.push_back({.least = &row, .most = &row});
        pair = std::prev(pairs.end());
      }
      ++pair->rows;
      if (*row.ratio < *pair->least->ratio) pair->least = &row;
      if (*row.ratio > *pair->most->ratio) pair->most = &row;
    }
    for (Extremes& pair : pairs) {
      const auto any = [&](stats::Verdict verdict) {
        return std::ranges::any_of(place, [&](std::size_t i) {
          const ComparedCell& row = bias.rows[i].compared;
          return same_pair(row, *pair.least) && row.verdict == verdict;
        });
      };
      pair.contradict = any(stats::Verdict::kFaster) && any(stats::Verdict::kSlower);
      if (pair.rows > 1) all.push_back(pair);
    }
  }
  return all;
}

// "for allreduce 8 B ", where there is more than one place.
std::string place_words(const SyncBias& bias, const record::Cell& cell) {
  std::vector<record::Cell> places;
  const std::vector<record::Cell> cells = cells_of(bias);
  for (const std::vector<std::size_t>& place : by_place(cells)) {
    places.push_back(place_of(cells[place.front()]));
  }
  if (places.size() < 2) return {};
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (places[i].same_levels(place_of(cell))) {
      return "for " + list_text(CellWords(places).items({i})) + " ";
    }
  }
  return {};
}

std::string ratio_clause(const SyncBias& bias) {
  const std::vector<Extremes> all = extremes_of(bias);
  if (all.empty()) return "One synchronisation alone does not tell what depends on it";
  // Those that differ beyond chance before those that do not.
  const Extremes& widest = *std::ranges::max_element(
      all, {}, [](const Extremes& pair) { return std::pair(pair.apart(), pair.factor()); });
  const std::vector<record::Cell> cells = cells_of(bias);
  std::string text;
  if (widest.least->this_launch_only) {
    text = "One launch group does not tell whether the answer depends on the synchronisation: ";
  } else if (widest.apart()) {
    text = "The answer depends on the synchronisation: ";
  } else {
    text = "The answer was not seen to depend on the synchronisation: ";
  }
  text += place_words(bias, widest.least->cell) + widest.least->arm_b + " takes " +
          ratio_words(*widest.least->ratio) + " (" + sync_text(widest.least->cell, cells) +
          ") to " + ratio_words(*widest.most->ratio) + " (" + sync_text(widest.most->cell, cells) +
          ") times as long as " + widest.least->arm_a + ", a factor of " +
          ratio_words(widest.factor());
  if (widest.contradict) text += ", and which of them is faster depends on it";
  if (!widest.apart() && !widest.least->this_launch_only) {
    text += ", but the intervals of both overlap";
  }
  return text;
}

std::string modes_clause(const SyncBias& bias) {
  std::vector<bool> one;
  for (const SyncBiasRow& row : bias.rows) {
    one.push_back(row.a.repetitions.one_mode() && row.b.repetitions.one_mode());
  }
  const std::vector<std::string> names = sync_list(cells_of(bias), one);
  if (names.empty())
    return "no synchronisation gives one mode in at least three quarters of every arm's visits";
  if (std::ranges::all_of(one, std::identity())) {
    return "all of them give one mode in at least three quarters of every arm's visits";
  }
  return "only " + list_text(names) + (names.size() == 1 ? " gives" : " give") +
         " one mode in at least three quarters of every arm's visits";
}

}  // namespace

std::string sync_bias_sentence(const SyncBias& bias) {
  std::string text;
  if (!bias.comparison.no_verdict.empty()) {
    text = "No verdicts: " + bias.comparison.no_verdict + ". ";
  }
  return text + ratio_clause(bias) + "; " + modes_clause(bias) + ": " + bias.comparison.scope + ".";
}

SyncBias sync_bias(const Study& study) {
  SyncBias bias;
  bias.comparison = compare(study);
  const store::Data& data = study.data();
  const bool global = bias.comparison.global_runtime;
  const Summaries& summaries = summaries_by_method(study);
  const CellTable table = sort_visits(summaries.visits, data.cells.size(), data.arms.size());
  const auto shape = [&](const ComparedCell& row, const std::string& label) {
    const auto arm = std::ranges::find(data.arms, label, &store::ArmRecord::label);
    const CellVisits& visits =
        table[cell_index(data, row.cell.id)][static_cast<std::size_t>(arm - data.arms.begin())];
    return ArmShape{.repetitions = visit_shape(visits, global),
                    .sd_visits = sd_between_visits(visits)};
  };
  for (const ComparedCell& row : bias.comparison.cells) {
    if (row.regime) continue;
    bias.rows.push_back({.compared = row, .a = shape(row, row.arm_a), .b = shape(row, row.arm_b)});
  }
  bias.sentence = sync_bias_sentence(bias);
  return bias;
}

}  // namespace invar::analysis
