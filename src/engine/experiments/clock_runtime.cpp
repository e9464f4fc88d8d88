// The run-time of an operation over time, as every synchronisation shows it (paper 002, figures 1,
// 7 and 11): after MPI_Barrier by local times, and in windows by the clocks of every algorithm,
// each synchronised once before. Bins of all synchronisations take turns, so that phases of the
// machine hit them alike.
#include <algorithm>
#include <cmath>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/random.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "engine/clocks/tracked_mesh.hpp"
#include "engine/experiments/clock_experiments.hpp"
#include "engine/sync/mpi_sync.hpp"
#include "engine/sync/window.hpp"
#include "engine/timed/delay.hpp"
#include "engine/timed/timing_loop.hpp"
#include "ops/buffers/memory.hpp"
#include "ops/call/agree.hpp"
#include "ops/call/setup.hpp"
#include "ops/catalogue.hpp"
#include "ops/verify.hpp"
#include "record/cell.hpp"

namespace invar::engine {
namespace {

using base::kPsPerS;
constexpr std::uint64_t kOrderStream = 0x6f72646572;  // "order"
constexpr std::uint32_t kWarmUp = 5;                  // of a bin
constexpr double kUsualSkew = 2e-5;                   // of a bad oscillator
constexpr double kSynchronisationsS = 20;             // of all algorithms, roughly
constexpr double kLeastBinS = 0.02;

std::int64_t ps(double seconds) { return static_cast<std::int64_t>(seconds * kPsPerS); }

using StartWindows = WindowSync<ModelClock, OwnTime, DisseminatedSum<BlockReport>>;

// One way to start repetitions, and the clock that its global times come from.
struct Way {
  std::string name = {};
  clock::Model model = {};              // of an algorithm that is not tracked
  bool tracked = false;                 // by the mesh that all share
  std::int64_t synced_ps = 0;           // real time at the end of its synchronisation
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
      : setting_(setting), room_(2 * most_in_bin() + kWarmUp + 1) {
    MPI_Comm_dup(setting.world(), &comm_);
    MPI_Comm_dup(setting.world(), &sync_comm_);
    MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
    make_call();
  }

  std::string run() {
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
    setup_.reset();
    MPI_Comm_free(&comm_);
    MPI_Comm_free(&sync_comm_);
    return csv;
  }

 private:
  // The first bins have one more where they cannot all have as many.
  [[nodiscard]] std::uint32_t repetitions_of(std::uint32_t bin) const {
    const record::ClockSpec& spec = setting_.spec();
    return spec.repetitions / spec.bins + (bin < spec.repetitions % spec.bins ? 1 : 0);
  }
  [[nodiscard]] std::uint32_t most_in_bin() const { return repetitions_of(0); }

  void make_call() {
    const record::ClockSpec& spec = setting_.spec();
    operation_ = ops::find_operation(spec.operation);
    if (operation_ == nullptr) {
      throw base::UserError("clocks.spec", "this engine has no operation '" + spec.operation + "'",
                            "invar ops list shows those that it has");
    }
    record::Cell cell{.operation = spec.operation};
    if (operation_->sized) cell.size_bytes = spec.size_bytes;
    cell.ranks = static_cast<std::uint32_t>(setting_.ranks());
    setup_.emplace(cell, *operation_, comm_);
    base::Faults faults;
    for (const std::string& error : setup_->errors()) faults.add("clocks.spec", error);
    faults.throw_if_any();
    const ops::BufferNeed need = setup_->need();
    arena_ = std::make_unique<ops::Arena>(std::span(&need, 1));
    base::Random random = base::Random::of({static_cast<std::uint64_t>(setting_.rank())});
    const int error = setup_->place(arena_->place(random, need));
    const ops::Circle circle{.comm = sync_comm_};
    ops::Outcome outcome = ops::agree(
        circle, error == MPI_SUCCESS ? "" : ops::mpi_error_text(operation_->name, error));
    if (outcome.passed()) outcome = ops::check_once(*operation_, setup_->call(), circle);
    if (!outcome.passed()) {
      throw base::CommandError(base::Exit::kMeasurementFailed,
                               {{.place = operation_->name, .what = outcome.text()}});
    }
  }

  void add_way(const std::string& name) { ways_.emplace_back().name = name; }

