// The run-time of an operation over time, as every synchronisation shows it (paper 002, figures 1,
// 7 and 11): after MPI_Barrier by local times, and in windows by the clocks of every algorithm,
// each synchronised once before. Windows adapt, or have one length, or both side by side. Bins of
// all synchronisations take turns, so that phases of the machine hit them alike.
#include <algorithm>
#include <cmath>
#include <deque>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "engine/clocks/tracked_mesh.hpp"
#include "engine/experiments/clock_experiments.hpp"
#include "engine/experiments/timed_call.hpp"
#include "engine/sync/mpi_sync.hpp"
#include "engine/sync/window.hpp"
#include "engine/timed/delay.hpp"
#include "engine/timed/timing_loop.hpp"

namespace invar::engine {
namespace {

using base::kPsPerS;
constexpr std::uint64_t kOrderStream = 0x6f72646572;  // "order"
constexpr std::uint32_t kWarmUp = record::kWarmUpsOfABin;
constexpr double kUsualSkew = 2e-5;        // of a bad oscillator
constexpr double kSynchronisationsS = 20;  // of all algorithms, roughly
constexpr double kLeastBinS = 0.02;
constexpr std::uint32_t kPilotCalls = 55;  // the warm-up included
constexpr double kRoomForCall = 1.5;       // that a window has, if we are asked

// "1ms", as it is asked for.
std::string window_text(double window_s) {
  return window_s < 1e-3 ? base::shortest_text(window_s * 1e6) + "us"
                         : base::shortest_text(window_s * 1e3) + "ms";
}

std::int64_t ps(double seconds) { return static_cast<std::int64_t>(seconds * kPsPerS); }

using StartWindows = WindowSync<ModelClock, OwnTime, DisseminatedSum<BlockReport>>;

// An algorithm's clocks, which are not looked after any more.
struct Synchronised {
  std::string name = {};
  bool has_skew = false;  // in its models
  clock::Model model = {};
  std::int64_t synced_ps = 0;  // real time at the end
};

// One way to start repetitions, and the clock that its global times come from.
struct Way {
  std::string name = {};
  const clock::Model* model = nullptr;  // none: MPI_Barrier without any clocks
  bool tracked = false;                 // by the mesh that all share
  std::int64_t synced_ps = 0;           // real time at the end of its synchronisation
  double window_s = 0;                  // 0: they adapt
  std::string global_by = {};           // whose clocks its global times are of
  std::optional<StartWindows> windows;  // none: MPI_Barrier
};

// Where the repetitions of a bin lie, in one way of synchronising.
struct Bin {
  std::size_t way = 0;
  std::uint32_t number = 0;
  std::size_t first = 0;
  std::uint32_t repetitions = 0;
  std::int64_t synced_ps = 0;  // real time of the last synchronisation of its clocks
};

class Runtime {
 public:
  explicit Runtime(ClockSetting& setting)
      : setting_(setting), room_(2 * most_in_bin() + kWarmUp + 1), call_(setting) {}

  std::string run() {
    setting_.clocks().with(setting_.clock().source, [&](auto clock) { refuse_windows(clock); });
    synchronise_all();
    const std::size_t places = ways_.size() * setting_.spec().bins * room_;
    begin_.assign(places, 0);
    end_.assign(places, 0);
    flags_.assign(places, 0);
    setting_.clocks().with(setting_.clock().source, [&](auto clock) { measure(clock); });
    if (mesh_) mesh_->track();
    std::sort(bins_.begin(), bins_.end(), [](const Bin& a, const Bin& b) {
      return std::pair(a.way, a.number) < std::pair(b.way, b.number);
    });
    std::string csv = text();
    call_.free();
    return csv;
  }

 private:
  // The first bins have one more where they cannot all have as many.
  [[nodiscard]] std::uint32_t repetitions_of(std::uint32_t bin) const {
    const record::ClockSpec& spec = setting_.spec();
    return spec.repetitions / spec.bins + (bin < spec.repetitions % spec.bins ? 1 : 0);
  }
  [[nodiscard]] std::uint32_t most_in_bin() const { return repetitions_of(0); }

