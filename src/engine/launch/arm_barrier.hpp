// The barrier in which the ranks of an arm leave a step: our own, so that no message of an arm is
// under way when it gives its turn away.
#pragma once

#include <mpi.h>

namespace invar::engine {

// Collective. A dissemination barrier of synchronous messages: who returns knows that each of its
// own has been received. After MPI_Barrier a library may still have to send what it has taken, and
// then needs to be called, while a rank that sleeps calls nothing: the others would wait for it,
// and the turn would never end.
void arm_barrier(MPI_Comm comm);

}  // namespace invar::engine
