// The columns by which figures' tables name their cells, and the tables of special campaigns.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "analysis/page/campaign_page.hpp"
#include "record/cell.hpp"
#include "report/export/figure_tables.hpp"

namespace invar::report {

// A panel is what cells share that differ by their size alone.
class FigureCells {
 public:
  explicit FigureCells(const std::vector<record::Cell>& cells);

  // panel, size_bytes, size.
  [[nodiscard]] std::vector<FigureField> fields(std::size_t cell) const;
  // Position of this cell: panels in the order of the campaign, sizes ascending.
  [[nodiscard]] std::size_t place(std::size_t cell) const { return places_[cell]; }
  [[nodiscard]] std::optional<std::size_t> find(const record::Cell& cell) const;

 private:
  std::vector<record::Cell> cells_;
  std::vector<std::string> panels_ = {};  // by cell
  std::vector<std::size_t> places_ = {};
};

std::vector<FigureColumn> figure_cell_columns();

// "share" and "effects"; "power". Without rows where the campaign is not made for them.
std::vector<FigureTable> factor_tables(const analysis::CampaignPage& page);
std::vector<FigureTable> self_test_tables(const analysis::CampaignPage& page);

}  // namespace invar::report
