// The raw rows of an experiment with clocks (clocks.csv), whose columns are in
// record/clock_spec.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/csv.hpp"
#include "record/clock_spec.hpp"

namespace invar::analysis {

class ClockCsv {
 public:
  // Throws UserError with line and column of everything (up to ten) that is not as the columns say.
  ClockCsv(std::string_view text, std::span<const record::RawColumn> columns, std::string place);

  [[nodiscard]] std::size_t size() const { return rows_.size(); }
  [[nodiscard]] const std::string& word(std::size_t row, std::size_t column) const {
    return rows_[row].fields[column];
  }
  // The column must be one of numbers or counts.
  [[nodiscard]] double number(std::size_t row, std::size_t column) const {
    return numbers_[row][column].value_or(0);
  }
  [[nodiscard]] std::uint32_t count(std::size_t row, std::size_t column) const {
    return static_cast<std::uint32_t>(number(row, column));
  }
  // None where the field is empty.
  [[nodiscard]] std::optional<double> optional_number(std::size_t row, std::size_t column) const {
    return numbers_[row][column];
  }
  // Throws UserError about a field that no experiment writes so.
  [[noreturn]] void refuse(std::size_t row, std::size_t column, const std::string& what) const;

 private:
  std::string place_;
  std::vector<base::CsvRow> rows_;
  std::vector<std::vector<std::optional<double>>> numbers_ = {};
};

}  // namespace invar::analysis
