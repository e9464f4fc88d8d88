#include "engine/clocks/clocks.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <stdexcept>

#include "base/error.hpp"
#include "base/random.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "engine/clocks/offset_decision.hpp"
#include "engine/machine/machine.hpp"
#include "engine/timed/probes.hpp"
#include "record/launch_spec.hpp"

namespace invar::engine {
namespace {

using base::kPsPerS;
// Ticks of MPI_Wtime are picoseconds.
constexpr clock::Rate kExactWtime{.ticks_per_s = kPsPerS};
constexpr std::uint64_t kWanderStream = 0x77616e646572;  // "wander"

constexpr std::array kSources{clock::Source::kTsc, clock::Source::kMonotonicRaw,
                              clock::Source::kMpiWtime};

std::int64_t test_step_ns_of_environment() {
  constexpr const char* kVariable = "INVAR_TEST_CLOCK_STEP_NS";
  const char* text = std::getenv(kVariable);
  if (text == nullptr) return 0;
  const auto step_ns = base::parse_u64(text);
  if (!step_ns || *step_ns == 0 || *step_ns > 1'000'000'000) {
    throw base::UserError(kVariable, "'" + std::string(text) + "' is not a number of nanoseconds",
                          "it is for tests; unset it to measure");
  }
  return static_cast<std::int64_t>(*step_ns);
}

// Good to 1e-4 after a few milliseconds.
template <typename Clock>
double rough_ticks_per_s(Clock clock) {
  const clock::Bracket first = clock::bracketed_read(clock);
  Machine::nap(5'000'000);
  return rate_between(first, clock::bracketed_read(clock)).ticks_per_s;
}

double of_rank(const std::vector<double>& values, int rank) {
  if (values.empty() || rank == 0) return 0;
  return values[std::min(static_cast<std::size_t>(rank - 1), values.size() - 1)];
}

}  // namespace

clock::VirtualClock clock_of_rank(const record::VirtualClocks& all, int rank) {
  return {0, of_rank(all.offset_s, rank), of_rank(all.skew, rank), rank == 0 ? 0 : all.wander,
          base::Random::of({all.seed, kWanderStream, static_cast<std::uint64_t>(rank)}).next()};
}

const char* source_name(clock::Source source) {
  switch (source) {
    case clock::Source::kTsc:
      return "tsc";
    case clock::Source::kMonotonicRaw:
      return "monotonic-raw";
    case clock::Source::kMpiWtime:
      return "mpi-wtime";
  }
  return "";
}

Clocks::Clocks(MPI_Comm control, record::VirtualClocks virtual_clocks)
    : control_(control),
      virtual_clocks_(std::move(virtual_clocks)),
      test_step_ns_(test_step_ns_of_environment()) {
  const clock::TscTrust trust = clock::tsc_trust();
  int trusted = trust.trusted ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &trusted, 1, MPI_INT, MPI_MIN, control);
  tsc_trusted_ = trusted != 0;
  refused_ = trust.reason;
  if (const std::string reason = Machine::clock_refused_because(clock::Source::kTsc);
      !reason.empty()) {
    tsc_trusted_ = false;
    refused_ = reason;
  }
  if (!tsc_trusted_ && refused_.empty()) refused_ = "another rank cannot trust its own";
}

clock::Source Clocks::use(const std::string& level) {
  clock::Source source = clock::Source::kMonotonicRaw;
  if (level == "mpi-wtime" || (level == "auto" && Machine::has_exact_wtime())) {
    source = clock::Source::kMpiWtime;
  } else if (level == "tsc" || (level == "auto" && tsc_trusted_)) {
    if (!tsc_trusted_) {
      throw base::UserError("launch", "clock = \"tsc\", but " + refused_,
                            "use clock = \"auto\" or \"monotonic-raw\"");
    }
    source = clock::Source::kTsc;
  }
  if (const std::string reason = Machine::clock_refused_because(source); !reason.empty()) {
    throw base::UserError("launch", "clock = \"" + level + "\": " + reason,
                          "use clock = \"auto\" or \"mpi-wtime\"");
  }
  std::optional<ClockState>& state = states_[number_of(source)];
  if (!state) {
    if (source == clock::Source::kMpiWtime && virtual_clocks_.any()) {
      throw base::UserError("launch", "MPI_Wtime has no virtual clocks",
                            "use clock = \"auto\", or no [clock.virtual]");
    }
    if (std::none_of(kSources.begin(), kSources.end(), [&](auto s) { return used(s); })) {
      main_ = source;
    }
    state.emplace();
    if (virtual_clocks_.any()) start_virtual(source, *state);
    state->first = with(source, [](auto clock) { return clock::bracketed_read(clock); });
    if (source == clock::Source::kMpiWtime) {
      state->ticks_per_s = kExactWtime.ticks_per_s;
      state->ranks_agree = state->hosts_agree = Machine::has_exact_wtime();
    }
  }
  return source;
}

