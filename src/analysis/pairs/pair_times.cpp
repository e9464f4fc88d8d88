#include "analysis/pairs/pair_times.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "analysis/compare/reference_regime.hpp"
#include "analysis/machine/diagnostics.hpp"
#include "analysis/machine/perturbations.hpp"
#include "analysis/machine/reference.hpp"
#include "analysis/study/scope.hpp"
#include "analysis/study/select.hpp"
#include "analysis/words/regimes_clause.hpp"
#include "base/text.hpp"
#include "record/p2p/levels.hpp"

namespace invar::analysis {
namespace {

// The visits of a cell by an arm (indices as in Data), as whole calls.
using VisitsOfPlaces =
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<const VisitSummary*>>;

VisitsOfPlaces visits_of_pairs(const store::Data& data, const Summaries& whole,
                               const std::vector<std::uint32_t>& cells) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> failed;
  const std::vector<std::string> labels = labels_of(data);
  for (const store::FailedCell& one : data.failed_cells) {
    const auto arm = std::ranges::find(labels, one.arm);
    if (arm == labels.end()) continue;
    failed.insert({cell_index(data, one.cell), static_cast<std::uint32_t>(arm - labels.begin())});
  }
  VisitsOfPlaces visits;
  for (const VisitSummary& visit : whole.visits) {
    const std::pair place(visit.cell, visit.arm);
    if (!std::ranges::binary_search(cells, visit.cell) || failed.contains(place)) continue;
    if (!visit.source->program) visits[place].push_back(&visit);
  }
  return visits;
}

bool is_of_whole_call(const record::TimeInfo& time) {
  return time.from == record::kStartPoint && time.to == record::kEndPoint;
}

// Times of the operation that may be a pair's own, the best first. Of calls that nothing keeps from
// running ahead of each other the own time of who begins says nothing of the other end.
std::vector<record::TimeInfo> own_times_of_pairs(const record::OperationInfo& info) {
  std::vector<record::TimeInfo> found;
  for (const record::TimeInfo& time : info.times) {
    if (time.kind == record::TimeKind::kPair && is_of_whole_call(time)) found.push_back(time);
  }
  for (const record::TimeInfo& time : info.times) {
    const bool own = time.kind == record::TimeKind::kOwn && time.from_role == record::Role::kStarts;
    if (own && info.batches && is_of_whole_call(time)) found.push_back(time);
  }
  return found;
}

// The time of all pairs of the cell, those of the k-th at place k of its lists; or why there is
// none.
ChosenTime time_of_pairs(const record::OperationInfo& info, const record::Cell& cell,
                         const record::TimeInfo& time) {
  ChosenTime chosen =
      choose_time(info, cell, {.kind = TimeChoice::Kind::kNamed, .name = time.name});
  if (!chosen.time || time.kind == record::TimeKind::kPair) return chosen;
  // An own time is a rank's, whatever pairs it is in.
  std::vector<std::uint32_t> begin;
  for (const record::RankPair& pair : pairs_of_cell(info, cell)) begin.push_back(pair.from);
  if (begin == chosen.time->from_ranks) return chosen;
  return {.lack = "'" + time.name + "' is the time of a rank that begins several pairs"};
}

// Which time of an operation is that of its pairs, in these cells.
struct TimeOfPairs {
  std::optional<record::TimeInfo> time = {};  // none: `lack` says why
  std::string lack = {};
};

// Empty: all visits of the cell have the time.
std::string lack_in_visits(const store::Data& data, std::uint32_t cell, const DeclaredTime& time,
                           const VisitsOfPlaces& visits) {
  std::string lack;
  for (std::uint32_t arm = 0; arm < data.arms.size(); ++arm) {
    const auto of_place = visits.find({cell, arm});
    if (of_place == visits.end()) continue;
    for (const VisitSummary* visit : of_place->second) {
      if (lack.empty()) lack = lack_of_ticks(*visit->source, time);
    }
  }
  return lack;
}

TimeOfPairs best_time_of_pairs(const store::Data& data, const record::OperationInfo& info,
                               const std::vector<std::uint32_t>& cells,
                               const VisitsOfPlaces& visits) {
  TimeOfPairs best{.lack = "it states no time of a pair"};
  for (const record::TimeInfo& time : own_times_of_pairs(info)) {
    std::string lack;
    for (const std::uint32_t cell : cells) {
      const ChosenTime chosen = time_of_pairs(info, data.cells[cell], time);
      lack = chosen.time ? lack_in_visits(data, cell, *chosen.time, visits) : chosen.lack;
      if (!lack.empty()) break;
    }
    if (lack.empty()) return {.time = time};
    best.lack = lack;
  }
  return best;
}

// Start and end of every rank in one repetition after the other, of a visit that lacks no ticks.
class StartsAndEnds {
 public:
  StartsAndEnds(const store::Visit& visit, std::uint32_t ranks)
      : visit_(visit), starts_(ranks, kNone), ends_(ranks, kNone) {}

