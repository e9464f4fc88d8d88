// The binary records (docs/formats.md): what the engine writes and the analysis maps into memory.
// Little-endian, fixed size, no padding.
#pragma once

#include <bit>
#include <cstdint>

namespace invar::record {

static_assert(std::endian::native == std::endian::little,
              "records are little-endian; a big-endian machine would have to swap them");

enum Flag : std::uint16_t {
  kWarmUp = 1,
  kLate = 2,          // a rank was not ready at the agreed time
  kPastWindow = 4,    // longer than its window
  kInterrupted = 8,   // a gap above 1 us between clock reads while waiting
  kRepeatsLate = 16,  // made because an earlier one was late
  // No global time at all. Before there was kApart also: of a visit whose global times were too
  // uncertain.
  kGlobalInvalid = 32,
  kOversubscribed = 64,
  kBatch = 128,  // times are per call of a batch
  // A rank was ready, but lost its processor across the agreed time and started more than 1 us
  // later. Before there was this flag, such repetitions were kLate.
  kLost = 256,
  kProbed = 512,  // a rank that waited called the library so that it makes progress
  // Global times are by a synchronisation that states no error: uncertainty_ps is not known.
  kErrorUnstated = 1024,
  // A rank was lost by more than the visit's limit (VisitLine::skew_limit_ps), what it starts late
  // on purpose not counted: the repetition was made once more, if there was time.
  kApart = 2048,
};

// Observations that are left out of the analysis (docs/methods.md, From observations to one number
// a visit).
constexpr std::uint16_t kLeftOut = kWarmUp | kLate | kPastWindow;

// Where only repetitions that all began together tell something: experiments with clocks.
constexpr std::uint16_t kNotTogether = kLeftOut | kLost;

// One repetition over all ranks: a record of timings.bin.
struct Timing {
  std::uint32_t visit;
  std::uint32_t repetition;
  std::int64_t start_ps;      // earliest start of a rank, since the group's origin
  std::int64_t global_ps;     // latest end - earliest start in global time
  std::int64_t local_max_ps;  // end - start on each rank's own clock: max, min, mean over ranks
  std::int64_t local_min_ps;
  std::int64_t local_mean_ps;
  std::int64_t start_skew_ps;  // latest - earliest start in global time, whatever the calls
  // The uncertainty of global times, of a whole batch. It saturates, and is the largest where it is
  // not known.
  std::uint32_t uncertainty_ps;
  std::uint16_t flags;
  std::uint16_t reserved;
};
static_assert(sizeof(Timing) == 64);

// One repetition on one rank, raw: a record of ranks.bin.
struct RankTicks {
  std::uint32_t visit;
  std::uint32_t repetition;
  std::uint32_t rank;
  std::uint32_t reserved;
  std::int64_t start_ticks;
  std::int64_t end_ticks;
};
static_assert(sizeof(RankTicks) == 32);

// A further clock reading inside one repetition on one rank, raw: a record of marks.bin. In a batch
// it is that of the last call.
struct MarkTicks {
  std::uint32_t visit;
  std::uint32_t repetition;
  std::uint32_t rank;
  std::uint32_t mark;        // index in what the operation says of its marks
  std::int64_t start_ticks;  // of the repetition on this rank, as in ranks.bin
  std::int64_t mark_ticks;
};
static_assert(sizeof(MarkTicks) == 32);

}  // namespace invar::record
