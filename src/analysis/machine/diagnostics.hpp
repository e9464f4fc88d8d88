// What makes a result doubtful, in words that name the remedy. Diagnostics warn; they never drop
// data.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/answer/answer.hpp"
#include "analysis/compare/comparison.hpp"
#include "analysis/compare/contest.hpp"
#include "analysis/study/rules.hpp"
#include "analysis/study/summaries.hpp"
#include "base/canary_band.hpp"
#include "store/reader.hpp"

namespace invar::analysis {

// What one campaign's data make doubtful, whatever is asked of them: damage, failures, what is
// unfinished, late and interrupted repetitions, a rest of burn-in, a canary that moved, a coarse
// clock. `arms`: indices into Data::arms of those that are looked at. `split_by`: by these canaries
// one regime was chosen, and the answer's times are of it alone (Contest::split_by).
std::vector<Warning> data_warnings(const store::Data& data, const Rules& rules,
                                   const Summaries& summaries, std::span<const std::uint32_t> arms,
                                   std::optional<base::CanaryKind> split_by = {});

// Cells of which no visit has the time that the summaries are of; where the headline is meant,
// something went wrong. Single visits of other cells. `untold`: of the summaries.
void warn_of_untold_times(const store::Data& data, const Summaries& summaries,
                          std::span<const UntoldVisits> untold, std::span<const std::uint32_t> arms,
                          std::vector<Warning>& warnings);

// What makes global times doubtful: clocks whose error nobody states, or states to be too large.
// data_warnings() has them of its summaries; whoever shows global times of others asks for theirs.
std::vector<Warning> clock_warnings(const store::Data& data, const Summaries& summaries,
                                    std::span<const std::uint32_t> arms);

// What to say where two launches (of `unit`: "launch", "launch group") are all there is.
std::string two_launches_text(const std::string& unit);

// Adds what is said of the answers: too few launches to decide, and what number would do. Where a
// campaign wrote down why it ended with something open, that is said in the same remark and taken
// out of `warnings`.
void add_launch_warnings(const Contest& contest, std::span<const Pair> pairs,
                         std::span<const ComparedCell> rows, const Rules& rules,
                         std::vector<Warning>& warnings);

// Looks at the values that verdicts rest on, one a launch group. Student's t takes them to be
// normally distributed and independent; where they are not, or resemble those of the group before,
// it is said.
std::vector<Warning> ratio_warnings(const Contest& contest, std::span<const Pair> pairs,
                                    const Rules& rules);

}  // namespace invar::analysis