  // No repetition would be valid, and nobody would know before the end.
  template <typename Clock>
  void refuse_windows(Clock clock) {
    double shortest_s = 0;
    for (const double window_s : setting_.spec().windows_s) {
      if (window_s > 0 && (shortest_s == 0 || window_s < shortest_s)) shortest_s = window_s;
    }
    if (shortest_s == 0) return;
    begin_.assign(kPilotCalls + 1, 0);
    end_.assign(kPilotCalls + 1, 0);
    flags_.assign(kPilotCalls + 1, 0);
    Way barrier;
    const LoopResult result =
        visit(clock, barrier, kPilotCalls - kWarmUp, {begin_.data(), end_.data(), flags_.data()});
    call_.fail_if(result.error);
    std::vector<double> calls_s;
    for (std::uint32_t i = kWarmUp; i < result.repetitions; ++i) {
      calls_s.push_back(static_cast<double>(end_[i] - begin_[i]) * setting_.clock().ps_per_tick /
                        kPsPerS);
    }
    const auto middle = calls_s.begin() + static_cast<std::ptrdiff_t>(calls_s.size() / 2);
    std::nth_element(calls_s.begin(), middle, calls_s.end());
    const double call_s = setting_.largest(*middle);
    if (shortest_s > call_s) return;
    throw ClockRefusal(
        "--window",
        base::duration_text(shortest_s * 1e9) + " is shorter than a call of " +
            call_.operation().name + ", which takes " + base::duration_text(call_s * 1e9) + " here",
        "at least " + base::duration_text(kRoomForCall * call_s * 1e9) + ", or adaptive windows");
  }

  // What clocks without a model of their skew may be apart at the end, and some room. A bin ends
  // after its share of the time, however few repetitions it has, or where all windows have a length
  // when twice as many as are asked for are over.
  [[nodiscard]] WindowLimits limits(double window_s) const {
    const record::ClockSpec& spec = setting_.spec();
    double skew = kUsualSkew;
    for (const double one : spec.virtual_clocks.skew) skew = std::max(skew, std::abs(one));
    const double apart_s = skew * (spec.duration_s + kSynchronisationsS);
    const auto ways =
        static_cast<double>(1 + (setting_.algorithms().size() + 1) * spec.windows_s.size());
    const double bin_s = std::max(
        {kLeastBinS, spec.duration_s / spec.bins / ways, 2 * window_s * (most_in_bin() + kWarmUp)});
    return {.fixed_ticks = ps(window_s),
            .least_ticks = ps(1e-6),
            .most_ticks = ps(std::max(2 * apart_s + 200e-6, window_s)),
            .lead_ticks = ps(20e-6),
            .interruption_ticks = ps(1e-6),
            .visit_ticks = ps(bin_s)};
  }

  void add_windows(const std::string& name, const clock::Model* model, bool tracked,
                   std::int64_t synced_ps) {
    for (const double window_s : setting_.spec().windows_s) {
      Way& way = ways_.emplace_back();
      way.name = name;
      if (window_s > 0) way.name += " window " + window_text(window_s);
      way.model = model;
      way.tracked = tracked;
      way.synced_ps = synced_ps;
      way.window_s = window_s;
      way.global_by = name;
      way.windows.emplace(ModelClock{&setting_.clock(), model}, OwnTime{}, Dither(1, 0),
                          limits(window_s), DisseminatedSum<BlockReport>{});
      way.windows->use(call_.sync_comm());
    }
  }

  void synchronise_all() {
    ways_.emplace_back().name = "MPI_Barrier";
    for (const clock::Settings& settings : setting_.algorithms()) {
      MPI_Barrier(setting_.world());
      const clock::PerRank<clock::Model> models =
          clock::synchronise(setting_.link(), settings).models;
      synchronised_.push_back({.name = settings.text(),
                               .has_skew = settings.has("fit-points"),
                               .model = models[setting_.rank()],
                               .synced_ps = setting_.clock().real_ps()});
      const Synchronised& one = synchronised_.back();
      add_windows(one.name, &one.model, false, one.synced_ps);
    }
    if (const auto settings = setting_.mesh()) {
      MPI_Barrier(setting_.world());
      mesh_.emplace(setting_, *settings);
      add_windows(mesh_->name() + " tracked", &mesh_->model(), true, 0);
    }
    give_barrier_a_clock();
  }

