#include "analysis/pairs/pair_rates.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <span>
#include <utility>

#include "analysis/p2p/directions.hpp"
#include "analysis/study/times.hpp"
#include "record/factors.hpp"
#include "stats/describe/moments.hpp"

namespace invar::analysis {
namespace {

// What several cells with patterns of this kind are asked for as; empty: each stands for itself.
std::string written_for(const record::Pattern& pattern, std::size_t count) {
  if (pattern.kind == record::PatternKind::kMatching) return "all-pairs";
  if (pattern.kind == record::PatternKind::kRandom) {
    return "random-matchings:" + std::to_string(count);
  }
  return {};
}

// Several parts: each launch group that has all of them gives the mean over their medians. A single
// part gives its own time. None: no group has all parts.
std::optional<MeanTime> mean_over_parts(std::span<const CellVisits* const> parts,
                                        double confidence) {
  if (parts.empty()) return std::nullopt;
  if (parts.size() == 1) {
    const std::optional<TimeEstimate> time = time_estimate(*parts.front(), confidence);
    if (!time) return std::nullopt;
    return MeanTime{.time = *time, .groups = parts.front()->launches.size()};
  }
  std::map<std::uint32_t, std::vector<double>> medians_ns;  // by group
  double floor = 0;
  for (const CellVisits* const part : parts) {
    for (const LaunchVisits& launch : part->launches) {
      medians_ns[launch.group].push_back(launch.median_ns);
    }
    if (!part->empty()) floor += part->variance_floor();
  }
  std::vector<double> means_ns;
  for (const auto& [group, of_parts] : medians_ns) {
    if (of_parts.size() == parts.size()) means_ns.push_back(stats::mean(of_parts));
  }
  const auto n = static_cast<double>(parts.size());
  const std::optional<TimeEstimate> time = time_estimate(means_ns, confidence, floor / (n * n));
  if (!time) return std::nullopt;
  return MeanTime{.time = *time, .groups = means_ns.size()};
}

std::optional<double> rate_of_time(double time_ns, double bytes) {
  const auto rate = bandwidth_gb_s({.median_ns = time_ns}, bytes);
  return rate && bytes > 0 ? std::optional(rate->value) : std::nullopt;
}

// The cells of one row in one arm.
class RatesOfCells {
 public:
  RatesOfCells(const store::Data& data, const MeasuredPairs& measured, const PatternCells& of,
               std::uint32_t arm)
      : data_(data),
        measured_(measured),
        of_(of),
        arm_(arm),
        info_(data.operation(arm, of.cell.operation)),
        confidence_(1 - measured.rules.decision.alpha) {}

  [[nodiscard]] std::optional<PatternRates> rates() const {
    std::vector<const CellVisits*> parts;
    for (const std::uint32_t cell : of_.cells) parts.push_back(&whole(cell));
    const std::optional<MeanTime> span = mean_over_parts(parts, confidence_);
    if (!span) return std::nullopt;
    const record::Cell& first = data_.cells[of_.cells.front()];
    const std::size_t pairs = pairs_of_cell(info_, first).size();
    const double of_pair = bytes_of_pair(first, info_);
    const double bytes = of_pair * static_cast<double>(pairs);
    PatternRates rates{.arm = measured_.contest.labels[arm_],
                       .cell = of_.cell,
                       .patterns = of_.cells.size(),
                       .pairs = pairs,
                       .groups = span->groups,
                       .span = span->time};
    if (bytes > 0) rates.total = bandwidth_gb_s(span->time, bytes);
    add_pairs(rates, of_pair);
    if (of_.cells.size() > 1) add_extremes(rates, bytes);
    return rates;
  }

 private:
  [[nodiscard]] const CellVisits& whole(std::uint32_t cell) const {
    return measured_.contest.table()[cell][arm_];
  }