  // To be asked for every record of timings.bin, in their order.
  void next() {
    std::ranges::fill(starts_, kNone);
    std::ranges::fill(ends_, kNone);
    const auto ranks = visit_.rank_records;
    for (; at_ < ranks.size() && ranks[at_].repetition == repetition_; ++at_) {
      if (ranks[at_].rank >= starts_.size()) continue;
      starts_[ranks[at_].rank] = ranks[at_].start_ticks;
      ends_[ranks[at_].rank] = ranks[at_].end_ticks;
    }
    ++repetition_;
  }
  // None: one of the two has no record.
  [[nodiscard]] std::optional<std::int64_t> ticks(std::uint32_t from, std::uint32_t to) const {
    if (starts_[from] == kNone || ends_[to] == kNone) return std::nullopt;
    return ends_[to] - starts_[from];
  }

 private:
  static constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::min();

  const store::Visit& visit_;
  std::vector<std::int64_t> starts_;
  std::vector<std::int64_t> ends_;
  std::uint32_t repetition_ = 0;
  std::size_t at_ = 0;
};

// Times in ns of the repetitions that count, of pair after pair: one pass over the visit's records.
std::vector<std::vector<double>> values_of_pairs(const VisitSummary& visit,
                                                 const DeclaredTime& time, std::uint32_t ranks) {
  const store::Visit& source = *visit.source;
  StartsAndEnds ticks(source, ranks);
  const double ns_per_tick = source.tick_ps * 1e-3 / std::max(1U, source.line.calls);
  std::vector<std::vector<double>> values_ns(time.from_ranks.size());
  for (const record::Timing& timing : source.records) {
    ticks.next();
    if (!is_kept(timing, time) || !began_together(timing, visit.keeps_apart)) continue;
    for (std::size_t i = 0; i < values_ns.size(); ++i) {
      const auto taken = ticks.ticks(time.from_ranks[i], time.to_ranks[i]);
      if (taken) values_ns[i].push_back(static_cast<double>(*taken) * ns_per_tick);
    }
  }
  return values_ns;
}

// The pairs of one cell, as all its visits saw them.
class PairsOfCell {
 public:
  PairsOfCell(const store::Data& data, const record::OperationInfo& info, std::uint32_t cell,
              std::shared_ptr<const DeclaredTime> time)
      : ranks_(data.cells[cell].ranks),
        cell_(cell),
        pairs_(pairs_of_cell(info, data.cells[cell])),
        time_(std::move(time)),
        visits_(pairs_.size()) {}

  void add(const VisitSummary& visit) {
    std::vector<std::vector<double>> values_ns = values_of_pairs(visit, *time_, ranks_);
    for (std::size_t i = 0; i < values_ns.size(); ++i) {
      if (values_ns[i].empty()) continue;
      if (time_->needs_common_time()) clocks_ns_ = std::max(clocks_ns_, clocks_apart_ns(visit));
      VisitSummary own = visit;
      own.local = false;
      own.time = time_;
      describe_visit(own, values_ns[i]);
      visits_[i].push_back(std::move(own));
    }
  }

  // Appends a place for every pair that has a visit, and its row of the table.
  void append_to(PairTimes& pairs, std::size_t arms) {
    std::vector<VisitSummary> visits;
    std::uint32_t rows = 0;
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      if (visits_[i].empty()) continue;
      pairs.places.push_back(
          {.cell = cell_, .pair = pairs_[i], .of_pairs = pairs_.size(), .clocks_ns = clocks_ns_});
      for (VisitSummary& visit : visits_[i]) {
        visit.cell = rows;
        visits.push_back(std::move(visit));
      }
      ++rows;
    }
    // Cell after cell: what all of them hold twice would be more than their records.
    for (std::vector<CellVisits>& row : sort_visits(visits, rows, arms)) {
      pairs.table.push_back(std::move(row));
    }
  }

