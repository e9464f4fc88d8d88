#include "analysis/network/network_data.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <utility>

#include "analysis/machine/clock_reading.hpp"
#include "analysis/p2p/message_places.hpp"
#include "analysis/study/study.hpp"
#include "analysis/study/time_axis.hpp"
#include "analysis/ticks/declared_time.hpp"
#include "analysis/words/words.hpp"
#include "design/factors/size_samples.hpp"
#include "record/arrival.hpp"
#include "record/p2p/pattern.hpp"
#include "record/p2p/rank_hosts.hpp"
#include "record/p2p/train_delay.hpp"
#include "stats/describe/moments.hpp"
#include "stats/describe/quantile.hpp"

namespace invar::analysis {
namespace {

// What tells series apart, besides operation and size; and batches, which only some of them may be
// measured in.
constexpr std::array<std::string_view, 5> kTellSeries{"arrival", "receives", "window",
                                                      "train_delay", "batches"};

// What pairs reach together has another pattern than the series, so that the pattern must not tell
// places apart.
constexpr std::array<std::string_view, 6> kTellShared{"arrival",     "receives", "window",
                                                      "train_delay", "batches",  "pattern"};

// Several messages of both directions in one call.
constexpr std::string_view kExchange = "exchange";

bool in_some_series(const record::Cell& cell) {
  return std::ranges::any_of(all_series(), [&](const SeriesInfo& info) {
    return info.operation == cell.operation && (info.takes == nullptr || info.takes(cell));
  });
}

std::optional<SeriesKey> key_of(const record::Cell& cell) {
  for (const SeriesInfo& info : all_series()) {
    if (info.operation != cell.operation || (info.takes != nullptr && !info.takes(cell))) continue;
    if (info.kind != SeriesKind::kTrain) return SeriesKey{.kind = info.kind};
    return SeriesKey{.kind = info.kind,
                     .messages = cell.window,
                     .delayed = cell.train_delay != record::kNoTrainDelay};
  }
  return std::nullopt;
}

bool in_series_or_shared(const record::Cell& cell) {
  return cell.operation == kExchange || in_some_series(cell);
}

// SharedObservation's. Flows: 0 where it cannot be told, or where between hosts nothing goes.
struct SharingMessages {
  std::size_t pairs = 0;
  std::size_t flows = 0;
};

SharingMessages sharing_messages(const record::OperationInfo& info, const record::Cell& cell) {
  const std::vector<record::RankPair> pairs = pairs_of_cell(info, cell);
  SharingMessages sharing{.pairs = pairs.size()};
  const std::optional<std::vector<std::uint32_t>> hosts = record::hosts_of_ranks(cell);
  if (cell.nodes <= 1) {
    sharing.flows = 2 * pairs.size();
  } else if (hosts) {
    // Forth and back: each pair's two messages leave two hosts.
    std::map<std::uint32_t, std::size_t> leaving;
    for (const record::RankPair& pair : pairs) {
      if (hosts->at(pair.from) == hosts->at(pair.to)) continue;
      for (const std::uint32_t rank : {pair.from, pair.to}) ++leaving[hosts->at(rank)];
    }
    for (const auto& [host, count] : leaving) sharing.flows = std::max(sharing.flows, count);
  }
  return sharing;
}

double ns_of(std::int64_t time_ps) { return static_cast<double>(time_ps) * 1e-3; }

// Its messages stay on one host: both ranks of every pair are there.
bool stays_on_a_host(const record::Cell& cell) {
  const std::optional<std::vector<std::uint32_t>> hosts = record::hosts_of_ranks(cell);
  const std::optional<record::Pattern> pattern = record::parse_pattern(cell.pattern);
  if (!hosts || !pattern) return cell.nodes <= 1;
  return std::ranges::all_of(
      record::pairs_of(*pattern, cell.ranks),
      [&](const record::RankPair& pair) { return hosts->at(pair.from) == hosts->at(pair.to); });
}

// A visit's times, of which it has one at least.
struct VisitTimes {
  std::vector<double> times_ns = {};
  std::vector<double> skews_ns = {};  // of those whose starts can be compared
};

VisitTimes times_of(const VisitSummary& visit, bool global) {
  VisitTimes found;
  for_each_observation(visit, global, [&](const record::Timing& timing, std::int64_t time_ps) {
    found.times_ns.push_back(ns_of(time_ps));
    if ((timing.flags & record::kGlobalInvalid) == 0) {
      found.skews_ns.push_back(ns_of(timing.start_skew_ps));
    }
  });
  return found;
}

class DataReader {
 public:
  DataReader(const Study& study, const TakenVisits& takes)
      : study_(study),
        data_(study.data()),
        summaries_(study.summaries_of({})),
        takes_(takes),
        axis_(data_, study.rules().pairing),
        places_(data_,
                {.side_by_side = kTellSeries, .both_directions = false, .takes = in_some_series}),
        wide_places_(
            data_,
            {.side_by_side = kTellShared, .both_directions = false, .takes = in_series_or_shared}) {
    for (const store::Group& group : data_.groups) {
      for (const store::Launch& launch : group.launches) launches_[launch.launch] = &launch;
    }
    read_least_lateness();
    sort();
  }

