#include "analysis/network/simulator/network_check.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <span>
#include <tuple>
#include <utility>

#include "analysis/network/simulator/simulated_platforms.hpp"
#include "analysis/words/words.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "design/messages/network_check_campaign.hpp"
#include "stats/describe/quantile.hpp"
#include "stats/test/student.hpp"
#include "store/reader.hpp"
#include "store/unborn.hpp"

namespace invar::analysis {
namespace {

namespace fs = std::filesystem;

constexpr double kCheckConfidence = 0.95;
// What a platform is fitted to.
constexpr std::array kCheckedSeries{SeriesKind::kRoundTrip, SeriesKind::kSend, SeriesKind::kIsend,
                                    SeriesKind::kLateReceive};
constexpr std::array<CheckedBy, kCheckedBy> kAllChecked{CheckedBy::kPlatform, CheckedBy::kDefaults,
                                                        CheckedBy::kUsual};

std::size_t checked_index(CheckedBy by) { return static_cast<std::size_t>(by); }

std::optional<stats::Interval> point_interval_of(const SeriesPoint& point) {
  if (point.groups < 2) return std::nullopt;
  const auto groups = static_cast<double>(point.groups);
  return stats::t_interval(point.mean_ns, point.group_sd * point.mean_ns / std::sqrt(groups),
                           groups - 1, kCheckConfidence);
}

// Simulated times of a series over sizes.
std::map<std::uint64_t, double> simulated_times_of(const NetworkData* data, SeriesKind kind) {
  std::map<std::uint64_t, double> times;
  const DataSeries* series = data == nullptr ? nullptr : data->find({.kind = kind});
  if (series == nullptr) return times;
  for (const SeriesObservation& one : series->observations) {
    times[one.size_bytes] = one.median_ns * info_of(kind).share;
  }
  return times;
}

std::map<std::uint64_t, double> times_by_size(const std::vector<OperationTime>& times) {
  std::map<std::uint64_t, double> sizes;
  for (const OperationTime& one : times) sizes[one.size_bytes] = one.time_ns;
  return sizes;
}

std::optional<double> time_at(const std::map<std::uint64_t, double>& times, std::uint64_t size) {
  const auto found = times.find(size);
  if (found == times.end()) return std::nullopt;
  return found->second;
}

class Checker {
 public:
  Checker(const Network& found, const Study& measured, const Study& simulated)
      : found_(found),
        measured_(measured),
        simulated_(simulated),
        data_(network_data(simulated)),
        stems_(stems_of(found)),
        band_(model_band(found)) {}

  NetworkCheck check() {
    NetworkCheck made{.dir = check_dir(found_.dir)};
    std::set<std::string> arms;
    for (std::size_t i = 0; i < found_.models.size(); ++i) {
      const NetworkModel& model = found_.models[i];
      for (const SeriesKind kind : kCheckedSeries) add_series(i, kind, made);
      // Whose ranks the collectives had: the arm's first place.
      if (!arms.insert(model.arm).second) continue;
      for (const char* operation : design::kCheckedCollectives) add_operation(i, operation, made);
    }
    for (const record::Cell& cell : measured_.data().cells) made.ranks = cell.ranks;
    add_errors(made);
    warn(made);
    made.health = measured_.health();
    made.health += simulated_.health();
    return made;
  }

 private:
  void warn(NetworkCheck& made) const {
    if (elsewhere_ == 0) return;
    made.warnings.emplace_back(
        "the machine was in another regime than that of the model (" + found_.reference->name() +
            ") while " + std::to_string(elsewhere_) + " of " + count_text(operations_, "time") +
            " of bcast, allreduce and halo were measured: these have no errors; take " +
            made.dir.string() + " away, and check again",
        Gravity::kDoubt);
  }

  [[nodiscard]] const NetworkData* data_of(const std::string& arm) const {
    const auto found = std::ranges::find(data_, arm, &NetworkData::arm);
    return found == data_.end() ? nullptr : &*found;
  }

