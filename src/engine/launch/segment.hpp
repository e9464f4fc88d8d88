// What one rank has measured since the last flush: raw ticks, and notes on every visit. Allocated
// and touched before anything is timed.
#pragma once

#include <algorithm>
#include <cstdint>
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
  std::optional<std::int64_t> empty_ticks = {};
  std::int64_t slack_ticks = 0;
  std::uint64_t involuntary_switches = 0;
  std::uint64_t run_delay_ns = 0;
  std::optional<std::uint64_t> steal_ticks = {};
  std::uint64_t slept_cpu_ns = 0;
  std::uint64_t send_offset_bytes = 0;
  std::uint64_t recv_offset_bytes = 0;
  int error = 0;            // MPI error code of a call
  std::uint32_t clock = 0;  // number of the clock that measured
  bool member = true;       // this rank took part
};

struct Segment {
  std::vector<std::int64_t> begin_ticks;
  std::vector<std::int64_t> end_ticks;
  std::vector<std::uint16_t> flags;
  std::vector<VisitNote> visits = {};
  std::uint32_t used = 0;

  // One flag more: the synchronisation is asked once more to learn that a visit is over.
  // Writes every element, so that no page is touched first between two clock reads.
  explicit Segment(std::uint32_t capacity)
      : begin_ticks(capacity, 1), end_ticks(capacity, 1), flags(capacity + 1, 0) {}

  void clear() {
    std::fill(flags.begin(), flags.end(), std::uint16_t{0});
    visits.clear();
    used = 0;
  }
};

}  // namespace invar::engine
