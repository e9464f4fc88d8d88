#include "analysis/clocks/clock_csv.hpp"

#include <algorithm>
#include <limits>

#include "base/error.hpp"
#include "base/text.hpp"

namespace invar::analysis {
namespace {

constexpr std::size_t kMostRawFaults = 10;
constexpr const char* kMeasureAgain =
    "measure again, or use the version of invar that measured this";

// Where a field of a row begins, in characters from 1. Fields are written with as few quotes as can
// be, so that this is where it stands.
int column_of(const base::CsvRow& row, std::size_t field) {
  std::size_t column = 1;
  for (std::size_t i = 0; i < field; ++i) column += base::csv_field(row.fields[i]).size() + 1;
  return static_cast<int>(column);
}

// Why the text is none of this kind; empty: it is.
std::string fault_of(const std::string& text, record::RawField field,
                     std::optional<double>& number) {
  if (field == record::RawField::kText) return {};
  if (field == record::RawField::kCount) {
    const auto count = base::parse_u64(text);
    if (!count || *count > std::numeric_limits<std::uint32_t>::max()) {
      return "'" + text + "' is not a count";
    }
    number = static_cast<double>(*count);
    return {};
  }
  if (text.empty() && field == record::RawField::kOptional) return {};
  number = base::parse_double(text);
  return number ? "" : "'" + text + "' is not a number";
}

}  // namespace

// The experiment's own later columns may be missing at the end, and any of the added ones.
std::vector<ClockCsv::Found> ClockCsv::read_header(std::span<const record::RawColumn> columns) {
  std::vector<std::string> names =
      rows_.empty() ? std::vector<std::string>() : rows_.front().fields;
  std::vector<Found> added;
  for (std::size_t i = record::kAddedColumns.size(); i-- > 0;) {
    if (names.empty() || names.back() != record::kAddedColumns[i].name) continue;
    names.pop_back();
    added.insert(added.begin(), {record::kAddedColumns[i], columns.size() + i});
  }
  bool same = !names.empty() && names.size() <= columns.size();
  for (std::size_t i = 0; same && i < columns.size(); ++i) {
    same = i < names.size() ? names[i] == columns[i].name : columns[i].later;
  }
  if (!same) {
    std::vector<std::string> expected;
    for (const record::RawColumn& column : columns) expected.emplace_back(column.name);
    throw base::UserError({.place = place_,
                           .line = 1,
                           .what = "the columns are not " + base::join(expected, ","),
                           .remedy = kMeasureAgain});
  }
  std::vector<Found> found;
  own_ = names.size();
  for (std::size_t i = 0; i < own_; ++i) found.push_back({columns[i], i});
  found.insert(found.end(), added.begin(), added.end());
  rows_.erase(rows_.begin());
  return found;
}

ClockCsv::ClockCsv(std::string_view text, std::span<const record::RawColumn> columns,
                   std::string place)
    : place_(std::move(place)), columns_(columns.size()), rows_(base::read_csv(text, place_)) {
  const std::vector<Found> found = read_header(columns);
  std::vector<base::Fault> faults;
  for (const base::CsvRow& row : rows_) {
    if (faults.size() == kMostRawFaults) break;
    std::vector<std::optional<double>>& numbers =
        numbers_.emplace_back(columns.size() + record::kAddedColumns.size());
    if (row.fields.size() != found.size()) {
      faults.push_back({.place = place_,
                        .line = row.line,
                        .column = column_of(row, std::min(row.fields.size(), found.size())),
                        .what = "this row has " + base::count_text(row.fields.size(), "field") +
                                ", the header " + std::to_string(found.size()),
                        .remedy = kMeasureAgain});
      continue;
    }
    for (std::size_t i = 0; i < found.size(); ++i) {
      const std::string what =
          fault_of(row.fields[i], found[i].column.field, numbers[found[i].place]);
      if (what.empty()) continue;
      faults.push_back({.place = place_,
                        .line = row.line,
                        .column = column_of(row, i),
                        .what = what,
                        .remedy = kMeasureAgain});
    }
  }
  if (!faults.empty()) throw base::UserError(std::move(faults));
}

void ClockCsv::refuse(std::size_t row, std::size_t column, const std::string& what) const {
  throw base::UserError({.place = place_,
                         .line = rows_[row].line,
                         .column = column_of(rows_[row], column),
                         .what = what,
                         .remedy = kMeasureAgain});
}

}  // namespace invar::analysis
