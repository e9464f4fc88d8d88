// What one rank has measured since the last flush: raw ticks, and notes on every visit. Allocated
// and touched before anything is timed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace invar::engine {

// One visit, as one rank saw it.
struct VisitNote {
  std::uint32_t row = 0;          // of the plan
  std::uint32_t first = 0;        // index of its first repetition in the segment
  std::uint32_t repetitions = 0;  // warm-up and late ones included
  std::uint32_t warm_up = 0;
  std::int64_t begin_ticks = 0;
  std::int64_t end_ticks = 0;
  std::int64_t canary_ticks = 0;  // 0: none
  std::int64_t across_ticks = 0;  // the same across sockets
  std::int64_t chain_ticks = 0;   // of dependent multiplications
  // References beside memory operations: the ticks that all steps of one took
  // (engine/memory/reference.hpp). 0: none.
  std::int64_t add_ticks = 0;
  std::int64_t l1_ticks = 0;
  std::int64_t beyond_ticks = 0;
  std::optional<std::int64_t> empty_ticks = {};
  std::int64_t slack_ticks = 0;
  // The start skew that no repetition has without a rank that was lost by more than the visit's
  // limit (record/timing.hpp, kApart): that limit, and what ranks start late on purpose.
  std::int64_t skew_limit_ps = 0;
  std::uint64_t involuntary_switches = 0;
  std::uint64_t run_delay_ns = 0;
  std::optional<std::uint64_t> steal_ticks = {};
  std::uint64_t slept_cpu_ns = 0;
  std::uint64_t send_offset_bytes = 0;
  std::uint64_t recv_offset_bytes = 0;
  int error = 0;            // MPI error code of a call
  std::uint32_t clock = 0;  // number of the clock that measured
  bool member = true;       // this rank took part
  std::uint32_t marks = 0;  // inside a call
  // This rank's scratch, where there is one.
  std::optional<std::uint64_t> scratch_offset_bytes = {};
  // Only memory operations have these: passes of a repetition, and what is known of this rank's
  // memory (record/journal.hpp).
  std::optional<std::uint64_t> loops = {};
  std::optional<std::uint32_t> huge_ppm = {};
  std::optional<std::uint32_t> frames_again_ppm = {};
  bool checked = false;  // the result after its last repetition is
  // A rank of a host without members called its library while it stood by: where nobody sees when.
  bool probed = false;
};

// Stands for a mark that this rank's part of the call does not have.
constexpr std::int64_t kNoMark = std::numeric_limits<std::int64_t>::min();

struct Segment {
  std::vector<std::int64_t> begin_ticks;
  std::vector<std::int64_t> end_ticks;
  std::vector<std::uint16_t> flags;
  std::uint32_t most_marks;
  std::vector<std::int64_t> mark_ticks;
  std::vector<VisitNote> visits = {};
  std::uint32_t used = 0;

  // One flag more: the synchronisation is asked once more to learn that a visit is over.
  // Writes every element, so that no page is touched first between two clock reads.
  Segment(std::uint32_t capacity, std::uint32_t marks_of_a_call)
      : begin_ticks(capacity, 1),
        end_ticks(capacity, 1),
        flags(capacity + 1, 0),
        most_marks(marks_of_a_call),
        mark_ticks((std::size_t{capacity} + 1) * marks_of_a_call, 1) {}

  // The marks of the visit whose first repetition has that index; their number a repetition is the
  // visit's own. There is room for one repetition more, as for flags.
  [[nodiscard]] std::int64_t* marks_at(std::uint32_t first) {
    return mark_ticks.data() + std::size_t{first} * most_marks;
  }
  [[nodiscard]] const std::int64_t* marks_at(std::uint32_t first) const {
    return mark_ticks.data() + std::size_t{first} * most_marks;
  }

  void clear() {
    std::fill(flags.begin(), flags.end(), std::uint16_t{0});
    visits.clear();
    used = 0;
  }
};

}  // namespace invar::engine
