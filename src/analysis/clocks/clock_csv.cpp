#include "analysis/clocks/clock_csv.hpp"

#include <stdexcept>

#include "base/text.hpp"

namespace invar::analysis {

ClockCsv::ClockCsv(std::string_view text, std::string_view header)
    : rows_(base::read_csv(text, "clocks.csv")) {
  const auto joined = [](const base::CsvRow& row) { return base::join(row.fields, ","); };
  if (rows_.empty() || joined(rows_.front()) != header) {
    throw std::invalid_argument("clocks.csv has another format than '" + std::string(header) + "'");
  }
  const std::size_t columns = rows_.front().fields.size();
  rows_.erase(rows_.begin());
  for (const base::CsvRow& row : rows_) {
    if (row.fields.size() != columns) {
      throw std::invalid_argument("clocks.csv, line " + std::to_string(row.line) + ": " +
                                  std::to_string(row.fields.size()) + " fields, not " +
                                  std::to_string(columns));
    }
  }
}

std::optional<double> ClockCsv::optional_number(std::size_t row, std::size_t column) const {
  if (word(row, column).empty()) return std::nullopt;
  return number(row, column);
}

double ClockCsv::number(std::size_t row, std::size_t column) const {
  const std::optional<double> value = base::parse_double(word(row, column));
  if (!value) {
    throw std::invalid_argument("clocks.csv, line " + std::to_string(rows_[row].line) + ": '" +
                                word(row, column) + "' is no number");
  }
  return *value;
}

}  // namespace invar::analysis
