// How long nothing may move in a group before it counts as hung, and for how long nothing has: one
// formula for the driver and for the ranks that watch, who look at the same page.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "group/partners.hpp"

namespace invar::group {

enum class Onlooker : std::uint8_t {
  kDriver,
  kWatcher,  // a rank, perhaps on a host that the driver does not see
};

// For how long `who` sees nothing move before he speaks of a hang. `limit_ns` is the launch's
// (LaunchSpec::visit_limit_ns, start_limit_ns), and the driver's; a watcher waits a quarter and a
// second longer, because the driver, if it sees the same, can say more.
std::int64_t patience_ns(std::uint64_t limit_ns, Onlooker who);

// Time as somebody counts it who looks at a clock now and then. A look that comes much later than
// the one before means that he was stopped himself, or the whole machine was: no more than a second
// of it counts.
class CountedTime {
 public:
  // `now_ns`: of a clock that never goes back. The nanoseconds that have counted since the first
  // look.
  std::int64_t look(std::int64_t now_ns);
  // That was counted at the last look.
  [[nodiscard]] std::int64_t ns() const { return counted_ns_; }

 private:
  std::optional<std::int64_t> last_ns_ = {};
  std::int64_t counted_ns_ = 0;
};

// For how long a page has looked the same.
class Stillness {
 public:
  // `fingerprint`: of the page (partners.hpp). Nanoseconds, in CountedTime's way.
  std::int64_t look(std::uint64_t fingerprint, std::int64_t now_ns);
  // Nothing moved, and nobody is to blame for it.
  void forgive() { since_ns_ = time_.ns(); }

 private:
  CountedTime time_ = {};
  std::int64_t since_ns_ = 0;
  std::optional<std::uint64_t> last_seen_ = {};
};

// Every rank that has come is stopped: a batch system that suspends the job, not a rank that hangs.
// A single rank counts as one that hangs, because nobody can tell which of the two it is.
bool all_stopped(std::span<const RankSeen> ranks);

}  // namespace invar::group