  // `bytes`: of one pair.
  void add_pairs(PatternRates& rates, double bytes) const {
    const std::vector<PairPlace>& places = measured_.pairs.places;
    std::vector<const CellVisits*> parts;
    double fastest_ns = std::numeric_limits<double>::infinity();
    double apart_ns = 0;
    for (std::size_t i = 0; i < places.size(); ++i) {
      if (!std::ranges::binary_search(of_.cells, places[i].cell)) continue;
      const CellVisits& visits = measured_.pairs.table[i][arm_];
      parts.push_back(&visits);
      if (visits.empty()) continue;
      const double time_ns = visits.typical_ns();
      fastest_ns = std::min(fastest_ns, time_ns);
      apart_ns = std::max(apart_ns, places[i].apart_ns());
      if (rates.slowest && rates.slowest->time_ns >= time_ns) continue;
      rates.slowest =
          NamedRate{.name = pair_name(places[i].pair, places[i].both_ways ? " and " : " to "),
                    .time_ns = time_ns,
                    .gb_s = rate_of_time(time_ns, bytes)};
    }
    // One pair alone has no slowest one, nor is one slowest that its clocks may have made so.
    const bool told =
        rates.slowest && rates.slowest->time_ns - fastest_ns > kOffsetsInDifference * apart_ns;
    if (!told) rates.slowest.reset();
    rates.pair = mean_over_parts(parts, confidence_);
    if (rates.pair && bytes > 0) rates.of_pair = bandwidth_gb_s(rates.pair->time, bytes);
  }

  // `bytes`: of a call; all patterns of a row move as many.
  void add_extremes(PatternRates& rates, double bytes) const {
    for (const std::uint32_t cell : of_.cells) {
      const CellVisits& visits = whole(cell);
      if (visits.empty()) continue;
      const double time_ns = visits.typical_ns();
      const NamedRate named{.name = data_.cells[cell].pattern,
                            .time_ns = time_ns,
                            .gb_s = rate_of_time(time_ns, bytes)};
      if (!rates.worst || rates.worst->time_ns < time_ns) rates.worst = named;
      if (!rates.best || rates.best->time_ns > time_ns) rates.best = named;
    }
  }

  const store::Data& data_;
  const MeasuredPairs& measured_;
  const PatternCells& of_;
  std::uint32_t arm_;
  record::OperationInfo info_;
  double confidence_;
};

}  // namespace

std::vector<PatternCells> pattern_cells(const store::Data& data,
                                        const std::vector<std::uint32_t>& cells) {
  std::vector<record::Cell> levels;
  levels.reserve(cells.size());
  for (const std::uint32_t cell : cells) levels.push_back(data.cells[cell]);
  const std::vector<std::string> places =
      record::levels_but(levels, std::vector{record::find_factor("pattern")});
  std::vector<PatternCells> rows;
  std::map<std::pair<std::string, record::PatternKind>, std::size_t> known;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const record::Pattern pattern = pattern_of_cell(data, levels[i]);
    if (!written_for(pattern, 1).empty()) {
      const auto [at, is_new] = known.try_emplace({places[i], pattern.kind}, rows.size());
      if (!is_new) {
        rows[at->second].cells.push_back(cells[i]);
        continue;
      }
    }
    rows.push_back({.cell = levels[i], .cells = {cells[i]}});
  }
  for (PatternCells& row : rows) {
    const std::string written = written_for(pattern_of_cell(data, row.cell), row.cells.size());
    if (row.cells.size() > 1) row.cell.pattern = written;
  }
  return rows;
}

std::vector<PatternRates> pattern_rates(const store::Data& data, const MeasuredPairs& measured,
                                        const std::vector<PatternCells>& of) {
  std::vector<PatternRates> all;
  for (const std::uint32_t arm : measured.arms) {
    for (const PatternCells& cells : of) {
      auto rates = RatesOfCells(data, measured, cells, arm).rates();
      if (rates) all.push_back(std::move(*rates));
    }
  }
  return all;
}

}  // namespace invar::analysis