 private:
  std::uint32_t ranks_;
  std::uint32_t cell_;
  std::vector<record::RankPair> pairs_;
  std::shared_ptr<const DeclaredTime> time_;
  double clocks_ns_ = 0;
  std::vector<std::vector<VisitSummary>> visits_;  // by pair
};

// Appends what the pairs of the cells of one operation took.
void append_pairs(const store::Data& data, const record::OperationInfo& info,
                  const record::TimeInfo& time, const std::vector<std::uint32_t>& cells,
                  const VisitsOfPlaces& visits, PairTimes& pairs) {
  for (const std::uint32_t cell : cells) {
    PairsOfCell of_cell(data, info, cell, time_of_pairs(info, data.cells[cell], time).time);
    for (std::uint32_t arm = 0; arm < data.arms.size(); ++arm) {
      const auto of_place = visits.find({cell, arm});
      if (of_place == visits.end()) continue;
      for (const VisitSummary* visit : of_place->second) of_cell.add(*visit);
    }
    of_cell.append_to(pairs, data.arms.size());
  }
}

std::map<std::string, std::vector<std::uint32_t>> by_operation(
    const store::Data& data, const std::vector<std::uint32_t>& cells) {
  std::map<std::string, std::vector<std::uint32_t>> sorted;
  for (const std::uint32_t cell : cells) sorted[data.cells[cell].operation].push_back(cell);
  return sorted;
}

// Which ranks are which cores is drawn anew in every launch group.
std::optional<Warning> shuffled_warning(const store::Data& data,
                                        const std::vector<std::uint32_t>& cells) {
  const bool shuffled = std::ranges::any_of(
      cells, [&](std::uint32_t cell) { return data.cells[cell].rank_order == "shuffled"; });
  if (!shuffled) return std::nullopt;
  return Warning(
      "rank-order = \"shuffled\" puts the ranks on other cores in every launch group: a pair is "
      "not "
      "the same pair in all of them; write rank-order = \"natural\"",
      Gravity::kDoubt);
}

}  // namespace

std::string pair_name(const record::RankPair& pair, const char* between) {
  return std::to_string(pair.from) + between + std::to_string(pair.to);
}

record::Pattern pattern_of_cell(const store::Data& data, const record::Cell& cell) {
  return record::pattern_of(cell, data.operation(cell.operation).messages);
}

std::vector<std::uint32_t> cells_with_pairs(const store::Data& data, WantsPattern wants) {
  std::vector<std::uint32_t> found;
  for (std::uint32_t i = 0; i < data.cells.size(); ++i) {
    const record::Cell& cell = data.cells[i];
    if (cell.compute != record::Cell().compute || cell.ranks > kMostRanksOfPairs) continue;
    const record::Messages messages = data.operation(cell.operation).messages;
    if (messages == record::Messages::kNone) continue;
    const auto pattern = record::parse_pattern(
        cell.pattern.empty() ? record::usual_pattern(messages) : std::string_view(cell.pattern));
    const bool there =
        pattern && record::lack_of_pattern(*pattern, messages, cell.ranks).complaint.empty();
    if (there && wants(*pattern)) found.push_back(i);
  }
  return found;
}

std::optional<Lack> pairs_lack(const Study& study, WantsPattern wants, const base::Fault& missing) {
  const store::Data& data = study.data();
  if (std::optional<Lack> lack = lack_of_groups(data)) return lack;
  if (cells_with_pairs(data, wants).empty()) return Lack{.faults = {missing}};
  const Summaries& summaries = study.summaries();
  if (std::optional<Lack> lack = lack_of_repetitions(data, summaries)) return lack;
  return lack_of_regime(data, summaries, study.rules());
}

std::string lack_of_pair_times(const Study& study, WantsPattern wants) {
  const store::Data& data = study.data();
  const std::vector<std::uint32_t> all = cells_with_pairs(data, wants);
  const VisitsOfPlaces visits = visits_of_pairs(data, study.summaries_by(Runtime::kLocal), all);
  std::vector<std::string> lacks;
  for (const auto& [operation, cells] : by_operation(data, all)) {
    const TimeOfPairs best = best_time_of_pairs(data, data.operation(operation), cells, visits);
    if (best.time) return {};
    lacks.push_back(operation + ": " + best.lack);
  }
  return base::join(lacks, "; ");
}

