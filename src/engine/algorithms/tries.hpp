// `invar-engine --try DIR`: what DIR/tries.csv says is tried, one after the other, and said in
// DIR/tried.jsonl as soon as it is known: a try that takes the ranks with it, or from which they do
// not come back, is the last one that has begun, and costs no other.
#pragma once

#include <mpi.h>

#include <string>

namespace invar::engine {

// Collective, all kinds but record::TryKind::kTraffic. `csv`: the content of DIR/tries.csv. Rank 0
// writes two lines a try: {"try": 3, "begun": true}, then {"try": 3, "failure": "...", "median_ns":
// 812}: an empty failure is none, the time is null where none was asked for. Throws
// std::runtime_error where it cannot write, and UserError for a csv that is none.
void run_tries(MPI_Comm world, const std::string& dir, const std::string& csv);

}  // namespace invar::engine
