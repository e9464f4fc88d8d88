#include "report/kit/answer_text.hpp"

#include <fmt/format.h>

#include <algorithm>
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
    default:
      return analysis::number_text(number);
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
    text.interval = fmt::format("[{:.{}f}, {:.{}f}]", 100 * std::max(0.0, interval->low), decimals,
                                100 * std::min(1.0, interval->high), decimals);
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

}  // namespace

std::string table_text(const TidyTable& table) {
  if (table.shown.empty()) return {};
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
  return text.text();
}

std::string answer_text(const Answer& answer) {
  std::string text = printable(answer.sentence) + "\n\n";
  if (!answer.head.empty()) text += "  " + printable(answer.head) + "\n\n";
  for (const TidyTable& table : answer.tables) {
    if (table.shown.empty()) continue;
    if (!table.title.empty()) text += printable(table.title) + ":\n";
    text += table_text(table) + "\n";
  }
  for (const std::string& note : answer.notes) text += wrapped("  ", note);
  for (const analysis::Remark& remark : answer.remarks) {
    text += wrapped("  " + remark.label + ": ", remark.text);
  }
  for (const std::string& warning : answer.warnings) text += wrapped("  look at: ", warning);
  std::vector<std::string> next;
  for (const analysis::Remark& one : answer.next) {
    next.push_back(one.label + ": " + printable(one.text));
  }
  return next.empty() ? text : text + "  " + base::join(next, "   ") + "\n";
}

std::string answer_talk(const Answer& answer) {
  std::string text = wrapped("", answer.sentence);
  for (const analysis::Remark& remark : answer.remarks) {
    text += wrapped("  " + remark.label + ": ", remark.text);
  }
  for (const std::string& warning : answer.warnings) text += wrapped("  look at: ", warning);
  return text;
}

}  // namespace invar::report
