// Process synchronisation: how the ranks agree on when a repetition starts. Each policy has
//   begin(VisitStart)  once per visit, by every rank that takes part
//   wait(flags)        before every repetition: false ends the visit; sets the repetition's flags
//                      (late, lost, interrupted)
//   note_error()       a call returned an error
//   warm_up()          after the visit: how many of its first repetitions were warm-up
// The clock is the one that measures. MPI-free policies are here, those on MPI in mpi_sync.hpp.
#pragma once

#include <sched.h>

#include <cstdint>
#include <limits>
#include <stdexcept>

#include "clock/ticks.hpp"
#include "engine/sync/enough.hpp"
#include "engine/sync/presence.hpp"
#include "group/page.hpp"
#include "record/timing.hpp"

namespace invar::engine {

// Draws for the dither: a few instructions, no memory (Marsaglia 2003, xorshift64*).
class Dither {
 public:
  Dither(std::uint64_t seed, std::int64_t amplitude_ticks) : state_(seed | 1U) {
    set_amplitude(amplitude_ticks);
  }

  void set_amplitude(std::int64_t ticks) { amplitude_ticks_ = static_cast<std::uint64_t>(ticks); }

  // Waits a random time below the amplitude, so that no phase between the ranks is locked in.
  template <typename Clock>
  void wait(Clock clock) {
    if (amplitude_ticks_ == 0) return;
    const auto end = clock.now() + draw(amplitude_ticks_);
    while (clock.now() < end) {
    }
  }
  // The same by a rank that looks whether it loses its processor meanwhile.
  template <typename Clock>
  void wait(Clock clock, Presence& presence) {
    if (amplitude_ticks_ == 0) return;
    const auto end = presence.look(clock.now()) + draw(amplitude_ticks_);
    while (presence.look(clock.now()) < end) {
    }
  }

  // From 0 to below `amplitude_ticks`.
  std::int64_t draw(std::uint64_t amplitude_ticks) {
    state_ ^= state_ >> 12U;
    state_ ^= state_ << 25U;
    state_ ^= state_ >> 27U;
    // 32 random bits scaled: no division, no floating point.
    const std::uint64_t bits = (state_ * 0x2545f4914f6cdd1dU) >> 32U;
    return static_cast<std::int64_t>((amplitude_ticks >> 32U) * bits +
                                     (((amplitude_ticks & 0xffffffffU) * bits) >> 32U));
  }

