// `export --to r, python, pgfplots`: a directory of data and of one short script a figure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/export/figure_tables.hpp"
#include "report/export/line_figures.hpp"

namespace invar::report {

struct FigureFile {
  std::string path = {};  // in the directory: "ratio.R", "data/ratio.csv"
  std::string text = {};
};

struct FigureContext {
  std::string campaign = {};  // its name
  std::string sentence = {};  // its answer
  std::string invar = {};     // version
  // "incomplete"; what is wrong with the campaign, and what its comparison warns of.
  std::string state = {};
  std::vector<std::string> problems = {};
  std::vector<std::string> warnings = {};
};

struct FigureExport {
  std::vector<FigureFile> files = {};      // scripts, data, README.txt
  std::vector<std::string> drawn = {};     // "ratio.R"
  std::vector<std::string> left_out = {};  // "factors: no factor has two levels here"
};

// "r", "python", "pgfplots".
bool is_figure_language(std::string_view language);

// `tables`: of a campaign or of `reproduce`; `lines`: of answers. A figure whose table has no rows,
// or is not among them, is left out. Scripts hold no string of the data but, in a comment, the
// campaign's name.
FigureExport figure_export(std::vector<FigureTable> tables, std::vector<LineFigure> lines,
                           std::string_view language, const FigureContext& context);

}  // namespace invar::report
