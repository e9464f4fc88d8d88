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

// A panel is what cells share that differ by their size alone, or by levels that were measured in
// the same launches (cache, synchronisation): these stand side by side, as series of the arm,
// unless that would be more series than anybody can tell apart.
class FigureCells {
 public:
  // `arms`: labels.
  FigureCells(const std::vector<record::Cell>& cells, std::vector<std::string> arms);

  // Every series, in the order of arms, then of levels.
  [[nodiscard]] const std::vector<std::string>& series() const { return series_; }
  // "mpich", "mpich, cache cold", with one arm "cache cold".
  [[nodiscard]] std::string series_of(std::size_t cell, std::size_t arm) const;
  [[nodiscard]] std::string series_of(std::size_t cell, const std::string& arm) const;

  // panel, size_bytes, size.
  [[nodiscard]] std::vector<FigureField> fields(std::size_t cell) const;
  // Position of this cell: panels in the order of the campaign, sizes ascending.
  [[nodiscard]] std::size_t place(std::size_t cell) const { return places_[cell]; }
  [[nodiscard]] std::optional<std::size_t> find(const record::Cell& cell) const;

 private:
  [[nodiscard]] std::string series_text(const std::string& arm, const std::string& level) const;

  std::vector<record::Cell> cells_;
  std::vector<std::string> arms_;
  std::vector<std::string> panels_ = {};  // by cell
  std::vector<std::string> levels_ = {};  // by cell; empty: cells differ in none
  std::vector<std::string> series_ = {};
  std::vector<std::size_t> places_ = {};
};

std::vector<FigureColumn> figure_cell_columns();

// "share" and "effects"; "power". Without rows where the campaign is not made for them.
std::vector<FigureTable> factor_tables(const analysis::CampaignPage& page);
std::vector<FigureTable> self_test_tables(const analysis::CampaignPage& page);

}  // namespace invar::report
