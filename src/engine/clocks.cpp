#include "engine/clocks.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>

#include "base/error.hpp"
#include "base/text.hpp"
#include "engine/probes.hpp"

namespace invar::engine {
namespace {

constexpr std::array kSources{clock::Source::kTsc, clock::Source::kMonotonicRaw,
                              clock::Source::kMpiWtime};

std::int64_t test_step_ns_of_environment() {
  constexpr const char* kVariable = "INVAR_TEST_CLOCK_STEP_NS";
  const char* text = std::getenv(kVariable);
  if (text == nullptr) return 0;
  const auto step_ns = base::parse_u64(text);
  if (!step_ns || *step_ns == 0 || *step_ns > 1'000'000'000) {
    throw base::UserError(kVariable, "'" + std::string(text) + "' is no number of nanoseconds",
                          "it is for tests; unset it to measure");
  }
  return static_cast<std::int64_t>(*step_ns);
}

}  // namespace

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

Clocks::Clocks(MPI_Comm control) : test_step_ns_(test_step_ns_of_environment()) {
  const clock::TscTrust trust = clock::tsc_trust();
  int trusted = trust.trusted ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &trusted, 1, MPI_INT, MPI_MIN, control);
  tsc_trusted_ = trusted != 0;
  refused_ = trust.reason;
  if (!tsc_trusted_ && refused_.empty()) refused_ = "another rank cannot trust its own";
}

clock::Source Clocks::use(const std::string& level) {
  clock::Source source = clock::Source::kMonotonicRaw;
  if (level == "mpi-wtime") {
    source = clock::Source::kMpiWtime;
  } else if (level == "tsc" || (level == "auto" && tsc_trusted_)) {
    if (!tsc_trusted_) {
      throw base::UserError("launch", "clock = \"tsc\", but " + refused_,
                            "use clock = \"auto\" or \"monotonic-raw\"");
    }
    source = clock::Source::kTsc;
  }
  std::optional<ClockState>& state = states_[number_of(source)];
  if (!state) {
    if (std::none_of(kSources.begin(), kSources.end(), [&](auto s) { return used(s); })) {
      main_ = source;
    }
    state.emplace();
    state->first = with(source, [](auto clock) { return clock::bracketed_read(clock); });
    // Ticks of it are picoseconds.
    if (source == clock::Source::kMpiWtime) state->ticks_per_s = 1e12;
  }
  return source;
}

void Clocks::measure() {
  if (used(clock::Source::kTsc)) {
    ClockState& tsc = *states_[number_of(clock::Source::kTsc)];
    // Good to 1e-4 after a few milliseconds.
    const timespec pause{0, 5'000'000};
    nanosleep(&pause, nullptr);
    tsc.ticks_per_s = rate_between(tsc.first, clock::bracketed_read(clock::TscClock{})).ticks_per_s;
  }
  for (const clock::Source source : kSources) {
    if (!used(source)) continue;
    states_[number_of(source)]->quality =
        with(source, [](auto clock) { return clock::measure_quality(clock); });
  }
}

void Clocks::share_origin(Header& header) {
  for (const clock::Source source : kSources) {
    if (!used(source)) continue;
    ClockState& state = *states_[number_of(source)];
    state.origin_ticks = state.first.ticks;
    if (source == clock::Source::kMpiWtime) continue;  // every rank's own
    std::int64_t none = 0;
    std::atomic<std::int64_t>& shared = header.origin_ticks[number_of(source)];
    if (!shared.compare_exchange_strong(none, state.first.ticks)) state.origin_ticks = none;
  }
}

void Clocks::compare(const Page& page, MPI_Comm control, bool fixed, Watch watch, void* context) {
  auto most = static_cast<int>(page.shape().local_ranks);
  MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_INT, MPI_MAX, control);
  for (const clock::Source source : kSources) {
    if (!used(source) || source == clock::Source::kMpiWtime || !fixed) continue;
    ClockState& state = *states_[number_of(source)];
    std::int64_t worst = 0;
    int agree = 1;
    // Half a step on each side: both clocks are read in steps.
    const auto step = static_cast<std::int64_t>(std::ceil(state.quality.step_ticks));
    for (std::uint32_t other = 1; other < static_cast<std::uint32_t>(most); ++other) {
      // A pair at a time: all pairs of a host use the same words of the page.
      MPI_Barrier(control);
      if (other >= page.shape().local_ranks) continue;
      const OffsetBounds bounds = with(
          source, [&](auto clock) { return offset_bounds(page, other, clock, watch, context); });
      if (page.place().local_rank != 0) continue;
      if (bounds.low_ticks > step || bounds.high_ticks < -step) agree = 0;
      worst = std::max({worst, std::abs(bounds.low_ticks), std::abs(bounds.high_ticks)});
    }
    MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_INT64_T, MPI_MAX, control);
    MPI_Allreduce(MPI_IN_PLACE, &agree, 1, MPI_INT, MPI_MIN, control);
    state.uncertainty_ticks = worst;
    state.ranks_agree = agree != 0;
  }
}

std::array<clock::Bracket, kClocks> Clocks::brackets() const {
  std::array<clock::Bracket, kClocks> all{};
  for (const clock::Source source : kSources) {
    if (!used(source)) continue;
    all[number_of(source)] = with(source, [](auto clock) { return clock::bracketed_read(clock); });
  }
  return all;
}

}  // namespace invar::engine
