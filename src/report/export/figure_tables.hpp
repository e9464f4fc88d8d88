// The data of pictures for papers as tidy tables: one row a thing that is drawn, every column with
// its unit or meaning (docs/formats.md, "Figures for papers"). They become CSV files, from which
// scripts draw.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "analysis/page/campaign_page.hpp"
#include "analysis/reproduce/reproduce.hpp"

namespace invar::report {

struct FigureColumn {
  std::string name = {};
  std::string meaning = {};  // with the unit
  bool text = false;         // else numbers
};

// Nothing where a value does not exist.
using FigureField = std::variant<std::monostate, double, std::string>;

struct FigureTable {
  std::string name = {};  // "ratio": of data/ratio.csv
  std::vector<FigureColumn> columns = {};
  std::vector<std::vector<FigureField>> rows = {};

  [[nodiscard]] std::string csv() const;
};

// All tables, also those without rows, in a fixed order. Cells stand by panel (what has the same
// operation and factors), then by size.
std::vector<FigureTable> figure_tables(const analysis::CampaignPage& page);
// The tables of a directory of `reproduce`.
std::vector<FigureTable> figure_tables(const analysis::Reproduced& reproduced);

}  // namespace invar::report
