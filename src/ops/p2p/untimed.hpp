// What calls of messages need that nobody times: for them no hook has posted receives or attached a
// buffer, and no synchronisation says that the others are ready.
#pragma once

#include "ops/operation.hpp"

namespace invar::ops {

// Whether calls of these levels need prepare_untimed().
bool needs_preparing(const record::P2pLevels& levels);

// Posts what is to be posted before, and has the senders of ready messages wait until it is;
// attaches a buffer for MPI_Bsend. Operation::before_untimed.
int prepare_untimed(Call& c);

// Gives that buffer back: only when all that was in it has gone. Operation::behind_untimed of
// operations that need no acknowledgement.
int end_untimed(Call& c);
// The same with one. Operation::behind_untimed of those whose calls would run ahead of each other,
// and of those that must be apart (record::takes_from_several()).
int acknowledge_untimed(Call& c);

// Posts the receives of one call, or starts them.
int post_all_receives(Call& c);

// A buffer for MPI_Bsend, of which a process has one: that which this rank's calls need; none where
// it sends nothing. They return the MPI error code.
int attach_buffer(const Call& c);
int detach_buffer(const Call& c);
// Waits until all that is in that buffer has gone, and keeps it.
int empty_buffer(const Call& c);

}  // namespace invar::ops