MeasuredPairs measured_pairs(const Study& study, WantsPattern wants) {
  const store::Data& data = study.data();
  const Summaries& summaries = study.summaries();
  MeasuredPairs measured{.cells = cells_with_pairs(data, wants),
                         .rules = judging_rules(study, summaries)};
  measured.arms.resize(data.arms.size());
  std::iota(measured.arms.begin(), measured.arms.end(), 0U);
  const ReferenceChoice reference =
      reference_of(data, summaries, regimes_by(data, summaries, measured.rules), measured.rules);
  measured.contest =
      contest_of(data, sort_visits(summaries.visits, data.cells.size(), data.arms.size()),
                 measured.arms, reference.band);

  const VisitsOfPlaces visits =
      visits_of_pairs(data, study.summaries_by(Runtime::kLocal), measured.cells);
  for (const auto& [operation, cells] : by_operation(data, measured.cells)) {
    const record::OperationInfo info = data.operation(operation);
    if (!info.times.empty()) {
      const record::TimeInfo& headline = info.times.front();
      measured.span_words.push_back(operation + ": " + headline.name + ", " + headline.summary);
    }
    const TimeOfPairs best = best_time_of_pairs(data, info, cells, visits);
    if (!best.time) {
      measured.warnings.emplace_back(
          operation + ": what single pairs take cannot be told: " + best.lack, Gravity::kDoubt);
      continue;
    }
    measured.time_words.push_back(operation + ": " + best.time->name + ", " + best.time->summary);
    append_pairs(data, info, *best.time, cells, visits, measured.pairs);
  }
  CellTable& table = measured.pairs.table;
  if (reference.band && share_in(table, *reference.band).splits()) {
    table = within_band(table, *reference.band);
  }

  for (Warning& warning :
       data_warnings(data, measured.rules, summaries, measured.arms, measured.contest.split_by())) {
    measured.warnings.push_back(std::move(warning));
  }
  for (Warning& doubt :
       perturbation_warnings(find_perturbations(data, summaries, measured.rules.pairing))) {
    measured.warnings.push_back(std::move(doubt));
  }
  if (!reference.moved.empty()) {
    measured.warnings.emplace_back(moved_words(reference.moved, measured.contest.is_split()),
                                   Gravity::kDoubt);
  }
  if (auto warning = shuffled_warning(data, measured.cells)) {
    measured.warnings.push_back(std::move(*warning));
  }
  return measured;
}

PairsFrame pairs_frame(const Study& study, const MeasuredPairs& measured, bool this_launch_only) {
  const store::Data& data = study.data();
  const Summaries& summaries = study.summaries();
  return {.scope = scope_text(data, this_launch_only, study.starts()) +
                   regime_scope(reference_regime(measured.contest)),
          .arms = compared_arms(data, measured.arms),
          .span_words = measured.span_words,
          .time_words = measured.time_words,
          .warnings = measured.warnings,
          .global_runtime = summaries.global,
          .local_cells = local_cell_texts(data, summaries),
          .alpha = measured.rules.decision.alpha,
          .tolerance = measured.rules.decision.min_effect,
          .no_verdict = measured.rules.no_verdict,
          .dir = data.dir,
          .health = study.health()};
}

std::vector<Remark> next_of(const PairsFrame& frame) {
  if (frame.dir.empty()) return {};
  const std::string dir = base::shell_quoted(frame.dir.string());
  std::vector<Remark> next{{"data", dir}, {"page", "invar report " + dir}};
  if (status_of(frame.health) != base::Exit::kDone) {
    next.push_back({"go on", "invar run --resume -o " + dir});
  }
  return next;
}

std::string no_figures_words(const PairsFrame& frame) {
  return frame.no_verdict.empty() ? std::string() : "No figures: " + frame.no_verdict;
}

Value no_figures_value(const PairsFrame& frame) {
  return frame.no_verdict.empty() ? Value() : Value(frame.no_verdict);
}

}  // namespace invar::analysis
