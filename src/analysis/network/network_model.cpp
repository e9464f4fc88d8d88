#include "analysis/network/network_model.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "analysis/p2p/message_places.hpp"
#include "analysis/words/words.hpp"
#include "base/collect.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "stats/describe/quantile.hpp"

namespace invar::analysis {
namespace {

// Series of which a line over sizes says something: not those with lateness in them, nor trains,
// whose gaps have one.
bool has_lines(SeriesKind kind) {
  return kind != SeriesKind::kSendToLate && kind != SeriesKind::kLaterReceive &&
         kind != SeriesKind::kTrain;
}

std::string size_list(std::span<const std::uint64_t> sizes_bytes) {
  constexpr std::size_t kMostSizesTold = 5;
  std::vector<std::string> texts;
  for (const std::uint64_t size : sizes_bytes) texts.push_back(base::size_text(size));
  return base::first_items(texts, kMostSizesTold, ", ");
}

class Modeller {
 public:
  Modeller(const NetworkData& data, const ModelOptions& options)
      : data_(data),
        options_(options),
        groups_(all_groups(data)),
        resamples_(resampled_groups(groups_, options.resamples, options.seed)) {
    model_ = {.arm = data.arm,
              .place = data.place,
              .reading_ns = data.reading_ns,
              .step_ns = data.step_ns,
              .launches = data.launches,
              .inside_host = data.inside_host,
              .groups = data.groups,
              .warnings = data.warnings};
  }

  NetworkModel make() {
    fit_all();
    find_detached();
    find_async();
    fit_joint();
    model_.held_out = held_out_errors(model_.series, model_.joint);
    model_.control = lateness_control(data_, options_.confidence, options_.min_effect);
    model_.delayed = delayed_overhead(data_, largest_with_sends(), options_.confidence);
    model_.stretches = slow_stretches(data_, model_.series);
    model_.detectors = detector_runs(model_.series);
    add_costs();
    model_.shared = shared_bandwidth(data_.shared, resamples_, options_.confidence);
    warn();
    return std::move(model_);
  }

 private:
  // Up to where sends were found not to wait for their receiver; 0: nowhere.
  [[nodiscard]] std::uint64_t largest_with_sends() const {
    std::uint64_t largest = 0;
    for (const Parameter& one : model_.joint.parameters) {
      if (one.model == "LogGP" && one.name == "o_s" && one.estimate) {
        largest = std::max(largest, one.sizes.to_bytes);
      }
    }
    return largest;
  }

  [[nodiscard]] std::string who() const {
    return model_.arm + (model_.place.empty() ? "" : " (" + model_.place + ")");
  }

  [[nodiscard]] PiecesQuestion question() const {
    return {.confidence = options_.confidence,
            .min_effect = options_.min_effect,
            .step_ns = data_.step_ns,
            .resamples = options_.resamples,
            .seed = options_.seed,
            .breaks_bytes = options_.breaks_bytes};
  }

  void fit_all() {
    base::Faults faults;
    const auto add = [&](const SeriesTimes& times) {
      if (times.empty()) return;
      times_.push_back(times);
      if (times.apart() > 0) {
        model_.warnings.emplace_back(
            who() + ": " + std::string(info_of(times.key().kind).words) + ": " +
                count_text(times.apart(), "launch group") +
                " share no size with the others, so that nothing relates their times: left out",
            Gravity::kDoubt);
      }
      if (!has_lines(times.key().kind)) {
        model_.series.push_back(points_alone(times, question()));
        return;
      }
      base::collect(faults, [&] { model_.series.push_back(fit_series(times, question())); });
    };
    for (const DataSeries& series : data_.series) add(series_times(data_, series.key));
    LostGaps lost;
    add(gap_times(data_, lost));
    faults.throw_if_any();
    if (lost.times > 0) {
      model_.warnings.emplace_back(
          who() + ": in " + count_text(lost.times, "launch group's size") +
          " a longer train took no longer than a single message: left out" +
          (lost.sizes == 0 ? ""
                           : ", and so " + std::string(lost.sizes == 1 ? "is " : "are ") +
                                 count_text(lost.sizes, "size") +
                                 " altogether, of which the longer gaps alone would be left"));
    }
    for (const ModelSeries& series : model_.series) {
      if (!has_lines(series.key.kind) || !series.pieces.empty()) continue;
      model_.warnings.emplace_back(who() + ": " + std::string(info_of(series.key.kind).words) +
                                       " of " + count_text(series.points.size(), "size") +
                                       ", and a line needs " + std::to_string(kLeastSizesOfSeries) +
                                       ": of this there are points alone",
                                   Gravity::kDoubt);
    }
  }

  [[nodiscard]] const SeriesTimes* times_of(SeriesKind kind) const {
    const auto found = std::ranges::find_if(
        times_, [&](const SeriesTimes& times) { return times.key().kind == kind; });
    return found == times_.end() ? nullptr : &*found;
  }

