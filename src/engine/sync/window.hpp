// Window synchronisation, as SKaMPI does it (paper 000, section 3): start times at equal distances,
// known to all ranks beforehand, so that nothing is exchanged between repetitions. Between blocks
// of windows the ranks agree on which repetitions counted and how long the windows must be; unlike
// SKaMPI's, they can shrink again.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>

#include "engine/sync/sync.hpp"
#include "record/timing.hpp"

namespace invar::engine {

// What a rank says of a block, and what all say together.
struct BlockReport {
  std::uint64_t invalid = 0;   // bit i: the block's repetition i was late or passed its window
  std::uint64_t lost = 0;      // bit i: a rank started so much later, having lost its processor
  std::uint64_t missed = 0;    // the block's first start had passed when the agreement was there
  std::int64_t now_ticks = 0;  // after the block
  // From a start until the rank is ready for the next one: upper quartile over the block. The
  // longest one would be that of a rank that lost its processor, and the longer windows are, the
  // more of them are interrupted: they would grow without end.
  std::int64_t busy_ticks = 0;
  // Shortest exchange of reports that the rank has seen: longer ones waited for somebody. 0: none.
  std::int64_t exchange_ticks = 0;
  // From an agreement to the first start after it, as this rank would have it: ranks that were not
  // in the same visits before know others.
  std::int64_t lead_ticks = 0;
  std::int64_t length_ticks = 0;  // and how long windows are for it
  std::uint64_t failed = 0;       // a call returned an error
  std::uint32_t before = 0;       // StartHistory::bits()

  // The order does not matter, and saying a thing twice changes nothing: any exchange in which
  // everything reaches everybody will do.
  void add(const BlockReport& other) {
    invalid |= other.invalid;
    lost |= other.lost;
    missed |= other.missed;
    failed |= other.failed;
    before |= other.before;
    now_ticks = std::max(now_ticks, other.now_ticks);
    busy_ticks = std::max(busy_ticks, other.busy_ticks);
    exchange_ticks = std::max(exchange_ticks, other.exchange_ticks);
    lead_ticks = std::max(lead_ticks, other.lead_ticks);
    length_ticks = std::max(length_ticks, other.length_ticks);
  }
};

struct WindowLimits {
  std::int64_t fixed_ticks = 0;  // length of all windows; 0: they adapt
  bool only_grow = false;        // adapt as SKaMPI 5's do
  std::int64_t least_ticks = 0;
  std::int64_t most_ticks = 0;
  std::int64_t lead_ticks = 0;          // from the agreement to the block's first start, at first
  std::int64_t interruption_ticks = 0;  // longest_gap_ticks() for 1 us
  std::int64_t visit_ticks = 0;         // time budget of a visit
};

// The rules, the same on every rank.
class Windows {
 public:
  static constexpr std::uint32_t kMostInBlock = 64;  // bits of a report

  explicit Windows(const WindowLimits& limits) : limits_(limits), lead_ticks_(limits.lead_ticks) {}

  void begin(const VisitStart& start) {
    start_ = start;
    attempts_ = valid_ = lost_ = in_block_ = 0;
    next_block_ = kFirstBlock;
    // SKaMPI's begin anew with every measurement, which is a visit here. Carried on, what once made
    // them long would make every later visit of the launch as long: a lost processor, and a group
    // took 16 s instead of one.
    const auto known = limits_.only_grow ? learned_.end() : learned_.find(start.cell);
    length_ticks_ = limits_.fixed_ticks > 0   ? limits_.fixed_ticks
                    : known != learned_.end() ? known->second
                                              : bounded(kFirstFactor * start.call_ticks);
  }

  // Judges the block that is over (none before the first one) and lays out the next: false if the
  // visit is over.
  bool next(const BlockReport& all) {
    lead_ticks_ = std::max(lead_ticks_, all.lead_ticks);
    length_ticks_ = std::max(length_ticks_, all.length_ticks);
    if (in_block_ == 0) {
      begin_ticks_ = all.now_ticks;
      start_.lost_before = StartHistory::lost_before(all.before);
    } else {
      judge(all);
    }
    if (has_enough(valid_, lost_, start_.repetitions, start_.lost_before) || attempts_left() == 0 ||
        all.failed != 0 || all.now_ticks - begin_ticks_ > limits_.visit_ticks) {
      learned_[start_.cell] = length_ticks_;
      history_.add(start_.cell, valid_, lost_);
      return false;
    }
    const std::uint32_t warm_up_left = start_.warm_up > attempts_ ? start_.warm_up - attempts_ : 0;
    // No longer than the visit's time allows.
    const std::int64_t left_ticks = limits_.visit_ticks - (all.now_ticks - begin_ticks_);
    const auto fit = static_cast<std::uint32_t>(std::clamp<std::int64_t>(
        left_ticks / std::max<std::int64_t>(1, length_ticks_), 1, kMostInBlock));
    in_block_ =
        std::min({next_block_, fit, attempts_left(), warm_up_left + start_.repetitions - valid_});
    next_block_ = std::min(2 * next_block_, kMostInBlock);
    lead_ticks_ = std::max(lead_ticks_, std::min(2 * all.exchange_ticks, limits_.most_ticks));
    first_start_ticks_ = all.now_ticks + lead_ticks_;
    return true;
  }

