// Had a rank its processor? It reads the clock all the time while it has nothing to do but wait: a
// long gap between two readings is time in which somebody else ran there.
#pragma once

#include <sched.h>

#include <cstdint>

#include "clock/ticks.hpp"

namespace invar::engine {

class Presence {
 public:
  // Longer gaps than this are losses.
  explicit Presence(std::int64_t gap_ticks) : gap_ticks_(gap_ticks) {}

  // From this reading on the rank is ready, and only waits.
  void begin(std::int64_t now_ticks) {
    last_ticks_ = lost_from_ticks_ = lost_to_ticks_ = now_ticks;
  }
  // The next reading, which is handed on.
  std::int64_t look(std::int64_t now_ticks) {
    if (now_ticks - last_ticks_ > gap_ticks_) {
      lost_from_ticks_ = last_ticks_;
      lost_to_ticks_ = now_ticks;
    }
    last_ticks_ = now_ticks;
    return now_ticks;
  }
  // The next reading after a time in which the rank gave its processor away by itself.
  void look_again(std::int64_t now_ticks) { last_ticks_ = now_ticks; }

  // The rank was ready before that time, and had no processor when it passed.
  [[nodiscard]] bool lost_across(std::int64_t ticks) const {
    return lost_from_ticks_ <= ticks && ticks < lost_to_ticks_;
  }

 private:
  std::int64_t gap_ticks_;
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
