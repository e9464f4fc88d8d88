#include "analysis/pairs/all_pairs.hpp"

#include <algorithm>
#include <cmath>
#include <compare>
#include <map>
#include <set>
#include <span>
#include <tuple>
#include <utility>

#include "analysis/p2p/directions.hpp"
#include "analysis/pairs/pair_directions.hpp"
#include "analysis/study/times.hpp"
#include "record/p2p/rank_hosts.hpp"
#include "stats/describe/quantile.hpp"

namespace invar::analysis {
namespace {

bool is_matching(const record::Pattern& pattern) {
  return pattern.kind == record::PatternKind::kMatching;
}

// One value a round that has the pair; times of 0 have no logarithm.
std::vector<stats::AlikeSeries::Point> points_of(const CellVisits& visits) {
  std::vector<stats::AlikeSeries::Point> points;
  std::set<stats::SeriesPlace> seen;
  for (const LaunchVisits& launch : visits.launches) {
    for (const VisitSummary& visit : launch.visits) {
      const stats::SeriesPlace place{.group = launch.group, .round = visit.round};
      if (!(visit.median_ns > 0) || !seen.insert(place).second) continue;
      points.push_back({.place = place, .log_time = std::log(visit.median_ns)});
    }
  }
  return points;
}

// What a pair is compared with: rows of one arm and place whose pairs begin at the same end, and
// are on one host or between hosts alike; means of both directions with others of that kind.
struct Alike {
  std::string arm = {};
  std::size_t place = 0;
  bool back = false;
  bool both_ways = false;
  std::optional<bool> one_host = {};

  // clang-tidy takes what the comparison is compared with for a pointer.
  auto operator<=>(const Alike&) const = default;  // NOLINT(modernize-use-nullptr)
};

class PairRows {
 public:
  PairRows(const store::Data& data, const MeasuredPairs& measured,
           const std::vector<PatternCells>& places)
      : data_(data), measured_(measured) {
    for (std::size_t i = 0; i < places.size(); ++i) {
      for (const std::uint32_t cell : places[i].cells) place_of_[cell] = i;
      const record::Cell& first = data.cells[places[i].cells.front()];
      hosts_.push_back(record::hosts_of_ranks(first));
      cells_.push_back(first);
      cells_.back().pattern = "all-pairs";
    }
    for (const std::uint32_t arm : measured.arms) add_arm(arm);
  }

  // Sorted, with what each is against the others.
  [[nodiscard]] std::vector<PairRow> take() {
    allow_for_clocks();
    const std::vector<stats::Outlier> found =
        stats::find_outliers(series_, measured_.rules.decision);
    for (std::size_t i = 0; i < rows_.size(); ++i) rows_[i].row.against = found[i];
    std::ranges::stable_sort(rows_, {}, [](const Row& one) {
      return std::tuple(one.arm, one.place, one.row.pair.from, one.row.pair.to);
    });
    std::vector<PairRow> rows;
    rows.reserve(rows_.size());
    for (Row& one : rows_) rows.push_back(std::move(one.row));
    return rows;
  }

 private:
  struct Row {
    std::uint32_t arm = 0;
    std::size_t place = 0;
    PairRow row = {};
  };

  void add_arm(std::uint32_t arm) {
    const std::vector<PairPlace>& pairs = measured_.pairs.places;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const CellVisits& visits = measured_.pairs.table[i][arm];
      if (!visits.empty()) add(arm, pairs[i], visits);
    }
  }