  // What a rank says before the visit's first block.
  [[nodiscard]] std::uint32_t before() const { return history_.bits(start_.cell); }
  [[nodiscard]] std::uint32_t in_block() const { return in_block_; }
  [[nodiscard]] std::uint32_t valid() const { return valid_; }
  [[nodiscard]] std::int64_t length_ticks() const { return length_ticks_; }
  [[nodiscard]] std::int64_t lead_ticks() const { return lead_ticks_; }
  // The start of window `i` of the block; i = in_block(): the end of the last one.
  [[nodiscard]] std::int64_t start_ticks(std::uint32_t i) const {
    return first_start_ticks_ + i * length_ticks_;
  }

 private:
  static constexpr std::uint32_t kFirstBlock = 4;
  static constexpr std::int64_t kFirstFactor = 3;
  static constexpr std::int64_t kMostExchanges = 16;
  static constexpr std::int64_t kMostCalls = 8;

  [[nodiscard]] std::uint32_t attempts_left() const {
    const std::uint64_t at_most = std::min<std::uint64_t>(
        start_.capacity, std::uint64_t{start_.warm_up} + start_.measured_capacity);
    return static_cast<std::uint32_t>(at_most - attempts_);
  }

  // Windows that never shrink need a bound that long calls are still far below.
  [[nodiscard]] std::int64_t bounded(std::int64_t ticks) const {
    const std::int64_t for_calls = limits_.only_grow ? kMostCalls * start_.call_ticks : 0;
    return std::clamp(ticks, limits_.least_ticks, std::max(limits_.most_ticks, for_calls));
  }

  void judge(const BlockReport& all) {
    for (std::uint32_t i = 0; i < in_block_; ++i) {
      const bool warm_up = attempts_ + i < start_.warm_up;
      if (warm_up || (all.invalid >> i & 1U) != 0) continue;
      ++((all.lost >> i & 1U) != 0 ? lost_ : valid_);
    }
    attempts_ += in_block_;
    const auto invalid = static_cast<std::uint32_t>(std::popcount(all.invalid));
    // A rank that has no processor misses starts however far ahead they lie.
    const std::int64_t most_lead = std::min(
        limits_.most_ticks, std::max(limits_.lead_ticks, kMostExchanges * all.exchange_ticks));
    lead_ticks_ =
        all.missed != 0 ? std::min(2 * lead_ticks_, most_lead) : lead_ticks_ - lead_ticks_ / 32;
    if (limits_.fixed_ticks > 0) return;
    if (limits_.only_grow) {
      // To twice the length, or what the block took on average and a half.
      if (4 * invalid <= in_block_) return;
      const std::int64_t took = all.now_ticks - first_start_ticks_;
      length_ticks_ = bounded(std::max(2 * length_ticks_, took * 3 / 2 / (in_block_ + 1)));
      return;
    }
    // Windows twice as long as they are used do not need to grow, whatever else was invalid.
    if (2 * all.busy_ticks < length_ticks_) {
      length_ticks_ = bounded(all.busy_ticks * 3 / 2);
    } else if (4 * invalid > in_block_) {
      length_ticks_ = bounded(std::max(length_ticks_ * 3 / 2, all.busy_ticks * 5 / 4));
    }
  }

  WindowLimits limits_;
  std::map<std::uint32_t, std::int64_t> learned_ = {};  // lengths, by cell
  StartHistory history_ = {};
  VisitStart start_ = {};
  std::int64_t lead_ticks_;
  std::int64_t length_ticks_ = 0;
  std::int64_t begin_ticks_ = 0;
  std::int64_t first_start_ticks_ = 0;
  std::uint32_t next_block_ = kFirstBlock;
  std::uint32_t in_block_ = 0;
  std::uint32_t attempts_ = 0;
  std::uint32_t valid_ = 0;
  std::uint32_t lost_ = 0;
};

// The time of ranks that read one clock.
struct OwnTime {
  static std::int64_t to_global(std::int64_t own_ticks) { return own_ticks; }
  static std::int64_t to_own(std::int64_t global_ticks) { return global_ticks; }
};

// `Exchange`: called with a rank's report by every rank of the team, returns what all say together.
// `Time`: to_global() and to_own() of ticks. Windows are in global time.
template <typename Clock, typename Time, typename Exchange>
class WindowSync {
 public:
  WindowSync(Clock clock, Time time, Dither dither, const WindowLimits& limits, Exchange exchange)
      : clock_(clock),
        time_(time),
        dither_(dither),
        limits_(limits),
        windows_(limits),
        exchange_(exchange),
        presence_(limits.interruption_ticks) {}

