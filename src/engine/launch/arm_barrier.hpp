// The barrier in which the ranks of an arm leave a step: our own, so that no message of an arm
// waits for a call of its sender when it gives its turn away.
#pragma once

#include <mpi.h>

#include <string_view>

namespace invar::engine {

// Where ranks may call their library while they wait: MPI_Iprobes behind the barrier.
constexpr int kCallsBehindBarrier = 8;
// As many as a launch with this level of the factor `progress` allows.
inline int calls_behind_barrier(std::string_view progress) {
  return progress == "none" ? 0 : kCallsBehindBarrier;
}

// Collective. A dissemination barrier of synchronous messages: who returns knows that each of its
// own has been received. After MPI_Barrier a library may still have to send what it has taken, and
// then needs to be called, while a rank that sleeps calls nothing: the others would wait for it,
// and the turn would never end.
//
// It does not prove that what this rank has received is acknowledged: a library may have taken note
// of it and not yet told the sender. For that it is called `further_calls` times more. One that
// needs still more calls for it holds up the sender, and is named as one that hangs.
void arm_barrier(MPI_Comm comm, int further_calls);

}  // namespace invar::engine
