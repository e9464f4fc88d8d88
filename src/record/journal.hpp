// The journal of a launch: one JSON line per visit, written after its data, with the line's own
// CRC; an end line with the CRC of every file of the launch. The engine writes it, src/store reads
// it. docs/formats.md describes each key.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace invar::record {

// Everything that belongs to a visit but is not an observation.
struct VisitLine {
  std::uint32_t visit = 0;
  std::uint32_t cell = 0;
  std::uint32_t turn = 0;
  std::uint32_t round = 0;
  std::uint32_t block = 0;
  std::uint32_t calls = 1;
  // Its records: index of the first one, count, CRC-32C of their bytes.
  std::uint64_t first_record = 0;
  std::uint32_t records = 0;
  std::uint32_t records_crc = 0;
  // The same in ranks.bin; 0 records where per-rank ticks are not recorded.
  std::uint64_t first_rank_record = 0;
  std::uint32_t rank_records = 0;
  std::uint32_t rank_records_crc = 0;
  // The same in marks.bin. Without marks the line has none of the three.
  std::uint64_t first_mark_record = 0;
  std::uint32_t mark_records = 0;
  std::uint32_t mark_records_crc = 0;
  std::uint32_t warm_up = 0;
  std::uint32_t valid = 0;  // neither warm-up, late, past its window nor apart
  std::uint32_t late = 0;
  std::uint32_t repeated = 0;  // made because of late ones
  std::uint32_t interrupted = 0;
  // Fewer are valid than were asked for, and not because the visit had enough to tell that most are
  // apart (engine/sync/enough.hpp).
  bool retry_cap_reached = false;
  std::int64_t begin_ps = 0;  // since the group's origin, on rank 0
  std::int64_t end_ps = 0;
  std::vector<std::int64_t> canary_ps = {};  // median round trip, one per host; empty: no canary
  // The other canaries, in the order of hosts as well: the same between two sockets, and a chain of
  // dependent multiplications on the lowest rank. Empty: none, and no key.
  std::vector<std::int64_t> across_ps = {};
  std::vector<std::int64_t> chain_ps = {};
  // The references of memory operations, likewise. They are femtoseconds of one dependent addition,
  // which is a cycle of the core's clock, of one dependent load in the first cache, and of one
  // beyond all caches.
  std::vector<std::int64_t> add_fs = {};
  std::vector<std::int64_t> l1_fs = {};
  std::vector<std::int64_t> beyond_fs = {};
  std::optional<std::int64_t> empty_ps = {};  // the empty operation, once a round
  std::int64_t slack_ps = 0;  // of round-time at the end of the visit; of window: its length
  std::uint64_t involuntary_switches = 0;         // sum over ranks
  std::uint64_t run_delay_ns = 0;                 // largest of a rank (schedstat)
  std::optional<std::uint64_t> steal_ticks = {};  // of all CPUs since this arm's visit before
  std::uint64_t slept_cpu_ns = 0;  // CPU time this arm's ranks used while other arms had the turn
  // `lost`: repetitions in which a rank was ready, but lost its processor across the start (kLost),
  // among those that are neither warm-up, late nor past their window. `apart`: those of them that
  // were repeated if the visit had time, because a rank lost more than the visit's limit (kApart).
  // `skew_limit_ps`: that limit, and what ranks start late on purpose. Without any there is no key.
  std::uint32_t lost = 0;
  std::uint32_t apart = 0;
  std::int64_t skew_limit_ps = 0;
  // The ranks of the launch that were late or lost most often after the warm-up, the worst first:
  // rank, how often late, how often lost, and so on. Empty: none, and no key.
  std::vector<std::int64_t> late_ranks = {};
  bool checked = false;  // the result after the last repetition was; without it there is no key
  // Where the buffers of the lowest rank that takes part lie in its arena.
  std::uint64_t send_offset_bytes = 0;
  std::uint64_t recv_offset_bytes = 0;
  std::optional<std::uint64_t> scratch_offset_bytes = {};  // none: no scratch, and no key
  // Only cells of memory operations have these; the others have no key. `loops`: passes over the
  // buffers in every repetition. The other two are of the lowest rank's buffers, in millionths.
  // `huge_ppm`: what lies in huge pages (smaps). `frames_again_ppm`: frames that the same cell's
  // visit before had as well (pagemap; only of what is allocated anew).
  std::optional<std::uint64_t> loops = {};
  std::optional<std::uint32_t> huge_ppm = {};
  std::optional<std::uint32_t> frames_again_ppm = {};

  bool operator==(const VisitLine&) const = default;
};

// A cell that gave a wrong result or an MPI error in this arm: not measured any more.
struct FailureLine {
  std::uint32_t cell = 0;
  std::string kind = {};  // "wrong result", kRefused, kNoMeasure
  std::string reason = {};
  std::uint32_t rank = 0;
  std::string host = {};

  bool operator==(const FailureLine&) const = default;
};

// Kind of a failure: the library said that it will not do it.
inline constexpr std::string_view kRefused = "MPI error";
// Or: it computes in times of a call that nobody times.
inline constexpr std::string_view kNoMeasure = "nothing to measure by";

// A run of a foreign program that gave no time: the visit is not there, others of the cell may be.
struct MissedLine {
  std::uint32_t visit = 0;
  std::uint32_t cell = 0;
  std::string reason = {};  // with the last lines of its output

  bool operator==(const MissedLine&) const = default;
};

// The last line: without it the launch is unfinished.
struct EndLine {
  std::map<std::string, std::uint32_t> files = {};  // name -> CRC-32C of the whole file
  std::uint64_t journal_bytes = 0;                  // of the journal before this line
  std::uint32_t journal_crc = 0;
  double ticks_per_s = 0;      // over the whole launch
  double rate_change_ppm = 0;  // largest difference to a rate used during the launch

  bool operator==(const EndLine&) const = default;
};

// Each is one line without the line feed: {"type":"visit",...,"line_crc":"89abcdef"}, the CRC being
// that of all bytes before `,"line_crc"`.
std::string journal_line(const VisitLine& line);
std::string journal_line(const FailureLine& line);
std::string journal_line(const MissedLine& line);
std::string journal_line(const EndLine& line);

// Appends the CRC to a JSON object's text that lacks only its closing brace: also the manifest's
// lines are made so.
std::string with_line_crc(std::string_view json_without_brace);
// True if the line ends with its own valid CRC.
bool line_crc_holds(std::string_view line);

}  // namespace invar::record
