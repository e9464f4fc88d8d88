#include "engine/stress/stress_watch.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <exception>

#include "base/error.hpp"

namespace invar::engine {
namespace {

using WatchClock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kLongestLook{500};
constexpr double kLooksInPatience = 10;
// The others have been waiting for as long, and say for what, before the launcher ends them.
constexpr std::chrono::seconds kForOthers{2};

}  // namespace

StressWatch::StressWatch(const record::StressState& state, StressFound& found, int rank,
                         double patience_s)
    : state_(state), found_(found), rank_(rank), patience_s_(patience_s) {
  thread_ = std::thread([this] { look(); });
}

StressWatch::~StressWatch() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void StressWatch::look() {
  const auto between = std::min(
      kLongestLook,
      std::chrono::milliseconds(1 + static_cast<int>(1e3 * patience_s_ / kLooksInPatience)));
  std::uint64_t seen = state_.steps();
  auto moved = WatchClock::now();
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, between, [this] { return over_; })) {
    const auto now = WatchClock::now();
    const std::uint64_t steps = state_.steps();
    if (steps != seen || !state_.waits()) {
      seen = steps;
      moved = now;
      continue;
    }
    if (std::chrono::duration<double>(now - moved).count() < patience_s_) continue;
    try {
      found_.add(state_.hanging(rank_, patience_s_));
    } catch (const std::exception&) {
      // The launch ends all the same, and without a word of this rank.
    }
    std::this_thread::sleep_for(kForOthers);
    _exit(static_cast<int>(base::Exit::kMeasurementFailed));
  }
}

}  // namespace invar::engine
