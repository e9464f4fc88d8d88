// Every observation of a campaign, for other tools: one row a repetition.
#pragma once

#include <iosfwd>
#include <span>
#include <string>
#include <vector>

#include "store/reader.hpp"

namespace invar::report {

// The columns of both forms: session, group, launch, arm, the factors of the cell, calls, round,
// block, visit, repetition, then times in ns and the flags (docs/formats.md). Only factors
// that are written for these cells have one.
std::vector<std::string> observation_columns(std::span<const record::Cell> cells);

// Behind these: a column for every time that the campaign's operations state and that is not the
// whole call, `one way_ns`.
std::vector<std::string> observation_columns_of(const store::Data& data);

// CSV with a header. Times have three decimals, exactly the picoseconds of the record; what does
// not exist is empty: the size of an operation without one, the canary where there was none, and
// what is in global time (global_ns, start_skew_ns, uncertainty_ns) under flag 32, uncertainty_ns
// under flag 1024, a time that the operation does not have or that cannot be told.
void write_observations_csv(const store::Data& data, std::ostream& out);

// {"schema":1,"observations":[...]}, an object a row with the same names; null for what does not
// exist.
void write_observations_json(const store::Data& data, std::ostream& out);

}  // namespace invar::report