  // MPI_Barrier has no clocks of its own: those of the tracked mesh, else of the first algorithm
  // whose models have a skew, else of the first one.
  void give_barrier_a_clock() {
    Way& barrier = ways_.front();
    if (mesh_) {
      barrier.tracked = true;
      barrier.global_by = mesh_->name() + " tracked";
      return;
    }
    if (synchronised_.empty()) return;
    const auto found = std::find_if(synchronised_.begin(), synchronised_.end(),
                                    [](const Synchronised& one) { return one.has_skew; });
    const Synchronised& chosen = found == synchronised_.end() ? synchronised_.front() : *found;
    barrier.model = &chosen.model;
    barrier.global_by = chosen.name;
  }

  template <typename Clock>
  void measure(Clock clock) {
    base::Random random = base::Random::of({kOrderStream, setting_.spec().virtual_clocks.seed});
    std::vector<std::size_t> order(ways_.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    MPI_Barrier(setting_.world());
    begin_ps_ = setting_.clock().real_ps();
    const record::ClockSpec& spec = setting_.spec();
    std::size_t used = 0;
    for (std::uint32_t bin = 0; bin < spec.bins; ++bin) {
      setting_.sleep_until(begin_ps_ + ps(bin * spec.duration_s / spec.bins));
      if (mesh_) mesh_->track();
      const std::int64_t tracked_ps = setting_.clock().real_ps();
      random.shuffle(std::span<std::size_t>(order));
      for (const std::size_t way : order) {
        MPI_Barrier(setting_.world());
        const TickArrays ticks{&begin_[used], &end_[used], &flags_[used]};
        const LoopResult result = visit(clock, ways_[way], repetitions_of(bin), ticks);
        for (std::uint32_t i = 0; i < std::min(kWarmUp, result.repetitions); ++i) {
          ticks.flags[i] |= record::kWarmUp;
        }
        bins_.push_back({.way = way,
                         .number = bin,
                         .first = used,
                         .repetitions = result.repetitions,
                         .synced_ps = ways_[way].tracked ? tracked_ps : ways_[way].synced_ps});
        used += result.repetitions;
        call_.fail_if(result.error);
      }
    }
  }

  template <typename Clock>
  LoopResult visit(Clock clock, Way& way, std::uint32_t repetitions, TickArrays ticks) {
    const VisitStart start{.repetitions = repetitions,
                           .capacity = room_ - 1,
                           .warm_up = kWarmUp,
                           .call_ticks = ps(5e-6)};
    const auto loop = [&](auto& sync) {
      sync.begin(start);
      return timing_loop(clock, sync, call_.operation(), call_.call(), NoDelay{}, ticks,
                         NothingAround{});
    };
    if (way.windows) return loop(*way.windows);
    BarrierSync<Clock, Barrier::kLibrary> barrier(clock, Dither(1, 0));
    barrier.use(call_.sync_comm());
    return loop(barrier);
  }

  // Earliest start and latest end over ranks on rank 0; the times are in any common clock.
  struct Span {
    std::vector<std::int64_t> begin, end;
  };
  template <typename ToCommon>
  Span span_of(const Bin& bin, ToCommon to_common) const {
    Span mine;
    for (std::size_t i = bin.first; i < bin.first + bin.repetitions; ++i) {
      mine.begin.push_back(to_common(begin_[i]));
      mine.end.push_back(to_common(end_[i]));
    }
    Span all{std::vector<std::int64_t>(mine.begin.size()),
             std::vector<std::int64_t>(mine.end.size())};
    const int count = static_cast<int>(bin.repetitions);
    MPI_Reduce(mine.begin.data(), all.begin.data(), count, MPI_INT64_T, MPI_MIN, 0,
               setting_.world());
    MPI_Reduce(mine.end.data(), all.end.data(), count, MPI_INT64_T, MPI_MAX, 0, setting_.world());
    return all;
  }

  // Longest on its own clock.
  [[nodiscard]] std::vector<std::int64_t> local_times(const Bin& bin) const {
    std::vector<std::int64_t> mine;
    for (std::size_t i = bin.first; i < bin.first + bin.repetitions; ++i) {
      mine.push_back(setting_.clock().ps_of(end_[i]) - setting_.clock().ps_of(begin_[i]));
    }
    std::vector<std::int64_t> all(mine.size());
    MPI_Reduce(mine.data(), all.data(), static_cast<int>(mine.size()), MPI_INT64_T, MPI_MAX, 0,
               setting_.world());
    return all;
  }

  std::string text() const {
    std::string csv = record::raw_header(record::kRawRunTimes);
    std::optional<clock::SmoothedClock> smoothed;
    if (mesh_) smoothed.emplace(mesh_->smoothed());
    const LinkClock& clock = setting_.clock();
    for (const Bin& bin : bins_) {
      const Way& way = ways_[bin.way];
      const std::vector<std::int64_t> local = local_times(bin);
      const Span global = span_of(bin, [&](std::int64_t ticks) {
        const std::int64_t local_ps = clock.ps_of(ticks);
        const auto reading = way.tracked ? smoothed->at(local_ps) : std::nullopt;
        if (reading) return reading->reference_ps;
        return way.model != nullptr ? way.model->to_reference_ps(local_ps) : local_ps;
      });
      const Span truth = span_of(bin, [&](std::int64_t ticks) { return clock.real_ps_of(ticks); });
      std::vector<std::uint16_t> flags(bin.repetitions);
      MPI_Reduce(&flags_[bin.first], flags.data(), static_cast<int>(bin.repetitions), MPI_UINT16_T,
                 MPI_BOR, 0, setting_.world());
      if (setting_.rank() != 0) continue;
      const bool has_global = !way.global_by.empty();
      const auto ns = [](std::int64_t time_ps) {
        return base::shortest_text(static_cast<double>(time_ps) / 1000);
      };
      for (std::size_t i = 0; i < bin.repetitions; ++i) {
        if ((flags[i] & record::kWarmUp) != 0) continue;
        const std::int64_t at_ps = clock.real_ps_of(begin_[bin.first + i]);
        const auto seconds_since = [&](std::int64_t earlier_ps) {
          return base::shortest_text(static_cast<double>(at_ps - earlier_ps) / kPsPerS);
        };
        csv += way.name + ',' + std::to_string(bin.number) + ',' + std::to_string(i - kWarmUp) +
               ',' + seconds_since(begin_ps_) + ',' +
               (way.windows ? seconds_since(bin.synced_ps) : "") + ',' + std::to_string(flags[i]) +
               ',' + ns(local[i]) + ',' + (has_global ? ns(global.end[i] - global.begin[i]) : "") +
               ',' + (setting_.one_clock() ? ns(truth.end[i] - truth.begin[i]) : "") + ',' +
               (way.window_s > 0 ? base::shortest_text(way.window_s) : "") + ',' + way.global_by +
               '\n';
      }
    }
    return csv;
  }

  ClockSetting& setting_;
  std::uint32_t room_;  // of a bin
  TimedCall call_;
  std::deque<Synchronised> synchronised_ = {};  // ways point into it
  std::deque<Way> ways_ = {};
  std::optional<TrackedMesh> mesh_ = {};
  std::vector<std::int64_t> begin_ = {};
  std::vector<std::int64_t> end_ = {};
  std::vector<std::uint16_t> flags_ = {};
  std::vector<Bin> bins_ = {};
  std::int64_t begin_ps_ = 0;
};

}  // namespace

std::string clock_runtime(ClockSetting& setting) { return Runtime(setting).run(); }

}  // namespace invar::engine
