#include "report/kit/answer_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <variant>

#include "analysis/words/cell_columns.hpp"
#include "analysis/words/numbers.hpp"
#include "analysis/words/words.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "report/kit/text_table.hpp"

namespace invar::report {
namespace {

using analysis::Answer;
using analysis::EstimateText;
using analysis::Kind;
using analysis::ShownColumn;
using analysis::TidyColumn;
using analysis::TidyTable;
using analysis::Value;

std::optional<double> number_of(const Value& value) {
  if (const auto* number = std::get_if<double>(&value.content)) return *number;
  if (const auto* count = std::get_if<std::int64_t>(&value.content)) {
    return static_cast<double>(*count);
  }
  return std::nullopt;
}

std::string share_text(double share, const std::optional<int>& decimals) {
  return decimals ? fmt::format("{:.{}f} %", 100 * share, *decimals)
                  : analysis::percent_text(share);
}

// "4.21 M", "850 k", "12.0": in a second.
std::string rate_text(double rate) {
  const auto scaled = [rate](double scale, const char* name) {
    return analysis::ratio_text(rate / scale, {}).estimate + name;
  };
  if (std::abs(rate) >= 1e6) return scaled(1e6, " M");
  return std::abs(rate) >= 1e3 ? scaled(1e3, " k") : scaled(1, "");
}

std::string number_text(double number, const ShownColumn& shown, Kind kind) {
  switch (kind) {
    case Kind::kTime:
      return base::duration_text(number);
    case Kind::kSeconds:
      return base::span_text(number);
    case Kind::kRatio:
      return analysis::ratio_text(number, {}).estimate;
    case Kind::kShare:
      return share_text(number, shown.decimals);
    case Kind::kP:
      return analysis::p_text(number);
    case Kind::kStarredP: {
      const std::string stars = analysis::asterisks_text(number);
      return analysis::p_text(number) + (stars.empty() ? "" : " " + stars);
    }
    case Kind::kLogSd:
      return analysis::log_sd_text(number);
    case Kind::kBandwidth:
      return analysis::ratio_text(number, {}).estimate;
    case Kind::kRate:
      return rate_text(number);
    case Kind::kBytes:
      return base::size_text(static_cast<std::uint64_t>(std::llround(number)));
    case Kind::kCapacity:
      return base::capacity_text(number);
    default:
      return shown.digits ? fmt::format("{:.{}g}", number, *shown.digits)
                          : analysis::number_text(number);
  }
}

std::string value_text(const Value& value, const ShownColumn& shown, Kind kind) {
  if (const auto* text = std::get_if<std::string>(&value.content)) return *text;
  if (const auto* word = std::get_if<analysis::Word>(&value.content)) return word->words;
  if (const auto* truth = std::get_if<bool>(&value.content)) return *truth ? "yes" : "no";
  if (const auto* cell = std::get_if<record::Cell>(&value.content)) return record::cell_text(*cell);
  if (const auto* list = std::get_if<analysis::List>(&value.content)) {
    std::vector<std::string> texts;
    for (const Value& one : *list) texts.push_back(value_text(one, shown, kind));
    return base::join(texts, ", ");
  }
  const std::optional<double> number = number_of(value);
  if (!number) return shown.absent;
  const auto* count = std::get_if<std::int64_t>(&value.content);
  if (count != nullptr && kind == Kind::kBytes) {
    return base::size_text(static_cast<std::uint64_t>(*count));
  }
  if (count != nullptr && (kind == Kind::kCount || kind == Kind::kText || kind == Kind::kNumber)) {
    return std::to_string(*count);
  }
  return number_text(*number, shown, kind);
}

// An estimate with what its kind writes beside it.
EstimateText estimate_text(const Value& value, const std::optional<stats::Interval>& interval,
                           const ShownColumn& shown, Kind kind) {
  const std::optional<double> number = number_of(value);
  if (!number) return {.estimate = value_text(value, shown, kind)};
  if (kind == Kind::kTime) {
    return analysis::time_text({.median_ns = *number, .interval_ns = interval});
  }
  if (kind == Kind::kRatio) return analysis::ratio_text(*number, interval);
  EstimateText text{.estimate = number_text(*number, shown, kind)};
  if (!interval) return text;
  if (kind == Kind::kShare) {
    const int decimals = shown.decimals.value_or(1);
    text.interval = fmt::format("[{:.{}f}, {:.{}f}]", 100 * interval->low, decimals,
                                100 * interval->high, decimals);
  } else {
    text.interval = "[" + number_text(interval->low, shown, kind) + ", " +
                    number_text(interval->high, shown, kind) + "]";
  }
  return text;
}

// One ShownColumn and where its values stand; it makes one column of text or more.
class ColumnText {
 public:
  ColumnText(const TidyTable& table, const ShownColumn& shown)
      : shown_(shown), at_(column_index(table, shown.column)) {
    const TidyColumn& column = table.columns[at_];
    kind_ = column.kind;
    if (!column.low.empty()) {
      low_ = column_index(table, column.low);
      high_ = column_index(table, column.high);
    }
    if (kind_ != Kind::kCell) return;
    for (const std::vector<Value>& row : table.rows) {
      cells_.push_back(std::get<record::Cell>(row[at_].content));
    }
    for (const std::string& name : shown.factors) factors_.push_back(*record::find_factor(name));
    if (!factors_.empty()) return;
    factors_ = analysis::varying_factors(cells_);
  }

