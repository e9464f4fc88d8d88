// What standard output can show.
#pragma once

#include "report/terminal/picture.hpp"

namespace invar::cli {

// The terminal's width (80 where standard output is none, or does not tell), and Unicode where
// LC_ALL, LC_CTYPE or LANG, the first one that is set, says UTF-8.
report::PictureLook terminal_look();

}  // namespace invar::cli
