// Raw records to one summary a visit: the only pass over all observations that a comparison makes.
// Linear in time; memory beyond the summaries is one visit's scratch.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/study/rules.hpp"
#include "analysis/study/start_skews.hpp"
#include "analysis/ticks/declared_time.hpp"
#include "analysis/ticks/tick_times.hpp"
#include "base/canary_band.hpp"
#include "store/reader.hpp"

namespace invar::analysis {

struct VisitSummary {
  std::uint32_t group = 0;
  std::uint32_t launch = 0;
  std::uint32_t arm = 0;   // index into Data::arms
  std::uint32_t cell = 0;  // index into Data::cells
  std::uint32_t round = 0;
  std::uint32_t block = 0;
  std::uint32_t observations = 0;  // those that the median rests on, at least 1
  // Grouped median of the time per call, ties spread over the clock's step. 0 if the operation is
  // shorter than the clock can tell.
  double median_ns = 0;
  // Independent observations (lag-1 autocorrelation); 1 if all lie within one step of the clock,
  // because equal roundings do not average out.
  double effective_count = 1;
  bool within_one_step = false;
  double step_ns = 0;  // of the clock, per call of a batch, and per pass over memory
  // Passes over memory inside a repetition: its times are those of one.
  double passes = 1;
  // log(median of the first third / median of the last third); empty below 9 observations.
  std::optional<double> burn_in_log = {};
  std::optional<double> canary_ns = {};  // the slowest host's
  std::optional<double> across_ns = {};  // likewise: across sockets
  std::optional<double> chain_ns = {};   // and of the core alone
  const store::Visit* source = nullptr;  // lives as long as the data
  // Its cell's run-times are local ones, although those of others are global.
  bool local = false;
  // Repetitions count although a rank lost its processor and began much later (start_skews.hpp).
  bool keeps_apart = true;
  // What its observations are; null: the whole call.
  std::shared_ptr<const DeclaredTime> time = {};

  [[nodiscard]] std::optional<double> canary(base::CanaryKind kind) const {
    switch (kind) {
      case base::CanaryKind::kAcross:
        return across_ns;
      case base::CanaryKind::kChain:
        return chain_ns;
      case base::CanaryKind::kLine:
        break;
    }
    return canary_ns;
  }

  [[nodiscard]] bool has_canary() const {
    return std::ranges::any_of(base::kCanaryKinds,
                               [this](base::CanaryKind kind) { return canary(kind).has_value(); });
  }

  // How what a foreign program printed became the time of a call ("half a round trip, times 2");
  // empty: it is one.
  std::string converted = {};

  // "one way"; "whole", or of a foreign program "printed" or "printed, times 2".
  [[nodiscard]] std::string time_name() const {
    if (time) return time->name;
    const bool printed = source != nullptr && source->program;
    return printed ? printed_name(converted) : std::string(kWholeName);
  }
};

// A foreign program printed it.
inline bool is_printed(const VisitSummary& visit) {
  return visit.source != nullptr && visit.source->program;
}

// Its time is that of single pairs of ranks.
inline bool of_pair(const VisitSummary& visit) {
  return visit.time && visit.time->kind == record::TimeKind::kPair;
}

// What happened to the repetitions of one arm.
struct Tally {
  std::uint64_t kept = 0;
  std::uint64_t warm_up = 0;
  std::uint64_t late = 0;
  std::uint64_t past_window = 0;
  std::uint64_t apart = 0;           // left out: a rank lost its processor across the start
  std::uint64_t lost = 0;            // among those kept: likewise, but it does not matter
  std::uint64_t global_invalid = 0;  // left out for this reason alone
  std::uint64_t without_point = 0;   // likewise: no rank came by both points of the time
  std::uint64_t interrupted = 0;     // among those kept
  std::uint64_t oversubscribed = 0;  // among those kept
  std::uint64_t visits = 0;
  std::uint64_t capped_visits = 0;  // holds_fewer() (start_skews.hpp)

  Tally& operator+=(const Tally& other);
};

// An arm's visits of a cell in which no repetition was valid, of whole calls.
struct EmptyVisits {
  std::uint32_t arm = 0;
  std::uint32_t cell = 0;
  std::uint64_t visits = 0;
};

// An arm's visits of a cell in which the time that was asked for cannot be told.
struct UntoldVisits {
  std::uint32_t arm = 0;
  std::uint32_t cell = 0;
  std::uint64_t visits = 0;
  std::string why = {};

  bool operator==(const UntoldVisits&) const = default;
};

struct ArmAndCell {
  std::uint32_t arm = 0;   // index into Data::arms
  std::uint32_t cell = 0;  // index into Data::cells

