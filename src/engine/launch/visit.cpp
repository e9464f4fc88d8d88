#include "engine/launch/visit.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>

#include "base/error.hpp"
#include "base/random.hpp"
#include "engine/launch/arm_barrier.hpp"
#include "engine/launch/factor_hooks.hpp"
#include "engine/launch/take_canaries.hpp"
#include "engine/machine/machine.hpp"
#include "engine/sync/flags_probes.hpp"
#include "engine/sync/mpi_sync.hpp"
#include "engine/sync/presence.hpp"
#include "engine/sync/round_time_across.hpp"
#include "engine/sync/window.hpp"
#include "engine/timed/delay.hpp"
#include "engine/timed/kernel_counters.hpp"
#include "engine/timed/timing_loop.hpp"
#include "ops/catalogue.hpp"
#include "ops/overlap/overlap.hpp"
#include "record/arrival.hpp"
#include "record/scheme.hpp"
#include "record/synchronisation.hpp"

namespace invar::engine {
namespace {

constexpr std::uint64_t kDitherStream = 0x646974686572;  // "dither"

// The most that windows may grow to that never shrink, unless calls themselves are long.
constexpr double kMostGrownS = 5e-3;

// A start that is so much of a call too late is worth no repetition, however long calls are.
constexpr double kSkewShare = 0.02;

// Nothing is ever found: a library that finds a message at once might not look for others.
constexpr int kNeverSentTag = 31;

void watch_partners(void* turns) {
  static_cast<group::Turns*>(turns)->still_waiting("a repetition's start");
}

// By one that is late on purpose, on the barriers' communicator.
void probe_meanwhile(void* comm) {
  int found = 0;
  MPI_Iprobe(MPI_ANY_SOURCE, kNeverSentTag, *static_cast<const MPI_Comm*>(comm), &found,
             MPI_STATUS_IGNORE);
}

// What a visit asks of its synchronisation, and what is done beside its calls. No clock is read for
// that, so that it is compiled once and not for every clock and synchronisation.
class PreparedVisit {
 public:
  PreparedVisit(const VisitContext& context, const VisitOrder& order)
      : delays(context.delay.step_ps > 0),
        chain{context.spec.plants_delays ? context.delay.steps(order.cell.delay_ns) : 0},
        probed_(order.team.sync_comm()),
        call_(order.setup.call()) {
    const Team& team = order.team;
    const double call_s = order.call_s * order.row.calls;
    // Read already when the plan was.
    const record::Arrival arrival = record::parse_arrival(order.cell.arrival).value();
    // Cells of a family have equal batches.
    const double late_s = arrival.amplitude_ns * 1e-9 +
                          arrival.amplitude_calls * order.late_by_call_s * order.row.calls;
    const double amplitude_ticks = late_s * context.ticks_per_s;
    const double skew_limit_s =
        std::max(static_cast<double>(context.spec.skew_limit_ns) * 1e-9, kSkewShare * call_s);
    skew_limit_ps = std::llround((skew_limit_s + late_s) * 1e12);
    const std::optional<double> share =
        arrival.share(team.index(), static_cast<std::uint32_t>(team.ranks().size()));
    start = {
        .repetitions = order.row.repetitions,
        .capacity = order.capacity,
        .measured_capacity = order.measured_capacity,
        .warm_up = order.warm_up,
        .local_members = context.rank_domains ? 1 : team.local_members(),
        .local_index = context.rank_domains ? 0 : team.local_index(),
        .dither_ticks = static_cast<std::int64_t>(static_cast<double>(order.cell.dither_ns) * 1e-9 *
                                                  context.ticks_per_s),
        .cell = order.cell.id,
        .call_ticks = static_cast<std::int64_t>((call_s + late_s) * context.global_ticks_per_s),
        .lost_limit_ticks = static_cast<std::int64_t>(skew_limit_s * context.ticks_per_s),
        .delay_ticks = static_cast<std::int64_t>(share.value_or(0) * amplitude_ticks),
        .random_delay_ticks = share ? 0 : static_cast<std::int64_t>(std::ceil(amplitude_ticks)),
        .while_late = arrival.probing ? probe_meanwhile : nullptr,
        .while_late_context = &probed_};
    const record::Scheme* scheme = record::find_scheme(order.cell.scheme);
    moves_in_memory = scheme != nullptr && scheme->cycles && order.cell.cache == "cold-cycle";
    barriers_inside = scheme != nullptr && scheme->barriers_inside;
    moves_on = scheme != nullptr && scheme->batch && (barriers_inside || call_.rotates);
    if (call_.overlap != nullptr) call_.overlap->steps = order.compute_steps;
    if (call_.peers != nullptr) call_.peers->delay_steps = order.delay_steps;
  }
  PreparedVisit(const PreparedVisit&) = delete;
  PreparedVisit& operator=(const PreparedVisit&) = delete;
  // Calls that nobody times compute nothing and spin nothing, those of a check among them.
  ~PreparedVisit() {
    if (call_.overlap != nullptr) call_.overlap->steps = 0;
    if (call_.peers != nullptr) call_.peers->delay_steps = 0;
  }

