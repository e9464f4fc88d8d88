#include "group/stillness.hpp"

#include <algorithm>

namespace invar::group {
namespace {

// Several times what those who look wait between two looks, 200 and 250 ms.
constexpr std::int64_t kMostBetweenLooksNs = 1'000'000'000;

}  // namespace

std::int64_t patience_ns(std::uint64_t limit_ns, Onlooker who) {
  const auto limit = static_cast<std::int64_t>(limit_ns);
  return who == Onlooker::kDriver ? limit : limit + limit / 4 + 1'000'000'000;
}

std::int64_t CountedTime::look(std::int64_t now_ns) {
  if (last_ns_) counted_ns_ += std::clamp<std::int64_t>(now_ns - *last_ns_, 0, kMostBetweenLooksNs);
  last_ns_ = now_ns;
  return counted_ns_;
}

std::int64_t Stillness::look(std::uint64_t fingerprint, std::int64_t now_ns) {
  const std::int64_t time_ns = time_.look(now_ns);
  if (last_seen_ != fingerprint) since_ns_ = time_ns;
  last_seen_ = fingerprint;
  return time_ns - since_ns_;
}

bool all_stopped(std::span<const RankSeen> ranks) {
  // A single rank that is stopped is as likely one that somebody stopped.
  if (ranks.size() < 2) return false;
  bool any = false;
  for (const RankSeen& rank : ranks) {
    if (rank.pid == 0) continue;
    if (rank.state != ProcessState::kStopped) return false;
    any = true;
  }
  return any;
}

}  // namespace invar::group
