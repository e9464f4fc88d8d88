// What probes have learned of a library that a writer must know: kept beside the files that were
// written with it, because the table is written again when a part of it is confirmed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tuning/size_law.hpp"
#include "tuning/tuned_file.hpp"

namespace invar::tuning {

struct Learned {
  std::string library_version = {};  // what it was learned of: MPI_Get_library_version's first line
  SizeLaws laws = {};
  std::vector<Breakage> breakages = {};
};

// learned.csv: what, operation, candidate, text.
std::string learned_text(const Learned& learned);
// The reverse. Throws UserError with every fault, each with its line.
Learned parse_learned(std::string_view text, const std::string& place);

}  // namespace invar::tuning
