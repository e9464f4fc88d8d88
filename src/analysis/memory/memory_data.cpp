#include "analysis/memory/memory_data.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "analysis/machine/clock_reading.hpp"
#include "analysis/memory/walk_levels.hpp"
#include "analysis/study/study.hpp"
#include "analysis/study/time_axis.hpp"
#include "analysis/words/words.hpp"
#include "base/text.hpp"
#include "record/memory/levels.hpp"
#include "stats/describe/moments.hpp"

namespace invar::analysis {
namespace {

constexpr double kFsPerNs = 1e6;
constexpr double kPpm = 1e-6;

std::optional<double> slowest_host_ns(const std::vector<std::int64_t>& hosts_fs) {
  if (hosts_fs.empty()) return std::nullopt;
  return static_cast<double>(*std::ranges::max_element(hosts_fs)) / kFsPerNs;
}

std::optional<double> share_of(const std::optional<std::uint32_t>& ppm) {
  if (!ppm) return std::nullopt;
  return *ppm * kPpm;
}

class WalkReader {
 public:
  WalkReader(const Study& study, const TakenVisits& takes)
      : study_(study), data_(study.data()), takes_(takes), axis_(data_, study.rules().pairing) {
    for (const record::Cell& cell : data_.cells) {
      if (!walks_over_memory(data_, cell)) continue;
      places_[cell.id] = unusual_words(cell, data_.operation(cell.operation));
    }
    for (const store::Group& group : data_.groups) {
      for (const store::Launch& launch : group.launches) launches_[launch.launch] = &launch;
    }
  }

  std::vector<MemoryData> read() {
    std::vector<MemoryData> all;
    for (std::uint32_t arm = 0; arm < data_.arms.size(); ++arm) {
      MemoryData made = read(arm);
      if (!made.series.empty()) all.push_back(std::move(made));
    }
    return all;
  }

 private:
  using SeriesName = std::pair<std::string, std::string>;  // operation, place

  MemoryData read(std::uint32_t arm) {
    MemoryData made{.arm = data_.arms[arm].label, .step_ns = data_.clock_step_ns};
    made.reading_ns = clock_reading_ns(data_, arm);
    std::map<SeriesName, WalkSeries> series;
    std::set<std::uint32_t> groups;
    std::size_t short_visits = 0;
    // One rank: its own time. Several ranks: the extent of all of them.
    for (const bool several : {false, true}) {
      const TimeChoice time{.kind =
                                several ? TimeChoice::Kind::kWhole : TimeChoice::Kind::kHeadline};
      const Summaries& summaries = study_.summaries_of(time);
      for (const VisitSummary& visit : summaries.visits) {
        const record::Cell& cell = data_.cells[visit.cell];
        const auto place = places_.find(cell.id);
        if (visit.arm != arm || place == places_.end() || (cell.ranks > 1) != several) continue;
        if (has_failed(arm, cell) || (takes_ && !takes_(visit))) continue;
        const std::optional<WalkObservation> observed =
            observe(visit, cell, summaries.global, made.reading_ns.value_or(0));
        if (!observed) {
          ++short_visits;
          continue;
        }
        WalkSeries& one = series[{cell.operation, place->second}];
        describe(one, arm, visit, cell, place->second);
        one.planned = std::min(one.planned, visit.cell);
        one.observations.push_back(*observed);
        groups.insert(visit.group);
        take_caches(visit, made);
      }
    }
    for (auto& [name, one] : series) {
      std::ranges::stable_sort(one.observations, {}, &WalkObservation::start_s);
      made.series.push_back(std::move(one));
    }
    std::ranges::stable_sort(made.series, {}, &WalkSeries::planned);
    made.groups = groups.size();
    if (short_visits > 0) {
      made.warnings.emplace_back(made.arm + ": " + count_text(short_visits, "visit") +
                                 " took no longer than reading the clock: left out");
    }
    return made;
  }

  void take_caches(const VisitSummary& visit, MemoryData& made) const {
    const store::Launch& launch = *launches_.at(visit.launch);
    if (made.caches.empty()) made.caches = launch.caches;
  }

  // By the largest size: what is left over at its end is the least there.
  void describe(WalkSeries& one, std::uint32_t arm, const VisitSummary& visit,
                const record::Cell& cell, const std::string& place) const {
    const std::uint64_t size = *cell.size_bytes;
    if (!one.operation.empty() && one.cell.size_bytes >= size) return;
    const record::OperationInfo info = data_.operation(arm, cell.operation);
    const store::Launch& launch = *launches_.at(visit.launch);
    const auto told = launch.width_bytes.find(cell.id);
    constexpr std::uint32_t kPointerBytes = 8;
    std::uint32_t width = info.chases ? kPointerBytes : record::parse_width(cell.width).value_or(0);
    if (told != launch.width_bytes.end() && told->second > 0) width = told->second;
    one.width_bytes = width;
    // Packed walks name all bytes, whatever the width.
    if (width == 0) width = kPointerBytes;
    one.operation = cell.operation;
    one.place = place;
    one.cell = cell;
    one.info = info;
    const double bytes = static_cast<double>(size);
    one.named = static_cast<double>(record::named_bytes(cell, info, width)) * cell.ranks / bytes;
    one.loads = static_cast<double>(record::visited_elements(cell, info.chases, width)) /
                std::max(cell.chains, 1U) / bytes;
  }

  [[nodiscard]] bool has_failed(std::uint32_t arm, const record::Cell& cell) const {
    return std::ranges::any_of(data_.failed_cells, [&](const store::FailedCell& failed) {
      return failed.cell == cell.id && failed.arm == data_.arms[arm].label;
    });
  }

  [[nodiscard]] std::optional<WalkObservation> observe(const VisitSummary& visit,
                                                       const record::Cell& cell, bool global,
                                                       double reading_ns) const {
    std::vector<double> times_ns;
    Tally tally;
    append_observations(visit, global, times_ns, tally);
    const record::VisitLine& line = visit.source->line;
    WalkObservation made{
        .size_bytes = *cell.size_bytes,
        .group = visit.group,
        .round = visit.round,
        .loops = std::max<std::uint64_t>(line.loops.value_or(1), 1),
        .time_ns = visit.median_ns * visit.passes - reading_ns,
        .variance_ns2 = stats::variance(times_ns).value_or(0) * visit.passes * visit.passes,
        .repetitions = times_ns.size(),
        .start_s = axis_.seconds(visit.group, visit.launch, line.begin_ps),
        .step_ns = visit.step_ns * visit.passes,
        .add_ns = slowest_host_ns(line.add_fs),
        .huge = share_of(line.huge_ppm),
        .frames_again = share_of(line.frames_again_ppm)};
    if (times_ns.empty() || !(made.time_ns > 0)) return std::nullopt;
    return made;
  }

  const Study& study_;
  const store::Data& data_;
  const TakenVisits& takes_;
  TimeAxis axis_;
  std::map<std::uint32_t, std::string> places_ = {};  // by Cell::id
  std::map<std::uint32_t, const store::Launch*> launches_ = {};
};

}  // namespace

bool walks_over_memory(const store::Data& data, const record::Cell& cell) {
  return cell.size_bytes && *cell.size_bytes > 0 && data.operation(cell.operation).walks > 0;
}

std::vector<MemoryData> memory_data(const Study& study, const TakenVisits& takes) {
  return WalkReader(study, takes).read();
}

}  // namespace invar::analysis
