// A clock that stands still unless a test reads it or moves it on.
#pragma once

#include <cstdint>
#include <functional>

namespace invar::engine::test {

// A clock that advances by `step` at every reading, and further whenever the test says so.
struct DrivenTime {
  std::int64_t now = 1000;
  std::int64_t step = 1;
  std::int64_t readings = 0;
  std::function<void(DrivenTime&)> before_reading = [](DrivenTime&) {};
};
struct DrivenClock {
  DrivenTime* time;
  [[nodiscard]] std::int64_t now() const {
    time->before_reading(*time);
    ++time->readings;
    return time->now += time->step;
  }
};

}  // namespace invar::engine::test
