// What the ranks of a group are at, in words, and whose fault it is that nothing goes on. Used by
// sleeping ranks and by the driver, so it knows no MPI.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "group/page.hpp"
#include "record/plan.hpp"

namespace invar::group {

// "in allreduce, 1 KiB, 2 ranks", "while bcast, 8 B, 2 ranks was verified", "while it started". An
// index that the plan does not have gives the words without it.
std::string doing_text(Doing doing, const record::Plan& plan);

// The cell (Cell::id) that is visited, left or verified; none: something else is done.
std::optional<std::uint32_t> cell_at(Doing doing, const record::Plan& plan);

enum class ProcessState : std::uint8_t { kGone, kStopped, kAsleep, kAlive };

// `pid` is a process of this host. A zombie is gone, one that SIGSTOP or a debugger halts is
// stopped.
ProcessState process_state(std::int32_t pid);

// One rank of this host, as its slot shows it.
struct RankSeen {
  std::uint32_t arm = 0;         // index in the group
  std::uint32_t local_rank = 0;  // on this host
  std::int32_t rank = 0;         // in its arm
  std::int32_t pid = 0;          // 0: it has not come yet
  Doing doing = {};
  ProcessState state = ProcessState::kAlive;

  bool operator==(const RankSeen&) const = default;
};

std::vector<RankSeen> look_around(const Page& page);

// Those that the others wait for, of one arm. While a launch starts: those that have not come to
// their first turn. Else of the arm `on_turn`: those that are stopped or gone, if there are such;
// else those that are still in a step that others of the arm have made; else those of an arm that
// has had its last turn and still writes; else all of the arm `on_turn`.
std::vector<RankSeen> suspects(const std::vector<RankSeen>& ranks, std::uint32_t on_turn,
                               bool starting);

// "rank 1 (pid 4711, stopped) in allreduce, 1 KiB, 2 ranks"; several are joined by "; ".
std::string suspects_text(const std::vector<RankSeen>& suspects, const record::Plan& plan);

// A rank here prepares its launch and verifies no cell (clocks are compared and synchronised, for
// as long as an algorithm was told to take), or writes what was measured, during the group or at
// its end, to a file system that may be slow. Like a start, not like a visit.
bool prepares_or_writes(const Page& page);

// Changes whenever a rank of this host comes further.
std::uint64_t fingerprint(const Page& page);

}  // namespace invar::group