// All ranks are on one host and read one real clock; rank 0 says what that is.
void Clocks::start_virtual(clock::Source source, ClockState& state) const {
  int rank = 0;
  MPI_Comm_rank(control_, &rank);
  LinkClock link;
  link.source = source;
  if (source == clock::Source::kTsc) {
    link.ps_per_tick = kPsPerS / rough_ticks_per_s(clock::TscClock{});
  }
  link.origin_ticks =
      source == clock::Source::kTsc ? clock::tsc_ticks() : clock::monotonic_raw_ns();
  MPI_Bcast(&link.ps_per_tick, 1, MPI_DOUBLE, 0, control_);
  MPI_Bcast(&link.origin_ticks, 1, MPI_INT64_T, 0, control_);
  link.virtual_clock = clock_of_rank(virtual_clocks_, rank);
  state.virtual_link = std::move(link);
  state.ticks_per_s = kPsPerS;
}

void Clocks::measure(MPI_Comm control) {
  if (used(clock::Source::kTsc) && !virtual_clocks_.any()) {
    states_[number_of(clock::Source::kTsc)]->ticks_per_s = rough_ticks_per_s(clock::TscClock{});
  }
  for (const clock::Source source : kSources) {
    if (!used(source)) continue;
    ClockState& state = *states_[number_of(source)];
    if (state.virtual_link) {
      // A counter of another frequency, and not one of another skew.
      const double shown = with(source, [](auto clock) { return rough_ticks_per_s(clock); });
      if (std::abs(shown / kPsPerS - 1) >= kSameFrequency) state.ticks_per_s = shown;
    }
    state.global_ticks_per_s = state.ticks_per_s;
    MPI_Bcast(&state.global_ticks_per_s, 1, MPI_DOUBLE, 0, control);
    const double ratio = state.ticks_per_s / state.global_ticks_per_s;
    if (std::abs(ratio - 1) < kSameFrequency) state.ticks_per_s = state.global_ticks_per_s;
    state.quality = with(source, [](auto clock) { return clock::measure_quality(clock); });
    if (source == clock::Source::kMpiWtime && Machine::has_exact_wtime()) {
      // What readings advance by is what they cost.
      state.quality.step_ticks = 1;
      state.quality.resolution_ticks = 1;
    }
  }
}

void Clocks::share_origin(group::Header& header) {
  for (const clock::Source source : kSources) {
    if (!used(source)) continue;
    ClockState& state = *states_[number_of(source)];
    state.origin_ticks = state.hosts_agree ? 0 : state.first.ticks;
    if (source == clock::Source::kMpiWtime) continue;  // every rank's own, or everybody's
    std::int64_t none = 0;
    std::atomic<std::int64_t>& shared = header.origin_ticks[number_of(source)];
    // Virtual clocks take the real ticks, because every launch has virtual clocks of its own.
    const std::int64_t first =
        state.virtual_link ? state.virtual_link->origin_ticks : state.first.ticks;
    std::int64_t origin = first;
    if (!shared.compare_exchange_strong(none, first)) origin = none;
    state.origin_ticks = state.virtual_link ? state.virtual_link->real_ps_of(origin) : origin;
  }
}

// By local rank, from 1 on; on the lowest rank of a host.
struct Clocks::Compared {
  std::vector<std::vector<OffsetBounds>> batches = {};
};

void Clocks::exchange_bounds(clock::Source source, const group::Page& page, MPI_Comm control,
                             Watch watch, void* context, Compared& compared) const {
  compared.batches.resize(others_);
  for (std::uint32_t other = 1; other <= others_; ++other) {
    // A pair at a time: all pairs of a host use the same words of the page.
    MPI_Barrier(control);
    if (other >= page.shape().local_ranks) continue;
    const OffsetBounds bounds =
        with(source, [&](auto clock) { return offset_bounds(page, other, clock, watch, context); });
    if (page.place().local_rank == 0) compared.batches[other - 1].push_back(bounds);
  }
}