  [[nodiscard]] std::optional<double> predicted_ns(SeriesKind kind, std::uint64_t size) const {
    const ModelSeries* series = model_.find(kind);
    return series == nullptr ? std::nullopt : series->predicted_ns(size);
  }

  [[nodiscard]] Threshold detached_by(std::span<const GroupWeight> weights,
                                      std::vector<std::uint64_t>* wrong = nullptr) const {
    const DataSeries* late = data_.find({.kind = SeriesKind::kSendToLate});
    return detached_threshold(waiting_shares(*late, weights,
                                             [this](std::uint64_t size) {
                                               return predicted_ns(SeriesKind::kSend, size);
                                             }),
                              wrong);
  }

  void find_detached() {
    if (data_.detached_bytes) {
      model_.detached = {.last_bytes = *data_.detached_bytes - 1,
                         .first_bytes = data_.detached_bytes,
                         .why = "the analyst's",
                         .known = true};
      return;
    }
    if (data_.find({.kind = SeriesKind::kSendToLate}) == nullptr) {
      model_.detached.why = "no sends to late receivers were measured";
      return;
    }
    std::vector<std::uint64_t> wrong;
    model_.detached = detached_by(groups_, &wrong);
    if (!wrong.empty()) {
      model_.warnings.emplace_back(
          who() + ": senders of " + size_list(wrong) +
              " wait for late receivers where their neighbours do not, or the other way round: "
              "where sends begin to wait is not one size",
          Gravity::kDoubt);
    }
    set_interval(model_.detached,
                 [this](const std::vector<GroupWeight>& weights) { return detached_by(weights); });
  }

  // Both ends over resamples: the gap between two sizes is in it.
  template <typename Find>
  void set_interval(Threshold& threshold, Find find) const {
    if (!threshold.last_bytes || !threshold.first_bytes || resamples_.empty()) return;
    std::vector<double> last;
    std::vector<double> first;
    for (const std::vector<GroupWeight>& weights : resamples_) {
      const Threshold again = find(weights);
      if (again.last_bytes) last.push_back(static_cast<double>(*again.last_bytes));
      if (again.first_bytes) first.push_back(static_cast<double>(*again.first_bytes));
    }
    if (last.empty() || first.empty()) return;
    const double tail = (1 - options_.confidence) / 2;
    threshold.interval_bytes = stats::Interval{
        .low = std::min(stats::quantile(last, tail), static_cast<double>(*threshold.last_bytes)),
        .high =
            std::max(stats::quantile(first, 1 - tail), static_cast<double>(*threshold.first_bytes)),
        .confidence = options_.confidence};
  }

  [[nodiscard]] std::vector<SeriesPoint> points_by(SeriesKind kind,
                                                   std::span<const GroupWeight> weights) const {
    const SeriesTimes* times = times_of(kind);
    if (times == nullptr) return {};
    return points_of(*times, weights, options_.min_effect, data_.step_ns);
  }

  // Only sizes whose sends do not wait, and that have points of all three series.
  [[nodiscard]] std::vector<HiddenTime> hidden_by(std::span<const GroupWeight> weights) const {
    std::map<std::uint64_t, SeriesPoint> halves;
    for (const SeriesPoint& point : points_by(SeriesKind::kRoundTrip, weights)) {
      halves[point.size_bytes] = point;
    }
    std::map<std::uint64_t, SeriesPoint> sends;
    for (const SeriesPoint& point : points_by(SeriesKind::kSend, weights)) {
      sends[point.size_bytes] = point;
    }
    std::vector<HiddenTime> hidden;
    for (const SeriesPoint& late : points_by(SeriesKind::kLateReceive, weights)) {
      const auto half = halves.find(late.size_bytes);
      const auto send = sends.find(late.size_bytes);
      if (half == halves.end() || send == sends.end()) continue;
      if (model_.detached.beyond(late.size_bytes)) continue;
      const double transfer_ns = half->second.mean_ns - send->second.mean_ns;
      if (!(transfer_ns > 0)) continue;
      hidden.push_back({.size_bytes = late.size_bytes,
                        .transfer_ns = transfer_ns,
                        .hidden_ns = transfer_ns - late.mean_ns,
                        .variance_ns2 = half->second.variance_ns2 + send->second.variance_ns2 +
                                        late.variance_ns2});
    }
    return hidden;
  }

  void find_async() {
    if (data_.async_bytes) {
      model_.async = {.last_bytes = *data_.async_bytes - 1,
                      .first_bytes = data_.async_bytes,
                      .why = "the analyst's",
                      .known = true};
      return;
    }
    std::vector<std::string> lacking;
    for (const SeriesKind kind : {SeriesKind::kSend, SeriesKind::kLateReceive}) {
      if (times_of(kind) == nullptr) lacking.emplace_back(info_of(kind).words);
    }
    if (!lacking.empty()) {
      model_.async.why = "not measured: " + list_text(lacking);
      return;
    }
    const std::vector<HiddenTime> hidden = hidden_by({});
    model_.async = async_threshold(hidden, model_.detached);
    set_interval(model_.async, [this](const std::vector<GroupWeight>& weights) {
      return async_threshold(hidden_by(weights), model_.detached);
    });
    if (const ModelSeries* late = model_.find(SeriesKind::kLateReceive)) {
      model_.async = narrowed(model_.async, late->breaks);
    }
    model_.async = not_beyond(model_.async, model_.detached);
  }

