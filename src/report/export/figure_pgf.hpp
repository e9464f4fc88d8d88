// Figures' data as TeX can read them: numbers alone, a file a panel (or cell) and arm, and strings
// apart from them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/export/figures.hpp"

namespace invar::report {

// data/NAME-PLACE-ARM.csv and data/labels.tex. Places are panels, or cells of tables that are drawn
// cell by cell; tables without them are data/NAME.csv.
std::vector<FigureFile> pgf_files(const std::vector<FigureTable>& tables);

// What TeX prints as this text. Characters that pdflatex has no letter for become question marks.
std::string tex_text(std::string_view text);

}  // namespace invar::report
