// When two ranks may share one clock model.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "clock/pair.hpp"
#include "clock/ticks.hpp"

namespace invar::clock {

// What a rank says of its clock.
struct ClockIdentity {
  std::string boot_id = {};
  std::string time_namespace = {};
  Source source = Source::kTsc;
  std::string kernel_source = {};  // /sys/.../current_clocksource
  std::int64_t origin = 0;         // of its picoseconds, in the clock's own ticks
};

struct DomainVerdict {
  bool same = false;
  std::string why = {};  // not the same: the reason, for a person
};

// The same domain if boot id, time namespace and clock source agree, and two batches of ping-pongs
// at least 10 ms apart both bracket offset 0. Agreement alone is not enough: cores' counters may
// differ (an offset that a virtual machine's migration left), and MPI_Wtime may have its origin in
// each process. Batches: of the same pair, in the order of time, none empty.
DomainVerdict same_domain(const ClockIdentity& a, const ClockIdentity& b, PingPongs early,
                          PingPongs late);

}  // namespace invar::clock
