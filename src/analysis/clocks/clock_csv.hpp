// What an engine writes about clocks (clocks.csv): rows of words and numbers.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/csv.hpp"

namespace invar::analysis {

// All its readers throw std::invalid_argument for what the engine does not write.
class ClockCsv {
 public:
  // `header`: the line of column names that it must have.
  ClockCsv(std::string_view text, std::string_view header);

  [[nodiscard]] std::size_t size() const { return rows_.size(); }
  [[nodiscard]] const std::string& word(std::size_t row, std::size_t column) const {
    return rows_[row].fields[column];
  }
  [[nodiscard]] double number(std::size_t row, std::size_t column) const;
  // None where the field is empty.
  [[nodiscard]] std::optional<double> optional_number(std::size_t row, std::size_t column) const;

 private:
  std::vector<base::CsvRow> rows_;
};

}  // namespace invar::analysis
