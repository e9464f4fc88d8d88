// What both forms of Open MPI's rules have in common.
#pragma once

#include "tuning/files/plan.hpp"

namespace invar::tuning {

// 0: its own choice.
inline int open_mpi_number(const Choice& choice) {
  return choice.algorithm == nullptr ? 0 : choice.algorithm->number;
}

// The variables without which the file is not read, and those of its knobs.
void tell_open_mpi(const TuningRequest& request, const FilePlan& plan, TunedFile& file);

}  // namespace invar::tuning
