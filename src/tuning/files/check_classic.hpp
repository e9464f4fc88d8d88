// Classic rules files of Open MPI that somebody has written by hand: what the library would take
// wrongly, or drop without a word.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tuning/library.hpp"

namespace invar::tuning {

struct ClassicFault {
  int line = 0;  // from 1
  std::string what = {};
  std::string remedy = {};
};

// A header of version 2 where the version does not know it (before 5.0.7), a first rule that does
// not begin at 0 bytes (coll_tuned_dynamic_file.c: the whole file is dropped), rules or
// communicators that do not ascend, what is not a number or missing, JSON before 6.0. Since then
// JSON is not looked at.
std::vector<ClassicFault> check_classic(std::string_view text, const Version& version);

}  // namespace invar::tuning
