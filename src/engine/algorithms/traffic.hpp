// `invar-engine --traffic DIR`: which messages calls send, counted by Open MPI's pml_monitoring. It
// counts over MPI_COMM_WORLD and writes at MPI_Finalize, once: so every try of DIR/tries.csv has
// ranks of its own, one group behind the other, and all are seen at once.
#pragma once

#include <mpi.h>

#include <string>

namespace invar::engine {

// Collective over `world`, which is MPI_COMM_WORLD and has as many ranks as all tries together; the
// last thing before MPI_Finalize. Rank 0 writes DIR/traffic.json: {"counts": true, "tries":
// [{"try", "first_rank", "ranks", "failure", "references": [{"name", "segment_bytes", "order",
// "messages":
// [[from, to, messages, bytes], ...]}]}]}: what the reference algorithms of the operation send, in
// segments that may be meant; ranks count from the group's first. `counts` is false where the
// library cannot be told when to count ("why" says why): then nothing was called. Throws
// std::runtime_error where it cannot write, and UserError for a csv that is none, or wants another
// number of ranks.
void run_traffic(MPI_Comm world, const std::string& dir, const std::string& csv);

}  // namespace invar::engine