  void add_series(std::size_t i, SeriesKind kind, NetworkCheck& made) const {
    const NetworkModel& model = found_.models[i];
    const ModelSeries* series = model.find(kind);
    if (series == nullptr) return;
    std::map<std::uint64_t, double> times[kCheckedBy];
    for (const CheckedBy by : kAllChecked) {
      times[checked_index(by)] = simulated_times_of(data_of(simulated_arm(stems_[i], by)), kind);
    }
    for (const SeriesPoint& point : series->points) {
      CheckedPoint one{.arm = model.arm,
                       .place = model.place,
                       .operation = std::string(info_of(kind).name),
                       .ranks = 2,
                       .calibrated = !point.held_out,
                       .held_out = point.held_out,
                       .size_bytes = point.size_bytes,
                       .measured_ns = point.mean_ns,
                       .interval_ns = point_interval_of(point),
                       .groups = point.groups};
      for (std::size_t by = 0; by < kCheckedBy; ++by) {
        one.simulated_ns[by] = time_at(times[by], point.size_bytes);
      }
      made.points.push_back(std::move(one));
    }
  }

  void add_operation(std::size_t i, const std::string& operation, NetworkCheck& made) {
    const NetworkModel& model = found_.models[i];
    std::map<std::uint64_t, double> times[kCheckedBy];
    for (const CheckedBy by : kAllChecked) {
      times[checked_index(by)] =
          times_by_size(operation_times(simulated_, simulated_arm(stems_[i], by), operation, {}));
    }
    // A call of other ranks is another call.
    const std::uint32_t ranks = ranks_of(measured_, operation);
    const std::uint32_t simulated_ranks = ranks_of(simulated_, operation);
    if (ranks != simulated_ranks && simulated_ranks > 0) {
      for (auto& of : times) of.clear();
      why_none_[operation] = "measured with " + base::count_text(ranks, "rank") +
                             ", simulated with " + std::to_string(simulated_ranks);
    }
    for (const OperationTime& time :
         operation_times(measured_, model.arm, operation, band_, kCheckConfidence)) {
      elsewhere_ += time.in_band ? 0 : 1;
      operations_ += 1;
      CheckedPoint one{.arm = model.arm,
                       .place = model.place,
                       .operation = operation,
                       .ranks = ranks,
                       .size_bytes = time.size_bytes,
                       .measured_ns = time.time_ns,
                       .interval_ns = time.interval_ns,
                       .groups = time.groups,
                       .in_regime = time.in_band};
      for (std::size_t by = 0; by < kCheckedBy; ++by) {
        one.simulated_ns[by] = time_at(times[by], time.size_bytes);
      }
      made.points.push_back(std::move(one));
    }
  }

  // 0: it has no such operation.
  static std::uint32_t ranks_of(const Study& study, const std::string& operation) {
    const auto& cells = study.data().cells;
    const auto found = std::ranges::find(cells, operation, &record::Cell::operation);
    return found == cells.end() ? 0 : found->ranks;
  }

  // In the order of the points.
  void add_errors(NetworkCheck& made) const {
    using Key = std::tuple<std::string, std::string, std::string, bool>;
    std::vector<Key> order;
    std::map<Key, std::vector<const CheckedPoint*>> points;
    for (const CheckedPoint& point : made.points) {
      const Key key{point.arm, point.place, point.operation, point.held_out};
      std::vector<const CheckedPoint*>& of = points[key];
      if (of.empty()) order.push_back(key);
      of.push_back(&point);
    }
    for (const Key& key : order) made.errors.push_back(errors_of(points[key]));
  }

  [[nodiscard]] CheckedErrors errors_of(const std::vector<const CheckedPoint*>& points) const {
    const CheckedPoint& first = *points.front();
    CheckedErrors made{.arm = first.arm,
                       .place = first.place,
                       .operation = first.operation,
                       .ranks = first.ranks,
                       .calibrated = first.calibrated,
                       .held_out = first.held_out};
    for (const CheckedBy by : kAllChecked) {
      std::vector<double> errors;
      std::vector<double> absolute;
      for (const CheckedPoint* point : points) {
        const std::optional<double> error = point->error(by);
        if (!error) continue;
        errors.push_back(*error);
        absolute.push_back(std::abs(*error));
      }
      if (errors.empty()) continue;
      constexpr double kMostOf = 0.95;
      made.errors[checked_index(by)] = CheckedErrors::Spread{
          .median = stats::median(absolute), .most = stats::quantile(absolute, kMostOf)};
      if (by != CheckedBy::kPlatform) continue;
      made.sizes = errors.size();
      made.bias = stats::median(errors);
    }
    for (const CheckedPoint* point : points) made.elsewhere += point->in_regime ? 0 : 1;
    if (made.sizes > 0) return made;
    if (made.elsewhere > 0) {
      made.why =
          "measured in another regime of the machine than the model's, " + found_.reference->name();
      return made;
    }
    const auto why = why_none_.find(made.operation);
    made.why = why == why_none_.end() ? "the simulation has no time of it" : why->second;
    return made;
  }

