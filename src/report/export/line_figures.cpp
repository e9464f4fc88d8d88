#include "report/export/line_figures.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "analysis/words/cell_columns.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "report/kit/text_table.hpp"

namespace invar::report {
namespace {

using analysis::Kind;
using analysis::TidyTable;
using analysis::Value;

// What is drawn of a table. Names of columns with a space between them: of two of `y` the first
// one, a mean over launches with its interval, where there are several launches, else the second
// one; of `series` and `panel` all, joined. A column with a colon behind it counts as far as the
// first colon in it. Of cells there are the names kPlace, kSize and kStart.
struct LineRow {
  std::string_view question, name, shows, table;
  std::string_view x, y;
  // The ends of intervals of columns that have none of their own.
  std::string_view low = {}, high = {};
  std::string_view series, panel;
  std::string_view x_title, y_title;
  bool x_log = false, y_log = false, joined = false;
  std::string_view half_width = {};  // the column with half the interval, instead of its ends
  bool from_first = false;           // less the first value of the series
  // A line beside the points: the column with its values, and that of what it breaks off between.
  std::string_view fit = {}, piece = {};
  // Rows whose text in the first column is one of these words, which spaces separate.
  std::string_view keeps = {}, kept = {};
};

// The operation and all factors but size and synchronisation; the size; the synchronisation.
constexpr std::string_view kPlace = "cell.place";
constexpr std::string_view kSize = "cell.size";
constexpr std::string_view kStart = "cell.sync";

constexpr std::array<LineRow, 35> kLineRows{{
    {"accuracy", "accuracy",
     "Error of clocks over the time since they were synchronised, by algorithm: the worst rank's, "
     "median over synchronisations and half of them; of several launches mean and interval.",
     "errors", "after_s", "worst_mean_ns worst_median_ns", "worst_q1_ns", "worst_q3_ns",
     "algorithm", "link network ranks", "seconds after the synchronisation",
     "error of the worst rank", false, true, true},
    {"pareto", "pareto",
     "Error of clocks over the time that a synchronisation takes, a point a setting: the worst "
     "rank's, median over synchronisations; of several launches mean and interval.",
     "settings", "sync_s", "worst_mean_ns worst_median_ns", "", "",
     "settings:", "link network ranks", "seconds that the synchronisation takes",
     "error of the worst rank", true, true},
    {"scaling", "scaling",
     "Error of clocks directly after a synchronisation over the number of ranks: the worst "
     "rank's, median over synchronisations and half of them; of several launches mean and "
     "interval.",
     "errors", "ranks", "worst_mean_ns worst_median_ns", "worst_q1_ns", "worst_q3_ns", "algorithm",
     "link network", "ranks", "error of the worst rank", true, true, true},
    {"scaling", "scaling-time",
     "Time that a synchronisation of clocks takes over the number of ranks, median over "
     "synchronisations.",
     "errors", "ranks", "sync_s", "", "", "algorithm", "link network", "ranks",
     "seconds that the synchronisation takes", true, true, true},
    {"tracking", "tracking",
     "Error of clocks over time: by the first model, as predicted, and smoothed afterwards; "
     "median of the worst rank, and what 95 % are below.",
     "tracking", "until_s", "median_ns", "median_ns", "q95_ns", "clock", "link network ranks",
     "seconds since the synchronisation", "error of the worst rank", false, true, true},
    {"resolution", "resolution", "Time that reading a clock takes: median and quartiles.", "clocks",
     "clock", "cost_median_ns", "cost_q1_ns", "cost_q3_ns", "library", "ranks", "clock",
     "time of one reading"},
    {"resolution", "resolution-step", "Step by which a clock advances.", "clocks", "clock",
     "step_ns", "", "", "library", "ranks", "clock", "step of the clock"},
    {"drift", "drift",
     "Offset of every rank's clock to that of rank 0, since the first measurement; interval: what "
     "ping-pongs leave open.",
     "points", "seconds", "offset_ns", "", "", "rank", "library", "seconds",
     "offset since the first measurement", false, false, true, "half_width_ns", true},
    {"drift", "drift-rates", "Drift of every rank's clock against that of rank 0, with intervals.",
     "lines", "rank", "drift_ppm", "", "", "", "", "rank", "drift, ppm"},
    {"barriers", "barriers",
     "How far apart ranks leave barriers that they enter together: median and quartiles.",
     "barriers", "method", "exit_median_ns", "exit_q1_ns", "exit_q3_ns", "library", "ranks",
     "barrier", "latest - earliest exit"},
    {"barriers", "barriers-ranks",
     "How much later than the first one every rank leaves a barrier: mean with its 95 % interval; "
     "median where no means were recorded.",
     "barriers", "rank", "behind_mean_ns|behind_median_ns", "", "", "method", "library ranks",
     "rank", "exit behind the first rank's", false, false, true},
    {"runtime-over-time", "runtime-over-time",
     "Run-time of an operation over time under every synchronisation: means over launches with "
     "intervals where there are several launches, else medians of bins and quartiles.",
     "bins", "seconds", "mean_ns median_ns", "q1_ns", "q3_ns", "sync time",
     "library operation ranks", "seconds since the experiment began", "run-time", false, false,
     true},
    {"runtime-over-time", "runtime-drift",
     "By how much run-times grow with time under every synchronisation, with intervals: 0 where "
     "clocks keep together.",
     "synchronisations", "sync", "slope_ns_per_s", "", "", "time", "", "synchronisation",
     "run-time grows by, ns in a second"},
    {"local-global", "local-global",
     "Global over local run-time of the same repetitions under every synchronisation, with "
     "intervals.",
     "cells", kSize, "ratio", "", "", kStart, "arm cell.place", "message size",
     "global / local run-time", false, true},
    {"local-global", "start-skew",
     "Latest less earliest start of a repetition under every synchronisation, with intervals.",
     "cells", kSize, "skew_ns", "", "", kStart, "arm cell.place", "message size",
     "latest - earliest start", false, true},
    {"sync-bias", "sync-bias",
     "Time of an arm over that of the reference under every synchronisation, with intervals.",
     "cells", kSize, "ratio", "", "", kStart, "arm_b/arm_a cell.place", "message size",
     "time / time of the reference", false, true},
    {"guidelines", "guideline-factors",
     "Left over right side of each guideline over the message size, with intervals, by verdict: "
     "above 1 and the rule's tolerance it is violated.",
     "guidelines", "size_bytes", "factor", "", "", "verdict", "arm ranks rule",
     "message size of the left side, bytes", "time of the left side / time of the right side", true,
     true},
    {"nrep", "nrep-rse",
     "Relative standard error of the mean by the number of repetitions, a line a launch.",
     "running", "n", "rse", "", "", "launch", "arm cell.place cell.size", "repetitions",
     "standard error / mean", false, false, true},
    {"nrep", "nrep-cov-mean",
     "Coefficient of variation of the last running means by the number of repetitions, a line a "
     "launch.",
     "running", "n", "cov_mean", "", "", "launch", "arm cell.place cell.size", "repetitions",
     "COV of running means", false, false, true},
    {"nrep", "nrep-cov-median",
     "Coefficient of variation of the last running medians by the number of repetitions, a line a "
     "launch.",
     "running", "n", "cov_median", "", "", "launch", "arm cell.place cell.size", "repetitions",
     "COV of running medians", false, false, true},
    {"nrep", "nrep-half-width",
     "Half the width of the median's interval over the median by the number of repetitions, a line "
     "a launch.",
     "running", "n", "half_width", "", "", "launch", "arm cell.place cell.size", "repetitions",
     "half-width / median", false, false, true},
    {"p2p", "latency", "Half the round trip of messages over their size, with intervals.",
     "latency", kSize, "half_round_trip_ns", "", "", "arm", kPlace, "message size",
     "half the round trip", false, true, true},
    {"p2p", "bandwidth", "Bandwidth over the message size, with intervals.", "bandwidth", kSize,
     "bandwidth_gb_s", "", "", "arm", kPlace, "message size", "GB in a second", false, true, true},
    {"p2p", "queues",
     "Time of a message over what waits in the queues of its receiver, with intervals.", "queues",
     "count", "time_ns", "", "", "arm kind", kPlace, "messages or receives in the queue",
     "time of a message", true, true, true},
    {"p2p", "steps", "Time over the message size, of all sizes that were chosen, with intervals.",
     "curves", "size_bytes", "time_ns", "", "", "arm", "place", "message size, bytes", "time", true,
     true, true},
    {"all-pairs", "all-pairs",
     "Time of every pair of ranks in each direction over the median of comparable ones, with "
     "intervals.",
     "pairs", "pair", "ratio", "", "", "", "arm cell.place cell.size", "from rank to rank",
     "time / median"},
    {"bisection", "bisection",
     "Bytes in a second that all pairs of a pattern move at once, with intervals.", "rates", kSize,
     "total_gb_s", "", "", "arm", kPlace, "message size", "GB in a second", false, true, true},
    {"overlap", "overlap",
     "Time of communication and computation together over the computation alone, with intervals.",
     "overlap", "compute_ns", "both_ns", "", "", "arm", "cell.place cell.size", "computation, ns",
     "time of both", false, false, true},
    {.question = "network",
     .name = "network-pieces",
     .shows = "Times of messages over their size, means over launch groups with intervals, and the "
              "straight lines that the model makes of them: they bend on logarithmic axes.",
     .table = "points",
     .x = "size_bytes",
     .y = "time_ns",
     .series = "arm",
     .panel = "place series",
     .x_title = "message size, bytes",
     .y_title = "time of a call",
     .x_log = true,
     .y_log = true,
     .fit = "fitted_ns",
     .piece = "piece"},
    {.question = "network",
     .name = "network-overheads",
     .shows = "What a message costs sender and receiver (overheads), and the time from one message "
              "to the next (gap), over the message size, with intervals.",
     .table = "points",
     .x = "size_bytes",
     .y = "time_ns",
     .series = "arm series",
     .panel = "place",
     .x_title = "message size, bytes",
     .y_title = "overhead, gap",
     .x_log = true,
     .y_log = true,
     .joined = true,
     .keeps = "series",
     .kept = "send late-receive gap"},
    {.question = "network",
     .name = "network-residuals",
     .shows = "How far times lie above and below the model's lines, over the message size.",
     .table = "points",
     .x = "size_bytes",
     .y = "residual",
     .series = "arm",
     .panel = "place series",
     .x_title = "message size, bytes",
     .y_title = "measured / line - 1",
     .x_log = true},
    {.question = "network",
     .name = "network-check",
     .shows = "Measured times with intervals, and as lines what a simulator says of them with the "
              "platform that was made of the model.",
     .table = "check",
     .x = "size_bytes",
     .y = "measured_ns",
     .series = "arm",
     .panel = "place operation ranks",
     .x_title = "message size, bytes",
     .y_title = "time of a call",
     .x_log = true,
     .y_log = true,
     .fit = "simulated_ns"},
    {.question = "memory",
     .name = "memory-bandwidth",
     .shows = "Bytes in a second that walks move, over the size of their buffer.",
     .table = "bandwidth",
     .x = "size_bytes",
     .y = "bandwidth_gb_s",
     .series = "arm operation",
     .panel = "place",
     .x_title = "buffer size, bytes",
     .y_title = "GB in a second",
     .x_log = true},
    {.question = "memory",
     .name = "memory-latency",
     .shows = "What a load takes that must wait for the one before, over the size of the buffer.",
     .table = "latency",
     .x = "size_bytes",
     .y = "latency_ns",
     .series = "arm operation",
     .panel = "place",
     .x_title = "buffer size, bytes",
     .y_title = "time of a load",
     .x_log = true,
     .y_log = true},
    {.question = "memory",
     .name = "memory-effects",
     .shows =
         "Levels of factors: times of a byte against those of the usual level, with intervals.",
     .table = "effects",
     .x = "level",
     .y = "ratio",
     .series = "arm",
     .panel = "operation factor",
     .x_title = "level",
     .y_title = "time / usual"},
}};

std::optional<std::size_t> find_column(const TidyTable& table, std::string_view name) {
  const auto found = std::ranges::find(table.columns, name, &analysis::TidyColumn::name);
  if (name.empty() || found == table.columns.end()) return std::nullopt;
  return static_cast<std::size_t>(found - table.columns.begin());
}

std::optional<double> number_of(const Value& value) {
  if (const auto* number = std::get_if<double>(&value.content)) {
    return std::isfinite(*number) ? std::optional(*number) : std::nullopt;
  }
  if (const auto* count = std::get_if<std::int64_t>(&value.content)) {
    return static_cast<double>(*count);
  }
  return std::nullopt;
}

std::string text_of(const Value& value) {
  if (const auto* text = std::get_if<std::string>(&value.content)) return printable(*text);
  if (const auto* truth = std::get_if<bool>(&value.content)) return *truth ? "yes" : "no";
  if (const auto* word = std::get_if<analysis::Word>(&value.content)) {
    return word->name.value_or("none");
  }
  const auto number = number_of(value);
  return number ? base::shortest_text(*number) : std::string();
}

bool is_number(Kind kind) {
  return kind != Kind::kText && kind != Kind::kYesNo && kind != Kind::kVerdict &&
         kind != Kind::kCell;
}

LineAxis axis_of(Kind kind) {
  if (kind == Kind::kTime) return LineAxis::kTime;
  if (kind == Kind::kRatio) return LineAxis::kRatio;
  return is_number(kind) ? LineAxis::kNumber : LineAxis::kWords;
}

// Texts of the cells in one column of a table.
class LineCells {
 public:
  explicit LineCells(const TidyTable& table) : column_(find_column(table, "cell")) {
    if (!column_) return;
    std::vector<record::Cell> cells;
    for (const std::vector<Value>& row : table.rows) {
      cells.push_back(std::get<record::Cell>(row[*column_].content));
    }
    for (const record::Factor& factor : analysis::varying_factors(cells)) {
      if (factor.role == record::FactorRole::kStart) starts_.push_back(factor);
    }
    // Without sizes and synchronisations they are one place.
    for (record::Cell& cell : cells) cell = place_of(cell);
    places_.emplace(record::without_sizes(cells));
  }