  bool operator==(const ArmAndCell&) const = default;
};

struct Summaries {
  bool global = false;          // run-time in global time, else on local clocks
  bool global_refused = false;  // `auto` meant global, but in no cell were global times valid
  // Indices into Data::cells: those whose run-times are local nevertheless, because most visits of
  // some arm have no valid global time. Only where `global`.
  std::vector<std::uint32_t> local_cells = {};
  // Whose global times are here although they are too uncertain: the median of what an arm's visits
  // of a cell state is above 2 % of what the cell takes, by the median over all arms, and above 0.2
  // us. Only with Runtime::kGlobal.
  std::vector<ArmAndCell> uncertain = {};
  std::vector<VisitSummary> visits = {};  // in the order of the data
  std::vector<Tally> arms = {};           // index as Data::arms
  std::vector<EmptyVisits> empty = {};
  TimeChoice time = {};
  std::vector<UntoldVisits> untold = {};
};

// Observations with flags warm-up, late and past the window are left out, and those whose global
// time is not valid if that is asked for; interrupted ones are kept (docs/methods.md, Comparing).
// With Runtime::kAuto one kind of run-time for each cell and all its arms: global after an agreed
// start, unless more than half of the visits of some arm have no valid global time although they
// have local ones. Of a cell that is global such visits are left out, as repetitions are. Cells of
// a family share the kind of run-time, and all cells do with `one_runtime`: local if one of them
// is. The kind of run-time is one of whole calls; what other times rest on follows from what they
// are. Global times by a synchronisation that states no error are no valid ones here: they count
// with Runtime::kGlobal alone.
Summaries summarize_visits(const store::Data& data, Runtime runtime, bool agreed_start,
                           const TimeChoice& time = {}, bool one_runtime = false);

// With what is known of the starts of these data already: StartSkews(data, one_runtime).
Summaries summarize_visits(const store::Data& data, const StartSkews& starts, Runtime runtime,
                           bool agreed_start, const TimeChoice& time = {},
                           bool one_runtime = false);

// Its global times are by a synchronisation that states no error. A launch has one synchronisation:
// what holds of a visit's first repetition holds of all.
bool states_no_error(const VisitSummary& visit);

// By how much two ranks' readings of one moment may differ at most, for all that comparing their
// clocks shows: where they read one clock what is recorded of that (store::Visit::agree_within_ns),
// else what the visit's first repetition states.
double clocks_apart_ns(const VisitSummary& visit);

// Some arm's visits of a cell have no valid global time although repetitions were measured, or one
// that is too uncertain, or whose error nobody knows.
bool lacks_global_times(const Summaries& global);

// What some visits of a cell, in the summaries of Runtime::kGlobal, lack.
struct GlobalVisits {
  std::uint32_t arm = 0;
  std::uint32_t cell = 0;  // index into Data::cells
  std::uint64_t visits = 0;
  std::uint64_t lacking = 0;  // they have local times, but no valid global one
};
// The cells whose run-times must be local ones, ascending: the decision of summarize_visits().
std::vector<std::uint32_t> local_cells_of(const std::vector<record::Cell>& cells,
                                          const std::vector<GlobalVisits>& visits,
                                          bool one_runtime);

// The cells of Summaries::local_cells, as answers call them.
std::vector<std::string> local_cell_texts(const store::Data& data, const Summaries& summaries);

// A repetition that counts, and its run-time.
inline bool is_kept(const record::Timing& timing, bool global) {
  const unsigned flags = timing.flags;
  return (flags & record::kLeftOut) == 0 && !(global && (flags & record::kGlobalInvalid) != 0);
}
inline std::int64_t run_time_ps(const record::Timing& timing, bool global) {
  return global ? timing.global_ps : timing.local_max_ps;
}

// Passes over memory inside each repetition of a visit, at least 1.
inline double passes_of(const record::VisitLine& line) {
  return static_cast<double>(std::max<std::uint64_t>(1, line.loops.value_or(1)));
}

// Time of one pass over memory within a repetition, rounded.
inline std::int64_t pass_ps(const VisitSummary& visit, std::int64_t time_ps) {
  if (visit.passes == 1) return time_ps;
  return static_cast<std::int64_t>(std::llround(static_cast<double>(time_ps) / visit.passes));
}

// Calls f(timing, time_ps) for every repetition of the visit that counts, in their order. `global`:
// of all summaries.
template <typename F>
void for_each_observation(const VisitSummary& visit, bool global, F f) {
  if (!visit.time) {
    const bool in_global = global && !visit.local;
    for (const record::Timing& timing : visit.source->records) {
      if (is_kept(timing, in_global) && began_together(timing, visit.keeps_apart)) {
        f(timing, pass_ps(visit, run_time_ps(timing, in_global)));
      }
    }
    return;
  }
  TickTimes times(*visit.source, *visit.time);
  for (const record::Timing& timing : visit.source->records) {
    const std::optional<std::int64_t> time_ps = times.next();
    if (time_ps && is_kept(timing, *visit.time) && began_together(timing, visit.keeps_apart)) {
      f(timing, pass_ps(visit, *time_ps));
    }
  }
}

// Appends the times in ns of a visit's observations that are not left out, in their order, and
// counts all its repetitions.
void append_observations(const VisitSummary& visit, bool global, std::vector<double>& values_ns,
                         Tally& tally);

// Fills in what follows from the times in ns of the repetitions that count, of which there is one
// at least: median, independent observations, burn-in. Its step is known. `values_ns` is used up.
void describe_visit(VisitSummary& summary, std::vector<double>& values_ns);

// Index into Data::cells of the cell with this id. Throws CommandError (kDamaged) if there is none.
std::uint32_t cell_index(const store::Data& data, std::uint32_t id);

}  // namespace invar::analysis