  std::vector<NetworkData> read() {
    std::vector<NetworkData> all;
    for (std::uint32_t arm = 0; arm < data_.arms.size(); ++arm) {
      for (std::size_t place = 0; place < places_.count(); ++place) {
        NetworkData made = read(arm, place);
        if (made.find({.kind = SeriesKind::kRoundTrip}) != nullptr) all.push_back(std::move(made));
      }
    }
    return all;
  }

 private:
  // By place and series: of several levels of lateness the least is what a series is made of.
  void read_least_lateness() {
    for (std::uint32_t i = 0; i < data_.cells.size(); ++i) {
      const std::optional<std::size_t> place = places_.of(i);
      const double lateness = receiver_lateness(data_.cells[i]);
      if (!place || !(lateness > 0)) continue;
      const auto [known, is_new] =
          least_lateness_.try_emplace({*place, *key_of(data_.cells[i])}, lateness);
      if (!is_new) known->second = std::min(known->second, lateness);
    }
  }

  void sort() {
    for (const VisitSummary& visit : summaries_.visits) {
      if (!takes_ || takes_(visit)) visits_[{visit.arm, visit.cell}].push_back(&visit);
    }
  }

  NetworkData read(std::uint32_t arm, std::size_t place) {
    NetworkData made{
        .arm = data_.arms[arm].label, .place = places_.text(place), .step_ns = data_.clock_step_ns};
    made.held_out = design::held_out_sizes(study_.campaign(), element_bytes(arm, place));
    made.reading_ns = clock_reading_ns(data_, arm);
    std::map<SeriesKey, DataSeries> series;
    std::map<std::string, DataCost> costs;
    too_short_ = 0;
    cells_too_short_ = 0;
    std::set<std::uint32_t> groups;
    for (const auto& [of, visits] : visits_) {
      if (of.first != arm || has_failed(arm, of.second)) continue;
      const record::Cell& cell = data_.cells[of.second];
      const bool is_cost = std::ranges::any_of(
          all_costs(), [&](const CostInfo& info) { return info.operation == cell.operation; });
      std::optional<SeriesKey> key;
      if (places_.of(of.second) == place) key = series_of(cell, place);
      const SharingMessages sharing = sharing_in(arm, of.second, place);
      if (!is_cost && !key && sharing.flows == 0) continue;
      for (SeriesObservation& observed : observe_all(visits, cell, made.reading_ns.value_or(0))) {
        groups.insert(observed.group);
        if (is_cost) {
          costs[cell.operation].observations.push_back(
              {.group = observed.group, .median_ns = observed.median_ns});
        } else if (!key) {
          made.shared.push_back({.size_bytes = observed.size_bytes,
                                 .group = observed.group,
                                 .pairs = sharing.pairs,
                                 .flows = sharing.flows,
                                 .median_ns = observed.median_ns});
        } else {
          series[*key].observations.push_back(std::move(observed));
        }
      }
    }
    for (auto& [key, one] : series) {
      one.key = key;
      std::ranges::stable_sort(one.observations, {}, &SeriesObservation::start_s);
      made.series.push_back(std::move(one));
    }
    for (const CostInfo& info : all_costs()) {
      const auto found = costs.find(std::string(info.operation));
      if (found == costs.end()) continue;
      found->second.operation = info.operation;
      made.costs.push_back(std::move(found->second));
    }
    made.groups = groups.size();
    made.inside_host = is_inside_host(place);
    warn(made);
    return made;
  }

