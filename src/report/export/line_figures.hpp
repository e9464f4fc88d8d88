// Pictures of answers' tidy tables: lines or points with intervals, all by one script a language.
// Which table and which columns of it are drawn is a row in line_figures.cpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/answer/answer.hpp"
#include "report/export/figure_tables.hpp"

namespace invar::report {

enum class LineAxis {
  kNumber,
  kTime,   // ns, written with a unit
  kRatio,  // of times
  kWords,  // places side by side, in the order of the table
};

struct LineFigure {
  std::string_view name;   // "drift": of the script and of data/drift.csv
  std::string_view shows;  // a sentence
  std::string_view x_title;
  std::string_view y_title;
  bool x_log = false;
  bool y_log = false;
  bool joined = false;  // points of a series by lines
  LineAxis x = LineAxis::kNumber;
  LineAxis y = LineAxis::kNumber;
  // Columns of the table: a line beside the points, and the number, from 1 on, of the part of it
  // that a point belongs to. Empty: none, or a line of one part.
  std::string_view fit = {};
  std::string_view piece = {};
  // Columns panel, series, x, y, low, high, then those of the answer's table as they are.
  FigureTable table = {};
};

// For every row that draws this answer's question; also those without rows in their table.
std::vector<LineFigure> line_figures(const analysis::Answer& answer);

// What the script of this language ("r", "python", "pgfplots") is told: constants that no data
// get into.
std::string line_settings(const LineFigure& figure, std::string_view language);

}  // namespace invar::report
