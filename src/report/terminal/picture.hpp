// `show --plot`: pictures of text for a terminal.
#pragma once

#include <cstddef>
#include <string>

#include "analysis/questions/pictured.hpp"

namespace invar::report {

// What the terminal can show.
struct PictureLook {
  std::size_t width = 80;  // columns; no line is longer, from 40 on
  bool unicode = true;     // else ASCII
};

enum class Pictures { kAll, kBoxes, kLines };

// The sentence, the arms with their symbols, the pictures that were asked for, warnings, where the
// data lie. What is not drawn, because there would be too much of it, is said with the options that
// choose it.
std::string pictures_text(const analysis::Pictured& pictured, Pictures pictures,
                          const PictureLook& look);

// Its parts. Boxes of launch medians, a row an arm and cell; empty without cells.
std::string box_picture(const analysis::Pictured& pictured, const PictureLook& look);
// Time over size, both logarithmic, for every operation (and level of other factors) that has two
// sizes or more; empty where none has.
std::string line_pictures(const analysis::Pictured& pictured, const PictureLook& look);

}  // namespace invar::report
