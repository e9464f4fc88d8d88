// The host that a rank is on. In a simulator that is a simulated one: all ranks are one process of
// a single real host there.
#pragma once

#include <cstdint>
#include <string>

namespace invar::ops {

std::string rank_host_name();

// The same number on all ranks of a host, and on no rank of another one.
std::uint64_t rank_host_hash();

}  // namespace invar::ops
