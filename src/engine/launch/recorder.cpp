#include "engine/launch/recorder.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <type_traits>
#include <utility>

#include "base/crc32c.hpp"
#include "engine/launch/canary_gather.hpp"
#include "engine/timed/extent.hpp"
#include "engine/timed/uncertainty.hpp"
#include "engine/timed/visit_counts.hpp"
#include "ops/call/agree.hpp"

namespace invar::engine {
namespace {

constexpr double kUnknownPs = std::numeric_limits<double>::infinity();

// So many ranks that were late or lost are told of a visit: with many ranks nobody reads all.
constexpr std::size_t kWorstRanks = 4;
constexpr std::size_t kLateNumbers = 3;  // rank, late, lost

std::string decimal(double value) {
  std::string text(48, '\0');
  text.resize(static_cast<std::size_t>(std::snprintf(text.data(), text.size(), "%.9g", value)));
  return text;
}

// What the journal tells of a visit as its speaker saw it.
enum Fact : std::size_t {
  kBegin,  // ps since the origin of its host
  kEnd,
  kSlack,      // ps
  kSkewLimit,  // ps
  kSendOffset,
  kRecvOffset,
  kScratchOffset,  // plus 1; 0: none
  kLoops,          // likewise
  kHugePpm,        // likewise
  kFramesAgain,    // likewise
  kEmpty,          // ps; the same
  kRate,           // of its clock: the bits of ticks a second
  kOrigin,         // of its host, in ticks
  kFacts
};

// An error code with the rank that got it, so that one reduction finds both; 0: no error.
std::uint64_t coded_error(int error, int rank) {
  if (error == MPI_SUCCESS) return 0;
  return (static_cast<std::uint64_t>(static_cast<std::uint32_t>(error)) << 32U) |
         static_cast<std::uint32_t>(rank);
}

// What all ranks have together, for rank 0. The ranks wait for it: SimGrid's messages of less than
// smpi/async-small-thresh overtake larger ones of the same tag, so that one reduction would be
// taken for the one before.
template <class T>
void reduce_to_first(const std::vector<T>& mine, std::vector<T>& together, MPI_Datatype type,
                     MPI_Op operation, MPI_Comm comm) {
  MPI_Reduce(mine.data(), together.data(), static_cast<int>(mine.size()), type, operation, 0, comm);
  MPI_Barrier(comm);
}

}  // namespace

void Recorder::report_error(std::uint64_t coded_error, const record::PlanRow& row) {
  if (coded_error == 0) return;
  const auto rank = static_cast<std::uint32_t>(coded_error);
  failure({.cell = row.cell,
           .kind = "MPI error",
           .reason = ops::mpi_error_text("the operation", static_cast<int>(coded_error >> 32U)),
           .rank = rank,
           .host = rank_hosts_.at(rank)});
}

// Over all ranks, valid on rank 0. One element a repetition, or a visit.
struct Recorder::Reduced {
  std::size_t repetitions = 0;
  // On all ranks. Ticks of global time are rank 0's, whoever read them.
  Rates global_rates = {};
  Rates own_rates = {};
  std::vector<std::uint32_t> lengths = {};   // repetitions of every visit; on all ranks
  std::vector<std::uint32_t> warm_ups = {};  // those of them that were warm-up; on all ranks
  // Start in global ticks; in ps: local, the speaker's start since its host's origin.
  std::vector<std::int64_t> min = {};
  std::vector<std::int64_t> max = {};  // begin, end; in ps: local, sigma of global time
  std::vector<std::int64_t> sum = {};  // local, in ps
  std::vector<std::uint16_t> flags = {};
  std::vector<std::uint64_t> visit_sum = {};  // involuntary switches, slept CPU time
  std::vector<std::uint64_t> visit_max = {};  // run delay, error code
  std::vector<VisitCanaries> canaries = {};
  std::vector<std::int64_t> late_ranks = {};  // kWorstRanks times kLateNumbers a visit
  std::vector<std::int64_t> rank_ticks = {};  // per-rank: start and end of every rank
  std::vector<std::int64_t> facts = {};       // kFacts a visit, of its speaker
  // In visits with marks every rank has the start and the marks of every repetition here.
  std::size_t mark_values = 0;  // of one rank
  std::vector<std::int64_t> marks = {};
};

Recorder::Recorder(MPI_Comm comm, const Hosts& hosts, std::vector<std::string> rank_hosts,
                   const std::string& dir, bool per_rank, bool marks, const Clocks& clocks,
                   GlobalClocks& global_clocks, const group::StepLimits& limits,
                   std::uint16_t flags)
    : comm_(comm),
      hosts_(hosts),
      rank_hosts_(std::move(rank_hosts)),
      per_rank_(per_rank),
      clocks_(clocks),
      global_clocks_(global_clocks),
      limits_(limits),
      flags_(flags),
      dir_(dir) {
  MPI_Comm_rank(comm, &rank_);
  MPI_Comm_size(comm, &ranks_);
  if (rank_ != 0) return;
  timings_ = std::make_unique<RecordFile>(dir + "/timings.bin");
  if (per_rank) rank_ticks_ = std::make_unique<RecordFile>(dir + "/ranks.bin");
  if (marks) marks_ = std::make_unique<RecordFile>(dir + "/marks.bin");
  journal_ = std::make_unique<RecordFile>(dir + "/journal.jsonl");
  if (!global_clocks.any()) return;
  clock_sync_ = std::make_unique<RecordFile>(dir + "/clock_sync.csv");
  const std::string heading = GlobalClocks::heading();
  clock_sync_->append(heading.data(), heading.size());
}

void Recorder::write_line(const std::string& line) {
  const std::string text = line + '\n';
  journal_->append(text.data(), text.size());
}

void Recorder::failure(const record::FailureLine& line) {
  if (rank_ == 0) write_line(journal_line(line));
}

void Recorder::reduce(const Segment& segment, const record::Plan& plan, const TeamOf& team_of,
                      Reduced& reduced) const {
  const std::size_t visits = segment.visits.size();
  // Those who took part know how long a visit was.
  std::vector<std::uint32_t>& lengths = reduced.lengths;
  for (const VisitNote& visit : segment.visits) lengths.push_back(visit.repetitions);
  for (const VisitNote& visit : segment.visits) lengths.push_back(visit.warm_up);
  MPI_Allreduce(MPI_IN_PLACE, lengths.data(), static_cast<int>(lengths.size()), MPI_UINT32_T,
                MPI_MAX, comm_);
  reduced.warm_ups.assign(lengths.begin() + static_cast<std::ptrdiff_t>(visits), lengths.end());
  lengths.resize(visits);
  const std::size_t n = std::accumulate(lengths.begin(), lengths.end(), std::size_t{0});
  reduced.repetitions = n;
  constexpr std::int64_t kLow = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t kHigh = std::numeric_limits<std::int64_t>::max();
  // Where a rank took no part it adds nothing to minimum, maximum and sum.
  std::vector<std::int64_t> low(3 * n, kHigh);
  std::vector<std::int64_t> high(4 * n, kLow);
  std::vector<std::int64_t> local(n, 0);
  std::vector<std::uint16_t> flags(n, 0);
  std::size_t at = 0;
  for (std::size_t v = 0; v < visits; ++v) {
    const VisitNote& visit = segment.visits[v];
    const Team& team = team_of(plan.rows[visit.row]);
    const auto source = static_cast<clock::Source>(visit.clock);
    const GlobalClock* global = global_clocks_.between(team, clocks_, source);
    const clock::Rate& rate = reduced.own_rates.at(visit.clock);
    const bool speaks = team.speaker() == static_cast<std::uint32_t>(rank_);
    for (std::uint32_t r = 0; visit.member && r < lengths[v]; ++r) {
      const std::int64_t begin = segment.begin_ticks[visit.first + r];
      const Extent extent = extent_of(begin, segment.end_ticks[visit.first + r], rate, global);
      if (speaks) low[2 * n + at + r] = rate.to_ps(begin - clocks_.state(source).origin_ticks);
      low[n + at + r] = high[2 * n + at + r] = local[at + r] = extent.local_ps;
      flags[at + r] = segment.flags[visit.first + r] | extent.flags;
      high[3 * n + at + r] = extent.sigma_ps;
      low[at + r] = high[at + r] = extent.begin_ticks;
      high[n + at + r] = extent.end_ticks;
    }
    // It may have been in any of the repetitions.
    if (visit.probed) {
      for (std::uint32_t r = 0; r < lengths[v]; ++r) flags[at + r] |= record::kProbed;
    }
    at += lengths[v];
  }
  std::vector<std::uint64_t> sums;
  std::vector<std::uint64_t> maxima;
  for (const VisitNote& visit : segment.visits) {
    sums.insert(sums.end(), {visit.involuntary_switches, visit.slept_cpu_ns});
    maxima.insert(maxima.end(), {visit.run_delay_ns, coded_error(visit.error, rank_)});
  }
  if (rank_ == 0) {
    reduced.min.resize(low.size());
    reduced.max.resize(high.size());
    reduced.sum.resize(n);
    reduced.flags.resize(n);
    reduced.visit_sum.resize(sums.size());
    reduced.visit_max.resize(maxima.size());
  }
  reduce_to_first(low, reduced.min, MPI_INT64_T, MPI_MIN, comm_);
  reduce_to_first(high, reduced.max, MPI_INT64_T, MPI_MAX, comm_);
  reduce_to_first(local, reduced.sum, MPI_INT64_T, MPI_SUM, comm_);
  reduce_to_first(flags, reduced.flags, MPI_UINT16_T, MPI_BOR, comm_);
  reduce_to_first(sums, reduced.visit_sum, MPI_UINT64_T, MPI_SUM, comm_);
  reduce_to_first(maxima, reduced.visit_max, MPI_UINT64_T, MPI_MAX, comm_);
  reduced.canaries = gather_canaries(comm_, segment, plan, team_of,
                                     [&](const VisitNote& visit) -> const clock::Rate& {
                                       return reduced.own_rates.at(visit.clock);
                                     });
  reduce_facts(segment, plan, team_of, reduced);
  find_late_ranks(segment, reduced);
  gather_marks(segment, reduced);
  if (!per_rank_) return;
  // As they were read.
  std::vector<std::int64_t> ticks;
  ticks.reserve(2 * n);
  for (std::size_t v = 0; v < visits; ++v) {
    const VisitNote& visit = segment.visits[v];
    for (std::uint32_t r = 0; r < lengths[v]; ++r) {
      ticks.push_back(visit.member ? segment.begin_ticks[visit.first + r] : 0);
      ticks.push_back(visit.member ? segment.end_ticks[visit.first + r] : 0);
    }
  }
  if (rank_ == 0) reduced.rank_ticks.resize(ticks.size() * static_cast<std::size_t>(ranks_));
  const int count = static_cast<int>(ticks.size());
  MPI_Gather(ticks.data(), count, MPI_INT64_T, reduced.rank_ticks.data(), count, MPI_INT64_T, 0,
             comm_);
}

void Recorder::reduce_facts(const Segment& segment, const record::Plan& plan, const TeamOf& team_of,
                            Reduced& reduced) const {
  std::vector<std::int64_t> facts(segment.visits.size() * kFacts, 0);
  for (std::size_t v = 0; v < segment.visits.size(); ++v) {
    const VisitNote& note = segment.visits[v];
    const Team& team = team_of(plan.rows[note.row]);
    if (team.speaker() != static_cast<std::uint32_t>(rank_)) continue;
    const auto source = static_cast<clock::Source>(note.clock);
    const std::int64_t origin = clocks_.state(source).origin_ticks;
    const auto offset = [](std::uint64_t bytes) { return static_cast<std::int64_t>(bytes); };
    const clock::Rate& rate = reduced.own_rates.at(note.clock);
    std::int64_t* const mine = &facts[v * kFacts];
    mine[kBegin] = rate.to_ps(note.begin_ticks - origin);
    mine[kEnd] = rate.to_ps(note.end_ticks - origin);
    // Starts are agreed on in global time where there is a model, else in the team's own ticks.
    const bool modelled = global_clocks_.between(team, clocks_, source) != nullptr;
    mine[kSlack] = (modelled ? reduced.global_rates.at(note.clock) : rate).to_ps(note.slack_ticks);
    mine[kSkewLimit] = note.skew_limit_ps;
    mine[kSendOffset] = offset(note.send_offset_bytes);
    mine[kRecvOffset] = offset(note.recv_offset_bytes);
    if (note.scratch_offset_bytes) mine[kScratchOffset] = 1 + offset(*note.scratch_offset_bytes);
    const auto if_told = [](const auto& number) {
      return number ? 1 + static_cast<std::int64_t>(*number) : 0;
    };
    mine[kLoops] = if_told(note.loops);
    mine[kHugePpm] = if_told(note.huge_ppm);
    mine[kFramesAgain] = if_told(note.frames_again_ppm);
    if (note.empty_ticks) mine[kEmpty] = 1 + rate.to_ps(*note.empty_ticks);
    mine[kRate] = std::bit_cast<std::int64_t>(rate.ticks_per_s);
    mine[kOrigin] = origin;
  }
  if (rank_ == 0) reduced.facts.resize(facts.size());
  reduce_to_first(facts, reduced.facts, MPI_INT64_T, MPI_SUM, comm_);
}

VisitNote Recorder::told(const VisitNote& note, std::size_t index, const Reduced& reduced) const {
  const std::int64_t* const facts = &reduced.facts[index * kFacts];
  VisitNote told = note;
  told.repetitions = reduced.lengths[index];
  told.warm_up = reduced.warm_ups[index];
  told.send_offset_bytes = static_cast<std::uint64_t>(facts[kSendOffset]);
  told.recv_offset_bytes = static_cast<std::uint64_t>(facts[kRecvOffset]);
  if (facts[kScratchOffset] > 0) {
    told.scratch_offset_bytes = static_cast<std::uint64_t>(facts[kScratchOffset] - 1);
  }
  const auto take = [&](std::size_t fact, auto& number) {
    number.reset();
    using Number = typename std::remove_reference_t<decltype(number)>::value_type;
    if (facts[fact] > 0) number = static_cast<Number>(facts[fact] - 1);
  };
  take(kLoops, told.loops);
  take(kHugePpm, told.huge_ppm);
  take(kFramesAgain, told.frames_again_ppm);
  return told;
}

void Recorder::measure_rates(Reduced& reduced) {
  if (rank_ == 0) reduced.global_rates = note_epoch();
  static_assert(std::is_trivially_copyable_v<Rates>);
  MPI_Bcast(&reduced.global_rates, sizeof reduced.global_rates, MPI_BYTE, 0, comm_);
  reduced.own_rates = reduced.global_rates;
  if (rank_ == 0) return;
  const bool same_host = hosts_.of_rank[static_cast<std::size_t>(rank_)] == hosts_.of_rank[0];
  std::optional<std::array<clock::Bracket, group::kClocks>> now;
  for (std::uint32_t number = 0; number < group::kClocks; ++number) {
    const auto source = static_cast<clock::Source>(number);
    if (!clocks_.used(source)) continue;
    const ClockState& state = clocks_.state(source);
    if ((same_host || state.hosts_agree) && !state.virtual_link && !state.ranks_differ) continue;
    if (!now) now = clocks_.brackets();
    reduced.own_rates.at(number) = clocks_.rate_until(source, now->at(number));
  }
}

// Only the worst ranks are told, one after the other: of some 100000 ranks nobody wants the rest.
void Recorder::find_late_ranks(const Segment& segment, Reduced& reduced) const {
  struct Mine {
    std::uint32_t late = 0;
    std::uint32_t lost = 0;
  };
  const std::size_t visits = segment.visits.size();
  std::vector<Mine> mine(visits);
  for (std::size_t v = 0; v < visits; ++v) {
    const VisitNote& visit = segment.visits[v];
    for (std::uint32_t r = reduced.warm_ups[v]; visit.member && r < reduced.lengths[v]; ++r) {
      const std::uint16_t flags = segment.flags[visit.first + r];
      mine[v].late += (flags & record::kLate) != 0 ? 1U : 0U;
      mine[v].lost += (flags & record::kLost) != 0 ? 1U : 0U;
    }
  }
  std::vector<std::int64_t> told(visits * kWorstRanks * kLateNumbers, 0);
  for (std::size_t place = 0; place < kWorstRanks; ++place) {
    // The most often late one; of several the lowest rank. 0: never.
    std::vector<std::uint64_t> own(visits, 0);
    for (std::size_t v = 0; v < visits; ++v) {
      const std::uint64_t times = std::uint64_t{mine[v].late} + mine[v].lost;
      if (times > 0) own[v] = times << 32U | ~static_cast<std::uint32_t>(rank_);
    }
    std::vector<std::uint64_t> worst(visits);
    MPI_Allreduce(own.data(), worst.data(), static_cast<int>(visits), MPI_UINT64_T, MPI_MAX, comm_);
    if (std::all_of(worst.begin(), worst.end(), [](std::uint64_t one) { return one == 0; })) break;
    for (std::size_t v = 0; v < visits; ++v) {
      if (own[v] == 0 || own[v] != worst[v]) continue;
      std::int64_t* const here = &told[(v * kWorstRanks + place) * kLateNumbers];
      here[0] = rank_;
      here[1] = mine[v].late;
      here[2] = mine[v].lost;
      mine[v] = {};
    }
  }
  if (rank_ == 0) reduced.late_ranks.resize(told.size());
  reduce_to_first(told, reduced.late_ranks, MPI_INT64_T, MPI_SUM, comm_);
}

std::size_t Recorder::domains_of(const Team& team, bool ranks) {
  return ranks ? team.ranks().size() : team.leaders().size();
}

double Recorder::sigmas_of(std::size_t domains) {
  const auto [known, is_new] = sigmas_.try_emplace(domains, 0.0);
  if (is_new) known->second = uncertainty_sigmas(domains);
  return known->second;
}

void Recorder::gather_marks(const Segment& segment, Reduced& reduced) const {
  std::vector<std::int64_t> values;
  for (std::size_t v = 0; v < segment.visits.size(); ++v) {
    const VisitNote& note = segment.visits[v];
    if (note.marks == 0) continue;
    for (std::uint32_t r = 0; r < reduced.lengths[v]; ++r) {
      values.push_back(note.member ? segment.begin_ticks[note.first + r] : 0);
      const std::int64_t* const marks = segment.marks_at(note.first) + std::size_t{r} * note.marks;
      for (std::uint32_t mark = 0; mark < note.marks; ++mark) {
        values.push_back(note.member ? marks[mark] : kNoMark);
      }
    }
  }
  reduced.mark_values = values.size();
  if (values.empty()) return;  // on all ranks
  if (rank_ == 0) reduced.marks.resize(values.size() * static_cast<std::size_t>(ranks_));
  const auto count = static_cast<int>(values.size());
  MPI_Gather(values.data(), count, MPI_INT64_T, reduced.marks.data(), count, MPI_INT64_T, 0, comm_);
}

void Recorder::write_marks(const VisitNote& note, std::size_t first_mark,
                           const record::PlanRow& row, const Team& team, const Reduced& reduced,
                           record::VisitLine& line) {
  if (note.marks == 0) return;
  std::vector<record::MarkTicks> records;
  for (std::uint32_t r = 0; r < note.repetitions; ++r) {
    for (std::size_t member = 0; member < team.ranks().size(); ++member) {
      const std::int64_t* const values =
          &reduced.marks[team.ranks()[member] * reduced.mark_values + first_mark +
                         r * (std::size_t{note.marks} + 1)];
      for (std::uint32_t mark = 0; mark < note.marks; ++mark) {
        if (values[1 + mark] == kNoMark) continue;
        records.push_back({.visit = row.visit,
                           .repetition = r,
                           .rank = team.numbers()[member],
                           .mark = mark,
                           .start_ticks = values[0],
                           .mark_ticks = values[1 + mark]});
      }
    }
  }
  const auto bytes = std::as_bytes(std::span(records));
  line.first_mark_record = marks_->size() / sizeof(record::MarkTicks);
  line.mark_records = static_cast<std::uint32_t>(records.size());
  line.mark_records_crc = base::crc32c(bytes);
  marks_->append(bytes.data(), bytes.size());
}

void Recorder::write_visit(const VisitNote& note, std::size_t index, std::size_t first,
                           std::size_t first_mark, const record::PlanRow& row, const Team& team,
                           const Reduced& reduced) {
  const std::size_t n = reduced.repetitions;
  const auto source = static_cast<clock::Source>(note.clock);
  const ClockState& clock = clocks_.state(source);
  const GlobalClock* const global_clock = global_clocks_.between(team, clocks_, source);
  const bool modelled = global_clock != nullptr;
  const bool one_clock = clocks_.one_time(source, team.one_host());
  const std::int64_t calls = row.calls;
  const auto members = static_cast<std::int64_t>(team.ranks().size());
  const std::int64_t* const facts = &reduced.facts[index * kFacts];
  const TickScale scale =
      scale_of_visit(modelled, {reduced.global_rates.at(note.clock), clock.origin_ticks},
                     {{.ticks_per_s = std::bit_cast<double>(facts[kRate])}, facts[kOrigin]});
  const std::uint16_t always = flags_ | (calls > 1 ? record::kBatch : 0) |
                               (one_clock || modelled ? 0 : record::kGlobalInvalid);
  record::VisitLine line{.visit = row.visit,
                         .cell = row.cell,
                         .turn = row.turn,
                         .round = row.round,
                         .block = row.block,
                         .calls = row.calls,
                         .first_record = timings_->size() / sizeof(record::Timing),
                         .records = note.repetitions,
                         .warm_up = note.warm_up};
  std::vector<record::Timing> records(note.repetitions);
  const auto whole_ps = [&](std::size_t i) {
    return scale.span_ps(reduced.min[i], reduced.max[n + i]);
  };
  // The uncertainty of clocks on one host, whoever reads them, and that of the model between hosts.
  const auto on_host_ps = static_cast<double>(scale.span_ps(0, clock.uncertainty_ticks));
  const double sigmas = modelled ? sigmas_of(domains_of(team, global_clock->rank_domains())) : 0;
  const auto is_read = [&](std::size_t i) {
    return one_clock || (modelled && (reduced.flags[i] & record::kGlobalInvalid) == 0);
  };
  // A synchronisation that states no error cannot be judged by it.
  const auto is_stated = [&](std::size_t i) {
    return is_read(i) && (reduced.flags[i] & record::kErrorUnstated) == 0;
  };
  const auto uncertainty_ps = [&](std::size_t i) {
    if (!is_stated(i)) return kUnknownPs;
    return on_host_ps + (modelled ? sigmas * static_cast<double>(reduced.max[3 * n + i]) : 0);
  };
  for (std::uint32_t r = 0; r < note.repetitions; ++r) {
    const std::size_t i = first + r;
    std::uint16_t flags = reduced.flags[i] | always;
    const bool warm_up = r < note.warm_up;
    // Nobody can say how far apart its starts were.
    if ((flags & record::kLost) != 0 && !is_read(i)) flags |= record::kLate;
    const std::int64_t skew_ps = is_read(i) ? scale.span_ps(reduced.min[i], reduced.max[i]) : 0;
    if (warm_up) flags |= record::kWarmUp;
    if (!warm_up && r >= note.warm_up + row.repetitions) flags |= record::kRepeatsLate;
    const bool global = (flags & record::kGlobalInvalid) == 0;
    // Without a common clock the start is the speaker's own.
    const std::int64_t start_ps =
        global ? scale.since_origin_ps(reduced.min[i]) : reduced.min[2 * n + i];
    records[r] = {
        .visit = row.visit,
        .repetition = r,
        .start_ps = start_ps,
        .global_ps = global ? whole_ps(i) / calls : 0,
        .local_max_ps = reduced.max[2 * n + i] / calls,
        .local_min_ps = reduced.min[n + i] / calls,
        .local_mean_ps = reduced.sum[i] / (calls * members),
        .start_skew_ps = skew_ps,
        .uncertainty_ps = saturated_ps(uncertainty_ps(i)),
        .flags = flags,
        .reserved = 0,
    };
  }
  count_repetitions(records, row.repetitions, group::measured_capacity(row, limits_),
                    facts[kSkewLimit], line);
  line.begin_ps = facts[kBegin];
  line.end_ps = facts[kEnd];
  reduced.canaries[index].tell(line);
  if (facts[kEmpty] > 0) line.empty_ps = facts[kEmpty] - 1;
  line.slack_ps = facts[kSlack];
  for (std::size_t place = 0; place < kWorstRanks; ++place) {
    const std::int64_t* const late =
        &reduced.late_ranks[(index * kWorstRanks + place) * kLateNumbers];
    if (late[1] + late[2] == 0) continue;
    line.late_ranks.insert(line.late_ranks.end(), late, late + kLateNumbers);
  }
  line.involuntary_switches = reduced.visit_sum[2 * index];
  line.slept_cpu_ns = reduced.visit_sum[2 * index + 1];
  line.run_delay_ns = reduced.visit_max[2 * index];
  line.steal_ticks = note.steal_ticks;
  line.send_offset_bytes = note.send_offset_bytes;
  line.recv_offset_bytes = note.recv_offset_bytes;
  line.scratch_offset_bytes = note.scratch_offset_bytes;
  line.loops = note.loops;
  line.huge_ppm = note.huge_ppm;
  line.frames_again_ppm = note.frames_again_ppm;
  line.checked = note.checked;
  const auto bytes = std::as_bytes(std::span(records));
  line.records_crc = base::crc32c(bytes);
  timings_->append(bytes.data(), bytes.size());
  if (per_rank_) {
    std::vector<record::RankTicks> rank_records;
    rank_records.reserve(std::size_t{note.repetitions} * team.ranks().size());
    for (std::uint32_t r = 0; r < note.repetitions; ++r) {
      for (std::size_t member = 0; member < team.ranks().size(); ++member) {
        const std::size_t at = 2 * (team.ranks()[member] * n + first + r);
        rank_records.push_back({.visit = row.visit,
                                .repetition = r,
                                .rank = team.numbers()[member],
                                .reserved = 0,
                                .start_ticks = reduced.rank_ticks[at],
                                .end_ticks = reduced.rank_ticks[at + 1]});
      }
    }
    const auto rank_bytes = std::as_bytes(std::span(rank_records));
    line.first_rank_record = rank_ticks_->size() / sizeof(record::RankTicks);
    line.rank_records = static_cast<std::uint32_t>(rank_records.size());
    line.rank_records_crc = base::crc32c(rank_bytes);
    rank_ticks_->append(rank_bytes.data(), rank_bytes.size());
  }
  write_marks(note, first_mark, row, team, reduced, line);
  report_error(reduced.visit_max[2 * index + 1], row);
  lines_.push_back(journal_line(line));
}

Recorder::Rates Recorder::note_epoch() {
  const std::array<clock::Bracket, group::kClocks> now = clocks_.brackets();
  Rates rates{};
  for (std::uint32_t number = 0; number < group::kClocks; ++number) {
    const auto source = static_cast<clock::Source>(number);
    if (!clocks_.used(source)) continue;
    rates[number] = clocks_.rate_until(source, now[number]);
    epochs_.push_back({source, now[number], rates[number]});
  }
  return rates;
}

void Recorder::flush(Segment& segment, const record::Plan& plan,
                     const std::function<const Team&(const record::PlanRow&)>& team_of) {
  if (!segment.visits.empty()) {
    Reduced reduced;
    global_clocks_.track(comm_, true);
    global_clocks_.smooth();
    measure_rates(reduced);
    reduce(segment, plan, team_of, reduced);
    if (rank_ == 0) {
      lines_.clear();
      std::size_t first = 0;
      std::size_t first_mark = 0;
      for (std::size_t v = 0; v < segment.visits.size(); ++v) {
        const VisitNote note = told(segment.visits[v], v, reduced);
        const record::PlanRow& row = plan.rows[note.row];
        write_visit(note, v, first, first_mark, row, team_of(row), reduced);
        first += note.repetitions;
        if (note.marks > 0) first_mark += note.repetitions * (std::size_t{note.marks} + 1);
      }
      for (const std::string& line : lines_) write_line(line);
    }
  }
  const std::string looks = global_clocks_.new_lines();
  if (clock_sync_) clock_sync_->append(looks.data(), looks.size());
  segment.clear();
}

void Recorder::finish(std::uint32_t env_crc) {
  if (rank_ != 0) return;
  const clock::Rate final_rate = note_epoch().at(number_of(clocks_.main()));
  std::string csv = "clock,ticks,raw_ns,bracket_ticks,ticks_per_s,half_width_per_s\n";
  const auto row = [&](clock::Source source, const clock::Bracket& bracket) {
    csv += std::string(source_name(source)) + ',' + std::to_string(bracket.ticks) + ',' +
           std::to_string(bracket.raw_ns) + ',' + std::to_string(bracket.width_ticks) + ',';
  };
  for (std::uint32_t number = 0; number < group::kClocks; ++number) {
    const auto source = static_cast<clock::Source>(number);
    if (!clocks_.used(source)) continue;
    row(source, clocks_.state(source).first);
    csv += ",\n";
  }
  record::EndLine end{.ticks_per_s = final_rate.ticks_per_s};
  for (const Epoch& epoch : epochs_) {
    row(epoch.source, epoch.bracket);
    csv += decimal(epoch.rate.ticks_per_s) + ',' + decimal(epoch.rate.half_width_per_s) + '\n';
    if (epoch.source != clocks_.main()) continue;
    end.rate_change_ppm = std::max(
        end.rate_change_ppm, std::abs(epoch.rate.ticks_per_s / final_rate.ticks_per_s - 1) * 1e6);
  }
  RecordFile clock_file(dir_ + "/clock.csv");
  clock_file.append(csv.data(), csv.size());
  clock_file.sync();
  timings_->sync();
  end.files = {
      {"timings.bin", timings_->crc()}, {"clock.csv", clock_file.crc()}, {"env.json", env_crc}};
  if (clock_sync_) {
    clock_sync_->sync();
    end.files["clock_sync.csv"] = clock_sync_->crc();
  }
  if (per_rank_) {
    rank_ticks_->sync();
    end.files["ranks.bin"] = rank_ticks_->crc();
  }
  if (marks_) {
    marks_->sync();
    end.files["marks.bin"] = marks_->crc();
  }
  end.journal_bytes = journal_->size();
  end.journal_crc = journal_->crc();
  write_line(journal_line(end));
  journal_->sync();
}

}  // namespace invar::engine
