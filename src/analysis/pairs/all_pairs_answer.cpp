// All pairs as an answer: the matrix of both directions, the pairs that stand out, and what all
// move together; the question `all-pairs`.
#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include "analysis/compare/compared_table.hpp"
#include "analysis/pairs/all_pairs.hpp"
#include "analysis/questions/question_row.hpp"
#include "analysis/words/cell_columns.hpp"
#include "analysis/words/numbers.hpp"
#include "analysis/words/words.hpp"
#include "base/text.hpp"
#include "base/units.hpp"

namespace invar::analysis {
namespace {

// On a terminal; a page has all of them.
constexpr std::uint32_t kMatrixRanks = 12;
constexpr std::size_t kMatrices = 6;
constexpr std::size_t kSlowest = 8;

std::string short_cell_name(const record::Cell& cell) {
  return cell.operation + (cell.size_bytes ? " " + base::size_text(*cell.size_bytes) : "");
}

std::vector<const PairRow*> rows_of_arm(const AllPairs& found, const std::string& arm) {
  std::vector<const PairRow*> rows;
  for (const PairRow& row : found.rows) {
    if (row.arm == arm) rows.push_back(&row);
  }
  return rows;
}

// Those that stand out first, then by their ratio; without one last.
std::vector<const PairRow*> slowest_first(std::vector<const PairRow*> rows) {
  std::ranges::stable_sort(rows, [](const PairRow* a, const PairRow* b) {
    return std::pair(a->against.stands_out(), a->against.ratio.value_or(0)) >
           std::pair(b->against.stands_out(), b->against.ratio.value_or(0));
  });
  return rows;
}

std::size_t cells_in(const std::vector<const PairRow*>& rows) {
  std::vector<const record::Cell*> cells;
  for (const PairRow* row : rows) {
    const bool known = std::ranges::any_of(
        cells, [&](const record::Cell* cell) { return cell->same_levels(row->cell); });
    if (!known) cells.push_back(&row->cell);
  }
  return cells.size();
}

struct PairWords {
  bool cell = false;    // there are several
  bool figures = true;  // false: by how much it is slower means nothing
};

// "rank 1 to rank 2, 1.30 [1.28, 1.33] times the median"; of both directions "ranks 1 and 2".
std::string slow_pair_words(const PairRow& row, const PairWords& with) {
  std::string words = row.both_ways ? "ranks " + pair_name(row.pair, " and ")
                                    : "rank " + pair_name(row.pair, " to rank ");
  if (with.cell) words += " (" + short_cell_name(row.cell) + ")";
  if (!with.figures) return words;
  const EstimateText text = ratio_text(*row.against.ratio, row.against.interval);
  return words + ", " + text.estimate + (text.interval.empty() ? "" : " " + text.interval) +
         " times the median";
}

// Each once, in however many cells it is. Where some cell has both directions together, a pair is
// two ranks whatever their order.
std::size_t pairs_in(const std::vector<const PairRow*>& rows, bool directed) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (const PairRow* row : rows) {
    const record::RankPair& pair = row->pair;
    const bool turned = !directed && pair.from > pair.to;
    pairs.emplace(turned ? pair.to : pair.from, turned ? pair.from : pair.to);
  }
  return pairs.size();
}

bool are_directed(const std::vector<const PairRow*>& rows) {
  return std::ranges::none_of(rows, [](const PairRow* row) { return row->both_ways; });
}

// "12 directed pairs in 2 cells", "6 pairs".
std::string counted_pairs(const std::vector<const PairRow*>& rows) {
  const std::size_t cells = cells_in(rows);
  const bool directed = are_directed(rows);
  return count_text(pairs_in(rows, directed), directed ? "directed pair" : "pair") +
         (cells > 1 ? " in " + std::to_string(cells) + " cells" : "");
}

// The first `count` of the slowest.
std::string named_pairs(const std::vector<const PairRow*>& rows, std::size_t count, bool figures) {
  constexpr std::size_t kNamed = 3;
  std::vector<const PairRow*> sorted = slowest_first(rows);
  const PairWords with{.cell = cells_in(rows) > 1, .figures = figures};
  std::vector<std::string> named;
  for (std::size_t i = 0; i < count; ++i) named.push_back(slow_pair_words(*sorted[i], with));
  sorted.resize(count);
  const std::size_t slow = pairs_in(sorted, are_directed(rows));
  return std::to_string(slow) + " of " + counted_pairs(rows) + (slow == 1 ? " is" : " are") +
         " slower than the others: " + base::first_items(named, kNamed, "; ");
}

// Nobody is slower by more than this: the smallest effect, and what the clocks may hide.
double told_from(const AllPairs& found, const std::vector<const PairRow*>& rows) {
  double slack = 0;
  for (const PairRow* row : rows) slack = std::max(slack, row->slack);
  return found.frame.tolerance + slack;
}

std::string pairs_clause(const AllPairs& found, const std::string& arm) {
  const std::vector<const PairRow*> rows = rows_of_arm(found, arm);
  const auto count_of = [&rows](auto holds) {
    return static_cast<std::size_t>(
        std::ranges::count_if(rows, [&](const PairRow* row) { return holds(row->against); }));
  };
  const std::size_t slow = count_of([](const stats::Outlier& one) { return one.stands_out(); });
  const std::size_t compared =
      count_of([](const stats::Outlier& one) { return one.ratio.has_value(); });
  const std::size_t tested =
      count_of([](const stats::Outlier& one) { return one.p_adjusted.has_value(); });
  const std::size_t even =
      count_of([](const stats::Outlier& one) { return one.verdict == stats::Verdict::kHolds; });
  const bool figures = found.frame.no_verdict.empty();
  if (slow > 0) return arm + ": " + named_pairs(rows, slow, figures);
  if (compared == 0) {
    return arm + ": " + counted_pairs(rows) + ", too few to compare: of " +
           (are_directed(rows) ? "each direction " : "a kind ") +
           std::to_string(stats::kFewestAlike) + " are needed (3 ranks have as many)";
  }
  const std::string by = " by more than " + percent_text(told_from(found, rows));
  if (tested == 0) {
    const PairRow& first = *slowest_first(rows).front();
    return arm + ": nothing is tested on one launch group; slowest of " + counted_pairs(rows) +
           " is " + slow_pair_words(first, {.cell = cells_in(rows) > 1, .figures = figures});
  }
  if (even == rows.size()) {
    return arm + ": none of " + counted_pairs(rows) + " is slower than the others" + by;
  }
  return arm + ": none of " + counted_pairs(rows) + " can be told to be slower than the others" +
         by + " (" + std::to_string(rows.size() - even) + " open)";
}

TidyTable all_pairs_table(const AllPairs& found) {
  TidyTable table{
      .id = "pairs",
      .columns = {
          {.name = "arm"},
          {.name = "cell", .kind = Kind::kCell},
          {.name = "pair"},
          {.name = "from", .kind = Kind::kCount},
          {.name = "to", .kind = Kind::kCount},
          {.name = "both_ways", .kind = Kind::kYesNo},
          {.name = "at_once", .kind = Kind::kCount},
          {.name = "one_host", .kind = Kind::kYesNo},
          {.name = "launches", .kind = Kind::kCount},
          {.name = "time_ns", .kind = Kind::kTime, .low = "time_low_ns", .high = "time_high_ns"},
          {.name = "time_low_ns", .kind = Kind::kTime},
          {.name = "time_high_ns", .kind = Kind::kTime},
          {.name = "bandwidth_gb_s",
           .kind = Kind::kBandwidth,
           .low = "bandwidth_low_gb_s",
           .high = "bandwidth_high_gb_s"},
          {.name = "bandwidth_low_gb_s", .kind = Kind::kBandwidth},
          {.name = "bandwidth_high_gb_s", .kind = Kind::kBandwidth},
          {.name = "clocks_ns", .kind = Kind::kTime},
          {.name = "ratio", .kind = Kind::kRatio, .low = "ratio_low", .high = "ratio_high"},
          {.name = "ratio_low", .kind = Kind::kRatio},
          {.name = "ratio_high", .kind = Kind::kRatio},
          {.name = "p_adjusted", .kind = Kind::kP},
          {.name = "outlier", .kind = Kind::kYesNo}}};
  for (const PairRow& row : found.rows) {
    std::vector<Value> values{
        row.arm,       row.cell,     pair_name(row.pair, row.both_ways ? " and " : " to "),
        row.pair.from, row.pair.to,  row.both_ways,
        row.at_once,   row.one_host, row.groups};
    append_time(values, row.time);
    values.emplace_back(row.bandwidth ? Value(row.bandwidth->value) : Value());
    append_interval(values, row.bandwidth ? row.bandwidth->interval : std::nullopt);
    values.emplace_back(row.clocks_ns > 0 ? Value(row.clocks_ns) : Value());
    values.emplace_back(row.against.ratio);
    append_interval(values, row.against.interval);
    values.emplace_back(row.against.p_adjusted);
    values.emplace_back(row.against.stands_out());
    table.rows.push_back(std::move(values));
  }
  return table;
}

// Some of the rows of `pairs`, for a terminal.
TidyTable slowest_table(const AllPairs& found, const TidyTable& pairs) {
  TidyTable table{.title = "The slowest pairs, against the median of comparable ones",
                  .columns = pairs.columns};
  std::vector<const PairRow*> all;
  for (const PairRow& row : found.rows) {
    if (row.against.ratio) all.push_back(&row);
  }
  for (const PairRow* row : slowest_first(std::move(all))) {
    if (table.rows.size() >= kSlowest && !row->against.stands_out()) break;
    table.rows.push_back(pairs.rows[static_cast<std::size_t>(row - found.rows.data())]);
  }
  if (table.rows.empty()) return table;
  if (found.frame.arms.size() > 1) table.shown.push_back({.header = "arm", .column = "arm"});
  table.shown.push_back({.column = "cell"});
  table.shown.push_back({.header = "ranks", .column = "pair"});
  table.shown.push_back({.header = "time", .column = "time_ns"});
  table.shown.push_back({.header = "GB/s", .column = "bandwidth_gb_s", .absent = "-"});
  table.shown.push_back({.header = "of the median", .column = "ratio"});
  table.shown.push_back({.header = "p", .column = "p_adjusted", .absent = "not testable"});
  table.shown.push_back({.header = "slower", .column = "outlier"});
  return table;
}

// Nobody asks for a rate of smaller messages.
constexpr std::uint64_t kLeastForRates = 1024;

// "from the rank of the row to the rank of the column", and what cannot be told of that.
std::string matrix_directions(const std::vector<const PairRow*>& rows) {
  const bool both = std::ranges::all_of(rows, [](const PairRow* row) { return row->both_ways; });
  double clocks_ns = 0;
  for (const PairRow* row : rows) clocks_ns = std::max(clocks_ns, row->clocks_ns);
  const std::string apart = base::duration_text(clocks_ns);
  if (both) return "mean of both directions (their clocks agree up to " + apart + ")";
  return "from the rank of the row to the rank of the column" +
         (clocks_ns > 0 ? ", of times that clocks may change by " + apart : "");
}

// Rows of one arm and cell as a square.
TidyTable matrix_table(const std::vector<const PairRow*>& rows, bool figures) {
  const record::Cell& cell = rows.front()->cell;
  const bool rates =
      figures && cell.size_bytes.value_or(0) >= kLeastForRates &&
      std::ranges::all_of(rows, [](const PairRow* row) { return row->bandwidth.has_value(); });
  TidyTable table{.title = rows.front()->arm + ", " + short_cell_name(cell) + ", " +
                           (rates ? "GB/s, " : "time, ") + matrix_directions(rows)};
  table.columns.push_back({.name = "from", .kind = Kind::kCount});
  table.shown.push_back({.header = "from", .column = "from"});
  std::map<std::pair<std::uint32_t, std::uint32_t>, const PairRow*> by_pair;
  for (const PairRow* row : rows) {
    by_pair[{row->pair.from, row->pair.to}] = row;
    if (row->both_ways) by_pair[{row->pair.to, row->pair.from}] = row;
  }
  for (std::uint32_t to = 0; to < cell.ranks; ++to) {
    const std::string name = "to " + std::to_string(to);
    table.columns.push_back({.name = name, .kind = rates ? Kind::kBandwidth : Kind::kTime});
    table.shown.push_back({.header = name, .column = name, .absent = "-"});
  }
  for (std::uint32_t from = 0; from < cell.ranks; ++from) {
    std::vector<Value> values{from};
    for (std::uint32_t to = 0; to < cell.ranks; ++to) {
      const auto row = by_pair.find({from, to});
      values.emplace_back(row == by_pair.end() ? Value()
                          : rates              ? Value(row->second->bandwidth->value)
                                               : Value(row->second->time.median_ns));
    }
    table.rows.push_back(std::move(values));
  }
  return table;
}

// One matrix for every cell of every arm. Empty: they are too large, or too many, for a terminal.
std::vector<TidyTable> matrices(const AllPairs& found) {
  std::vector<std::vector<const PairRow*>> squares;
  for (const PairRow& row : found.rows) {
    if (row.cell.ranks > kMatrixRanks) return {};
    const bool same = !squares.empty() && squares.back().front()->arm == row.arm &&
                      squares.back().front()->cell.same_levels(row.cell);
    if (!same) squares.emplace_back();
    squares.back().push_back(&row);
  }
  if (squares.size() > kMatrices) return {};
  std::vector<TidyTable> tables;
  tables.reserve(squares.size());
  for (const std::vector<const PairRow*>& rows : squares) {
    tables.push_back(matrix_table(rows, found.frame.no_verdict.empty()));
  }
  return tables;
}

// " and what clocks may be apart"; empty where that changes no ratio.
std::string clocks_words(const AllPairs& found) {
  const bool any =
      std::ranges::any_of(found.rows, [](const PairRow& row) { return row.slack > 0; });
  return any ? " by more than the clocks of two ranks may make of it" : "";
}

std::vector<std::string> pair_readings(const AllPairs& found) {
  std::vector<std::string> notes = rates_readings(found.rates, found.frame);
  notes.push_back(
      "all pairs of a matching talk at once; compared are pairs of one arm, cell and direction, "
      "both inside a host or both between hosts, in the same round of a launch; ratio to their "
      "median: geometric mean over groups; slower: above " +
      ratio_words(1 + found.frame.tolerance) + clocks_words(found) +
      ", one-sided t over groups, p by Holm over all " + std::to_string(found.rows.size()) + ", " +
      percent_text(1 - found.frame.alpha));
  const bool joined =
      std::ranges::any_of(found.rows, [](const PairRow& row) { return row.both_ways; });
  if (joined) {
    notes.emplace_back(
        "mean of both directions: what the clocks of two ranks may be apart could make as much of "
        "a difference as is asked for, and no pair's directions differ by more; in the mean it "
        "cancels");
  }
  if (!found.rows.empty() && matrices(found).empty()) {
    notes.emplace_back("the matrix is too large for a terminal: invar report has all of it");
  }
  return notes;
}

std::vector<record::Cell> cells_of_pairs(const AllPairs& found) {
  std::vector<record::Cell> cells;
  for (const PairRow& row : found.rows) cells.push_back(row.cell);
  return cells;
}

}  // namespace

