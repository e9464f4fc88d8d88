// Words of the answers about tuning.
#pragma once

#include <string>

#include "analysis/answer/tidy_table.hpp"
#include "analysis/compare/comparison.hpp"
#include "tuning/candidate.hpp"
#include "tuning/decision_table.hpp"

namespace invar::analysis {

// "bcast 8 B to 1 KiB, 2 ranks", "barrier, 4 ranks": where an entry holds. A size of 0 is one where
// the operation has sizes.
std::string place_words(const tuning::Entry& entry);
std::string place_words(const record::Cell& cell);

// "algorithm chain in segments of 64 B", "mock-up allreduce=reduce+bcast", "the library's own
// choice".
std::string candidate_words(const tuning::Candidate& candidate);

// ": sequential, looks after 3 and 5 launch groups"; empty: there was no look.
std::string looks_clause(const std::vector<LookReport>& looks);

// A share of a time with its sign: "12 %", "-3 %".
std::string gain_words(double share);

// A decision table as an answer has it: its columns are those of table.csv.
TidyTable entries_table(const tuning::DecisionTable& decisions);

// The verdict on A as one on B: who loses against A is slower.
Word verdict_on_b(const ComparedCell& row);

}  // namespace invar::analysis
