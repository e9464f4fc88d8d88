// What a look for messages costs where there are none: MPI_Iprobe of any source and tag.
#include "ops/p2p/lone_call.hpp"

namespace invar::ops {
namespace {

int look_for_messages(Call& c) {
  int found = 0;
  const int error = MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, c.comm, &found, MPI_STATUS_IGNORE);
  return found_nothing(error, found);
}

}  // namespace

extern constexpr Operation kIprobe =
    lone_call<look_for_messages>("iprobe", "rank 0 looks for messages that are not there");

}  // namespace invar::ops
