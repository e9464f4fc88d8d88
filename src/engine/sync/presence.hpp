// Had a rank its processor? It reads the clock all the time while it has nothing to do but wait: a
// long gap between two readings is time in which somebody else ran there.
#pragma once

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "clock/calibration.hpp"
#include "clock/ticks.hpp"

namespace invar::engine {

// The longest gap that is not a loss: `usual_ticks` (1 us), or more where the clock itself makes
// longer ones. It may take over a microsecond to read (hpet, acpi_pm) or advance by more: then
// every wait ends in such a gap.
inline std::int64_t longest_gap_ticks(std::int64_t usual_ticks, const clock::Quality& quality) {
  const double own_ticks = 4 * (quality.cost_ticks + quality.step_ticks);
  return std::max(usual_ticks, static_cast<std::int64_t>(std::ceil(own_ticks)));
}

class Presence {
 public:
  // Longer gaps than this are losses.
  explicit Presence(std::int64_t gap_ticks) : gap_ticks_(gap_ticks) {}

  // From this reading on the rank is ready, and only waits.
  void begin(std::int64_t now_ticks) {
    last_ticks_ = lost_from_ticks_ = lost_to_ticks_ = now_ticks;
  }
  // The next reading, which is handed on.
  std::int64_t look(std::int64_t now_ticks) { return look(now_ticks, gap_ticks_); }
  // The first reading after another rank's word that released this one. To fetch that word takes a
  // time of its own: where many ranks of a host want one cache line more than the limit, and in
  // every repetition about as much. It is not a loss, so that the rank counts as late and the slack
  // grows to what it takes. A processor is lost now and then, and no single gap moves the usual one
  // by more than a little: what is longer than twice the usual is lost as anywhere else.
  std::int64_t look_released(std::int64_t now_ticks) {
    const std::int64_t gap_ticks = now_ticks - last_ticks_;
    look(now_ticks, std::max(gap_ticks_, 2 * usual_release_ticks_));
    const std::int64_t most = (gap_ticks_ + 7) / 8;  // from 0 to 3 us in 24 repetitions
    usual_release_ticks_ += std::clamp(gap_ticks - usual_release_ticks_, -most, most);
    return now_ticks;
  }
  // The next reading after a time that the rank spent by itself: it gave its processor away, or
  // looked after its partners and its library.
  void look_again(std::int64_t now_ticks) { last_ticks_ = now_ticks; }

  // The rank was ready before that time, and had no processor when it passed.
  [[nodiscard]] bool lost_across(std::int64_t ticks) const {
    return lost_from_ticks_ <= ticks && ticks < lost_to_ticks_;
  }

 private:
  std::int64_t look(std::int64_t now_ticks, std::int64_t longest_ticks) {
    if (now_ticks - last_ticks_ > longest_ticks) {
      lost_from_ticks_ = last_ticks_;
      lost_to_ticks_ = now_ticks;
    }
    last_ticks_ = now_ticks;
    return now_ticks;
  }

  std::int64_t gap_ticks_;
  std::int64_t usual_release_ticks_ = 0;  // about the median of the gaps at a release
  std::int64_t last_ticks_ = 0;
  std::int64_t lost_from_ticks_ = 0;  // the last gap
  std::int64_t lost_to_ticks_ = 0;
};

// Between two looks at a word that another rank writes.
template <typename Clock>
void relax_once(Clock clock, bool yield, Presence& presence) {
  if (yield) {
    sched_yield();
    presence.look_again(clock.now());
  } else {
    clock::pause();
    presence.look(clock.now());
  }
}

}  // namespace invar::engine
