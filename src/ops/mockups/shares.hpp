// Counts of the shares of one vector, for calls that take a count of every rank.
#pragma once

#include "ops/mockups/bodies/body.hpp"
#include "ops/operation.hpp"

namespace invar::ops {

// Shares of the call's vector that differ by an element at most, the longer ones first.
Equipped make_shares(const Call& call);
body::Shares shares_of(const Call& call);

// The vector is the root's share, all others are empty; for every root, which may move on.
Equipped make_shares_of_roots(const Call& call);
body::Shares share_of_root(const Call& call);

}  // namespace invar::ops