  VisitStart start = {};
  std::int64_t skew_limit_ps = 0;
  // Batches as a suite makes them: it goes on to other memory behind each call, as mpptest does, or
  // has barriers inside or roots that move.
  bool moves_in_memory = false;
  bool moves_on = false;
  bool barriers_inside = false;
  // An arm that plants nothing, and cells without a delay beside those that have one, run the same
  // code with a chain of no steps: they are compared.
  bool delays = false;
  DelayChain chain = {};

 private:
  MPI_Comm probed_;
  ops::Call& call_;
};

// What of a visitor depends on its clock and on nothing else.
template <typename Clock>
class ClockVisitor : public Visitor {
 public:
  std::int64_t call_ticks(const Team& team, const ops::Operation& operation, ops::Call& call,
                          int tries, bool until_known) override {
    std::int64_t least = 0;
    for (int i = 0; i < tries; ++i) {
      MPI_Barrier(team.sync_comm());
      const ops::Held held(call.around);
      // No hook has prepared it, as hooks do for calls that count.
      if (operation.before_untimed != nullptr) operation.before_untimed(call);
      const std::int64_t begin = clock_.now();
      operation.call(call);
      if (until_known) MPI_Barrier(team.sync_comm());
      const std::int64_t ticks = clock_.now() - begin;
      if (operation.behind_untimed != nullptr) operation.behind_untimed(call);
      least = i == 0 ? ticks : std::min(least, ticks);
    }
    return least;
  }

  double batch_call_ticks(const Team& team, const ops::Operation& operation, ops::Call& call,
                          std::int64_t enough_ticks) override {
    constexpr std::int64_t kMostCalls = 1 << 16;
    constexpr int kTries = 3;
    for (std::int64_t calls = 1;; calls *= 2) {
      std::int64_t least = 0;
      for (int i = 0; i < kTries; ++i) {
        MPI_Barrier(team.sync_comm());
        const ops::Held held(call.around);
        // As in a visit, whose hooks do so once.
        if (operation.before_untimed != nullptr) operation.before_untimed(call);
        const std::int64_t begin = clock_.now();
        for (std::int64_t n = 0; n < calls; ++n) operation.call(call);
        const std::int64_t ticks = clock_.now() - begin;
        if (operation.behind_untimed != nullptr) operation.behind_untimed(call);
        least = i == 0 ? ticks : std::min(least, ticks);
      }
      // Every rank measured the step itself: without agreeing on it some would go on alone.
      std::array<std::int64_t, 2> most{least, enough_ticks};
      MPI_Allreduce(MPI_IN_PLACE, most.data(), 2, MPI_INT64_T, MPI_MAX, team.sync_comm());
      if (most[0] >= most[1] || calls >= kMostCalls) {
        return static_cast<double>(most[0]) / static_cast<double>(calls);
      }
    }
  }

