// All faults of several words, files or methods at once.
#pragma once

#include "base/error.hpp"

namespace invar::base {

// Does it. The faults of a UserError that it throws are added to `faults`.
template <typename Take>
void collect(Faults& faults, Take take) {
  try {
    take();
  } catch (const UserError& error) {
    for (const Fault& fault : error.faults()) faults.add(fault);
  }
}

}  // namespace invar::base
