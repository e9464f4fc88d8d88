#include "group/turns.hpp"

#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>
#include <vector>

#include "clock/ticks.hpp"
#include "group/partners.hpp"
#include "record/launch_spec.hpp"

namespace invar::group {
namespace {

constexpr std::int64_t kWatchNs = 200'000'000;  // how often a watcher looks after the others
// How often a rank does that spins: those that sleep are looked after by their watcher.
constexpr std::int64_t kSpinnersWatchNs = 1'000'000'000;
// Shorter waits are a part of measuring; calls of the library in them would be, too.
constexpr std::int64_t kProbeNs = 1'000'000;
constexpr const char* kWithoutIt = "a visit without it";
// Ranks leave a barrier within this of each other, and need not sleep in between.
constexpr std::int64_t kLeavingSpinNs = 20'000;

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
             std::function<void()> progress, const record::Plan* plan, Callers callers)
    : page_(page),
      steps_(steps),
      limits_(limits),
      progress_(std::move(progress)),
      callers_(callers),
      plan_(plan),
      parent_(getppid()) {}

const record::Plan& Turns::plan() const {
  static const record::Plan none;
  return plan_ == nullptr ? none : *plan_;
}

std::uint32_t Turns::latest_go() const {
  std::uint32_t latest = 0;
  for (std::uint32_t arm = 0; arm < page_.shape().arms; ++arm) {
    latest = std::max(latest, value_of(page_.arm(arm).go));
  }
  return latest;
}

void Turns::check_partners(const char* waiting_for) const {
  const std::string where = std::string("while waiting for ") + waiting_for;
  const std::string lost(record::kGroupLost);
  if (page_.header().aborted.load() != 0) {
    throw GroupLost(lost + "another rank of the group gave up " + where);
  }
  if (getppid() != parent_) throw GroupLost(lost + "the launcher is gone " + where);
  const std::uint32_t latest = latest_go();
  const bool on_turn = latest > 0;
  for (std::uint32_t arm = 0; arm < page_.shape().arms; ++arm) {
    // Ranks of other arms sleep, looked after by their own watcher; before the first turn it may
    // still be on its way.
    const bool whole = !on_turn || arm == page_.place().arm || steps_[latest - 1].arm == arm;
    for (std::uint32_t rank = 0; rank < (whole ? page_.shape().local_ranks : 1); ++rank) {
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

void Turns::check_holder(const char* waiting_for) {
  const std::int64_t still_ns = stillness_.look(fingerprint(page_), clock::monotonic_raw_ns());
  const std::uint32_t latest = latest_go();
  const bool starting = latest == 0;
  const bool like_a_start = starting || prepares_or_writes(page_);
  const auto limit_ns =
      static_cast<std::uint64_t>(like_a_start ? limits_.start_ns : limits_.visit_ns);
  if (still_ns <= patience_ns(limit_ns, Onlooker::kWatcher)) return;
  const std::vector<RankSeen> late =
      suspects(look_around(page_), starting ? 0 : steps_[latest - 1].arm, starting);
  if (late.empty()) return;
  throw GroupLost(std::string(record::kGroupLost) + "arm " + std::to_string(late.front().arm) +
                  ", nothing moved for " + std::to_string(still_ns / 1'000'000'000) +
                  " s while this rank was waiting for " + waiting_for + ": " +
                  suspects_text(late, plan()));
}

void Turns::note_probe() {
  page_.mine().probes.fetch_add(1, std::memory_order_relaxed);
  ++own_probes_;
}

void Turns::make_progress() {
  progress_();
  note_probe();
}

void Turns::still_waiting(const char* waiting_for) {
  const std::int64_t now_ns = clock::monotonic_raw_ns();
  if (waiting_since_ns_ == 0) {
    waiting_since_ns_ = looked_after_ns_ = now_ns;
    return;
  }
  if (makes_progress(Turn::kOwn) && now_ns - waiting_since_ns_ >= kProbeNs) make_progress();
  if (now_ns - looked_after_ns_ < kSpinnersWatchNs) return;
  looked_after_ns_ = now_ns;
  check_partners(waiting_for);
}

// A watcher's look after the group. True: what it waits for has come just before the partners went,
// as at the end.
template <typename Arrived>
bool Turns::come_before_loss(Arrived arrived, const char* waiting_for) {
  try {
    check_partners(waiting_for);
    check_holder(waiting_for);
  } catch (const GroupLost&) {
    if (arrived()) return true;
    page_.abort();  // the others sleep until they are told
    throw;
  }
  return false;
}

template <typename Arrived>
void Turns::sleep_until(std::atomic<std::uint32_t>& word, Arrived arrived, const char* waiting_for,
                        Turn turn) {
  const std::uint64_t cpu_before_ns = process_cpu_ns();
  const bool probes = makes_progress(turn);
  const std::int64_t timeout_ns = probes ? kProbeNs : watches() ? kWatchNs : kNoTimeout;
  std::int64_t probed_ns = clock::monotonic_raw_ns();
  std::int64_t watched_ns = probed_ns;
  std::uint32_t value = word.load(std::memory_order_acquire);
  while (!arrived(value & ~kGaveUp)) {
    // An abort wakes all.
    if (page_.header().aborted.load() != 0) check_partners(waiting_for);
    futex_wait(word, value, timeout_ns);
    const std::uint32_t before = std::exchange(value, word.load(std::memory_order_acquire));
    if (value != before) continue;
    const std::int64_t now_ns = clock::monotonic_raw_ns();
    if (probes && now_ns - probed_ns >= kProbeNs) {
      make_progress();
      probed_ns = now_ns;
    }
    if (!watches() || now_ns - watched_ns < kWatchNs) continue;
    watched_ns = now_ns;
    const auto has_arrived = [&] { return arrived(value_of(word)); };
    if (come_before_loss(has_arrived, waiting_for)) break;
  }
  if (turn == Turn::kOfOthers) slept_cpu_ns_ += process_cpu_ns() - cpu_before_ns;
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
  if (all > 1) nanosleep(&settle, nullptr);
  wake(0);
}

const Step* Turns::next() {
  while (position_ < steps_.size() && steps_[position_].arm != page_.place().arm) ++position_;
  if (position_ == steps_.size()) return nullptr;
  const auto mine = static_cast<std::uint32_t>(position_) + 1;
  page_.note({Activity::kWaiting});
  sleep_until(
      page_.mine().go, [mine](std::uint32_t go) { return go == mine; }, "its turn",
      Turn::kOfOthers);
  const Step& step = steps_[position_];
  page_.note(doing_in(step));
  return &step;
}

void Turns::visit_over(std::uint32_t local_members) {
  ArmPage& arm = page_.mine();
  if (arm.visitors.fetch_add(1, std::memory_order_acq_rel) + 1 < local_members) return;
  // Nobody makes the next visit before all ranks of the arm have left this one.
  arm.visitors.store(0, std::memory_order_relaxed);
  arm.released.store(static_cast<std::uint32_t>(position_) + 1, std::memory_order_release);
  futex_wake_all(arm.released);
}

void Turns::stand_by() {
  const auto mine = static_cast<std::uint32_t>(position_) + 1;
  sleep_until(
      page_.mine().released, [mine](std::uint32_t step) { return step == mine; }, kWithoutIt,
      Turn::kOwnWithoutIt);
}

bool Turns::visit_is_over() {
  const auto mine = static_cast<std::uint32_t>(position_) + 1;
  const auto is_over = [&] { return value_of(page_.mine().released) == mine; };
  if (is_over()) return true;
  if (page_.header().aborted.load() != 0) check_partners(kWithoutIt);
  const std::int64_t now_ns = clock::monotonic_raw_ns();
  if (meanwhile_.step != mine) {
    meanwhile_ = {.step = mine, .probed_ns = now_ns, .watched_ns = now_ns};
  }
  if (makes_progress(Turn::kOwnWithoutIt) && now_ns - meanwhile_.probed_ns >= kProbeNs) {
    make_progress();
    meanwhile_.probed_ns = now_ns;
  }
  if (!watches() || now_ns - meanwhile_.watched_ns < kWatchNs) return false;
  meanwhile_.watched_ns = now_ns;
  return come_before_loss(is_over, kWithoutIt);
}

void Turns::done() {
  const std::uint32_t local_ranks = page_.shape().local_ranks;
  ArmPage& arm = page_.mine();
  page_.note({Activity::kWaiting});
  const std::size_t next = ++position_;
  const auto mine = static_cast<std::uint32_t>(next);  // 1 + the step that is left
  if (arm.left.count.fetch_add(1, std::memory_order_acq_rel) + 1 == local_ranks) {
    // Nobody leaves the next step before this one was handed on.
    arm.left.count.store(0, std::memory_order_relaxed);
    arm.handed.store(mine, std::memory_order_release);
    futex_wake_all(arm.handed);
    wake(next);
    return;
  }
  // Others of this arm are still on their way out, and may wait for what this rank has sent.
  const std::int64_t begin_ns = clock::monotonic_raw_ns();
  while (value_of(arm.handed) != mine && clock::monotonic_raw_ns() - begin_ns < kLeavingSpinNs) {
    clock::pause();
  }
  sleep_until(
      arm.handed, [mine](std::uint32_t step) { return step == mine; }, "others of its arm",
      Turn::kOwn);
}

void Turns::finish() {
  page_.note({Activity::kFinished});
  std::atomic<std::uint32_t>& finished = page_.header().finished;
  const std::uint32_t all = page_.processes();
  if (finished.fetch_add(1) + 1 == all) {
    futex_wake_all(finished);
    return;
  }
  sleep_until(
      finished, [all](std::uint32_t count) { return count >= all; }, "the group's last turn",
      Turn::kOfOthers);
}

std::uint64_t Turns::take_slept_cpu_ns() { return std::exchange(slept_cpu_ns_, 0); }

}  // namespace invar::group
