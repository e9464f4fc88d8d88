// The columns of a table that tell its cells apart.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "record/cell.hpp"

namespace invar::report {

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
