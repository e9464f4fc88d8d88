#include "analysis/compare/several_arms.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "analysis/compare/compared_table.hpp"
#include "analysis/compare/compared_times.hpp"
#include "analysis/words/numbers.hpp"
#include "analysis/words/words.hpp"
#include "base/text.hpp"
#include "base/units.hpp"

namespace invar::analysis {
namespace {

// Tidy tables need a name for every column; a label may be called like one.
std::string column_of(const std::string& label) { return "arm " + label; }

std::string best_text(const BestArms& best) {
  return best.arms.size() == best.contenders ? "no difference" : base::join(best.arms, ", ");
}

const BestArms* best_of(const Comparison& comparison, const record::Cell& cell) {
  const auto found = std::ranges::find_if(
      comparison.best, [&](const BestArms& best) { return best.cell.same_levels(cell); });
  return found == comparison.best.end() ? nullptr : &*found;
}

std::string plain_time(const std::optional<TimeEstimate>& time) {
  return time ? base::duration_text(time->median_ns) : "-";
}

bool is_weighed(const ComparedCell& row) { return row.doubt == Doubt::kWeighs; }

// " (3.42 GB/s)"; nothing where no byte is moved.
std::string bandwidth_text(const std::optional<double>& bytes,
                           const std::optional<TimeEstimate>& time) {
  const std::optional<double> bandwidth = moved_gb_s(bytes, time);
  return bandwidth ? " (" + ratio_text(*bandwidth, {}).estimate + " GB/s)" : std::string();
}

// "0.355 us x1.61", "0.219 us x1.00 =", "0.224 us x1.02 ?", "0.301 us x1.10 !". `reference`: the
// time of the reference that the line prints; a pair that was decided earlier rests on other
// groups, in which the reference took something else: "0.733 us of 0.590 us x1.24".
std::string against_reference(const ComparedCell& row, const std::string& reference,
                              bool with_bandwidth) {
  std::string text = plain_time(row.time_b);
  if (with_bandwidth) text += bandwidth_text(row.moved_b, row.time_b);
  if (const std::string own = plain_time(row.time_a); own != reference) text += " of " + own;
  if (row.ratio) text += " x" + ratio_words(*row.ratio);
  if (row.verdict == stats::Verdict::kEquivalent) text += " =";
  if (row.verdict == stats::Verdict::kUndecided) text += " ?";
  return is_weighed(row) ? text + " !" : text;
}

}  // namespace

TidyTable winners_table(const Comparison& comparison) {
  std::set<std::uint64_t> sizes;
  std::vector<record::Cell> places;
  for (const BestArms& best : comparison.best) {
    if (!best.cell.size_bytes) continue;
    sizes.insert(*best.cell.size_bytes);
    record::Cell place = best.cell;
    place.size_bytes.reset();
    const auto same = [&](const record::Cell& other) { return other.same_levels(place); };
    if (std::ranges::none_of(places, same)) places.push_back(std::move(place));
  }
  TidyTable table{.title = "Fastest, or not to be told from the fastest",
                  .columns = {{.name = "cell", .kind = Kind::kCell}},
                  .shown = {{.column = "cell"}}};
  if (sizes.size() < 2) return table;
  for (const std::uint64_t size_bytes : sizes) {
    const std::string name = base::size_text(size_bytes);
    table.columns.push_back({.name = name});
    table.shown.push_back({.header = name, .column = name});
  }
  for (const record::Cell& place : places) {
    std::vector<Value> row{place};
    for (const std::uint64_t size_bytes : sizes) {
      record::Cell cell = place;
      cell.size_bytes = size_bytes;
      const BestArms* best = best_of(comparison, cell);
      row.emplace_back(best == nullptr ? Value() : Value(best_text(*best)));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

TidyTable arms_table(const Comparison& comparison) {
  TidyTable table{.columns = {{.name = "cell", .kind = Kind::kCell}, {.name = "regime"}},
                  .shown = {{.column = "cell"}}};
  if (std::ranges::any_of(comparison.cells,
                          [](const auto& row) { return row.regime.has_value(); })) {
    table.shown.push_back({.header = "regime", .column = "regime"});
  }
  const bool times = name_times(comparison.cells);
  if (times) {
    table.columns.push_back({.name = "time"});
    table.shown.push_back({.header = "time", .column = "time"});
  }
  for (const std::string& side : sides_of(comparison)) {
    table.columns.push_back({.name = column_of(side)});
    table.shown.push_back({.header = side, .column = column_of(side)});
  }
  table.columns.push_back({.name = "fastest"});
  table.shown.push_back({.header = "fastest", .column = "fastest"});
  const auto put = [&](const std::string& label, std::string text) {
    table.rows.back().at(column_index(table, column_of(label))) = Value(std::move(text));
  };
  const ComparedCell* before = nullptr;
  std::string reference;
  for (const ComparedCell& row : comparison.cells) {
    // Rows of a cell follow one another, those of its reference first.
    if (before == nullptr || !before->cell.same_levels(row.cell) || before->regime != row.regime) {
      table.rows.emplace_back(table.columns.size());
      table.rows.back()[0] = row.cell;
      table.rows.back()[1] = row.regime;
      if (times) table.rows.back()[2] = row.time_name;
      reference = plain_time(row.time_a);
      put(row.arm_a, comparison.has_bandwidth ? reference + bandwidth_text(row.moved_a, row.time_a)
                                              : reference);
      const BestArms* best = row.regime ? nullptr : best_of(comparison, row.cell);
      if (best != nullptr) table.rows.back().back() = Value(best_text(*best));
    }
    before = &row;
    put(row.arm_b, against_reference(row, reference, comparison.has_bandwidth));
  }
  return table;
}

std::string arms_legend(const Comparison& comparison) {
  const std::string first = sides_of(comparison).front();
  return "x1.30: took 1.30 times as long as " + first +
         (comparison.sequential ? " (in the groups until it was decided; of: " + first +
                                      "'s time in these, where it is another one)"
                                : "") +
         "; = equivalent, ? undecided" +
         (std::ranges::any_of(comparison.cells, is_weighed)
              ? ", ! a few groups weigh: the times do not give the ratio"
              : "");
}

}  // namespace invar::analysis
