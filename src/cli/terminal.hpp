// What standard output can show, and lines for people on standard error.
#pragma once

#include <string_view>

#include "report/terminal/picture.hpp"

namespace invar::cli {

// The terminal's width (80 where standard output is none, or does not tell), and Unicode where
// LC_ALL, LC_CTYPE or LANG, the first one that is set, says UTF-8.
report::PictureLook terminal_look();

// A line on standard error. Whatever in it comes from data cannot steer the terminal.
void tell(std::string_view line);

}  // namespace invar::cli
