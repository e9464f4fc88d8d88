// The machine's reference regime that the last comparison on a host was of: a file a host in
// Invar's home. Who compares again wants to know whether it is about the same machine.
#pragma once

#include <optional>
#include <string>

#include "base/canary_band.hpp"

namespace invar::driver {

// None: there was no comparison, or what is written there cannot be read.
std::optional<base::CanaryBand> last_regime(const std::string& host);

// An unwritable home is not a reason to lose an answer: nothing is said.
void remember_regime(const std::string& host, const base::CanaryBand& band);

}  // namespace invar::driver