  void add_windows(const std::string& name, const clock::Model* model) {
    // What clocks without a model of their skew may be apart at the end, and some room. A bin ends
    // after its share of the time, however few repetitions it has.
    const record::ClockSpec& spec = setting_.spec();
    double skew = kUsualSkew;
    for (const double one : spec.virtual_clocks.skew) skew = std::max(skew, std::abs(one));
    const double apart_s = skew * (spec.duration_s + kSynchronisationsS);
    const auto ways = static_cast<double>(setting_.algorithms().size() + 2);
    const double bin_s = std::max(kLeastBinS, spec.duration_s / spec.bins / ways);
    const ModelClock clock{&setting_.clock(), model};
    ways_.back().name = name;
    ways_.back().windows.emplace(clock, OwnTime{}, Dither(1, 0),
                                 WindowLimits{.least_ticks = ps(1e-6),
                                              .most_ticks = ps(2 * apart_s + 200e-6),
                                              .lead_ticks = ps(20e-6),
                                              .interruption_ticks = ps(1e-6),
                                              .visit_ticks = ps(bin_s)},
                                 DisseminatedSum<BlockReport>{});
    ways_.back().windows->use(sync_comm_);
  }

  void synchronise_all() {
    add_way("MPI_Barrier");
    for (const clock::Settings& settings : setting_.algorithms()) {
      MPI_Barrier(setting_.world());
      const clock::PerRank<clock::Model> models = clock::synchronise(setting_.link(), settings);
      ways_.emplace_back().model = models[setting_.rank()];
      ways_.back().synced_ps = setting_.clock().real_ps();
      add_windows(settings.text(), &ways_.back().model);
    }
    const auto settings = setting_.mesh();
    if (!settings) return;
    MPI_Barrier(setting_.world());
    mesh_.emplace(setting_, *settings);
    ways_.emplace_back().tracked = true;
    add_windows(mesh_->name() + " tracked", &mesh_->model());
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
        fail_if(result.error);
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
      return timing_loop(clock, sync, *operation_, setup_->call(), NoDelay{}, ticks,
                         NothingAround{});
    };
    if (way.windows) return loop(*way.windows);
    BarrierSync<Clock, Barrier::kLibrary> barrier(clock, Dither(1, 0));
    barrier.use(sync_comm_);
    return loop(barrier);
  }

  void fail_if(int error) const {
    int failed = error;
    MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, setting_.world());
    if (failed == MPI_SUCCESS) return;
    throw base::CommandError(
        base::Exit::kMeasurementFailed,
        {{.place = operation_->name, .what = ops::mpi_error_text(operation_->name, failed)}});
  }

  // Earliest begin and latest end over ranks on rank 0; the times are in any common clock.
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
      // MPI_Barrier's have no clocks of their own: those of the tracked mesh, where there is one.
      const bool by_smoothed = way.tracked || (!way.windows && mesh_);
      const Span global = span_of(bin, [&](std::int64_t ticks) {
        const std::int64_t local_ps = clock.ps_of(ticks);
        const auto reading = by_smoothed ? smoothed->at(local_ps) : std::nullopt;
        return reading ? reading->reference_ps : way.model.to_reference_ps(local_ps);
      });
      const Span truth = span_of(bin, [&](std::int64_t ticks) { return clock.real_ps_of(ticks); });
      std::vector<std::uint16_t> flags(bin.repetitions);
      MPI_Reduce(&flags_[bin.first], flags.data(), static_cast<int>(bin.repetitions), MPI_UINT16_T,
                 MPI_BOR, 0, setting_.world());
      if (setting_.rank() != 0) continue;
      const bool has_global = way.windows || by_smoothed;
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
               ',' + (setting_.one_clock() ? ns(truth.end[i] - truth.begin[i]) : "") + '\n';
      }
    }
    return csv;
  }

  ClockSetting& setting_;
  std::uint32_t room_;  // of a bin
  MPI_Comm comm_ = MPI_COMM_NULL;
  MPI_Comm sync_comm_ = MPI_COMM_NULL;
  const ops::Operation* operation_ = nullptr;
  std::optional<ops::CallSetup> setup_ = {};
  std::unique_ptr<ops::Arena> arena_ = {};
  std::deque<Way> ways_ = {};  // their clocks point into it
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