  const Network& found_;
  const Study& measured_;
  const Study& simulated_;
  std::vector<NetworkData> data_;
  std::vector<std::string> stems_;
  std::map<std::string, std::string> why_none_ = {};  // why an operation cannot be compared
  std::optional<base::CanaryBand> band_ = {};
  // Measured times of operations, and those that are of another regime.
  std::size_t operations_ = 0;
  std::size_t elsewhere_ = 0;
};

// As it was simulated.
bool is_current_check(const Network& found) {
  return std::ranges::all_of(stems_of(found), [&](const std::string& stem) {
    const std::string name = stem + ".xml";
    const auto now = base::read_file((found.dir / name).string());
    const auto then = base::read_file((checked_platforms_dir(found.dir) / name).string());
    return now == then;
  });
}

// Arms that were simulated, but not by the usual formulas, because these give no platform that can
// be written.
std::vector<MissingUsual> missing_usual(const Network& found, const NetworkCheck& check) {
  std::vector<MissingUsual> missing;
  const SimulatedPlatforms made =
      simulated_platforms(found, {.cores = check.ranks, .noise = false});
  for (const SimulatedPlatform& one : made.platforms) {
    const std::string& arm = found.models[one.model].arm;
    if (!has_times(check, arm, CheckedBy::kPlatform) || has_times(check, arm, CheckedBy::kUsual)) {
      continue;
    }
    try {
      static_cast<void>(platform::usual_xml(one.of, std::max(one.ranks, check.ranks)));
    } catch (const base::CommandError& error) {
      missing.push_back({.arm = arm, .why = error.faults().front().what});
    }
  }
  return missing;
}

}  // namespace

bool has_times(const NetworkCheck& check, const std::string& arm, CheckedBy by) {
  return std::ranges::any_of(check.errors, [&](const CheckedErrors& one) {
    return one.arm == arm && one.errors[checked_index(by)].has_value();
  });
}

std::string simulated_arm(const std::string& stem, CheckedBy by) {
  switch (by) {
    case CheckedBy::kDefaults:
      return stem + "+defaults";
    case CheckedBy::kUsual:
      return stem + "+usual";
    case CheckedBy::kPlatform:
      break;
  }
  return stem;
}

std::optional<double> CheckedPoint::error(CheckedBy by) const {
  const std::optional<double>& simulated = simulated_ns[checked_index(by)];
  if (!simulated || !(measured_ns > 0) || !in_regime) return std::nullopt;
  return *simulated / measured_ns - 1;
}

fs::path check_dir(const fs::path& dir) { return dir / "check"; }
fs::path measured_check_dir(const fs::path& dir) { return check_dir(dir) / "measured"; }
fs::path simulated_check_dir(const fs::path& dir) { return check_dir(dir) / "simulated"; }
fs::path checked_platforms_dir(const fs::path& dir) { return check_dir(dir) / "platforms"; }

NetworkCheck network_check(const Network& found, const Study& measured, const Study& simulated) {
  NetworkCheck made = Checker(found, measured, simulated).check();
  made.scope = found.scope;
  made.usual_missing = missing_usual(found, made);
  made.sentence = check_sentence(made);
  return made;
}

std::optional<NetworkCheck> network_check_in(const Network& found) {
  if (found.dir.empty() || !store::holds_campaign(simulated_check_dir(found.dir)) ||
      !store::holds_campaign(measured_check_dir(found.dir))) {
    return std::nullopt;
  }
  const Study measured(store::read_campaign_dir(measured_check_dir(found.dir)));
  const Study simulated(store::read_campaign_dir(simulated_check_dir(found.dir)));
  if (measured.health().unfinished + simulated.health().unfinished > 0) return std::nullopt;
  NetworkCheck made = network_check(found, measured, simulated);
  made.current = is_current_check(found);
  if (!made.current) {
    made.warnings.emplace_back("the check is of other files than the platform has now: take " +
                                   made.dir.string() + " away, and check again",
                               Gravity::kDoubt);
  }
  return made;
}

}  // namespace invar::analysis