  // Sizes are multiples of it: of drawn ones what the plan has rounded to it.
  [[nodiscard]] std::uint64_t element_bytes(std::uint32_t arm, std::size_t place) const {
    for (std::uint32_t i = 0; i < data_.cells.size(); ++i) {
      const record::Cell& cell = data_.cells[i];
      if (places_.of(i) != place || !cell.size_bytes) continue;
      const record::OperationInfo info = data_.operation(arm, cell.operation);
      if (const record::DatatypeInfo* type = info.datatype(cell.datatype)) {
        return std::max(type->size_bytes, 1U);
      }
    }
    return 1;
  }

  // All cells of the place's series stay on a host.
  [[nodiscard]] bool is_inside_host(std::size_t place) const {
    for (std::uint32_t i = 0; i < data_.cells.size(); ++i) {
      const record::Cell& cell = data_.cells[i];
      if (places_.of(i) == place && in_some_series(cell) && !stays_on_a_host(cell)) return false;
    }
    return true;
  }

  void warn(NetworkData& made) const {
    if (!made.reading_ns) {
      made.warnings.emplace_back(made.arm +
                                     ": what reading the clock costs was not measured: it is in "
                                     "all times, and so in every overhead",
                                 Gravity::kDoubt);
    }
    if (too_short_ > 0) {
      made.warnings.emplace_back(
          made.arm + ": " + count_text(too_short_, "visit") +
          " took no longer than reading the clock: left out" +
          (cells_too_short_ == 0 ? ""
                                 : ", with all visits of " + count_text(cells_too_short_, "cell") +
                                       ", of which the longer ones alone would be left"));
    }
  }

  [[nodiscard]] bool has_failed(std::uint32_t arm, std::uint32_t cell) const {
    return std::ranges::any_of(data_.failed_cells, [&](const store::FailedCell& failed) {
      return failed.cell == data_.cells[cell].id && failed.arm == data_.arms[arm].label;
    });
  }

  // What an exchange sends at once, if its levels are the place's, whatever its pattern. Nothing
  // for any other cell.
  [[nodiscard]] SharingMessages sharing_in(std::uint32_t arm, std::uint32_t cell,
                                           std::size_t place) const {
    const record::Cell& of = data_.cells[cell];
    const std::optional<std::size_t> wide = wide_places_.of(cell);
    if (of.operation != kExchange || !wide || !of.size_bytes) return {};
    for (std::uint32_t i = 0; i < data_.cells.size(); ++i) {
      if (places_.of(i) != place) continue;
      if (wide_places_.of(i) != wide) return {};
      return sharing_messages(data_.operation(arm, of.operation), of);
    }
    return {};
  }

  // None: of this series another level of lateness counts.
  [[nodiscard]] std::optional<SeriesKey> series_of(const record::Cell& cell,
                                                   std::size_t place) const {
    std::optional<SeriesKey> key = key_of(cell);
    const double lateness = receiver_lateness(cell);
    if (!key || !(lateness > 0) || lateness == least_lateness_.at({place, *key})) return key;
    if (key->kind != SeriesKind::kLateReceive) return std::nullopt;
    return SeriesKey{.kind = SeriesKind::kLaterReceive};
  }