 private:
  std::uint64_t state_;
  std::uint64_t amplitude_ticks_ = 0;
};

// What a wait does now and then: a partner may be gone, or the library may need a call. Throws
// GroupLost.
using Watch = void (*)(void* context);

struct VisitStart {
  std::uint32_t repetitions = 0;  // valid ones
  std::uint32_t capacity = 0;     // of all kinds, at most
  // Those that are no warm-up, at most: the warm-up may be shorter than there is room for.
  std::uint32_t measured_capacity = std::numeric_limits<std::uint32_t>::max();
  std::uint32_t warm_up = 0;  // for synchronisations that cannot agree on it under way
  // Ranks of this host that take part, and this one's number among them.
  std::uint32_t local_members = 1;
  std::uint32_t local_index = 0;
  std::int64_t dither_ticks = 0;
  std::uint32_t cell = 0;       // what one visit learns of it, the next one knows
  std::int64_t call_ticks = 0;  // roughly, of one repetition, the latest arrival included
  // A repetition is worth repeating if a rank that lost its processor started so much later.
  std::int64_t lost_limit_ticks = 0;
  // By which this rank starts late on purpose: always, and at most by lot.
  std::int64_t delay_ticks = 0;
  std::int64_t random_delay_ticks = 0;
  // What it does from the agreed start to its own, again and again; null: it spins.
  Watch while_late = nullptr;
  void* while_late_context = nullptr;
  // The cell's earlier visits were mostly lost: set by the synchronisation itself.
  bool lost_before = false;
};

// After the agreed start.
inline std::int64_t arrival_delay(const VisitStart& start, Dither& dither) {
  return start.random_delay_ticks > 0
             ? dither.draw(static_cast<std::uint64_t>(start.random_delay_ticks))
             : start.delay_ticks;
}

struct WarmUp {
  std::uint32_t repetitions = 50;
  std::uint32_t min = 3;
  std::int64_t ticks = 0;  // enough if it lasted this long
};

// A rank that spins calls its watch when these bits of its count of spins are 0: thousands of times
// a second. A yield takes longer than a pause, and where ranks share cores as long as a time slice.
constexpr std::uint32_t kSpinsALook = 0xfff;
constexpr std::uint32_t kYieldsALook = 0xf;

// How a rank has waited for a start.
struct Waited {
  bool late = false;         // it was not ready when the start passed
  bool interrupted = false;  // a gap above the limit between two clock reads
  // It was ready, but had no processor when the start passed, and began so much later; 0: it had
  // one, or began within the limit of a gap.
  std::int64_t lost_ticks = 0;
};

// Spins on the clock. `presence` has seen this rank's readings while it waited for the start to be
// agreed on, the last one at `now`: a rank that was there is not late, however late it looks at the
// clock again.
template <typename Clock>
Waited wait_until(Clock clock, std::int64_t now, std::int64_t deadline_ticks,
                  std::int64_t interruption_ticks, Presence& presence) {
  std::int64_t longest = 0;
  const bool missed = now > deadline_ticks;
  if constexpr (requires { clock.let_pass_until(deadline_ticks); }) {
    // Only then is the gap no loss of the processor.
    if (clock.let_pass_until(deadline_ticks)) presence.look_again(now = clock.now());
  }
  while (now < deadline_ticks) {
    const std::int64_t next = presence.look(clock.now());
    longest = next - now > longest ? next - now : longest;
    now = next;
  }
  const bool lost = presence.lost_across(deadline_ticks);
  return {
      .late = missed && !lost,
      .interrupted = longest > interruption_ticks || lost,
      .lost_ticks = lost && now - deadline_ticks > interruption_ticks ? now - deadline_ticks : 0};
}

// Waits for this rank's own start: the agreed one, or a later one where it is late on purpose.
template <typename Clock>
Waited wait_for_start(Clock clock, std::int64_t now, std::int64_t agreed_ticks,
                      const VisitStart& start, Dither& dither, std::int64_t interruption_ticks,
                      Presence& presence) {
  const std::int64_t own_ticks = agreed_ticks + arrival_delay(start, dither);
  if (start.while_late == nullptr || own_ticks == agreed_ticks || now >= own_ticks) {
    return wait_until(clock, now, own_ticks, interruption_ticks, presence);
  }
  // Those that are not late begin undisturbed. Whether this one had its processor is not known
  // then, but how long behind its own start it began.
  const bool interrupted =
      wait_until(clock, now, agreed_ticks, interruption_ticks, presence).interrupted;
  std::int64_t begun = clock.now();
  while (begun < own_ticks) {
    start.while_late(start.while_late_context);
    begun = clock.now();
  }
  presence.look_again(begun);
  const bool lost = begun - own_ticks > interruption_ticks;
  return {.interrupted = interrupted || lost, .lost_ticks = lost ? begun - own_ticks : 0};
}

// What ranks say of a start, as bits of one word.
constexpr std::uint32_t kLateBit = 1;
constexpr std::uint32_t kLostBit = 2;  // by more than lost_limit_ticks
inline std::uint32_t late_bits(const Waited& waited, std::int64_t lost_limit_ticks) {
  return (waited.late ? kLateBit : 0) | (waited.lost_ticks > lost_limit_ticks ? kLostBit : 0);
}
inline std::uint16_t start_flags(const Waited& waited, std::int64_t lost_limit_ticks) {
  return static_cast<std::uint16_t>((waited.interrupted ? record::kInterrupted : 0) |
                                    (waited.late ? record::kLate : 0) |
                                    (waited.lost_ticks > 0 ? record::kLost : 0) |
                                    (waited.lost_ticks > lost_limit_ticks ? record::kApart : 0));
}

struct RoundLimits {
  std::int64_t first_slack_ticks = 0;
  std::int64_t least_slack_ticks = 0;
  std::int64_t most_slack_ticks = 0;
  std::int64_t interruption_ticks = 0;  // longest_gap_ticks() for 1 us
  std::int64_t visit_ticks = 0;         // time budget of a visit
  bool yield = false;                   // more ranks than cores: never spin
  std::uint32_t clock = 0;              // number of the clock: each has its own slack
};

// What is made of a repetition when the next start is agreed on, inside a host and across hosts.
class RoundRules {
 public:
  RoundRules(const WarmUp& warm_up, const RoundLimits& limits)
      : warm_up_(warm_up), limits_(limits) {}

