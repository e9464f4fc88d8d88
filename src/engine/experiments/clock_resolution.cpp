// What every clock costs and resolves, whether it ever steps back, on one rank and between ranks,
// and how fast it ticks. Lines are rank,source,quantity,value,text with the quantities
//   trusted                 1 or 0; text: why not
//   cost_ns                 of a read, mean of kChunk of them; many lines
//   smallest_step_ns        smallest distance of two reads above 0
//   step_ns                 by which readings advance: the resolution
//   reads, backwards, backwards_most_ns          one rank's reads, those below the one before
//   shared_reads, shared_backwards, shared_most_ns   reads below one that another rank of the host
//                           had made before; absent where ranks share no such clock
//   ticks_per_s, half_width_per_s                against CLOCK_MONOTONIC_RAW
#include <sys/time.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <ctime>
#include <limits>
#include <string>

#include "base/csv.hpp"
#include "base/text.hpp"
#include "clock/calibration.hpp"
#include "engine/experiments/clock_experiments.hpp"

namespace invar::engine {
namespace {

constexpr std::int64_t kNsPerS = 1'000'000'000;

// Clock policies beside those of clock/ticks.hpp: ticks are nanoseconds.
struct KernelClock {
  clockid_t id = CLOCK_MONOTONIC;
  [[nodiscard]] std::int64_t now() const {
    timespec time{};
    clock_gettime(id, &time);
    return static_cast<std::int64_t>(time.tv_sec) * kNsPerS + time.tv_nsec;
  }
};
struct TimeOfDay {
  [[nodiscard]] static std::int64_t now() {
    timeval time{};
    gettimeofday(&time, nullptr);
    return static_cast<std::int64_t>(time.tv_sec) * kNsPerS + time.tv_usec * 1000;
  }
};
// In whole nanoseconds, because the last picoseconds of a double are rounding, not steps.
struct WtimeClock {
  double origin_s = 0;
  [[nodiscard]] std::int64_t now() const {
    return static_cast<std::int64_t>(std::llround((MPI_Wtime() - origin_s) * 1e9));
  }
};

struct Backwards {
  std::int64_t times = 0;
  std::int64_t most_ticks = 0;
  void note(std::int64_t before, std::int64_t now) {
    if (now >= before) return;
    ++times;
    most_ticks = std::max(most_ticks, before - now);
  }
};

double seconds_between(const clock::Bracket& first, const clock::Bracket& last) {
  return static_cast<double>(last.raw_ns - first.raw_ns) * 1e-9;
}

class Resolution {
 public:
  explicit Resolution(ClockSetting& setting) : setting_(setting) {}

  std::string run() {
    const clock::TscTrust trust = clock::tsc_trust();
    int global = 0;
    int* wtime_is_global = nullptr;
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_WTIME_IS_GLOBAL, &wtime_is_global, &global);
    const bool shared_wtime = global != 0 && wtime_is_global != nullptr && *wtime_is_global != 0;
    if constexpr (clock::kCounter != clock::Counter::kNone) {
      measure("tsc", clock::TscClock{}, true, trust);
    }
    measure("monotonic-raw", clock::MonotonicRawClock{}, true, {true, {}});
    measure("mpi-wtime", WtimeClock{shared_wtime ? 0 : MPI_Wtime()}, shared_wtime, {true, {}});
    measure("monotonic", KernelClock{CLOCK_MONOTONIC}, true, {true, {}});
    measure("realtime", KernelClock{CLOCK_REALTIME}, true, {true, {}});
    measure("gettimeofday", TimeOfDay{}, true, {true, {}});
    std::string csv = record::raw_header(record::kRawResolution);
    for (const std::string& text : gather_texts(setting_.world(), lines_)) csv += text;
    return csv;
  }

 private:
  static constexpr int kChunks = 200;
  static constexpr int kChunk = 500;

