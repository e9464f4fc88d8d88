// The scripts of src/report/export/figures, which are a part of the program.
#pragma once

#include <span>

namespace invar::report {

struct FigureScript {
  const char* language;  // "r", "python", "pgfplots": the folder
  const char* name;      // "ratio"; "common": what every script of the language begins with
  const char* text;
};

std::span<const FigureScript> figure_scripts();

}  // namespace invar::report
