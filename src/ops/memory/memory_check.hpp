// What calls of memory operations must leave behind.
#pragma once

#include "ops/memory/memory_call.hpp"
#include "ops/verify.hpp"

namespace invar::ops {

// read: the sum of all that the last call visited.
void sum_of_visits(const Call& call, Checker& checker);
// write, copy, triad, also around the caches: what the last call visited holds what the kernel
// stores there, and nothing else was written, between the elements of a stride either.
void stored_by_visits(const Call& call, Checker& checker);
// chase: the chains are whole cycles through as many lines as they say; the last call has arrived
// where so many loads lead; so does a call of fewer.
void arrived_in_chains(const Call& call, Checker& checker);

}  // namespace invar::ops
