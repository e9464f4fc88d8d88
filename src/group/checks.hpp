// What must hold before a launch measures, and still when it has measured: it runs where and as the
// campaign says. Free of MPI: the launch says what it has found.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "group/page.hpp"
#include "record/launch_spec.hpp"

namespace invar::group {

// A rank, as it finds itself.
struct RankPlace {
  int rank = 0;
  std::string host = {};
  std::uint32_t local_rank = 0;
  std::int32_t cpu = -1;  // that it is bound to; -1: several
};

// All of these throw base::UserError with what to do.

// MPI knows as many ranks as were started.
void check_rank_count(const record::LaunchSpec& spec, int ranks);

// Every rank must see what makes its arm: a launcher may keep variables from other hosts. Paths may
// have got more entries on their way.
void check_environment(const record::LaunchSpec& spec, const RankPlace& place);

// Every host has the same number of ranks: cells take parts of them. `host_of_rank`: index of each
// rank's host; `rank_hosts`: name of each rank's host.
void check_hosts(const record::LaunchSpec& spec, std::span<const std::uint32_t> host_of_rank,
                 std::span<const std::string> rank_hosts);

// The rank is bound to the CPU that it should have, if to any.
void check_cpu(const record::LaunchSpec& spec, const RankPlace& place);

// The same rank-to-core map for this arm as for the group's first one that is pinned: else they
// would not be compared on the same hardware. After all ranks of the host have written their slots.
void check_maps(const record::LaunchSpec& spec, const Page& page);

// The kernel's clock source. INVAR_SYSFS_ROOT stands for /sys: tests plant a clock source that
// changes (docs/measuring.md).
std::string clock_source_now();

// The kernel gives up a clock source that it no longer trusts; what was measured with it then is
// worth nothing. Throws std::runtime_error that blames the machine.
void check_clock_source(const std::string& at_begin);

}  // namespace invar::group
