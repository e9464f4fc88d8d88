// Round-time across clock domains: inside a host the ranks gather at the shared page, one of them
// agrees with those of the other hosts on a start in global time, all wait for it on their own
// clocks. One exchange does everything: what the repetition was, and when the next one starts.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <map>

#include "engine/sync/sync.hpp"
#include "group/page.hpp"

namespace invar::engine {

// What a domain says of a repetition, and what all say together.
struct RoundReport {
  std::int64_t now_ticks = 0;    // global
  std::int64_t slack_ticks = 0;  // that it would take
  std::uint32_t late = 0;        // late_bits()
  std::uint32_t failed = 0;
  std::uint32_t before = 0;  // StartHistory::bits()

  // Saying a thing twice changes nothing (DisseminatedSum).
  void add(const RoundReport& other) {
    now_ticks = std::max(now_ticks, other.now_ticks);
    slack_ticks = std::max(slack_ticks, other.slack_ticks);
    late |= other.late;
    failed |= other.failed;
    before |= other.before;
  }
};

// `Exchange`: called with a domain's report by the leader of every domain, returns what all say
// together. `Time`: to_global() and to_own() of ticks.
template <typename Clock, typename Time, typename Exchange>
class RoundTimeAcross {
 public:
  RoundTimeAcross(const group::Page& page, Clock clock, Time time, Dither dither,
                  const WarmUp& warm_up, const RoundLimits& limits, Exchange exchange, Watch watch,
                  void* watch_context)
      : page_(page),
        arm_(page.mine()),
        clock_(clock),
        time_(time),
        dither_(dither),
        rules_(warm_up, limits),
        limits_(limits),
        exchange_(exchange),
        watch_(watch),
        watch_context_(watch_context),
        presence_(limits.interruption_ticks) {}

  // The communicator of the visit's leaders; null on others.
  template <typename Comm>
  void use_leaders(Comm comm) {
    exchange_.use(comm);
  }

  // local_members and local_index: of this rank's domain.
  void begin(const VisitStart& start) {
    start_ = start;
    dither_.set_amplitude(start.dither_ticks);
    if (!alone()) sequence_ = arm_.start.sequence.load(std::memory_order_acquire);
    first_ = true;
    late_ = 0;
    failed_ = false;
    // This rank may have led the visit before. Those that lead this one begin anew.
    state_.warm_up = state_.valid = 0;
  }

  bool wait(std::uint16_t& flags) {
    dither_.wait(clock_);
    presence_.begin(clock_.now());
    if (alone()) {
      agree();
    } else {
      gather(++sequence_);
    }
    first_ = false;
    const bool stop = alone() ? stop_ : arm_.start.stop != 0;
    if (stop) return false;
    const std::int64_t deadline = alone() ? deadline_ticks_ : arm_.start.deadline_ticks;
    // Leaders look again when they have agreed; the others are released by a word of theirs.
    const bool leads = start_.local_index == 0;
    const std::int64_t now = clock_.now();
    const Waited waited =
        wait_for_start(clock_, leads ? presence_.look(now) : presence_.look_released(now), deadline,
                       start_, dither_, limits_.interruption_ticks, presence_);
    flags |= start_flags(waited, start_.lost_limit_ticks);
    const std::uint32_t bits = late_bits(waited, start_.lost_limit_ticks);
    if (alone()) {
      late_ |= bits;
    } else if (bits != 0) {
      arm_.late.fetch_or(bits, std::memory_order_relaxed);  // published by the next arrival
    }
    return true;
  }

  // A call of this rank returned an error: the visit ends with the next agreement.
  void note_error() {
    if (alone()) {
      failed_ = true;
    } else {
      arm_.failed.store(1, std::memory_order_relaxed);
    }
  }

  // Known to leaders.
  [[nodiscard]] std::uint32_t warm_up() const { return state_.warm_up; }
  [[nodiscard]] std::uint32_t valid() const { return state_.valid; }
  [[nodiscard]] std::int64_t slack_ticks() const { return state_.slack_ticks[limits_.clock]; }

