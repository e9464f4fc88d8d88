// The columns of a table that tell its cells apart.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "record/cell.hpp"

namespace invar::report {

// The columns of a CSV that has a cell in every row: the factors that tables of these cells have
// (record::written_factors()), as they stand in a plan.
class LevelColumns {
 public:
  explicit LevelColumns(std::span<const record::Cell> cells)
      : factors_(record::written_factors(cells)) {}
  // Of rows that have a member `cell`.
  template <typename Row>
  static LevelColumns of_rows(const std::vector<Row>& rows) {
    std::vector<record::Cell> cells;
    cells.reserve(rows.size());
    for (const Row& row : rows) cells.push_back(row.cell);
    return LevelColumns(cells);
  }

  // A comma behind every name, and behind every level.
  [[nodiscard]] std::string header() const;
  [[nodiscard]] std::string fields(const record::Cell& cell) const;

 private:
  std::vector<const record::Factor*> factors_;
};

// Factors other than operation and size that tell these cells apart, without those of one role.
std::vector<record::Factor> varying_factors(std::span<const record::Cell> cells,
                                            std::optional<record::FactorRole> without = {});

// Tables whose rows are synchronisations: of operation, size and other factors only what varies
// gets a column, then sync and dither, if that varies.
class SyncColumns {
 public:
  explicit SyncColumns(std::vector<record::Cell> cells);

  // "allreduce, 8 B, 2 ranks": the only place; empty if there are several.
  [[nodiscard]] std::string place() const;
  [[nodiscard]] std::vector<std::string> headers() const;
  [[nodiscard]] std::vector<std::string> fields(const record::Cell& cell) const;

 private:
  std::vector<record::Cell> cells_;
  std::vector<record::Factor> factors_;
  bool operations_ = false;
  bool sizes_ = false;
  bool dithers_ = false;
};

}  // namespace invar::report
