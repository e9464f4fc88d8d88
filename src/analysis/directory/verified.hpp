// Whether every byte of a campaign or an experiment is as it was written.
#pragma once

#include <string>

#include "analysis/answer/answer.hpp"
#include "store/reader.hpp"

namespace invar::analysis {

struct Verified {
  std::string dir = {};
  bool clocks = false;  // an experiment with clocks
  store::Verification found = {};
  std::string remedy = {};  // what goes on with it; empty: nothing need be done
};

Answer answer_of(const Verified& verified);

}  // namespace invar::analysis
