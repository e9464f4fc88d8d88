// Answers about pairs as rows of guidelines, with those that are not measured: what ours and
// PGMPI's way of judging share.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/guidelines/guideline_pairs.hpp"
#include "analysis/guidelines/guidelines.hpp"
#include "analysis/study/lack.hpp"
#include "analysis/study/study.hpp"

namespace invar::analysis {

// The campaign's rules, in their order.
std::vector<design::Guideline> rules_of(const design::Campaign& campaign);

// It has none.
std::optional<Lack> lack_of_guidelines(const Study& study);

// Rule after rule. `answers`: of the places that have a pair, in their order.
std::vector<GuidelineRow> guideline_rows(const Study& study, const Contest& contest,
                                         const std::vector<GuidelinePlace>& places,
                                         std::vector<ComparedCell> answers);

// The right side of a measured row: "reduce(n) + bcast(n)", "16 KiB", "4 calls on parts of it",
// and of PGMPI "4 calls of 1 KiB".
std::string right_words(const design::Guideline& rule, const GuidelineRow& row);

}  // namespace invar::analysis