std::string all_pairs_sentence(const AllPairs& found) {
  std::vector<std::string> clauses;
  for (const ComparedArm& arm : found.frame.arms) {
    if (rows_of_arm(found, arm.label).empty()) continue;
    clauses.push_back(pairs_clause(found, arm.label));
  }
  if (clauses.empty()) clauses.emplace_back("in no repetition that counts a pair has a time");
  // More ranks than cores: that one pair waits where others do not is behaviour, how long is
  // chance.
  const std::string why = no_figures_words(found.frame);
  return (why.empty() ? "" : why + "; as behaviour, ") + base::join(clauses, "; ") + ": " +
         found.frame.scope + ".";
}

Answer answer_of(const AllPairs& found) {
  Answer answer{.question = "all-pairs",
                .sentence = found.sentence,
                .scope = found.frame.scope,
                .facts = {{"arms", arms_value(found.frame.arms)},
                          {"alpha", found.frame.alpha},
                          {"tolerance", found.frame.tolerance},
                          {"comparisons", found.rows.size()},
                          {"no_figures", no_figures_value(found.frame)}},
                .tables = {all_pairs_table(found)},
                .head = only_place(cells_of_pairs(found)),
                .notes = pair_readings(found),
                .warnings = found.frame.warnings,
                .health = found.frame.health,
                .next = next_of(found.frame)};
  answer.tables.push_back(slowest_table(found, answer.tables.front()));
  for (TidyTable& matrix : matrices(found)) answer.tables.push_back(std::move(matrix));
  answer.tables.push_back(rates_table(found.rates, "rates"));
  if (!found.frame.no_verdict.empty()) {
    for (TidyTable& table : answer.tables) hide_rates(table);
  }
  return answer;
}

QuestionRow all_pairs_row() {
  return {design::Question::kAllPairs, all_pairs_lack,
          [](const Study& study, Detail) { return Answered{answer_of(all_pairs(study))}; },
          [](const Study& study) {
            const bool any = std::ranges::any_of(study.data().cells, [](const record::Cell& cell) {
              const auto pattern = record::parse_pattern(cell.pattern);
              return pattern && pattern->kind == record::PatternKind::kMatching;
            });
            return any ? OnPage::kExpected : OnPage::kNo;
          }};
}

}  // namespace invar::analysis