 private:
  // The page's words are those of a whole host.
  [[nodiscard]] bool alone() const { return start_.local_members == 1; }

  // The last rank of the host to come tells its leader, who tells all when the start is agreed on.
  void gather(std::uint32_t sequence) {
    const bool last = group::arrive(page_.arrivals(), start_.local_members, start_.local_index);
    if (last) arm_.gathered.store(sequence, std::memory_order_release);
    if (start_.local_index != 0) {
      spin_until(arm_.start.sequence, sequence);
      return;
    }
    spin_until(arm_.gathered, sequence);
    late_ = arm_.late.exchange(0, std::memory_order_relaxed);
    failed_ = arm_.failed.exchange(0, std::memory_order_relaxed) != 0;
    agree();
    arm_.start.stop = stop_ ? 1 : 0;
    arm_.start.deadline_ticks = deadline_ticks_;
    arm_.start.sequence.store(sequence, std::memory_order_release);
  }

  void spin_until(const std::atomic<std::uint32_t>& word, std::uint32_t value) {
    std::uint32_t spins = 0;
    while (word.load(std::memory_order_acquire) != value) {
      relax_once(clock_, limits_.yield, presence_);
      if ((++spins & (limits_.yield ? kYieldsALook : kSpinsALook)) != 0) continue;
      watch_(watch_context_);
      presence_.look_again(clock_.now());
    }
  }

  // By the leader of every domain, with the same outcome.
  void agree() {
    std::int64_t& slack_ticks = state_.slack_ticks[limits_.clock];
    if (first_) {
      // What was left over is of the visit before.
      late_ = 0;
      failed_ = false;
      // By cell, because all who take part in it know the same of it.
      const auto known = learned_.find(start_.cell);
      slack_ticks = known == learned_.end() ? measured_slack() : known->second;
    }
    const RoundReport all = exchange_(RoundReport{.now_ticks = time_.to_global(clock_.now()),
                                                  .slack_ticks = slack_ticks,
                                                  .late = late_,
                                                  .failed = failed_ ? 1U : 0U,
                                                  .before = history_.bits(start_.cell)});
    late_ = 0;
    failed_ = false;
    slack_ticks = all.slack_ticks;
    stop_ = false;
    if (first_) {
      RoundRules::begin(state_, all.now_ticks);
      // All leaders must decide the same by it.
      start_.lost_before = StartHistory::lost_before(all.before);
    } else {
      stop_ = rules_.judge(state_, start_, all.now_ticks, all.late, all.failed != 0);
    }
    if (stop_) {
      learned_[start_.cell] = slack_ticks;
      history_.add(start_.cell, state_.valid, state_.lost);
    }
    deadline_ticks_ = time_.to_own(all.now_ticks + slack_ticks);
    // Messages take longer than gaps: how long this one took says nothing of the processor.
    presence_.look_again(clock_.now());
  }

  // Twice what an exchange takes; those that wait for somebody are longer.
  std::int64_t measured_slack() {
    std::int64_t shortest_ticks = limits_.most_slack_ticks;
    for (int i = 0; i < 5; ++i) {
      const std::int64_t begin = clock_.now();
      static_cast<void>(exchange_(RoundReport{}));
      shortest_ticks = std::min(shortest_ticks, clock_.now() - begin);
    }
    return std::clamp(2 * shortest_ticks, limits_.least_slack_ticks, limits_.most_slack_ticks);
  }

  const group::Page& page_;
  group::ArmPage& arm_;
  Clock clock_;
  Time time_;
  Dither dither_;
  RoundRules rules_;
  RoundLimits limits_;
  Exchange exchange_;
  Watch watch_;
  void* watch_context_;
  Presence presence_;
  std::uint32_t sequence_ = 0;
  VisitStart start_ = {};
  bool first_ = true;
  std::uint32_t late_ = 0;
  bool failed_ = false;
  bool stop_ = false;
  std::int64_t deadline_ticks_ = 0;
  group::Agreement state_ = {};
  std::map<std::uint32_t, std::int64_t> learned_ = {};  // slacks, by cell
  StartHistory history_ = {};
};

}  // namespace invar::engine