 protected:
  // Marks of repetition after repetition go behind one another.
  class MarkHook final : public ops::Hook {
   public:
    MarkHook(ops::CallSetup& setup, const Clock& clock, std::int64_t* to, std::size_t marks)
        : setup_(setup), to_(to), marks_(marks) {
      ops::Call& call = setup.call();
      call.read_clock = [](const void* it) { return static_cast<const Clock*>(it)->now(); };
      call.clock = &clock;
    }
    ~MarkHook() override { setup_.forget_marks(); }
    void before(ops::Call& call, std::uint32_t repetition) override {
      call.marks = to_ + repetition * marks_;
      std::fill_n(call.marks, marks_, kNoMark);
    }

   private:
    ops::CallSetup& setup_;
    std::int64_t* to_;
    std::size_t marks_;
  };

  ClockVisitor(const VisitContext& context, Clock clock, std::uint32_t number)
      : context_(context), clock_(clock), number_(number) {}

  void begin(const VisitOrder& order, VisitNote& note) {
    note.begin_ticks = clock_.now();
    note.clock = number_;
    note.slept_cpu_ns = context_.turns.take_slept_cpu_ns();
    if (context_.rank == 0) note.steal_ticks = context_.steal.since_last();
    if (order.first_of_round && order.team.speaker() == context_.rank) note_round(note);
    before_ = statistics_.read();
    if (context_.canary) {
      take_canaries(context_.page, order.team, clock_, watch_partners, &context_.turns,
                    order.reference, note);
    }
    // Behind the canaries, which are to show the same machine in all cells.
    if (order.others != MPI_COMM_NULL) {
      arm_barrier(order.others, calls_behind_barrier(context_.spec.progress));
    }
  }

  void add_hooks(const VisitOrder& order, Segment& segment, ops::Hooks& hooks) {
    add_visit_hooks({.cell = order.cell,
                     .setup = order.setup,
                     .placement = order.placement,
                     .cold = context_.cold},
                    order.operation, hooks);
    if (const std::size_t marks = ops::marks_in(order.cell, order.operation); marks > 0) {
      hooks.add(
          std::make_unique<MarkHook>(order.setup, clock_, segment.marks_at(segment.used), marks));
    }
  }

  void end(const LoopResult& result, Segment& segment, VisitNote& note) {
    const ThreadStatistics::Reading after = statistics_.read();
    note.repetitions = result.repetitions;
    note.error = result.error;
    note.involuntary_switches = after.involuntary_switches - before_.involuntary_switches;
    note.run_delay_ns = after.run_delay_ns - before_.run_delay_ns;
    note.end_ticks = clock_.now();
    segment.used += result.repetitions;
    segment.visits.push_back(note);
  }

  [[nodiscard]] const VisitContext& context() const { return context_; }
  [[nodiscard]] const Clock& clock() const { return clock_; }

 private:
  // Once a round: the empty operation.
  void note_round(VisitNote& note) {
    const ops::Operation& empty = *ops::find_operation("empty");
    ops::Call call;
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
  std::uint32_t number_;
  ThreadStatistics statistics_ = {};
  ThreadStatistics::Reading before_ = {};
};

// The timed loops, which are compiled for every clock and synchronisation, and little else.
template <typename Clock, typename Sync>
class ClockedVisitor final : public ClockVisitor<Clock> {
 public:
  ClockedVisitor(const VisitContext& context, Clock clock, std::uint32_t number, Sync sync)
      : ClockVisitor<Clock>(context, clock, number), sync_(sync) {}

