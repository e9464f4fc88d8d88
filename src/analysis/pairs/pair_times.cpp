#include "analysis/pairs/pair_times.hpp"

#include <algorithm>
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

// One for each pair of the cell, in their order; or why there is none.
struct DeclaredPairs {
  std::vector<std::shared_ptr<const DeclaredTime>> times = {};
  std::string lack = {};
};

DeclaredPairs declared_pairs(const record::OperationInfo& info, const record::Cell& cell,
                             const record::TimeInfo& time) {
  DeclaredPairs declared;
  const std::vector<record::RankPair> pairs = pairs_of_cell(info, cell);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const ChosenTime chosen = choose_time(
        info, cell,
        {.kind = TimeChoice::Kind::kNamed, .name = time.name + "#" + std::to_string(i + 1)});
    if (!chosen.time) return {.lack = chosen.lack};
    // An own time is a rank's, whatever pairs it is in.
    if (chosen.time->from_ranks.front() != pairs[i].from) {
      return {.lack = "'" + time.name + "' is the time of a rank that begins several pairs"};
    }
    declared.times.push_back(chosen.time);
  }
  return declared;
}

// Cells of one operation, and the times of their pairs by cell.
struct TimedPairs {
  std::optional<record::TimeInfo> time = {};  // none: `lack` says why
  std::map<std::uint32_t, DeclaredPairs> by_cell = {};
  std::string lack = {};
};

TimedPairs timed_pairs(const store::Data& data, const record::OperationInfo& info,
                       const std::vector<std::uint32_t>& cells, const VisitsOfPlaces& visits) {
  TimedPairs timed{.lack = "it states no time of a pair"};
  for (const record::TimeInfo& time : own_times_of_pairs(info)) {
    std::map<std::uint32_t, DeclaredPairs> by_cell;
    std::string lack;
    for (const std::uint32_t cell : cells) {
      DeclaredPairs declared = declared_pairs(info, data.cells[cell], time);
      if (lack.empty()) lack = declared.lack;
      for (std::uint32_t arm = 0; lack.empty() && arm < data.arms.size(); ++arm) {
        const auto of_place = visits.find({cell, arm});
        if (of_place == visits.end()) continue;
        for (const VisitSummary* visit : of_place->second) {
          if (lack.empty()) lack = lack_of_ticks(*visit->source, *declared.times.front());
        }
      }
      by_cell.emplace(cell, std::move(declared));
    }
    if (lack.empty()) return {.time = time, .by_cell = std::move(by_cell)};
    timed.lack = lack;
  }
  return timed;
}

std::map<std::string, std::vector<std::uint32_t>> by_operation(
    const store::Data& data, const std::vector<std::uint32_t>& cells) {
  std::map<std::string, std::vector<std::uint32_t>> sorted;
  for (const std::uint32_t cell : cells) sorted[data.cells[cell].operation].push_back(cell);
  return sorted;
}

// The visit as its pair saw it; none: in no repetition that counts the pair came by both points.
std::optional<VisitSummary> visit_of_pair(const VisitSummary& visit,
                                          std::shared_ptr<const DeclaredTime> time,
                                          std::uint32_t place, std::vector<double>& values_ns) {
  VisitSummary own = visit;
  own.local = false;
  own.time = std::move(time);
  own.cell = place;
  values_ns.clear();
  for_each_observation(own, false, [&values_ns](const record::Timing&, std::int64_t time_ps) {
    values_ns.push_back(static_cast<double>(time_ps) * 1e-3);
  });
  if (values_ns.empty()) return std::nullopt;
  describe_visit(own, values_ns);
  return own;
}

// Appends the places of the cells of one operation, and the visits of their pairs.
void append_pairs(const record::OperationInfo& info, const store::Data& data,
                  const TimedPairs& timed, const VisitsOfPlaces& visits, PairTimes& pairs,
                  std::vector<VisitSummary>& own_visits) {
  std::vector<double> values_ns;
  for (const auto& [cell, declared] : timed.by_cell) {
    const std::vector<record::RankPair> of_cell = pairs_of_cell(info, data.cells[cell]);
    for (std::size_t i = 0; i < of_cell.size(); ++i) {
      const auto place = static_cast<std::uint32_t>(pairs.places.size());
      pairs.places.push_back({.cell = cell, .pair = of_cell[i], .number = i});
      for (std::uint32_t arm = 0; arm < data.arms.size(); ++arm) {
        const auto of_place = visits.find({cell, arm});
        if (of_place == visits.end()) continue;
        for (const VisitSummary* visit : of_place->second) {
          auto own = visit_of_pair(*visit, declared.times[i], place, values_ns);
          if (own) own_visits.push_back(std::move(*own));
        }
      }
    }
  }
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

record::Pattern pattern_of_cell(const store::Data& data, const record::Cell& cell) {
  return record::pattern_of(cell, data.operation(cell.operation).messages);
}

std::vector<std::uint32_t> cells_with_pairs(const store::Data& data, WantsPattern wants) {
  std::vector<std::uint32_t> found;
  for (std::uint32_t i = 0; i < data.cells.size(); ++i) {
    const record::Cell& cell = data.cells[i];
    if (cell.compute != record::Cell().compute) continue;
    const record::OperationInfo info = data.operation(cell.operation);
    if (!pairs_of_cell(info, cell).empty() && wants(record::pattern_of(cell, info.messages))) {
      found.push_back(i);
    }
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
    const TimedPairs timed = timed_pairs(data, data.operation(operation), cells, visits);
    if (timed.time) return {};
    lacks.push_back(operation + ": " + timed.lack);
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
  std::vector<VisitSummary> own_visits;
  for (const auto& [operation, cells] : by_operation(data, measured.cells)) {
    const record::OperationInfo info = data.operation(operation);
    if (!info.times.empty()) {
      const record::TimeInfo& headline = info.times.front();
      measured.span_words.push_back(operation + ": " + headline.name + ", " + headline.summary);
    }
    const TimedPairs timed = timed_pairs(data, info, cells, visits);
    if (!timed.time) {
      measured.warnings.emplace_back(
          operation + ": what single pairs take cannot be told: " + timed.lack, Gravity::kDoubt);
      continue;
    }
    measured.time_words.push_back(operation + ": " + timed.time->name + ", " + timed.time->summary);
    append_pairs(info, data, timed, visits, measured.pairs, own_visits);
  }
  CellTable& table = measured.pairs.table;
  table = sort_visits(own_visits, measured.pairs.places.size(), data.arms.size());
  if (reference.band && share_in(table, *reference.band).splits()) {
    table = within_band(table, *reference.band);
  }

  for (Warning& warning : data_warnings(data, measured.rules, summaries, measured.arms)) {
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

std::string figures_words(const PairsFrame& frame) {
  return frame.no_verdict.empty() ? std::string() : "No figures: " + frame.no_verdict + "; ";
}

}  // namespace invar::analysis
