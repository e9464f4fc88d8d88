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
  // The columns, but that rows of earlier versions may lack the later ones, and behind them what
  // the driver adds (record::kAddedColumns). Throws UserError with line and column of everything
  // (up to ten) that is not as the columns say.
  ClockCsv(std::string_view text, std::span<const record::RawColumn> columns, std::string place);

  [[nodiscard]] std::size_t size() const { return rows_.size(); }
  // Empty where the file has no such column.
  [[nodiscard]] const std::string& word(std::size_t row, std::size_t column) const {
    return column < own_ ? rows_[row].fields[column] : kNothing;
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
  // The launch that measured the row, from 1; rows that do not say are of one launch.
  [[nodiscard]] std::uint32_t launch(std::size_t row) const { return added(row, kLaunch, 1); }
  // How many ranks measured the row; 0: it does not say.
  [[nodiscard]] std::uint32_t ranks(std::size_t row) const { return added(row, kRanks, 0); }
  // Throws UserError about a field that no experiment writes so.
  [[noreturn]] void refuse(std::size_t row, std::size_t column, const std::string& what) const;

 private:
  // Indices of record::kAddedColumns.
  static constexpr std::size_t kRanks = 0, kLaunch = 1;
  static inline const std::string kNothing = {};

  [[nodiscard]] std::uint32_t added(std::size_t row, std::size_t which, std::uint32_t usual) const {
    const std::optional<double>& number = numbers_[row][columns_ + which];
    return number ? static_cast<std::uint32_t>(*number) : usual;
  }
  // A column of the file, and its place among the experiment's with all added ones behind them.
  struct Found {
    record::RawColumn column;
    std::size_t place;
  };
  std::vector<Found> read_header(std::span<const record::RawColumn> columns);

  std::string place_;
  std::size_t columns_ = 0;  // of the experiment
  std::size_t own_ = 0;      // of these in the file
  std::vector<base::CsvRow> rows_;
  std::vector<std::vector<std::optional<double>>> numbers_ = {};
};

}  // namespace invar::analysis