void Clocks::compare(const group::Page& page, MPI_Comm control, bool fixed, Watch watch,
                     void* context) {
  auto most = static_cast<int>(page.shape().local_ranks);
  MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_INT, MPI_MAX, control);
  others_ = static_cast<std::uint32_t>(most - 1);
  for (const clock::Source source : kSources) {
    if (!used(source) || source == clock::Source::kMpiWtime) continue;
    ClockState& state = *states_[number_of(source)];
    if (state.virtual_link) continue;  // they differ on purpose
    // Half a step on each side: both clocks are read in steps.
    const auto step = static_cast<std::int64_t>(std::ceil(state.quality.step_ticks));
    if (!fixed && most > 1) {
      // The kernel keeps its own time on all CPUs with this counter, or has made one clock of it.
      state.ranks_agree = true;
      state.uncertainty_ticks = step;
      continue;
    }
    Compared compared;
    std::vector<CounterOffset> offsets;
    // Uncertainty, what kind of counters they are, and what is left open, the worst of all hosts.
    std::array<std::int64_t, 3> worst{};
    const auto decide = [&] {
      offsets.clear();
      worst = {step, static_cast<std::int64_t>(Counters::kOne), step};
      for (const std::vector<OffsetBounds>& batches : compared.batches) {
        offsets.push_back(counter_offset(batches, step));
        worst[0] = std::max(worst[0], offsets.back().uncertainty_ticks);
        worst[1] = std::max(worst[1], static_cast<std::int64_t>(offsets.back().counters));
      }
      worst[2] = within_of_host(offsets, step);
      MPI_Allreduce(MPI_IN_PLACE, worst.data(), 3, MPI_INT64_T, MPI_MAX, control);
    };
    // Twice, and apart: clocks that tick at different rates may agree once. Where an offset is to
    // be believed, once more and a good deal later.
    exchange_bounds(source, page, control, watch, context, compared);
    if (others_ > 0) Machine::nap(10'000'000);
    exchange_bounds(source, page, control, watch, context, compared);
    decide();
    if (worst[1] == static_cast<std::int64_t>(Counters::kShifted)) {
      Machine::nap(500'000'000);
      exchange_bounds(source, page, control, watch, context, compared);
      decide();
    }
    // Only counters can be read without what they are ahead.
    const bool shifted =
        worst[1] == static_cast<std::int64_t>(Counters::kShifted) && source == clock::Source::kTsc;
    state.ranks_agree = shifted || worst[1] == static_cast<std::int64_t>(Counters::kOne);
    state.ranks_differ = !state.ranks_agree;
    // How wide bounds around 0 are says how long a cache line takes, and nothing of the counter.
    state.uncertainty_ticks = state.ranks_agree ? worst[0] : step;
    state.within_ticks = state.ranks_agree ? worst[2] : 0;
    if (!shifted) continue;
    std::atomic<std::int64_t>& word = page.mine().remote_send_ticks;
    for (std::uint32_t other = 1; other <= others_; ++other) {
      MPI_Barrier(control);
      if (page.place().local_rank == 0) word.store(ahead_ticks(offsets[other - 1]));
      MPI_Barrier(control);
      if (page.place().local_rank == other) state.ahead_ticks = word.load();
    }
    state.first.ticks = without_ahead(state.first.ticks, state.ahead_ticks);
    state.most_ahead_ticks = std::abs(state.ahead_ticks);
    MPI_Allreduce(MPI_IN_PLACE, &state.most_ahead_ticks, 1, MPI_INT64_T, MPI_MAX, control);
  }
}

void Clocks::check_offsets(const group::Page& page, MPI_Comm control, Watch watch,
                           void* context) const {
  for (const clock::Source source : kSources) {
    if (!used(source) || state(source).most_ahead_ticks == 0) continue;
    const ClockState& clock = state(source);
    const auto step = static_cast<std::int64_t>(std::ceil(clock.quality.step_ticks));
    Compared compared;
    exchange_bounds(source, page, control, watch, context, compared);
    for (const std::vector<OffsetBounds>& batches : compared.batches) {
      for (const OffsetBounds& bounds : batches) {
        if (offset_holds(bounds, clock.uncertainty_ticks, step)) continue;
        const std::int64_t off = bounds.low_ticks > 0 ? bounds.low_ticks : -bounds.high_ticks;
        throw std::runtime_error(
            std::string(record::kMachine) +
            "the counters of two CPUs tick at different rates: they have moved " +
            std::to_string(off) + " ticks apart since their offset was measured to " +
            std::to_string(clock.uncertainty_ticks) + "; use clock = \"monotonic-raw\"");
      }
    }
  }
}

clock::Rate Clocks::rate_until(clock::Source source, const clock::Bracket& now) const {
  if (source == clock::Source::kMpiWtime && Machine::has_exact_wtime()) return kExactWtime;
  return rate_between(state(source).first, now);
}

std::array<clock::Bracket, group::kClocks> Clocks::brackets() const {
  std::array<clock::Bracket, group::kClocks> all{};
  for (const clock::Source source : kSources) {
    if (!used(source)) continue;
    all[number_of(source)] = with(source, [](auto clock) { return clock::bracketed_read(clock); });
  }
  return all;
}

}  // namespace invar::engine