  void visit(const VisitOrder& order, Segment& segment) override {
    VisitNote note{.first = segment.used};
    sync_.watch_from_here();
    this->begin(order, note);
    const Team& team = order.team;
    if constexpr (requires { sync_.use(team.sync_comm()); }) sync_.use(team.sync_comm());
    if constexpr (requires { sync_.use_leaders(team.leaders_comm()); }) {
      sync_.use_leaders(this->context().rank_domains ? team.sync_comm() : team.leaders_comm());
    }
    const PreparedVisit prepared(this->context(), order);
    note.skew_limit_ps = prepared.skew_limit_ps;
    sync_.begin(prepared.start);
    const LoopResult result = hooked(order, prepared, segment);
    note.warm_up = sync_.warm_up();
    if constexpr (requires { sync_.slack_ticks(); }) note.slack_ticks = sync_.slack_ticks();
    this->end(result, segment, note);
  }

 private:
  LoopResult hooked(const VisitOrder& order, const PreparedVisit& prepared, Segment& segment) {
    ops::Hooks hooks;
    this->add_hooks(order, segment, hooks);
    return prepared.delays ? repeat(order, prepared, segment, hooks, prepared.chain)
                           : repeat(order, prepared, segment, hooks, NoDelay{});
  }

  // A visit without hooks runs the same loops: hooks are outside of the timed region.
  template <typename Delay>
  LoopResult repeat(const VisitOrder& order, const PreparedVisit& prepared, Segment& segment,
                    ops::Hooks& hooks, Delay delay) {
    const Clock clock = this->clock();
    const TickArrays ticks{.begin = segment.begin_ticks.data() + segment.used,
                           .end = segment.end_ticks.data() + segment.used,
                           .flags = segment.flags.data() + segment.used};
    ops::Call& call = order.setup.call();
    if (prepared.moves_in_memory) {
      const ops::BufferNeed need = order.setup.need();
      ops::ColdCache& cold = this->context().cold;
      return batch_loop(clock, sync_, order.operation, call, order.row.calls, ticks, hooks,
                        [&](ops::Call& c) {
                          delay();
                          cold.before_repetition(ops::Cache::kCycle, c, need);
                        });
    }
    if (prepared.moves_on) {
      const Team& team = order.team;
      const bool barriers_inside = prepared.barriers_inside;
      return batch_loop(clock, sync_, order.operation, call, order.row.calls, ticks, hooks,
                        [&](ops::Call& c) {
                          delay();
                          if (barriers_inside) MPI_Barrier(team.sync_comm());
                          if (c.rotates) c.next_root();
                        });
    }
    return order.row.calls == 1
               ? timing_loop(clock, sync_, order.operation, call, delay, ticks, hooks)
               : batch_loop(clock, sync_, order.operation, call, order.row.calls, ticks, hooks,
                            [&](ops::Call&) { delay(); });
  }

