#include "group/turns.hpp"

#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>
#include <vector>

#include "group/partners.hpp"
#include "record/launch_spec.hpp"

namespace invar::group {
namespace {

constexpr std::int64_t kWatchNs = 200'000'000;  // how often a sleeper looks after its partners

std::uint64_t process_cpu_ns() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U +
         static_cast<std::uint64_t>(now.tv_nsec);
}

Doing doing_in(const Step& step) {
  switch (step.kind) {
    case StepKind::kPrepare:
      return {Activity::kPreparing};
    case StepKind::kVisit:
      return {Activity::kVisiting, step.row};
    case StepKind::kFlush:
      return {Activity::kWriting};
    case StepKind::kTrack:
      return {Activity::kTracking};
  }
  return {};
}

}  // namespace

Turns::Turns(const Page& page, std::span<const Step> steps, TurnLimits limits,
             std::function<void()> progress, const record::Plan* plan)
    : page_(page),
      steps_(steps),
      limits_(limits),
      progress_(std::move(progress)),
      plan_(plan),
      parent_(getppid()) {}

const record::Plan& Turns::plan() const {
  static const record::Plan none;
  return plan_ == nullptr ? none : *plan_;
}

void Turns::check_partners(const char* waiting_for) const {
  const std::string where = std::string("while waiting for ") + waiting_for;
  const std::string lost(record::kGroupLost);
  if (page_.header().aborted.load() != 0) {
    throw GroupLost(lost + "another rank of the group gave up " + where);
  }
  if (getppid() != parent_) throw GroupLost(lost + "the launcher is gone " + where);
  for (std::uint32_t arm = 0; arm < page_.shape().arms; ++arm) {
    for (std::uint32_t rank = 0; rank < page_.shape().local_ranks; ++rank) {
      const int pid = page_.slot(arm, rank).pid.load();
      if (pid > 0 && ::kill(pid, 0) != 0 && errno == ESRCH) {
        const std::int32_t in_arm = page_.slot(arm, rank).rank.load();
        throw GroupLost(lost + "arm " + std::to_string(arm) + ", rank " + std::to_string(in_arm) +
                        " (pid " + std::to_string(pid) + ") is gone " +
                        doing_text(Doing::of(page_.slot(arm, rank).doing.load()), plan()) + ", " +
                        where);
      }
    }
  }
}

// Called every kWatchNs by a sleeper.
void Turns::check_holder(const char* waiting_for) {
  const std::uint64_t seen = fingerprint(page_);
  standstill_ns_ = seen == last_seen_ ? standstill_ns_ + kWatchNs : 0;
  last_seen_ = seen;
  std::uint32_t latest = 0;
  for (std::uint32_t arm = 0; arm < page_.shape().arms; ++arm) {
    latest = std::max(latest, page_.arm(arm).go.load());
  }
  const bool starting = latest == 0 || latest > steps_.size();
  if (standstill_ns_ <= (starting ? limits_.start_ns : limits_.visit_ns)) return;
  const std::vector<RankSeen> late =
      suspects(look_around(page_), starting ? 0 : steps_[latest - 1].arm, starting);
  if (late.empty()) return;
  throw GroupLost(std::string(record::kGroupLost) + "arm " + std::to_string(late.front().arm) +
                  ", nothing moved for " + std::to_string(standstill_ns_ / 1'000'000'000) +
                  " s while this rank was waiting for " + waiting_for + ": " +
                  suspects_text(late, plan()));
}

template <typename Arrived>
void Turns::sleep(std::atomic<std::uint32_t>& word, Arrived arrived, const char* waiting_for) {
  const std::uint64_t cpu_before_ns = process_cpu_ns();
  std::int64_t slept_ns = 0;
  std::uint32_t value = word.load(std::memory_order_acquire);
  while (!arrived(value)) {
    // An abort wakes without changing the word.
    if (page_.header().aborted.load() != 0) check_partners(waiting_for);
    futex_wait(word, value, kWatchNs);
    const std::uint32_t before = std::exchange(value, word.load(std::memory_order_acquire));
    if (value != before) continue;
    slept_ns += kWatchNs;
    try {
      check_partners(waiting_for);
      check_holder(waiting_for);
    } catch (const GroupLost&) {
      // At the end, what was waited for may have come just before the partners went.
      value = word.load(std::memory_order_acquire);
      if (!arrived(value)) throw;
    }
    if (slept_ns > limits_.visit_ns) progress_();
  }
  slept_cpu_ns_ += process_cpu_ns() - cpu_before_ns;
}

void Turns::wake(std::size_t step) const {
  if (step >= steps_.size()) return;
  std::atomic<std::uint32_t>& go = page_.arm(steps_[step].arm).go;
  go.store(static_cast<std::uint32_t>(step) + 1, std::memory_order_release);
  futex_wake_all(go);
}

void Turns::start() {
  page_.note({Activity::kWaiting});
  std::atomic<std::uint32_t>& ready = page_.header().ready;
  const std::uint32_t all = page_.processes();
  const std::uint32_t arrived = ready.fetch_add(1) + 1;
  if (arrived < all) return;  // it sleeps in next()
  // The others have counted themselves but may still be on their way to sleep.
  const timespec settle{0, 2'000'000};
  nanosleep(&settle, nullptr);
  wake(0);
}

const Step* Turns::next() {
  while (position_ < steps_.size() && steps_[position_].arm != page_.place().arm) ++position_;
  if (position_ == steps_.size()) return nullptr;
  const auto mine = static_cast<std::uint32_t>(position_) + 1;
  page_.note({Activity::kWaiting});
  sleep(
      page_.mine().go, [mine](std::uint32_t go) { return go == mine; }, "its turn");
  const Step& step = steps_[position_];
  page_.note(doing_in(step));
  return &step;
}

void Turns::done() {
  const std::uint32_t local_ranks = page_.shape().local_ranks;
  page_.note({Activity::kWaiting});
  const std::size_t next = ++position_;
  if ((page_.mine().left.count.fetch_add(1, std::memory_order_acq_rel) + 1) % local_ranks != 0) {
    return;
  }
  wake(next);
}

void Turns::finish() {
  page_.note({Activity::kFinished});
  std::atomic<std::uint32_t>& finished = page_.header().finished;
  const std::uint32_t all = page_.processes();
  if (finished.fetch_add(1) + 1 == all) {
    futex_wake_all(finished);
    return;
  }
  sleep(
      finished, [all](std::uint32_t count) { return count >= all; }, "the group's last turn");
}

std::uint64_t Turns::take_slept_cpu_ns() { return std::exchange(slept_cpu_ns_, 0); }

}  // namespace invar::group
