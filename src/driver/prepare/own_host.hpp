// Whether a host that people name is the one that this process runs on.
#pragma once

#include <span>
#include <string>

#include "design/campaign/hosts.hpp"

namespace invar::driver {

enum class Whereabouts {
  kHere,
  kElsewhere,
  kUnknown,  // it is not called as this host, and its name has no address here
};

// By name: "localhost", or this host's up to the first dot and whatever its case ("node01" and
// "NODE01.cluster" are one host; two of one short name are taken for one). Else by address: one of
// this machine's interfaces, or any of 127.0.0.0/8. May ask name servers.
Whereabouts whereabouts_of(const std::string& host);

// One of them is here; none stand for this host. Where none is known to be, but some may be: says
// on standard error that nothing is claimed there.
bool some_are_here(std::span<const design::Host> hosts);

}  // namespace invar::driver
