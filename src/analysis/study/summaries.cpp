#include "analysis/study/summaries.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string_view>

#include "analysis/study/batches.hpp"
#include "analysis/study/select.hpp"
#include "base/error.hpp"
#include "stats/describe/quantile.hpp"
#include "stats/describe/series.hpp"

namespace invar::analysis {
namespace {

constexpr std::size_t kFewestForThirds = 9;

// Reused from visit to visit.
struct SummaryScratch {
  std::vector<double> values;
  std::vector<double> work;
};

double third_median(std::span<const double> third, double step_ns, std::vector<double>& work) {
  work.assign(third.begin(), third.end());
  return stats::grouped_median_in_place(work, step_ns);
}

std::optional<double> burn_in_log(std::span<const double> values, double step_ns,
                                  std::vector<double>& work) {
  if (values.size() < kFewestForThirds) return std::nullopt;
  const std::size_t third = values.size() / 3;
  const double first = third_median(values.first(third), step_ns, work);
  const double last = third_median(values.last(third), step_ns, work);
  if (!(first > 0 && last > 0)) return std::nullopt;
  return std::log(first / last);
}

void describe(VisitSummary& summary, SummaryScratch& scratch) {
  summary.observations = static_cast<std::uint32_t>(scratch.values.size());
  summary.burn_in_log = burn_in_log(scratch.values, summary.step_ns, scratch.work);
  const auto [least, most] = std::minmax_element(scratch.values.begin(), scratch.values.end());
  summary.within_one_step = *most - *least <= 0.5 * summary.step_ns;
  summary.effective_count =
      summary.within_one_step ? 1.0 : stats::effective_sample_size(scratch.values);
  summary.median_ns =
      std::max(0.0, stats::grouped_median_in_place(scratch.values, summary.step_ns));
}

void count_empty(std::vector<EmptyVisits>& empty, std::uint32_t arm, std::uint32_t cell) {
  const auto known = std::find_if(empty.begin(), empty.end(), [&](const EmptyVisits& entry) {
    return entry.arm == arm && entry.cell == cell;
  });
  if (known == empty.end()) {
    empty.push_back({.arm = arm, .cell = cell, .visits = 1});
  } else {
    ++known->visits;
  }
}

void count_untold(std::vector<UntoldVisits>& untold, const VisitSummary& visit,
                  const std::string& why) {
  const auto known = std::find_if(untold.begin(), untold.end(), [&](const UntoldVisits& entry) {
    return entry.arm == visit.arm && entry.cell == visit.cell && entry.why == why;
  });
  if (known == untold.end()) {
    untold.push_back({.arm = visit.arm, .cell = visit.cell, .visits = 1, .why = why});
  } else {
    ++known->visits;
  }
}

// By arm and cell.
std::vector<std::vector<ChosenTime>> chosen_times(const store::Data& data,
                                                  const TimeChoice& choice) {
  std::vector<std::vector<ChosenTime>> chosen(data.arms.size());
  for (std::uint32_t arm = 0; arm < data.arms.size(); ++arm) {
    std::map<std::string_view, record::OperationInfo> operations;
    for (const record::Cell& cell : data.cells) {
      const auto [known, is_new] = operations.try_emplace(cell.operation);
      if (is_new) known->second = data.operation(arm, cell.operation);
      chosen[arm].push_back(choose_time(known->second, cell, choice));
    }
  }
  return chosen;
}

// Repetitions that an analysis never looks at.
bool counts_as_left_out(unsigned flags, Tally& tally) {
  if ((flags & record::kLeftOut) == 0) return false;
  tally.warm_up += (flags & record::kWarmUp) != 0 ? 1U : 0U;
  tally.late += (flags & (record::kLate | record::kWarmUp)) == record::kLate ? 1U : 0U;
  tally.past_window += (flags & record::kLeftOut) == record::kPastWindow ? 1U : 0U;
  return true;
}

std::optional<double> slowest_ns(const std::vector<std::int64_t>& hosts_ps) {
  if (hosts_ps.empty()) return std::nullopt;
  return static_cast<double>(std::ranges::max(hosts_ps)) * 1e-3;
}

VisitSummary summary_place(const store::Data& data, const store::Launch& launch,
                           const store::Visit& visit) {
  VisitSummary summary;
  summary.group = launch.group;
  summary.launch = launch.launch;
  summary.arm = launch.arm;
  summary.cell = cell_index(data, visit.line.cell);
  summary.round = visit.line.round;
  summary.block = visit.line.block;
  summary.source = &visit;
  summary.passes = passes_of(visit.line);
  summary.step_ns = data.clock_step_ns / std::max(1U, visit.line.calls) / summary.passes;
  if (const auto printed = launch.printed_step_ns.find(visit.line.cell);
      printed != launch.printed_step_ns.end()) {
    summary.step_ns = printed->second;
  }
  if (const auto how = launch.converted.find(visit.line.cell); how != launch.converted.end()) {
    summary.converted = how->second;
  }
  summary.canary_ns = slowest_ns(visit.line.canary_ps);
  summary.across_ns = slowest_ns(visit.line.across_ps);
  summary.chain_ns = slowest_ns(visit.line.chain_ps);
  return summary;
}

// Why the visit has no such time; empty: it has. What a foreign program prints is its headline.
std::string take_time(VisitSummary& summary, const ChosenTime& chosen, const TimeChoice& choice,
                      double clock_step_ns) {
  if (summary.source->program && choice.kind != TimeChoice::Kind::kNamed) return {};
  if (!chosen.lack.empty() || !chosen.time) return chosen.lack;
  std::string lack = lack_of_ticks(*summary.source, *chosen.time);
  if (!lack.empty()) return lack;
  summary.time = chosen.time;
  if (!chosen.time->spans_batch()) summary.step_ns = clock_step_ns / summary.passes;
  return {};
}

std::string no_repetition(const DeclaredTime& time) {
  return time.needs_common_time() ? "no repetition that counts has a valid global time"
                                  : "in no repetition that counts a rank came by both points";
}

// Which run-times a pass takes.
struct PassRuntime {
  bool global = false;
  std::vector<std::uint32_t> local_cells = {};  // ascending; whose are local nevertheless
  // Visits without a valid global time are missing, and not merely left out. Global times whose
  // error nobody knows count.
  bool asked_for = false;
  // Such times count only where they were asked for: models without a slope drift within seconds.
  [[nodiscard]] unsigned invalid() const {
    return record::kGlobalInvalid | (asked_for ? 0U : unsigned{record::kErrorUnstated});
  }
};

// `common`: these times are in a clock that all ranks share, and those with a flag of `invalid` do
// not count. `next(timing)` is asked for every record once, also where it does not count.
template <typename Next>
void append_times(const VisitSummary& visit, bool common, unsigned invalid,
                  std::vector<double>& values_ns, Tally& tally, Next next) {
  const std::size_t before = values_ns.size();
  for (const record::Timing& timing : visit.source->records) {
    const unsigned flags = timing.flags;
    const std::optional<std::int64_t> time_ps = next(timing);
    if (counts_as_left_out(flags, tally)) continue;
    if (!began_together(timing, visit.keeps_apart)) {
      ++tally.apart;
      continue;
    }
    if (common && (flags & invalid) != 0) {
      ++tally.global_invalid;
      continue;
    }
    if (!time_ps) {
      ++tally.without_point;
      continue;
    }
    tally.lost += (flags & record::kLost) != 0 ? 1U : 0U;
    tally.interrupted += (flags & record::kInterrupted) != 0 ? 1U : 0U;
    tally.oversubscribed += (flags & record::kOversubscribed) != 0 ? 1U : 0U;
    values_ns.push_back(static_cast<double>(*time_ps) * 1e-3 / visit.passes);
  }
  tally.kept += values_ns.size() - before;
}

void append_counting(const VisitSummary& visit, bool global, unsigned invalid,
                     std::vector<double>& values_ns, Tally& tally) {
  if (!visit.time) {
    const bool in_global = global && !visit.local;
    append_times(visit, in_global, invalid, values_ns, tally,
                 [in_global](const record::Timing& timing) {
                   return std::optional(run_time_ps(timing, in_global));
                 });
    return;
  }
  // An own time has no local one beside it.
  TickTimes times(*visit.source, *visit.time);
  append_times(visit, visit.time->needs_common_time(), record::kGlobalInvalid, values_ns, tally,
               [&times](const record::Timing&) { return times.next(); });
}

// Median over the repetitions that count of what their global times state, of a whole batch; none:
// none of them states anything.
std::optional<double> median_uncertainty_ns(const VisitSummary& visit, std::vector<double>& work) {
  work.clear();
  for (const record::Timing& timing : visit.source->records) {
    const unsigned flags = timing.flags;
    if ((flags & (record::kLeftOut | record::kGlobalInvalid | record::kErrorUnstated)) != 0)
      continue;
    if (!began_together(timing, visit.keeps_apart)) continue;
    work.push_back(static_cast<double>(timing.uncertainty_ps) * 1e-3);
  }
  if (work.empty()) return std::nullopt;
  return stats::median_in_place(work);
}

// What a cell's visits take and state, whatever the arm.
struct Statements {
  std::vector<double> whole_ns = {};
  std::map<std::uint32_t, std::vector<double>> uncertainty_ns = {};  // by arm
};

// One limit for all arms and visits of a cell: a visit that is judged by its own time goes because
// it is fast, and one arm's go because its clocks were synchronised worse.
std::vector<ArmAndCell> too_uncertain(const std::map<std::uint32_t, Statements>& cells) {
  constexpr double kShare = 0.02;
  constexpr double kLeastNs = 200;
  std::vector<ArmAndCell> found;
  for (const auto& [cell, statements] : cells) {
    std::vector<double> whole_ns = statements.whole_ns;
    const double limit_ns = std::max(kShare * stats::median_in_place(whole_ns), kLeastNs);
    for (const auto& [arm, stated_ns] : statements.uncertainty_ns) {
      std::vector<double> of_arm_ns = stated_ns;
      if (stats::median_in_place(of_arm_ns) > limit_ns) found.push_back({.arm = arm, .cell = cell});
    }
  }
  return found;
}

// One place for each arm and cell, in this order.
std::vector<GlobalVisits> all_places(const store::Data& data) {
  std::vector<GlobalVisits> places;
  places.reserve(data.arms.size() * data.cells.size());
  for (std::uint32_t arm = 0; arm < data.arms.size(); ++arm) {
    for (std::uint32_t cell = 0; cell < data.cells.size(); ++cell) {
      places.push_back({.arm = arm, .cell = cell});
    }
  }
  return places;
}

// `lacking`: all_places(), into which the visits are counted.
Summaries pass(const store::Data& data, const StartSkews& starts, const PassRuntime& runtime,
               const TimeChoice& choice, std::vector<GlobalVisits>* lacking = nullptr) {
  const bool global = runtime.global;
  Summaries result{.global = global, .local_cells = runtime.local_cells, .time = choice};
  result.arms.resize(data.arms.size());
  std::size_t visits = 0;
  for (const store::Group& group : data.groups) {
    for (const store::Launch& launch : group.launches) visits += launch.visits.size();
  }
  result.visits.reserve(visits);
  std::map<std::uint32_t, Statements> statements;
  SummaryScratch scratch;
  const Batches batches(data);
  const std::vector<std::vector<ChosenTime>> chosen = chosen_times(data, choice);
  for (const store::Group& group : data.groups) {
    for (const store::Launch& launch : group.launches) {
      Tally& tally = result.arms.at(launch.arm);
      for (const store::Visit& visit : launch.visits) {
        if (!batches.keeps(visit)) continue;
        VisitSummary summary = summary_place(data, launch, visit);
        summary.local = std::ranges::binary_search(runtime.local_cells, summary.cell);
        summary.keeps_apart = starts.keeps_apart(visit.line.cell);
        const ChosenTime& time = chosen[launch.arm][summary.cell];
        if (const std::string lack = take_time(summary, time, choice, data.clock_step_ns);
            !lack.empty()) {
          count_untold(result.untold, summary, lack);
          continue;
        }
        ++tally.visits;
        tally.capped_visits += holds_fewer(visit.line, summary.keeps_apart) ? 1U : 0U;
        scratch.values.clear();
        const std::uint64_t invalid_before = tally.global_invalid;
        append_counting(summary, global, runtime.invalid(), scratch.values, tally);
        const bool lacks_global =
            !summary.time && scratch.values.empty() && tally.global_invalid > invalid_before;
        if (lacking != nullptr && !summary.time && (lacks_global || !scratch.values.empty())) {
          GlobalVisits& place =
              (*lacking)[summary.arm * data.cells.size() + std::size_t{summary.cell}];
          ++place.visits;
          place.lacking += lacks_global ? 1U : 0U;
        }
        if (scratch.values.empty()) {
          if (summary.time) {
            count_untold(result.untold, summary, no_repetition(*summary.time));
          } else if (!lacks_global || runtime.asked_for) {
            count_empty(result.empty, summary.arm, summary.cell);
          }
          continue;
        }
        describe(summary, scratch);
        // On one clock it is the clock's step. Earlier engines have judged it themselves.
        if (global && !summary.local && !summary.time && !visit.one_clock && !visit.program &&
            !launch.earlier_engine) {
          if (const auto stated_ns = median_uncertainty_ns(summary, scratch.work)) {
            Statements& of_cell = statements[summary.cell];
            of_cell.whole_ns.push_back(summary.median_ns * visit.line.calls * summary.passes);
            of_cell.uncertainty_ns[summary.arm].push_back(*stated_ns);
          }
        }
        result.visits.push_back(std::move(summary));
      }
    }
  }
  result.uncertain = too_uncertain(statements);
  return result;
}

// Some launch is by an engine that judged a visit's global times by themselves and told nothing of
// lost starts: one visit without them made all run-times local, and what was said then stays.
bool is_by_earlier_engine(const store::Data& data) {
  return std::ranges::any_of(data.groups, [](const store::Group& group) {
    return std::ranges::any_of(group.launches, &store::Launch::earlier_engine);
  });
}

Summaries refused(Summaries local) {
  local.global_refused = true;
  return local;
}

}  // namespace

bool states_no_error(const VisitSummary& visit) {
  const auto& records = visit.source->records;
  return !records.empty() && (records.front().flags & record::kErrorUnstated) != 0;
}

double clocks_apart_ns(const VisitSummary& visit) {
  if (visit.source->agree_within_ns) return *visit.source->agree_within_ns;
  const auto& records = visit.source->records;
  return records.empty() ? 0 : records.front().uncertainty_ps * 1e-3;
}

bool lacks_global_times(const Summaries& global) {
  const bool unstated = std::ranges::any_of(global.visits, [](const VisitSummary& visit) {
    return !visit.time && states_no_error(visit);
  });
  if (unstated || !global.uncertain.empty()) return true;
  const bool left_out =
      std::ranges::any_of(global.arms, [](const Tally& tally) { return tally.global_invalid > 0; });
  return left_out && !global.empty.empty();
}

Tally& Tally::operator+=(const Tally& other) {
  kept += other.kept;
  warm_up += other.warm_up;
  late += other.late;
  past_window += other.past_window;
  apart += other.apart;
  lost += other.lost;
  global_invalid += other.global_invalid;
  without_point += other.without_point;
  interrupted += other.interrupted;
  oversubscribed += other.oversubscribed;
  visits += other.visits;
  capped_visits += other.capped_visits;
  return *this;
}

void append_observations(const VisitSummary& visit, bool global, std::vector<double>& values_ns,
                         Tally& tally) {
  append_counting(visit, global, record::kGlobalInvalid, values_ns, tally);
}

void describe_visit(VisitSummary& summary, std::vector<double>& values_ns) {
  SummaryScratch scratch;
  scratch.values.swap(values_ns);
  describe(summary, scratch);
  scratch.values.swap(values_ns);
}

std::uint32_t cell_index(const store::Data& data, std::uint32_t id) {
  if (id < data.cells.size() && data.cells[id].id == id) return id;
  const auto found = std::ranges::find(data.cells, id, &record::Cell::id);
  if (found == data.cells.end()) {
    throw base::CommandError(
        base::Exit::kDamaged,
        {{.place = data.dir.string(),
          .what = "a visit names cell " + std::to_string(id) + ", which no plan has"}});
  }
  return static_cast<std::uint32_t>(found - data.cells.begin());
}

std::vector<std::uint32_t> local_cells_of(const std::vector<record::Cell>& cells,
                                          const std::vector<GlobalVisits>& visits,
                                          bool one_runtime) {
  std::set<std::uint32_t> local;
  for (const GlobalVisits& of_arm : visits) {
    if (2 * of_arm.lacking > of_arm.visits) local.insert(of_arm.cell);
  }
  if (local.empty()) return {};
  std::set<std::string_view> families;
  for (const std::uint32_t cell : local) families.insert(cells[cell].family);
  families.erase(std::string_view());
  std::vector<std::uint32_t> all;
  for (std::uint32_t cell = 0; cell < cells.size(); ++cell) {
    if (one_runtime || local.contains(cell) || families.contains(cells[cell].family)) {
      all.push_back(cell);
    }
  }
  return all;
}

std::vector<std::string> local_cell_texts(const store::Data& data, const Summaries& summaries) {
  const record::CellTexts text(measured_cells(data));
  std::vector<std::string> texts;
  for (const std::uint32_t cell : summaries.local_cells) texts.push_back(text(data.cells[cell]));
  return texts;
}

Summaries summarize_visits(const store::Data& data, Runtime runtime, bool agreed_start,
                           const TimeChoice& time, bool one_runtime) {
  return summarize_visits(data, StartSkews(data, one_runtime), runtime, agreed_start, time,
                          one_runtime);
}

Summaries summarize_visits(const store::Data& data, const StartSkews& starts, Runtime runtime,
                           bool agreed_start, const TimeChoice& time, bool one_runtime) {
  if (runtime == Runtime::kGlobal) {
    return pass(data, starts, {.global = true, .asked_for = true}, time);
  }
  if (runtime == Runtime::kLocal || !agreed_start) return pass(data, starts, {}, time);
  if (is_by_earlier_engine(data)) {
    Summaries asked = pass(data, starts, {.global = true, .asked_for = true}, time);
    if (!lacks_global_times(asked)) return asked;
    return refused(pass(data, starts, {}, time));
  }
  std::vector<GlobalVisits> visits = all_places(data);
  Summaries global = pass(data, starts, {.global = true}, time, &visits);
  // All its visits are of no use then.
  for (const ArmAndCell& place : global.uncertain) {
    GlobalVisits& of_arm = visits[place.arm * data.cells.size() + std::size_t{place.cell}];
    of_arm.lacking = of_arm.visits;
  }
  const std::vector<std::uint32_t> local = local_cells_of(data.cells, visits, one_runtime);
  if (local.empty()) return global;
  // Cells that nobody has measured, or not as whole calls, are of no kind.
  const bool none_global = std::ranges::all_of(visits, [&](const GlobalVisits& of_arm) {
    return of_arm.visits == 0 || std::ranges::binary_search(local, of_arm.cell);
  });
  if (!none_global) return pass(data, starts, {.global = true, .local_cells = local}, time);
  return refused(pass(data, starts, {}, time));
}

}  // namespace invar::analysis