  void add_columns(TextTable& text) const {
    if (kind_ == Kind::kCell && !shown_.factors.empty()) {
      for (const record::Factor& factor : factors_) {
        text.add_column(analysis::level_header(factor), Align::kLeft);
      }
      return;
    }
    if (kind_ == Kind::kCell) {
      text.add_column("operation", Align::kLeft);
      // A header alone must not make a column of barriers.
      const bool sized = std::ranges::any_of(
          cells_, [](const record::Cell& cell) { return cell.size_bytes.has_value(); });
      text.add_column(sized ? "size" : "", Align::kLeft);
      for (const record::Factor& factor : factors_) text.add_column(factor.name, Align::kLeft);
      return;
    }
    const bool words = kind_ == Kind::kText || kind_ == Kind::kVerdict || kind_ == Kind::kYesNo ||
                       kind_ == Kind::kP || kind_ == Kind::kStarredP;
    const bool left = shown_.left || (words && !shown_.right);
    text.add_column(shown_.header, left ? Align::kLeft : Align::kRight, shown_.glued);
    if (low_) text.add_column("", Align::kLeft, true);
  }

  void add_fields(const std::vector<Value>& row, std::vector<std::string>& fields) const {
    if (kind_ == Kind::kCell) {
      const auto& cell = std::get<record::Cell>(row[at_].content);
      if (!shown_.factors.empty()) {
        for (const record::Factor& factor : factors_) {
          fields.push_back(analysis::level_words(factor, cell));
        }
        return;
      }
      fields.push_back(cell.operation);
      fields.push_back(cell.size_bytes ? base::size_text(*cell.size_bytes) : "");
      for (const record::Factor& factor : factors_) fields.push_back(factor.text(cell));
      return;
    }
    if (!low_) {
      fields.push_back(value_text(row[at_], shown_, kind_));
      return;
    }
    std::optional<stats::Interval> interval;
    const std::optional<double> low = number_of(row[*low_]);
    const std::optional<double> high = number_of(row[*high_]);
    if (low && high) interval = stats::Interval{*low, *high, 0};
    EstimateText text = estimate_text(row[at_], interval, shown_, kind_);
    fields.push_back(std::move(text.estimate));
    fields.push_back(std::move(text.interval));
  }