  void add(const char* source, const char* quantity, double value, const std::string& text = {}) {
    lines_ += std::to_string(setting_.rank()) + ',' + source + ',' + quantity + ',' +
              base::shortest_text(value) + ',' + base::csv_field(text) + '\n';
  }

  template <typename Clock>
  void measure(const char* source, Clock clock, bool shared, const clock::TscTrust& trust) {
    const clock::Bracket first = clock::bracketed_read(clock);
    add(source, "trusted", trust.trusted ? 1 : 0, trust.reason);
    add_costs(source, clock);
    const clock::Quality quality = clock::measure_quality(clock, 20'000);
    const std::int64_t reads = setting_.spec().repetitions;
    Backwards alone;
    for (std::int64_t i = 0, before = clock.now(); i < reads; ++i) {
      const std::int64_t now = clock.now();
      alone.note(before, now);
      before = now;
    }
    Backwards together;
    const bool partners = shared && setting_.hosts().local_ranks > 1;
    if (shared) together = between_ranks(clock, reads);
    // A longer base line than the reads alone: 0.2 s give 0.2 ppm.
    const timespec nap{0, 200'000'000};
    nanosleep(&nap, nullptr);
    const clock::Bracket last = clock::bracketed_read(clock);
    const clock::Rate rate = clock::rate_between(first, last);
    const double tick_ns = 1e9 / rate.ticks_per_s;
    add(source, "smallest_step_ns", static_cast<double>(quality.resolution_ticks) * tick_ns);
    add(source, "step_ns", quality.step_ticks * tick_ns);
    add(source, "reads", static_cast<double>(reads));
    add(source, "backwards", static_cast<double>(alone.times));
    add(source, "backwards_most_ns", static_cast<double>(alone.most_ticks) * tick_ns);
    if (partners) {
      add(source, "shared_reads", static_cast<double>(reads));
      add(source, "shared_backwards", static_cast<double>(together.times));
      add(source, "shared_most_ns", static_cast<double>(together.most_ticks) * tick_ns);
    }
    add(source, "ticks_per_s", rate.ticks_per_s);
    // Both readings may be a step old.
    const double steps_s = quality.step_ticks / rate.ticks_per_s;
    add(source, "half_width_per_s",
        rate.half_width_per_s + steps_s / seconds_between(first, last) * rate.ticks_per_s);
  }

  // Timed by another clock, because this one may be too coarse for it.
  template <typename Clock>
  void add_costs(const char* source, Clock clock) {
    std::int64_t costs_ns[kChunks];
    volatile std::int64_t sink = 0;
    for (std::int64_t& cost_ns : costs_ns) {
      const std::int64_t begin_ns = clock::monotonic_raw_ns();
      for (int i = 0; i < kChunk; ++i) sink = clock.now();
      cost_ns = clock::monotonic_raw_ns() - begin_ns;
    }
    static_cast<void>(sink);
    for (const std::int64_t cost_ns : costs_ns) {
      add(source, "cost_ns", static_cast<double>(cost_ns) / kChunk);
    }
  }

  // All ranks of the host read at once and leave what they read for the others: a later read must
  // not be below it. Collective.
  template <typename Clock>
  Backwards between_ranks(Clock clock, std::int64_t reads) {
    std::atomic<std::int64_t>& last = setting_.page().mine().remote_send_ticks;
    last.store(std::numeric_limits<std::int64_t>::min());
    MPI_Barrier(setting_.world());
    Backwards backwards;
    for (std::int64_t i = 0; i < reads; ++i) {
      const std::int64_t before = last.load(std::memory_order_acquire);
      const std::int64_t now = clock.now();
      backwards.note(before, now);
      last.store(now, std::memory_order_release);
    }
    MPI_Barrier(setting_.world());
    return backwards;
  }

  ClockSetting& setting_;
  std::string lines_ = {};
};

}  // namespace

std::string clock_resolution(ClockSetting& setting) { return Resolution(setting).run(); }

}  // namespace invar::engine