  [[nodiscard]] JointPoints joint_points(std::span<const GroupWeight> weights) const {
    return {.half_round_trip = points_by(SeriesKind::kRoundTrip, weights),
            .send = points_by(SeriesKind::kSend, weights),
            .late_receive = points_by(SeriesKind::kLateReceive, weights),
            .gap = points_by(SeriesKind::kGap, weights)};
  }

  void fit_joint() {
    JointQuestion joint{.points = joint_points({}),
                        .groups = data_.groups,
                        .confidence = options_.confidence,
                        .min_effect = options_.min_effect};
    for (const std::vector<GroupWeight>& weights : resamples_) {
      joint.resampled.push_back(joint_points(weights));
    }
    const auto begins = [this](SeriesKind kind) {
      const ModelSeries* series = model_.find(kind);
      return series == nullptr ? std::vector<std::uint64_t>() : series->begins_bytes();
    };
    const JointBreaks breaks{.half_round_trip = begins(SeriesKind::kRoundTrip),
                             .send = begins(SeriesKind::kSend),
                             .late_receive = begins(SeriesKind::kLateReceive),
                             .gap = begins(SeriesKind::kGap)};
    model_.joint =
        joint_parameters(joint, joint_shape(joint.points, breaks, model_.detached, model_.async));
  }

  void add_costs() {
    for (const CostInfo& info : all_costs()) {
      const auto found = std::ranges::find(data_.costs, info.operation, &DataCost::operation);
      if (found == data_.costs.end()) continue;
      std::map<std::uint32_t, std::vector<double>> by_group;
      for (const CostObservation& one : found->observations) {
        by_group[one.group].push_back(one.median_ns);
      }
      std::vector<double> values;
      values.reserve(by_group.size());
      for (auto& [group, medians] : by_group) values.push_back(stats::median_in_place(medians));
      if (values.empty()) continue;
      const GroupEstimate mean = mean_over_groups(values, 0, options_.confidence);
      model_.costs.push_back({.operation = std::string(info.operation),
                              .call = std::string(info.call),
                              .time_ns = {.value = mean.value, .interval = mean.interval},
                              .groups = values.size()});
    }
  }

  void warn_of_loose() {
    if (!options_.nearest) return;
    model_.loose = loosely_known(model_.detached, model_.async, model_.series, *options_.nearest);
    if (model_.loose.empty()) return;
    constexpr std::size_t kMostTold = 6;
    model_.warnings.emplace_back(who() + ": " + base::first_items(model_.loose, kMostTold, "; "));
  }

  void warn() {
    warn_of_loose();
    if (model_.control && model_.control->differs) {
      const LatenessControl& control = *model_.control;
      model_.warnings.emplace_back(
          who() + ": receives that came " + base::duration_text(control.later_ns) + " late took " +
              ratio_words(control.ratio.value) + " times what those took that came " +
              base::duration_text(control.lateness_ns) +
              " late: these were not late enough, or lateness itself costs something, and o_r is "
              "as doubtful as that",
          Gravity::kDoubt);
    }
    if (auto stretches = stretches_warning(model_.stretches)) {
      stretches->text = who() + ": " + stretches->text;
      model_.warnings.push_back(std::move(*stretches));
    }
    if (!model_.launches) {
      model_.warnings.emplace_back(
          who() +
          ": there are no launches: intervals are from stretches of time of one run, and say "
          "nothing of what another run would be");
    }
    const ModelSeries* half = model_.find(SeriesKind::kRoundTrip);
    model_.lacking = lacking_of_model(model_.launches, model_.groups,
                                      half == nullptr ? std::vector<SeriesPoint>() : half->points,
                                      model_.held_out);
    for (const std::string& text : model_.lacking) {
      model_.warnings.emplace_back(who() + ": " + text, Gravity::kDoubt);
    }
  }

  const NetworkData& data_;
  const ModelOptions& options_;
  std::vector<GroupWeight> groups_;
  std::vector<std::vector<GroupWeight>> resamples_;
  std::vector<SeriesTimes> times_ = {};
  NetworkModel model_ = {};
};

}  // namespace

const ModelSeries* NetworkModel::find(SeriesKind kind) const {
  const auto found =
      std::ranges::find_if(series, [&](const ModelSeries& one) { return one.key.kind == kind; });
  return found == series.end() ? nullptr : &*found;
}

NetworkModel network_model(const NetworkData& data, const ModelOptions& options) {
  return Modeller(data, options).make();
}

}  // namespace invar::analysis
