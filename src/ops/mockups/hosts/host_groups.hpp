// The communicators of mock-ups that take their way by hosts, made with the call's setup and shared
// by all calls on one communicator.
#pragma once

#include "ops/mockups/bodies/hosts.hpp"
#include "ops/operation.hpp"

namespace invar::ops {

// As Operation::equip. A host is what shares boot, name and time namespace (host/identity.hpp).
// All of them refuse a call for which the library makes no communicator.
// Through leaders, where the order of ranks does not matter: refused for operators that do not
// commute, if the ranks of a host do not follow one another.
Equipped make_leaders(const Call& call);
// The same where it does.
Equipped make_ordered_leaders(const Call& call);
// And with body::Hosts::blocks; the blocks of all ranks must fit a count together.
Equipped make_leaders_of_blocks(const Call& call);
// By lanes: refused if the ranks of a host do not follow one another, or a host has more than
// another one.
Equipped make_lanes(const Call& call);

const body::Hosts& hosts_of(const Call& call);

// Whether it is one of these. As long as one of them lives, making others for calls on the same
// communicator is local.
bool has_communicators(const Equipment& equipment);

// For tests on one host: the host that a rank is on, from now on. Null: its own.
void pretend_hosts(int (*host_of)(int rank, int ranks));

}  // namespace invar::ops
