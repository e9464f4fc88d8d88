#include "cli/problems.hpp"

#include <iostream>

#include "report/kit/text_table.hpp"

namespace invar::cli {

void tell_problems(const std::string& campaign, std::span<const std::string> problems,
                   report::Anonymiser* names) {
  for (const std::string& problem : problems) {
    std::string line = campaign + ": " + problem;
    if (names != nullptr) line = names->apply(line);
    std::cerr << "invar: " << report::printable(line) << "\n";
  }
}

}  // namespace invar::cli
