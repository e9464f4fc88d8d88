#include "analysis/compare/whole_contest.hpp"

#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "analysis/study/select.hpp"

namespace invar::analysis {

WholeContest whole_contest(const store::Data& data, const Summaries& summaries,
                           const Rules& rules) {
  std::vector<std::uint32_t> arms(data.arms.size());
  std::iota(arms.begin(), arms.end(), 0U);
  ReferenceChoice reference =
      reference_of(data, summaries, regimes_by(data, summaries, rules), rules);
  Contest contest =
      contest_of(data, sort_visits(summaries.visits, data.cells.size(), data.arms.size()), arms,
                 reference.band);
  return {
      .arms = std::move(arms), .contest = std::move(contest), .reference = std::move(reference)};
}

}  // namespace invar::analysis
