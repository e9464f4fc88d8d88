#include "engine/visit.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/random.hpp"
#include "engine/mpi_clock.hpp"
#include "engine/mpi_sync.hpp"
#include "engine/timing_loop.hpp"
#include "ops/catalogue.hpp"

namespace invar::engine {
namespace {

constexpr std::uint64_t kDitherStream = 0x646974686572;  // "dither"

// Involuntary switches and run delay of this thread; read outside the timed region.
class ThreadStatistics {
 public:
  ThreadStatistics() : schedstat_(open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC)) {}
  ThreadStatistics(const ThreadStatistics&) = delete;
  ThreadStatistics& operator=(const ThreadStatistics&) = delete;
  ~ThreadStatistics() {
    if (schedstat_ >= 0) close(schedstat_);
  }

  struct Reading {
    std::uint64_t involuntary_switches = 0;
    std::uint64_t run_delay_ns = 0;
  };
  [[nodiscard]] Reading read() const {
    Reading reading;
    rusage usage{};
    if (getrusage(RUSAGE_THREAD, &usage) == 0) {
      reading.involuntary_switches = static_cast<std::uint64_t>(usage.ru_nivcsw);
    }
    std::array<char, 96> text{};
    // "run_time run_delay timeslices"; absent on kernels without it: 0.
    if (schedstat_ >= 0 && pread(schedstat_, text.data(), text.size() - 1, 0) > 0) {
      char* end = nullptr;
      std::strtoull(text.data(), &end, 10);
      reading.run_delay_ns = std::strtoull(end, nullptr, 10);
    }
    return reading;
  }

 private:
  int schedstat_;
};

// Time that the hypervisor took from all CPUs since boot, in clock ticks of the kernel (/proc/stat,
// eighth number of the first line).
class StealCounter {
 public:
  StealCounter() : stat_(open("/proc/stat", O_RDONLY | O_CLOEXEC)) {}
  StealCounter(const StealCounter&) = delete;
  StealCounter& operator=(const StealCounter&) = delete;
  ~StealCounter() {
    if (stat_ >= 0) close(stat_);
  }

  // Since the call before; none at the first call, or where the kernel does not tell.
  std::optional<std::uint64_t> since_last() {
    std::array<char, 256> text{};
    if (stat_ < 0 || pread(stat_, text.data(), text.size() - 1, 0) <= 0) return std::nullopt;
    const char* at = text.data();
    while (*at != ' ' && *at != '\0') ++at;
    std::uint64_t steal = 0;
    for (int column = 1; column <= 8; ++column) {
      char* end = nullptr;
      steal = std::strtoull(at, &end, 10);
      if (end == at) return std::nullopt;
      at = end;
    }
    const std::optional<std::uint64_t> before = std::exchange(last_, steal);
    return before ? std::optional(steal - *before) : std::nullopt;
  }

 private:
  int stat_;
  std::optional<std::uint64_t> last_ = {};
};

void watch_partners(void* turns) {
  static_cast<const Turns*>(turns)->check_partners("a repetition's start");
}

template <typename Clock, typename Sync>
class ClockedVisitor : public Visitor {
 public:
  ClockedVisitor(const VisitContext& context, Clock clock, Sync sync)
      : context_(context), clock_(clock), sync_(sync) {}

  void visit(const record::PlanRow& row, const ops::Operation& operation, const ops::Call& call,
             std::uint32_t warm_up, std::uint32_t capacity, bool first_of_round,
             Segment& segment) override {
    VisitNote note{.first = segment.used};
    note.begin_ticks = clock_.now();
    note.slept_cpu_ns = context_.turns.take_slept_cpu_ns();
    if (context_.rank == 0) note.steal_ticks = steal_.since_last();
    if (first_of_round && context_.rank == 0) note_round(note);
    const ThreadStatistics::Reading before = statistics_.read();
    if (context_.canary && context_.page.place().local_rank < 2) {
      note.canary_ticks = canary_ticks(context_.page, clock_, watch_partners, &context_.turns);
    }
    const TickArrays ticks{.begin = segment.begin_ticks.data() + segment.used,
                           .end = segment.end_ticks.data() + segment.used,
                           .flags = segment.flags.data() + segment.used};
    if constexpr (requires { sync_.slack_ticks(); }) {
      sync_.begin(row.repetitions, capacity);
    } else {
      sync_.begin(row.repetitions, warm_up);
    }
    const LoopResult result = row.calls == 1
                                  ? timing_loop(clock_, sync_, operation, call, ticks)
                                  : batch_loop(clock_, sync_, operation, call, row.calls, ticks);
    const ThreadStatistics::Reading after = statistics_.read();
    note.repetitions = result.repetitions;
    note.warm_up = sync_.warm_up();
    note.error = result.error;
    if constexpr (requires { sync_.slack_ticks(); }) note.slack_ticks = sync_.slack_ticks();
    note.involuntary_switches = after.involuntary_switches - before.involuntary_switches;
    note.run_delay_ns = after.run_delay_ns - before.run_delay_ns;
    note.end_ticks = clock_.now();
    segment.used += result.repetitions;
    segment.visits.push_back(note);
  }

