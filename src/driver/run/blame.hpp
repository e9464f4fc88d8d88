// Whose fault a failed group is. When one launch dies the others notice and end too, sometimes
// before the launcher of the first one: who ended first says little, what they said says more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "host/facts.hpp"

namespace invar::driver {

// A rank as the page of its group showed it at its end.
struct RankEnd {
  int rank = 0;
  int pid = 0;
  std::string where = {};                  // "in allreduce, 1 KiB, 2 ranks"
  std::optional<std::uint32_t> cell = {};  // Cell::id, if that is at a cell
};

// How far a launch of a failed group has come, in the order of the group's arms.
struct LaunchEnd {
  std::string label = {};
  std::optional<int> status = {};   // none: its launcher still runs
  std::string err = {};             // its standard output and error so far
  std::vector<RankEnd> ranks = {};  // on this host; none where the driver saw no page
};

// The rank that was the first to be gone.
struct FirstGone {
  std::size_t launch = 0;
  int rank = 0;  // -1: one of several, nobody knows which
};

struct Cause {
  std::string arm = {};
  // "'openmpi' ended with signal 9 (rank 1 on node3, in allreduce, 1 KiB, 2 ranks): ..."
  std::string reason = {};
  // Cell::id: what its rank was at, or all of its ranks; none: at no cell, or nobody knows.
  std::optional<std::uint32_t> cell = {};
  bool machine = false;     // no library's fault; `arm` is empty then
  bool unwritable = false;  // and it is that the campaign cannot be written
};

// "ended with exit status 7", "was killed by signal 9 (...)": of a launcher.
std::string ended_text(int status);

// "; 8 KiB of 64 KiB are free in /dev/shm, where libraries keep what ranks share" where that may be
// the reason; else empty. Libraries say of it what they like: "out of memory", "no resources".
std::string scarce_text(const host::SharedMemory& shared);

// `host`: of the ranks that are listed. At least one launch has a status other than 0. In this
// order: a launch whose engine gives a reason of its own; that of the rank that was gone first; the
// launch whose rank the others miss; the first that failed. A launcher's word on which rank it was
// counts before `first_gone`, but where it is of one that signal 9 ended: launchers end the others
// so.
Cause find_cause(std::span<const LaunchEnd> launches, const std::string& host = {},
                 const std::optional<FirstGone>& first_gone = {});

}  // namespace invar::driver
