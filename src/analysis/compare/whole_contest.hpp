// Everything of a campaign as it is compared: all of its arms, in the machine's reference regime.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/compare/contest.hpp"
#include "analysis/machine/reference.hpp"
#include "analysis/study/rules.hpp"
#include "analysis/study/summaries.hpp"
#include "store/reader.hpp"

namespace invar::analysis {

struct WholeContest {
  std::vector<std::uint32_t> arms = {};  // indices into Data::arms: all
  Contest contest = {};
  ReferenceChoice reference = {};
};
WholeContest whole_contest(const store::Data& data, const Summaries& summaries, const Rules& rules);

}  // namespace invar::analysis