  // Observations of a cell's visits. Empty where too many took no longer than reading the clock.
  std::vector<SeriesObservation> observe_all(std::span<const VisitSummary* const> visits,
                                             const record::Cell& cell, double reading_ns) {
    const std::size_t before = too_short_;
    std::vector<SeriesObservation> all;
    for (const VisitSummary* visit : visits) {
      if (auto observed = observe(*visit, cell, reading_ns)) all.push_back(std::move(*observed));
    }
    const std::size_t lost = too_short_ - before;
    if (static_cast<double>(lost) > kMostLostShare * static_cast<double>(lost + all.size())) {
      ++cells_too_short_;
      return {};
    }
    return all;
  }

  // None: it took no longer than reading the clock.
  std::optional<SeriesObservation> observe(const VisitSummary& visit, const record::Cell& cell,
                                           double reading_ns) {
    VisitTimes read = times_of(visit, summaries_.global);
    if (read.times_ns.empty()) return std::nullopt;
    const store::Launch& launch = *launches_.at(visit.launch);
    const bool of_batch = !visit.time || visit.time->spans_batch();
    const double calls = of_batch ? std::max(1U, visit.source->line.calls) : 1;
    const double taken_ns = reading_ns / calls;
    SeriesObservation made{
        .size_bytes = cell.size_bytes.value_or(0),
        .group = visit.group,
        .median_ns = visit.median_ns - taken_ns,
        .mean_ns = stats::mean(read.times_ns) - taken_ns,
        .variance_ns2 = stats::variance(read.times_ns).value_or(0),
        .repetitions = read.times_ns.size(),
        .start_s = axis_.seconds(visit.group, visit.launch, visit.source->line.begin_ps)};
    if (!(made.median_ns > 0)) {
      ++too_short_;
      return std::nullopt;
    }
    std::ranges::sort(read.times_ns);
    for (const double time_ns : read.times_ns) {
      made.ratios.push_back(static_cast<float>((time_ns - taken_ns) / made.median_ns));
    }
    const auto call = launch.batch_calls.find(cell.id);
    const double call_s = call == launch.batch_calls.end() ? 0 : call->second.call_ns * 1e-9;
    const double known_s = call == launch.batch_calls.end() ? 0 : call->second.known_ns * 1e-9;
    made.lateness_ns = lateness_of(cell, read, known_s > 0 ? known_s : call_s);
    made.delay_ns = record::train_delay_s(cell, call_s) * 1e9;
    return made;
  }

  // What the starts say, where these can be compared; else what was asked for.
  static double lateness_of(const record::Cell& cell, VisitTimes& read, double call_s) {
    if (!(receiver_lateness(cell) > 0)) return 0;
    if (!read.skews_ns.empty()) return stats::median_in_place(read.skews_ns);
    const record::Arrival arrival = *record::parse_arrival(cell.arrival);
    return arrival.amplitude_ns + arrival.amplitude_calls * call_s * 1e9;
  }

  using PlaceAndSeries = std::pair<std::size_t, SeriesKey>;
  using CellOfArm = std::pair<std::uint32_t, std::uint32_t>;  // arm, cell

  const Study& study_;
  const store::Data& data_;
  const Summaries& summaries_;
  const TakenVisits& takes_;
  TimeAxis axis_;
  MessagePlaces places_;
  MessagePlaces wide_places_;  // whatever the pattern, exchanges among them
  std::map<std::uint32_t, const store::Launch*> launches_ = {};
  std::map<PlaceAndSeries, double> least_lateness_ = {};
  std::map<CellOfArm, std::vector<const VisitSummary*>> visits_ = {};
  std::size_t too_short_ = 0;
  std::size_t cells_too_short_ = 0;
};

}  // namespace

std::vector<NetworkData> network_data(const Study& study, const TakenVisits& takes) {
  return DataReader(study, takes).read();
}

}  // namespace invar::analysis
