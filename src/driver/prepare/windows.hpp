// Whether calls fit into windows that all have one length.
#pragma once

#include "driver/prepare/prepare.hpp"

namespace invar::driver {

// Times some calls of every operation that is measured in windows of `[engine] window`, of its
// largest size, in every arm, after MPI_Barrier: in windows shorter than that no repetition would
// be valid, and nobody would know before the end. Nothing is started where windows adapt. Throws
// UserError with all that do not fit.
void check_windows(const Prepared& prepared);

}  // namespace invar::driver