  Sync sync_;
};

// The common start of ranks that do not read one clock.
struct PredictedTime {
  const GlobalClock* clock = nullptr;
  [[nodiscard]] std::int64_t to_global(std::int64_t ticks) const { return clock->to_global(ticks); }
  [[nodiscard]] std::int64_t to_own(std::int64_t ticks) const { return clock->to_own(ticks); }
};

template <typename Clock>
std::unique_ptr<Visitor> visitor_with(const VisitContext& context, Clock clock,
                                      clock::Source source, const std::string& sync) {
  const record::LaunchSpec& spec = context.spec;
  const auto number = static_cast<std::uint32_t>(source);
  // What ranks decide by must be the same number on all of them.
  const auto ticks = [&](double seconds) {
    return static_cast<std::int64_t>(seconds * context.global_ticks_per_s);
  };
  const Dither dither(
      base::Random::of({spec.seed, kDitherStream, spec.launch, context.rank}).next(), 0);
  const auto make = [&](auto policy) -> std::unique_ptr<Visitor> {
    using Sync = FlagsProbes<decltype(policy)>;
    return std::make_unique<ClockedVisitor<Clock, Sync>>(context, clock, number,
                                                         Sync(policy, context.turns));
  };
  const std::int64_t visit_ticks = ticks(static_cast<double>(spec.visit_limit_ns) * 1e-9 / 2);
  const std::int64_t gap_ticks =
      longest_gap_ticks(ticks(1e-6), context.clocks.state(source).quality);
  if (sync == "round-time") {
    // Ranks that read one clock and share no memory agree by messages, as hosts do.
    const bool in_a_page = context.global == nullptr && Machine::shares_memory();
    const WarmUp warm_up{.repetitions = spec.warmup_repetitions,
                         .min = spec.warmup_min,
                         .ticks = ticks(static_cast<double>(spec.warmup_ns) * 1e-9)};
    const RoundLimits limits{.first_slack_ticks = ticks(2e-6),
                             .least_slack_ticks = ticks(0.2e-6),
                             // Networks may hold a message back for longer than a host ever does.
                             .most_slack_ticks = ticks(in_a_page ? 1e-3 : 0.1),
                             .interruption_ticks = gap_ticks,
                             .visit_ticks = visit_ticks,
                             .yield = spec.oversubscribe || spec.pinning == "none",
                             .clock = number};
    if (in_a_page) {
      return make(RoundTime<Clock>(context.page, clock, dither, warm_up, limits, watch_partners,
                                   &context.turns));
    }
    using Exchange = DisseminatedSum<RoundReport>;
    if (context.global == nullptr) {
      return make(RoundTimeAcross<Clock, OwnTime, Exchange>(context.page, clock, OwnTime{}, dither,
                                                            warm_up, limits, Exchange{},
                                                            watch_partners, &context.turns));
    }
    return make(RoundTimeAcross<Clock, PredictedTime, Exchange>(
        context.page, clock, {context.global}, dither, warm_up, limits, Exchange{}, watch_partners,
        &context.turns));
  }
  if (sync == "window") {
    using Exchange = DisseminatedSum<BlockReport>;
    const double fixed_s = context.growing_windows ? 0 : static_cast<double>(spec.window_ns) * 1e-9;
    const WindowLimits limits{.fixed_ticks = ticks(fixed_s),
                              .only_grow = context.growing_windows,
                              .least_ticks = ticks(0.5e-6),
                              // SKaMPI's have no end: a visit must.
                              .most_ticks = ticks(context.growing_windows ? kMostGrownS : 1),
                              .lead_ticks = ticks(20e-6),
                              .interruption_ticks = gap_ticks,
                              .visit_ticks = visit_ticks};
    if (context.global == nullptr) {
      return make(
          WindowSync<Clock, OwnTime, Exchange>(clock, OwnTime{}, dither, limits, Exchange{}));
    }
    return make(WindowSync<Clock, PredictedTime, Exchange>(clock, {context.global}, dither, limits,
                                                           Exchange{}));
  }
  if (sync == "barrier") return make(BarrierSync<Clock, Barrier::kLibrary>(clock, dither));
  if (sync == "double-barrier") return make(BarrierSync<Clock, Barrier::kDouble>(clock, dither));
  if (sync == "dissemination") {
    return make(BarrierSync<Clock, Barrier::kDissemination>(clock, dither));
  }
  if (sync == "none") return make(BarrierSync<Clock, Barrier::kNone>(clock, dither));
  throw base::UserError("visits.csv", "unknown synchronisation '" + sync + "'");
}

}  // namespace

std::unique_ptr<Visitor> make_visitor(const VisitContext& context, clock::Source source,
                                      const std::string& sync) {
  if (source == clock::Source::kMpiWtime && record::synchronisation(sync).needs_common_clock &&
      !Machine::has_exact_wtime()) {
    throw base::UserError("visits.csv",
                          "MPI_Wtime has an origin of its own on every rank, so that no common "
                          "deadline can be read on it",
                          "use clock = \"auto\", or sync = \"barrier\"");
  }
  return context.clocks.with(
      source, [&](auto clock) { return visitor_with(context, clock, source, sync); });
}

}  // namespace invar::engine
