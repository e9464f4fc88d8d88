// `compare`: which arm takes less time, cell by cell (docs/methods.md, "Comparing").
#pragma once

#include "analysis/compare/comparison.hpp"
#include "analysis/study/rules.hpp"
#include "analysis/study/summaries.hpp"
#include "store/reader.hpp"

namespace invar::analysis {

// The arms of one campaign, each against the first one (or every pair), paired by launch group.
// Rules from the campaign and the options. Throws UserError: an unknown arm (with a did-you-mean),
// fewer than two arms, options out of range, no cell that two of the arms have. Throws CommandError
// with the fitting status where there is nothing to compare: no complete launch group, no valid
// repetition.
Comparison compare(const store::Data& data, const CompareOptions& options);

// The same with a Rules at hand; of the options only `arms` and `all_pairs` are looked at.
// `made`: summaries of the campaign's own visits by rules.runtime, where somebody has them already;
// null: made here.
Comparison compare(const store::Data& data, const Rules& rules, const CompareOptions& options,
                   const Summaries* made = nullptr);

// Two campaigns: cells of equal levels, arms labelled `label@campaign`. Arms of the same label are
// compared with each other, or, where there are none, all of the second campaign with the first arm
// of the first one; unpaired over launches. The verdict includes the machine's change. Throws
// UserError if no cell is common, saying what each has.
Comparison compare_campaigns(const store::Data& first, const store::Data& second,
                             const CompareOptions& options);
Comparison compare_campaigns(const store::Data& first, const store::Data& second,
                             const Rules& rules, const CompareOptions& options);

}  // namespace invar::analysis