  template <typename Comm>
  void use(Comm comm) {
    exchange_.use(comm);
  }

  void begin(const VisitStart& start) {
    // A larger team takes longer.
    if (start.cell != start_.cell) mine_.exchange_ticks = 0;
    dither_.set_amplitude(start.dither_ticks);
    dither_ticks_ = start.dither_ticks;
    warm_up_ = start.warm_up;
    start_ = start;
    windows_.begin(start);
    mine_ = {.exchange_ticks = mine_.exchange_ticks};
    at_ = 0;
    previous_ = nullptr;
  }

  bool wait(std::uint16_t& flags) {
    note_previous();
    if (at_ == windows_.in_block()) {
      if (!agree()) return false;
      presence_.begin(clock_.now());
    }
    dither_.wait(clock_, presence_);
    const Waited waited = wait_for_start(clock_, presence_.look(clock_.now()),
                                         time_.to_own(windows_.start_ticks(at_)), start_, dither_,
                                         limits_.interruption_ticks, presence_);
    flags |= start_flags(waited, start_.lost_limit_ticks);
    if (waited.late) {
      mine_.invalid |= std::uint64_t{1} << at_;
      if (at_ == 0) mine_.missed = 1;
    }
    if (waited.lost_ticks > start_.lost_limit_ticks) mine_.lost |= std::uint64_t{1} << at_;
    // What made a start late is not what the repetition takes.
    const bool on_time = !waited.late && waited.lost_ticks == 0;
    began_ticks_ = on_time ? windows_.start_ticks(at_) : time_.to_global(clock_.now());
    previous_ = &flags;
    ++at_;
    return true;
  }

  void note_error() { mine_.failed = 1; }

  [[nodiscard]] std::uint32_t warm_up() const { return warm_up_; }
  // The length of the windows at the visit's end.
  [[nodiscard]] std::int64_t slack_ticks() const { return windows_.length_ticks(); }

 private:
  // Notes how long the last repetition took, and whether it passed the end of its window.
  void note_previous() {
    if (previous_ == nullptr) return;
    const std::int64_t own = clock_.now();
    presence_.begin(own);
    const std::int64_t now = time_.to_global(own);
    busy_ticks_[at_ - 1] = now - began_ticks_ + dither_ticks_;
    if (now > windows_.start_ticks(at_)) {
      *previous_ |= record::kPastWindow;
      mine_.invalid |= std::uint64_t{1} << (at_ - 1);
    }
    previous_ = nullptr;
  }

  // What a repetition usually took in the block that is over.
  std::int64_t usual_busy_ticks() {
    if (at_ == 0) return 0;
    const auto first = busy_ticks_.begin();
    const auto quartile = first + 3 * (static_cast<std::ptrdiff_t>(at_) - 1) / 4;
    std::nth_element(first, quartile, first + static_cast<std::ptrdiff_t>(at_));
    return *quartile;
  }

  bool agree() {
    const std::int64_t begin = clock_.now();
    mine_.now_ticks = time_.to_global(begin);
    mine_.lead_ticks = windows_.lead_ticks();
    mine_.length_ticks = windows_.length_ticks();
    mine_.busy_ticks = usual_busy_ticks();
    mine_.before = windows_.before();
    const BlockReport all = exchange_(mine_);
    const std::int64_t took = clock_.now() - begin;
    const std::int64_t shortest = mine_.exchange_ticks;
    mine_ = {.exchange_ticks = shortest == 0 ? took : std::min(shortest, took)};
    at_ = 0;
    return windows_.next(all);
  }

  Clock clock_;
  Time time_;
  Dither dither_;
  WindowLimits limits_;
  Windows windows_;
  Exchange exchange_;
  Presence presence_;
  VisitStart start_ = {};
  std::uint32_t warm_up_ = 0;
  std::uint32_t at_ = 0;  // repetitions of the block that have started
  BlockReport mine_ = {};
  std::uint16_t* previous_ = nullptr;
  std::int64_t began_ticks_ = 0;  // of the previous repetition
  std::int64_t dither_ticks_ = 0;
  std::array<std::int64_t, Windows::kMostInBlock> busy_ticks_ = {};  // of the block so far
};

}  // namespace invar::engine
