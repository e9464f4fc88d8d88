// The clocks that the cells of a launch ask for: which source each is here, how good it is, how its
// ticks become times, and whether the ranks of a host read the same time on it.
#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "clock/calibration.hpp"
#include "clock/ticks.hpp"
#include "engine/clocks/link_clock.hpp"
#include "engine/clocks/mpi_clock.hpp"
#include "engine/launch/host.hpp"
#include "engine/sync/sync.hpp"
#include "group/page.hpp"
#include "record/virtual_clocks.hpp"

namespace invar::engine {

inline std::uint32_t number_of(clock::Source source) { return static_cast<std::uint32_t>(source); }

// "tsc", "monotonic-raw", "mpi-wtime".
const char* source_name(clock::Source source);

// Rates that are measured in a few milliseconds are within this of each other where the frequency
// is the same; else it is another one.
constexpr double kSameFrequency = 1e-3;

// Rank 0 has the real clock; the wander of the others is drawn by rank.
clock::VirtualClock clock_of_rank(const record::VirtualClocks& all, int rank);

// One clock in use.
struct ClockState {
  clock::Bracket first = {};  // at the launch's start; the base line of every rate
  // Rough: for limits and slack, never for results. The same on all ranks whose clocks have one
  // frequency, so that all decide the same by it.
  double ticks_per_s = 1e9;
  double global_ticks_per_s = 1e9;  // rank 0's, on all ranks: of global time
  clock::Quality quality = {};
  std::int64_t origin_ticks = 0;  // the group's time 0
  bool ranks_agree = false;       // the ranks of every host read the same time
  bool hosts_agree = false;       // the ranks of all hosts do
  bool ranks_differ = false;      // they were compared, and on some host they do not
  // The uncertainty of a difference between two ranks' readings on a host.
  std::int64_t uncertainty_ticks = 0;
  // What comparing them leaves open of such a difference (CounterOffset::within_ticks); 0: they
  // were not compared.
  std::int64_t within_ticks = 0;
  // This CPU's counter - that of the host's lowest rank, as it was estimated: what is read is
  // without it. 0: they bracket each other.
  std::int64_t ahead_ticks = 0;
  std::int64_t most_ahead_ticks = 0;  // the largest of the launch, without its sign
  // What is measured with, where virtual clocks are asked for: its ticks are picoseconds.
  std::optional<LinkClock> virtual_link = {};
};

class Clocks {
 public:
  // Collective: the processor's counter is used where all ranks can trust theirs. Virtual clocks
  // are for ranks of one host, and not for MPI_Wtime.
  explicit Clocks(MPI_Comm control, record::VirtualClocks virtual_clocks = {});

  // The source of a cell's clock ("auto", "tsc", ...), in use from now on. The same calls on all
  // ranks. Throws base::UserError where it cannot be trusted.
  clock::Source use(const std::string& level);

  // Collective over `control`, all ranks, after all use(): rates to 1e-4, qualities.
  void measure(MPI_Comm control);
  // The group's time 0: the first process of the host to come sets it. After all use().
  void share_origin(group::Header& header);
  // Do the CPUs of this host read the same time? The lowest local rank exchanges time stamps with
  // every other one: where offset 0 lies within all bounds they read one counter. Where it does not
  // but the bounds agree, it is estimated, and what is read from then on is without it
  // (offset_decision.hpp). Collective over `control`. `fixed`: every rank stays on a core of its
  // own. Others cannot be compared once for all: of them the kernel's word is taken.
  void compare(const group::Page& page, MPI_Comm control, bool fixed, Watch watch, void* context);
  // Collective over `control`, before what was measured is written down: where offsets are in use
  // they are still right within their uncertainty. Throws std::runtime_error that blames the
  // machine.
  void check_offsets(const group::Page& page, MPI_Comm control, Watch watch, void* context) const;

  [[nodiscard]] bool used(clock::Source source) const {
    return states_[number_of(source)].has_value();
  }
  [[nodiscard]] const ClockState& state(clock::Source source) const {
    return *states_[number_of(source)];
  }
  // Ranks that are all on one host, or are not, read the same time on it.
  [[nodiscard]] bool one_time(clock::Source source, bool one_host) const {
    const ClockState& clock = state(source);
    return clock.ranks_agree && (one_host || clock.hosts_agree);
  }
  // By which its ticks become times, from the launch's start to that reading of it.
  [[nodiscard]] clock::Rate rate_until(clock::Source source, const clock::Bracket& now) const;
  // The first one that was used.
  [[nodiscard]] clock::Source main() const { return main_; }
  // Why the processor's counter is not used; empty: it is.
  [[nodiscard]] const std::string& tsc_refused_because() const { return refused_; }
  // All readings of MPI_Wtime count from the same moment.
  [[nodiscard]] MpiWtimeClock wtime() const { return wtime_; }
  // For tests: the environment variable INVAR_TEST_CLOCK_STEP_NS makes CLOCK_MONOTONIC_RAW as
  // coarse as that. 0: it is as it is.
  [[nodiscard]] std::int64_t test_step_ns() const { return test_step_ns_; }
  // The ranks read clocks that are wrong on purpose.
  [[nodiscard]] const record::VirtualClocks& virtual_clocks() const { return virtual_clocks_; }
  // Reads every clock in use, now.
  [[nodiscard]] std::array<clock::Bracket, group::kClocks> brackets() const;

  // Calls f(clock) with the clock of a source.
  template <typename F>
  auto with(clock::Source source, F f) const {
    const std::optional<ClockState>& used = states_[number_of(source)];
    if (used && used->virtual_link) return f(LinkTickClock{&*used->virtual_link});
    switch (source) {
      case clock::Source::kTsc:
        if (used && used->ahead_ticks != 0) return f(clock::ShiftedTscClock{used->ahead_ticks});
        return f(clock::TscClock{});
      case clock::Source::kMonotonicRaw:
        if (test_step_ns_ > 0) return f(clock::CoarseClock{test_step_ns_});
        return f(clock::MonotonicRawClock{});
      case clock::Source::kMpiWtime:
        break;
    }
    return f(wtime_);
  }

 private:
  struct Compared;
  // Collective: bounds of every other rank of the host, appended on the lowest one.
  void exchange_bounds(clock::Source source, const group::Page& page, MPI_Comm control, Watch watch,
                       void* context, Compared& compared) const;
  void start_virtual(clock::Source source, ClockState& state) const;

  MPI_Comm control_;  // before measure()
  record::VirtualClocks virtual_clocks_;
  bool tsc_trusted_ = false;
  std::string refused_ = {};
  MpiWtimeClock wtime_ = {};
  std::int64_t test_step_ns_ = 0;
  clock::Source main_ = clock::Source::kMonotonicRaw;
  std::uint32_t others_ = 0;  // the most local ranks of any host, but one
  std::array<std::optional<ClockState>, group::kClocks> states_ = {};
};

}  // namespace invar::engine