  void add(std::uint32_t arm, const PairPlace& at, const CellVisits& visits) {
    const record::Cell& cell = data_.cells[at.cell];
    const record::OperationInfo info = data_.operation(arm, cell.operation);
    const std::size_t place = place_of_.at(at.cell);
    PairRow row{.arm = measured_.contest.labels[arm],
                .cell = cells_[place],
                .pair = at.pair,
                .both_ways = at.both_ways,
                .clocks_ns = at.clocks_ns,
                .at_once = at.of_pairs - 1,
                .groups = visits.launches.size()};
    if (hosts_[place]) {
      row.one_host = hosts_[place]->at(at.pair.from) == hosts_[place]->at(at.pair.to);
    }
    row.time = *time_estimate(visits, 1 - measured_.rules.decision.alpha);
    const double bytes = bytes_of_pair(cell, info);
    if (bytes > 0) row.bandwidth = bandwidth_gb_s(row.time, bytes);
    const Alike alike{.arm = row.arm,
                      .place = place,
                      .back = pattern_of_cell(data_, cell).back,
                      .both_ways = at.both_ways,
                      .one_host = row.one_host};
    const std::size_t set = sets_.try_emplace(alike, sets_.size()).first->second;
    series_.push_back({.set = set,
                       .points = points_of(visits),
                       .variance_floor = visits.variance_floor(),
                       .resolution = visits.resolution()});
    rows_.push_back({.arm = arm, .place = place, .row = std::move(row)});
  }

  // With w what clocks may be apart, M the median of the others and m what was measured of it, at
  // least M - w: a pair that takes (1 + e) M is measured as (1 + e) M + w at most, which is
  // 1 + e + (2 + e) w / m of m.
  void allow_for_clocks() {
    std::map<std::size_t, std::vector<double>> times_ns;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      times_ns[series_[i].set].push_back(rows_[i].row.time.median_ns);
    }
    const double times = kOffsetsInDifference + measured_.rules.decision.min_effect;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      PairRow& row = rows_[i].row;
      const double median_ns = stats::median(times_ns.at(series_[i].set));
      if (row.both_ways || !(median_ns > 0)) continue;
      row.slack = series_[i].slack = times * row.clocks_ns / median_ns;
    }
  }

  const store::Data& data_;
  const MeasuredPairs& measured_;
  std::map<std::uint32_t, std::size_t> place_of_ = {};                 // by index of the cell
  std::vector<std::optional<std::vector<std::uint32_t>>> hosts_ = {};  // by place
  std::vector<record::Cell> cells_ = {};
  std::map<Alike, std::size_t> sets_ = {};
  std::vector<stats::AlikeSeries> series_ = {};  // one a row
  std::vector<Row> rows_ = {};
};

}  // namespace

std::optional<Lack> all_pairs_lack(const Study& study) {
  const std::string place = study.data().dir.string();
  if (auto lack = pairs_lack(study, is_matching,
                             {.place = place,
                              .what = "no cell is a matching of the ranks",
                              .remedy = "write pattern = \"all-pairs\" into [[cells]] of an "
                                        "operation that takes it (oneway, stream, pingpong)"})) {
    return lack;
  }
  const std::string untold = lack_of_pair_times(study, is_matching);
  if (untold.empty()) return std::nullopt;
  return Lack{.faults = {{.place = place,
                          .what = "what a single pair takes cannot be told: " + untold,
                          .remedy = "between hosts pingpong and stream say it"}}};
}

AllPairs all_pairs(const Study& study) {
  require(all_pairs_lack(study));
  const store::Data& data = study.data();
  MeasuredPairs measured = measured_pairs(study, is_matching);
  const std::vector<PatternCells> places = pattern_cells(data, measured.cells);
  join_directions(data, places, measured);
  AllPairs found{.rows = PairRows(data, measured, places).take(),
                 .rates = pattern_rates(data, measured, places)};
  const bool one_launch = std::ranges::all_of(found.rows, &PairRow::this_launch_only);
  found.frame = pairs_frame(study, measured, one_launch);
  if (measured.rules.sequential && found.frame.no_verdict.empty()) {
    found.frame.warnings.emplace_back(
        "looks at the results decided when the campaign ended (stopping = \"looks\"), which the "
        "tests of pairs do not count in: a pair may be named falsely more often than alpha says; "
        "write stopping = \"fixed\"",
        Gravity::kDoubt);
  }
  found.sentence = all_pairs_sentence(found);
  return found;
}

}  // namespace invar::analysis