  static void begin(group::Agreement& state, std::int64_t now_ticks) {
    state.visit_begin_ticks = now_ticks;
    state.attempts = state.warm_up = state.warm_up_done = 0;
    state.valid = state.late = state.lost = 0;
  }

  // Judges the repetition that is over; `late`: late_bits() of all ranks. True: the visit is over.
  [[nodiscard]] bool judge(group::Agreement& state, const VisitStart& start, std::int64_t now_ticks,
                           std::uint32_t late, bool failed) const {
    ++state.attempts;
    if (state.warm_up_done == 0) {
      ++state.warm_up;
      const bool enough =
          state.warm_up >= warm_up_.repetitions ||
          (state.warm_up >= warm_up_.min && now_ticks - state.visit_begin_ticks >= warm_up_.ticks);
      state.warm_up_done = enough ? 1 : 0;
    } else if ((late & kLateBit) != 0) {
      ++state.late;
    } else if ((late & kLostBit) != 0) {
      ++state.lost;
    } else {
      ++state.valid;
    }
    adapt(state.slack_ticks[limits_.clock], (late & kLateBit) != 0);
    return has_enough(state.valid, state.lost, start.repetitions, start.lost_before) ||
           state.attempts >= start.capacity ||
           state.attempts - state.warm_up >= start.measured_capacity ||
           now_ticks - state.visit_begin_ticks > limits_.visit_ticks || failed;
  }

 private:
  // A start for which a rank was not ready widens the slack by a quarter, others narrow it by
  // 1/1024: it settles where about one in 230 is missed. Ranks that lose their processor while they
  // wait do so however long the slack is; were they to widen it, it would grow without end on a
  // disturbed machine.
  void adapt(std::int64_t& slack_ticks, bool missed) const {
    slack_ticks += missed ? slack_ticks / 4 : -((slack_ticks + 1023) / 1024);
    if (slack_ticks < limits_.least_slack_ticks) slack_ticks = limits_.least_slack_ticks;
    if (slack_ticks > limits_.most_slack_ticks) slack_ticks = limits_.most_slack_ticks;
  }

  WarmUp warm_up_;
  RoundLimits limits_;
};

// Round-time inside a host: ranks arrive at a counter in the shared page; the last one sets a
// common deadline a little ahead; all spin until it has passed. No MPI call between repetitions, so
// the library's own barrier is not part of what is measured. Repetitions for which a rank was late,
// or began much later because it had lost its processor, are repeated up to the visit's capacity.
template <typename Clock>
class RoundTime {
 public:
  using Limits = RoundLimits;

  RoundTime(const group::Page& page, Clock clock, Dither dither, WarmUp warm_up, Limits limits,
            Watch watch, void* watch_context)
      : page_(page),
        arm_(page.mine()),
        clock_(clock),
        dither_(dither),
        rules_(warm_up, limits),
        limits_(limits),
        watch_(watch),
        watch_context_(watch_context),
        presence_(limits.interruption_ticks) {}

  void begin(const VisitStart& start) {
    start_ = start;
    start_.lost_before = StartHistory::lost_before(history_.bits(start.cell));
    dither_.set_amplitude(start.dither_ticks);
    // Ranks that took no part in the visit before have missed its agreements.
    sequence_ = arm_.start.sequence.load(std::memory_order_acquire);
    first_ = true;
  }