  std::int64_t call_ticks(const ops::Operation& operation, const ops::Call& call,
                          int tries) override {
    std::int64_t least = 0;
    for (int i = 0; i < tries; ++i) {
      MPI_Barrier(context_.sync_comm);
      const std::int64_t begin = clock_.now();
      operation.call(call);
      const std::int64_t ticks = clock_.now() - begin;
      least = i == 0 ? ticks : std::min(least, ticks);
    }
    return least;
  }

  [[nodiscard]] clock::Bracket bracket() const override { return clock::bracketed_read(clock_); }
  [[nodiscard]] clock::Quality quality() const override { return clock::measure_quality(clock_); }
  OffsetBounds offset(std::uint32_t other) override {
    return offset_bounds(context_.page, other, clock_, watch_partners, &context_.turns);
  }

 private:
  // Once a round: the empty operation.
  void note_round(VisitNote& note) {
    const ops::Operation& empty = *ops::find_operation("empty");
    const ops::Call call;
    std::array<std::int64_t, 31> times{};
    for (std::int64_t& time : times) {
      const std::int64_t begin = clock_.now();
      empty.call(call);
      time = clock_.now() - begin;
    }
    std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
    note.empty_ticks = times[times.size() / 2];
  }

  VisitContext context_;
  Clock clock_;
  Sync sync_;
  ThreadStatistics statistics_ = {};
  StealCounter steal_ = {};
};

template <typename Clock>
std::unique_ptr<Visitor> visitor_with(const VisitContext& context, Clock clock) {
  const record::LaunchSpec& spec = context.spec;
  const auto ticks = [&](double seconds) {
    return static_cast<std::int64_t>(seconds * context.ticks_per_s);
  };
  const Dither dither(
      base::Random::of({spec.seed, kDitherStream, spec.launch, context.rank}).next(),
      ticks(static_cast<double>(spec.dither_ns) * 1e-9));
  const auto make = [&](auto sync) -> std::unique_ptr<Visitor> {
    return std::make_unique<ClockedVisitor<Clock, decltype(sync)>>(context, clock, sync);
  };
  if (spec.sync == "round-time") {
    return make(
        RoundTime<Clock>(context.page, clock, dither,
                         {.repetitions = spec.warmup_repetitions,
                          .min = spec.warmup_min,
                          .ticks = ticks(static_cast<double>(spec.warmup_ns) * 1e-9)},
                         {.first_slack_ticks = ticks(2e-6),
                          .least_slack_ticks = ticks(0.2e-6),
                          .most_slack_ticks = ticks(1e-3),
                          .interruption_ticks = ticks(1e-6),
                          .visit_ticks = ticks(static_cast<double>(spec.visit_limit_ns) * 1e-9 / 2),
                          .yield = spec.oversubscribe || spec.pinning == "none"},
                         watch_partners, &context.turns));
  }
  if (spec.sync == "barrier") {
    return make(BarrierSync<Clock, Barrier::kLibrary>(context.sync_comm, clock, dither));
  }
  if (spec.sync == "double-barrier") {
    return make(BarrierSync<Clock, Barrier::kDouble>(context.sync_comm, clock, dither));
  }
  if (spec.sync == "dissemination") {
    return make(BarrierSync<Clock, Barrier::kDissemination>(context.sync_comm, clock, dither));
  }
  if (spec.sync == "none") {
    return make(BarrierSync<Clock, Barrier::kNone>(context.sync_comm, clock, dither));
  }
  throw base::UserError("launch.spec", "unknown synchronisation '" + spec.sync + "'");
}

}  // namespace

std::unique_ptr<Visitor> make_visitor(const VisitContext& context, clock::Source source) {
  switch (source) {
    case clock::Source::kTsc:
      return visitor_with(context, clock::TscClock{});
    case clock::Source::kMonotonicRaw:
      return visitor_with(context, clock::MonotonicRawClock{});
    case clock::Source::kMpiWtime:
      if (context.spec.sync == "round-time") {
        throw base::UserError("launch.spec",
                              "MPI_Wtime has an origin of its own on every rank, so that no common "
                              "deadline can be read on it",
                              "use clock = \"auto\", or sync = \"barrier\"");
      }
      return visitor_with(context, MpiWtimeClock{});
  }
  throw base::UserError("launch.spec", "unknown clock");
}

}  // namespace invar::engine
