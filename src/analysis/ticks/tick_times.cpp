#include "analysis/ticks/tick_times.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace invar::analysis {
namespace {

using Point = TickPoint::Kind;

bool has_point(const DeclaredTime& time, Point kind) {
  return time.from.kind == kind || time.to.kind == kind;
}

}  // namespace

std::string lack_of_ticks(const store::Visit& visit, const DeclaredTime& time) {
  if (visit.program) return "a program prints one number, and no ticks";
  // In a batch starts are the first call's, ends and marks the last one's.
  const bool mixed =
      has_point(time, Point::kStart) && time.from.kind != time.to.kind && !time.spans_batch();
  if (visit.line.calls > 1 && mixed) {
    return "its calls were timed in batches, which have the start of the first call and the marks "
           "of the last";
  }
  const bool ranks = !visit.rank_records.empty();
  if ((has_point(time, Point::kEnd) || time.kind == record::TimeKind::kLast) && !ranks) {
    return "single ranks' ends were not recorded (record = \"per-rank\" does)";
  }
  if (has_point(time, Point::kMark) && visit.mark_records.empty()) {
    return "no marks were recorded";
  }
  if (has_point(time, Point::kStart) && !ranks && visit.mark_records.empty()) {
    return "single ranks' starts were not recorded (record = \"per-rank\" does)";
  }
  if (!(visit.tick_ps > 0)) return "the rate of the clock is not recorded";
  if (!visit.one_rate) return std::string(kSeveralRates);
  const bool one_rank = time.from_ranks.size() == 1 && time.from_ranks == time.to_ranks;
  if (time.needs_common_time() && !one_rank && !visit.one_clock) {
    return "its ranks do not read one clock, and their ticks are recorded as they were read";
  }
  return {};
}

TickTimes::End::End(const TickPoint& at, const std::vector<std::uint32_t>& ranks)
    : point(at),
      first_slot(*std::ranges::max_element(ranks) + std::size_t{2}, 0),
      slots(ranks.size()),
      ticks(ranks.size(), kNoTick) {
  // How many slots the ranks below each one have, and then where each slot stands behind them.
  for (const std::uint32_t rank : ranks) ++first_slot[rank + std::size_t{1}];
  std::partial_sum(first_slot.begin(), first_slot.end(), first_slot.begin());
  std::vector<std::uint32_t> next = first_slot;
  for (std::uint32_t slot = 0; slot < ranks.size(); ++slot) slots[next[ranks[slot]]++] = slot;
}

void TickTimes::End::put(TickPoint::Kind kind, std::uint32_t mark, std::uint32_t rank,
                         std::int64_t tick) {
  if (kind != point.kind || mark != point.mark || rank + std::size_t{1} >= first_slot.size())
    return;
  for (std::uint32_t i = first_slot[rank]; i < first_slot[rank + std::size_t{1}]; ++i) {
    ticks[slots[i]] = tick;
  }
}

TickTimes::TickTimes(const store::Visit& visit, const DeclaredTime& time)
    : visit_(visit),
      from_(time.from, time.from_ranks),
      to_(time.to, time.to_ranks),
      across_(time.kind == record::TimeKind::kAcross),
      ps_per_tick_(visit.tick_ps / (time.spans_batch() ? std::max(1U, visit.line.calls) : 1U)) {
  if (time.kind == record::TimeKind::kLast) ends_.emplace(TickPoint{Point::kEnd}, time.from_ranks);
}

void TickTimes::read_repetition() {
  for (End* end : {&from_, &to_}) std::ranges::fill(end->ticks, kNoTick);
  if (ends_) std::ranges::fill(ends_->ticks, kNoTick);
  const auto put = [this](Point kind, std::uint32_t mark, std::uint32_t rank, std::int64_t tick) {
    from_.put(kind, mark, rank, tick);
    to_.put(kind, mark, rank, tick);
    if (ends_) ends_->put(kind, mark, rank, tick);
  };
  const auto ranks = visit_.rank_records;
  for (; next_rank_record_ < ranks.size(); ++next_rank_record_) {
    const record::RankTicks& ticks = ranks[next_rank_record_];
    if (ticks.repetition != repetition_) break;
    put(Point::kStart, 0, ticks.rank, ticks.start_ticks);
    put(Point::kEnd, 0, ticks.rank, ticks.end_ticks);
  }
  const auto marks = visit_.mark_records;
  for (; next_mark_record_ < marks.size(); ++next_mark_record_) {
    const record::MarkTicks& ticks = marks[next_mark_record_];
    if (ticks.repetition != repetition_) break;
    put(Point::kStart, 0, ticks.rank, ticks.start_ticks);
    put(Point::kMark, ticks.mark, ticks.rank, ticks.mark_ticks);
  }
  ++repetition_;
}

std::optional<std::int64_t> TickTimes::difference_on_last() const {
  const auto last = std::ranges::max_element(ends_->ticks);
  const auto rank = static_cast<std::size_t>(last - ends_->ticks.begin());
  if (*last == kNoTick || from_.ticks[rank] == kNoTick || to_.ticks[rank] == kNoTick) {
    return std::nullopt;
  }
  return to_.ticks[rank] - from_.ticks[rank];
}

std::optional<std::int64_t> TickTimes::difference() const {
  if (ends_) return difference_on_last();
  std::optional<std::int64_t> longest;
  if (!across_) {
    for (std::size_t i = 0; i < from_.ticks.size(); ++i) {
      if (from_.ticks[i] == kNoTick || to_.ticks[i] == kNoTick) continue;
      longest = std::max(longest.value_or(kNoTick), to_.ticks[i] - from_.ticks[i]);
    }
    return longest;
  }
  std::optional<std::int64_t> first;
  for (const std::int64_t tick : from_.ticks) {
    if (tick != kNoTick) first = std::min(first.value_or(tick), tick);
  }
  const std::int64_t last = *std::ranges::max_element(to_.ticks);
  return first && last != kNoTick ? std::optional(last - *first) : std::nullopt;
}

std::optional<std::int64_t> TickTimes::next() {
  read_repetition();
  const std::optional<std::int64_t> ticks = difference();
  if (!ticks) return std::nullopt;
  return std::llround(static_cast<double>(*ticks) * ps_per_tick_);
}

}  // namespace invar::analysis