 private:
  const ShownColumn& shown_;
  std::size_t at_;
  Kind kind_ = Kind::kText;
  std::optional<std::size_t> low_ = {};
  std::optional<std::size_t> high_ = {};
  std::vector<record::Cell> cells_ = {};
  std::vector<record::Factor> factors_ = {};
};

std::size_t lines_of(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

// What is told of an answer's warnings, and how many are left out.
struct Told {
  std::vector<std::string> texts = {};
  std::size_t left_out = 0;
};

// Right below the sentence: the first few, or all.
Told told_doubts(const Answer& answer, bool verbose) {
  Told told;
  for (const analysis::Warning& warning : answer.warnings) {
    if (warning.gravity != analysis::Gravity::kDoubt) continue;
    if (verbose || told.texts.size() < kMostDoubts) {
      told.texts.push_back(warning.text);
    } else {
      ++told.left_out;
    }
  }
  return told;
}

// Below the tables: the first notes, or all that is not a doubt.
Told told_notes(const Answer& answer, bool verbose) {
  Told told;
  for (const analysis::Warning& warning : answer.warnings) {
    if (warning.gravity == analysis::Gravity::kDoubt) continue;
    const bool note = warning.gravity == analysis::Gravity::kNote;
    if (verbose || (note && told.texts.size() < kMostNotes)) {
      told.texts.push_back(warning.text);
    } else {
      ++told.left_out;
    }
  }
  return told;
}

std::string more_doubts(std::size_t count) {
  return "in doubt: " + analysis::count_text(count, "more reason") + ": --verbose";
}

std::string more_notes(std::size_t count) {
  return analysis::count_text(count, "more remark") + ": --verbose";
}

std::string doubts_text(const Answer& answer, bool verbose) {
  const Told told = told_doubts(answer, verbose);
  std::string text;
  for (const std::string& doubt : told.texts) text += wrapped("in doubt: ", doubt);
  return told.left_out > 0 ? text + more_doubts(told.left_out) + "\n" : text;
}

std::string notes_text(const Answer& answer, bool verbose) {
  const Told told = told_notes(answer, verbose);
  std::string text;
  for (const std::string& note : told.texts) text += wrapped("  look at: ", note);
  return told.left_out > 0 ? text + "  " + more_notes(told.left_out) + "\n" : text;
}

// Indices of the rows that say most, in their order.
std::vector<std::size_t> rows_kept(const TidyTable& table, std::size_t most) {
  std::vector<std::size_t> rows(table.rows.size());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  if (!table.weights.empty()) {
    std::ranges::stable_sort(rows, std::ranges::greater(),
                             [&](std::size_t row) { return table.weights[row]; });
  }
  rows.resize(std::min(rows.size(), most));
  std::ranges::sort(rows);
  return rows;
}

// A table that is shown, as text: a line a row, and an empty one behind it.
struct ShownTable {
  TidyTable table = {};      // with the rows that the text has
  std::size_t left_out = 0;  // rows that are for who asks, told by a line below the others
  std::string text = {};

  [[nodiscard]] std::size_t lines() const { return lines_of(text); }
};

std::string more_rows(std::size_t count) {
  return "  ... " + analysis::count_text(count, "more row") + ": --verbose\n";
}

// `verbose`: with all rows.
ShownTable shown_table(const TidyTable& table, bool verbose) {
  ShownTable made{.table = table};
  if (!verbose && !table.weights.empty()) {
    made.table.rows.clear();
    made.table.weights.clear();
    for (std::size_t row = 0; row < table.rows.size(); ++row) {
      if (table.weights[row] < 0) continue;
      made.table.rows.push_back(table.rows[row]);
      made.table.weights.push_back(table.weights[row]);
    }
    made.left_out = table.rows.size() - made.table.rows.size();
  }
  made.text = (table.title.empty() ? "" : printable(table.title) + ":\n") + table_text(made.table) +
              (made.left_out > 0 ? more_rows(made.left_out) : "") + "\n";
  return made;
}

// Some lines of a table, of which at least one is a row, and the empty line behind it.
std::string cut_table(const ShownTable& shown, std::size_t most_lines) {
  const std::size_t lines = shown.lines();
  if (lines <= most_lines) return shown.text;
  const std::size_t kept = std::max<std::size_t>(most_lines, 4) - 2;
  if (lines - 1 <= kept) return shown.text;
  const std::size_t rows = shown.table.rows.size();
  const std::size_t tail = shown.left_out > 0 ? 1 : 0;
  const std::size_t head = lines - 1 - rows - tail;
  const std::vector<std::string_view> texts = base::split(shown.text, '\n');
  std::string cut;
  for (std::size_t i = 0; i < head; ++i) cut += std::string(texts[i]) + '\n';
  for (const std::size_t row : rows_kept(shown.table, kept - std::min(head, kept - 1))) {
    cut += std::string(texts[head + row]) + '\n';
  }
  return cut + more_rows(lines - 1 - tail - lines_of(cut) + shown.left_out) + "\n";
}

// `most_lines`: of all tables together. The longest ones are cut, all to the same length: short
// ones sum up, and say most. Where that would leave less than a few lines of each, the first ones
// are whole and the others left out.
std::string tables_text(const Answer& answer, std::size_t most_lines, bool verbose) {
  constexpr std::size_t kFewestLines = 8;
  const std::size_t room = most_lines;
  std::vector<ShownTable> texts;
  for (const TidyTable& table : answer.tables) {
    if (table.shown.empty()) continue;
    texts.push_back(shown_table(table, verbose));
  }
  std::vector<std::size_t> lengths;
  lengths.reserve(texts.size());
  for (const ShownTable& one : texts) lengths.push_back(one.lines());
  std::ranges::sort(lengths);
  std::size_t longest = std::string::npos;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const std::size_t share = most_lines / (lengths.size() - i);
    if (lengths[i] > share) {
      longest = share;
      break;
    }
    most_lines -= lengths[i];
  }
  std::string all;
  // Many small ones: pieces of all of them would say less than the first ones whole.
  if (longest < kFewestLines && texts.size() > 1) {
    std::size_t shown = 0;
    for (; shown < texts.size(); ++shown) {
      const bool fits = lines_of(all) + texts[shown].lines() + 2 <= room;
      if (!fits && shown > 0) break;
      all += cut_table(texts[shown], room > 2 ? room - 2 : 0);
    }
    return all + "  ... " + analysis::count_text(texts.size() - shown, "more table") +
           ": --verbose\n\n";
  }
  for (const ShownTable& one : texts) all += cut_table(one, longest);
  return all;
}

}  // namespace

TextTable text_table(const TidyTable& table) {
  TextTable text;
  std::vector<ColumnText> columns;
  columns.reserve(table.shown.size());
  for (const ShownColumn& shown : table.shown) {
    columns.emplace_back(table, shown);
    columns.back().add_columns(text);
  }
  for (const std::vector<Value>& row : table.rows) {
    std::vector<std::string> fields;
    for (const ColumnText& column : columns) column.add_fields(row, fields);
    text.add_row(std::move(fields));
  }
  return text;
}

std::string table_text(const TidyTable& table) {
  return table.shown.empty() ? std::string() : text_table(table).text();
}

std::string answer_markdown(const Answer& answer, bool verbose) {
  std::string text = "**" + markdown_text(answer.sentence) + "**\n";
  if (!answer.head.empty()) text += "\n" + markdown_text(answer.head) + "\n";
  const auto quote = [&](const std::string& words) {
    text += "\n> " + markdown_text(words) + "\n";
  };
  const Told doubts = told_doubts(answer, verbose);
  for (const std::string& doubt : doubts.texts) quote("in doubt: " + doubt);
  if (doubts.left_out > 0) quote(more_doubts(doubts.left_out));
  const Told notes = told_notes(answer, verbose);
  for (const std::string& note : notes.texts) quote("look at: " + note);
  if (notes.left_out > 0) quote(more_notes(notes.left_out));
  for (const TidyTable& table : answer.tables) {
    if (table.shown.empty()) continue;
    if (!table.title.empty()) text += "\n" + markdown_text(table.title) + ":\n";
    text += "\n" + text_table(table).markdown();
  }
  for (const std::string& note : answer.notes) text += "\n" + markdown_text(note) + "\n";
  for (const analysis::Remark& remark : answer.remarks) {
    text += "\n" + markdown_text(remark.label + ": " + remark.text) + "\n";
  }
  return text;
}

std::string answer_text(const Answer& answer, bool verbose) {
  const std::string begin = printable(answer.sentence) + "\n" + doubts_text(answer, verbose);
  const std::string head =
      "\n" + (answer.head.empty() ? "" : "  " + printable(answer.head) + "\n\n");
  std::string end;
  for (const std::string& note : answer.notes) end += wrapped("  ", note);
  for (const analysis::Remark& remark : answer.remarks) {
    end += wrapped("  " + remark.label + ": ", remark.text);
  }
  end += notes_text(answer, verbose);
  std::vector<std::string> next;
  for (const analysis::Remark& one : answer.next) {
    const std::string text = one.label + ": " + printable(one.text);
    if (one.own_line) {
      end += "  " + text + "\n";
    } else {
      next.push_back(text);
    }
  }
  if (!next.empty()) end += "  " + base::join(next, "   ") + "\n";
  const std::size_t around = lines_of(begin) + lines_of(head) + lines_of(end);
  const std::size_t room = around < kMostLines ? kMostLines - around : 0;
  std::string tables = tables_text(answer, verbose ? std::string::npos : room, verbose);
  // The empty line behind a table parts it from what follows.
  if (end.empty() && !tables.empty()) tables.pop_back();
  // A sentence that says everything has no empty line below it.
  if (answer.head.empty() && tables.empty() && end.empty()) return begin;
  return begin + head + tables + end;
}

std::string answer_talk(const Answer& answer, bool verbose) {
  std::string text = wrapped("", answer.sentence) + doubts_text(answer, verbose);
  for (const analysis::Remark& remark : answer.remarks) {
    text += wrapped("  " + remark.label + ": ", remark.text);
  }
  return text + notes_text(answer, verbose);
}

}  // namespace invar::report
