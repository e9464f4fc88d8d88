// `invar-engine --stress DIR`: messages and collectives for a given time, every byte of which is
// looked at.
#pragma once

#include <mpi.h>

#include <string>

#include "record/stress/stress_order.hpp"

namespace invar::engine {

// Collective. Rank 0 writes how far it is into DIR/progress.jsonl, a line a second and one at the
// end; whoever finds something wrong writes it into a file of its own. Ends when the time is over,
// or soon after the first fault: behind one nothing is sure. Throws std::runtime_error where ranks
// cannot go on together.
void run_stress(MPI_Comm world, const std::string& dir, const record::StressOrder& order);

}  // namespace invar::engine