  [[nodiscard]] std::string text(const std::vector<Value>& row, std::string_view part) const {
    if (!column_) return {};
    const auto& cell = std::get<record::Cell>(row[*column_].content);
    if (part == kSize) {
      return cell.size_bytes ? base::size_text(*cell.size_bytes) : std::string("no size");
    }
    if (part == kPlace) {
      const std::vector<record::Cell> one{place_of(cell)};
      return (*places_)(record::without_sizes(one).front());
    }
    std::vector<std::string> words{cell.sync};
    for (const record::Factor& factor : starts_) {
      if (factor.name == "sync") continue;
      words.push_back(analysis::level_header(factor) + " " + analysis::level_words(factor, cell));
    }
    return base::join(words, ", ");
  }

  [[nodiscard]] static double size_of(const std::vector<Value>& row, std::size_t column) {
    return static_cast<double>(std::get<record::Cell>(row[column].content).size_bytes.value_or(0));
  }
  [[nodiscard]] std::optional<std::size_t> column() const { return column_; }

 private:
  static record::Cell place_of(record::Cell cell) {
    const record::Cell usual;
    cell.sync = usual.sync;
    cell.dither_ns = usual.dither_ns;
    return cell;
  }

  std::optional<std::size_t> column_;
  std::vector<record::Factor> starts_ = {};
  std::optional<record::CellTexts> places_ = {};
};

// "rank 1": a number alone says nothing.
std::string column_text(const TidyTable& table, const std::vector<Value>& row,
                        const std::string& name) {
  const auto column = find_column(table, name);
  if (!column) return {};
  std::string text = text_of(row[*column]);
  if (!is_number(table.columns[*column].kind) || text.empty()) return text;
  return name == "ranks" ? text + " ranks" : name + " " + text;
}

std::string joined_text(const TidyTable& table, const LineCells& cells,
                        const std::vector<Value>& row, std::string_view names) {
  std::vector<std::string> parts;
  for (const std::string_view word : base::split(names, ' ')) {
    if (word.empty()) continue;
    std::string name(word);
    const bool short_name = name.back() == ':';
    if (short_name) name.pop_back();
    std::string text;
    const std::size_t slash = name.find('/');
    if (name.starts_with("cell.")) {
      text = cells.text(row, name);
    } else if (slash != std::string::npos) {
      text = column_text(table, row, name.substr(0, slash)) + " / " +
             column_text(table, row, name.substr(slash + 1));
    } else {
      text = column_text(table, row, name);
    }
    if (short_name) text = text.substr(0, text.find(':'));
    if (!text.empty()) parts.push_back(std::move(text));
  }
  return base::join(parts, ", ");
}

bool has_values(const TidyTable& table, std::size_t column) {
  return std::ranges::any_of(table.rows, [&](const std::vector<Value>& row) {
    return number_of(row[column]).has_value();
  });
}

std::string meaning_of(const analysis::TidyColumn& column) {
  std::string text = "as in the answer's CSV";
  const std::string_view unit = analysis::unit_of(column.kind);
  if (!unit.empty()) text += ", " + std::string(unit);
  return text;
}

FigureField field_of(const std::optional<double>& number) {
  return number ? FigureField(*number) : FigureField();
}

struct LineColumns {
  std::optional<std::size_t> x = {}, y = {}, low = {}, high = {}, half_width = {};
};

bool of_several_launches(const TidyTable& table) {
  const auto column = find_column(table, "launches");
  return column && std::ranges::any_of(table.rows, [&](const std::vector<Value>& row) {
           return number_of(row[*column]).value_or(0) > 1;
         });
}

LineColumns columns_of(const TidyTable& table, const LineRow& row) {
  LineColumns columns{.x = find_column(table, row.x),
                      .half_width = find_column(table, row.half_width)};
  const bool first_that_has_values = row.y.find('|') != std::string_view::npos;
  const std::vector<std::string_view> names = base::split(row.y, first_that_has_values ? '|' : ' ');
  if (first_that_has_values || of_several_launches(table)) {
    columns.y = find_column(table, names.front());
  }
  if (!columns.y || !has_values(table, *columns.y)) columns.y = find_column(table, names.back());
  if (!columns.y) return columns;
  const analysis::TidyColumn& y = table.columns[*columns.y];
  columns.low = find_column(table, y.low.empty() ? row.low : std::string_view(y.low));
  columns.high = find_column(table, y.low.empty() ? row.high : std::string_view(y.high));
  return columns;
}

FigureTable empty_line_table(const TidyTable& table, const LineRow& row, const LineColumns& columns,
                             bool words) {
  const auto name_of = [&](const std::optional<std::size_t>& column) {
    return column ? table.columns[*column].name : std::string("none");
  };
  const std::string ends = columns.half_width
                               ? " less and plus " + name_of(columns.half_width)
                               : ": " + name_of(columns.low) + " and " + name_of(columns.high);
  FigureTable result{.name = std::string(row.name)};
  result.columns = {
      {"panel", "what is drawn by itself", true},
      {"series", "what has a colour and a symbol", true},
      {"x", words ? std::string(row.x_title) : name_of(columns.x), words},
      {"y", name_of(columns.y) + (row.from_first ? ", less that of the first row" : "")},
      {"low", "the interval's lower end" + ends},
      {"high", "its upper end"}};
  for (const analysis::TidyColumn& column : table.columns) {
    if (column.kind == Kind::kCell) continue;
    // Scripts find columns by their names.
    const bool taken =
        std::ranges::find(result.columns, column.name, &FigureColumn::name) != result.columns.end();
    result.columns.push_back(
        {(taken ? "answer_" : "") + column.name, meaning_of(column), !is_number(column.kind)});
  }
  return result;
}

// Nothing is drawn for special regimes of the machine: they are in the answer.
bool is_of_a_regime(const TidyTable& table, const std::vector<Value>& row) {
  const auto column = find_column(table, "regime");
  return column && !row[*column].absent();
}

// A table may have more rows than are drawn.
bool is_kept(const TidyTable& table, const LineRow& row, const std::vector<Value>& values) {
  if (!row.keeps.empty()) {
    const auto column = find_column(table, row.keeps);
    const std::vector<std::string_view> words = base::split(row.kept, ' ');
    return column && std::ranges::find(words, text_of(values[*column])) != words.end();
  }
  // Points that no line was fitted to are in no picture of lines.
  const auto fit = find_column(table, row.fit);
  return !fit || row.piece.empty() || number_of(values[*fit]);
}

FigureTable line_table(const TidyTable& table, const LineRow& row, const LineColumns& columns,
                       const LineCells& cells, bool words) {
  FigureTable result = empty_line_table(table, row, columns, words);
  std::map<std::pair<std::string, std::string>, double> first;
  std::set<std::vector<FigureField>> seen;
  std::vector<const std::vector<Value>*> rows;
  for (const std::vector<Value>& one : table.rows) rows.push_back(&one);
  if (cells.column()) {
    std::ranges::stable_sort(rows, {}, [&](const std::vector<Value>* one) {
      return LineCells::size_of(*one, *cells.column());
    });
  }
  for (const std::vector<Value>* one : rows) {
    if (!columns.y || is_of_a_regime(table, *one) || !is_kept(table, row, *one)) continue;
    const auto at = [&](const std::optional<std::size_t>& column) {
      return column ? number_of((*one)[*column]) : std::nullopt;
    };
    std::optional<double> y = at(columns.y);
    if (!y) continue;
    std::optional<double> low = at(columns.low);
    std::optional<double> high = at(columns.high);
    if (const auto half = at(columns.half_width)) {
      low = *y - *half;
      high = *y + *half;
    }
    if (row.y_log && low.value_or(1) <= 0) low.reset();
    const std::string panel = joined_text(table, cells, *one, row.panel);
    const std::string series = joined_text(table, cells, *one, row.series);
    if (row.from_first) {
      const double base = first.try_emplace({panel, series}, *y).first->second;
      for (std::optional<double>* value : {&y, &low, &high}) {
        if (*value) **value -= base;
      }
    }
    FigureField x;
    // A logarithmic axis has no place for 0, and no axis one for an operation without a size.
    const std::optional<double> place = words ? std::nullopt : at(columns.x);
    if (!words && (!place || (row.x_log && *place <= 0))) continue;
    if (words) {
      x = columns.x ? text_of((*one)[*columns.x]) : joined_text(table, cells, *one, row.x);
    } else {
      x = field_of(place);
    }
    std::vector<FigureField> fields{panel, series, x, field_of(y), field_of(low), field_of(high)};
    // Tables of finer things than what is drawn have the same point several times.
    if (!seen.insert(fields).second) continue;
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      const Kind kind = table.columns[i].kind;
      if (kind == Kind::kCell) continue;
      if (is_number(kind)) {
        fields.push_back(field_of(number_of((*one)[i])));
      } else {
        fields.emplace_back(text_of((*one)[i]));
      }
    }
    result.rows.push_back(std::move(fields));
  }
  return result;
}

}  // namespace

std::vector<LineFigure> line_figures(const analysis::Answer& answer) {
  std::vector<LineFigure> figures;
  for (const LineRow& row : kLineRows) {
    if (row.question != answer.question) continue;
    const auto table = std::ranges::find(answer.tables, row.table, &TidyTable::id);
    LineFigure figure{.name = row.name,
                      .shows = row.shows,
                      .x_title = row.x_title,
                      .y_title = row.y_title,
                      .x_log = row.x_log,
                      .y_log = row.y_log,
                      .joined = row.joined,
                      .fit = row.fit,
                      .piece = row.piece,
                      .table = {.name = std::string(row.name)}};
    if (table != answer.tables.end()) {
      const LineColumns columns = columns_of(*table, row);
      if (columns.y) figure.y = axis_of(table->columns[*columns.y].kind);
      figure.x = columns.x ? axis_of(table->columns[*columns.x].kind) : LineAxis::kWords;
      figure.table =
          line_table(*table, row, columns, LineCells(*table), figure.x == LineAxis::kWords);
    }
    figures.push_back(std::move(figure));
  }
  return figures;
}

}  // namespace invar::report