  bool wait(std::uint16_t& flags) {
    come();
    return go(flags);
  }

  // wait() in two halves, so that one thread can be many ranks: all come, then all go.
  void come() {
    dither_.wait(clock_);
    presence_.begin(clock_.now());
    agreed_ = group::arrive(page_.arrivals(), start_.local_members, start_.local_index);
    if (agreed_) agree(sequence_ + 1);
    ++sequence_;
  }
  bool go(std::uint16_t& flags) {
    std::uint32_t spins = 0;
    while (arm_.start.sequence.load(std::memory_order_acquire) != sequence_) relax(spins);
    first_ = false;
    if (arm_.start.stop != 0) {
      // It stays as it is until this rank has come to the next visit.
      history_.add(start_.cell, arm_.agreement.valid, arm_.agreement.lost);
      return false;
    }
    wait_for(arm_.start.deadline_ticks, flags);
    return true;
  }

  // A call of this rank returned an error: the visit ends with the next agreement.
  void note_error() { arm_.failed.store(1, std::memory_order_relaxed); }

  [[nodiscard]] std::uint32_t warm_up() const { return arm_.agreement.warm_up; }
  [[nodiscard]] std::uint32_t valid() const { return arm_.agreement.valid; }
  [[nodiscard]] std::int64_t slack_ticks() const {
    return arm_.agreement.slack_ticks[limits_.clock];
  }

 private:
  void relax(std::uint32_t& spins) {
    relax_once(clock_, limits_.yield, presence_);
    if ((++spins & (limits_.yield ? kYieldsALook : kSpinsALook)) != 0) return;
    watch_(watch_context_);
    presence_.look_again(clock_.now());
  }

  void wait_for(std::int64_t agreed_ticks, std::uint16_t& flags) {
    const std::int64_t now = clock_.now();
    const Waited waited =
        wait_for_start(clock_, agreed_ ? presence_.look(now) : presence_.look_released(now),
                       agreed_ticks, start_, dither_, limits_.interruption_ticks, presence_);
    flags |= start_flags(waited, start_.lost_limit_ticks);
    if (const std::uint32_t bits = late_bits(waited, start_.lost_limit_ticks); bits != 0) {
      arm_.late.fetch_or(bits, std::memory_order_relaxed);  // published by the next arrival
    }
  }

  // By the last rank to arrive, for all: judges the repetition before, sets the next start.
  void agree(std::uint32_t sequence) {
    group::Agreement& state = arm_.agreement;
    std::int64_t& slack_ticks = state.slack_ticks[limits_.clock];
    const std::int64_t now = presence_.look(clock_.now());
    bool stop = false;
    if (first_) {
      if (slack_ticks == 0) slack_ticks = limits_.first_slack_ticks;
      RoundRules::begin(state, now);
      arm_.late.store(0, std::memory_order_relaxed);
      // An error in the last call of the visit before was of another cell.
      arm_.failed.store(0, std::memory_order_relaxed);
    } else {
      const std::uint32_t late = arm_.late.exchange(0, std::memory_order_relaxed);
      const bool failed = arm_.failed.exchange(0, std::memory_order_relaxed) != 0;
      stop = rules_.judge(state, start_, now, late, failed);
    }
    arm_.start.stop = stop ? 1 : 0;
    arm_.start.deadline_ticks = presence_.look(clock_.now()) + slack_ticks;
    arm_.start.sequence.store(sequence, std::memory_order_release);
  }

  const group::Page& page_;
  group::ArmPage& arm_;
  Clock clock_;
  Dither dither_;
  RoundRules rules_;
  Limits limits_;
  Watch watch_;
  void* watch_context_;
  Presence presence_;
  std::uint32_t sequence_ = 0;
  VisitStart start_ = {};
  bool first_ = true;
  bool agreed_ = false;  // this rank was the last one to come, and waited for nobody's word
  StartHistory history_ = {};
};

}  // namespace invar::engine
