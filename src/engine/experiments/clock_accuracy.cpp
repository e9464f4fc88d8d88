// The error of every algorithm after its end (paper 002, figures 8, 9 and 10).
#include <algorithm>
#include <optional>
#include <vector>

#include "base/text.hpp"
#include "base/units.hpp"
#include "engine/clocks/tracked_mesh.hpp"
#include "engine/experiments/clock_experiments.hpp"
#include "engine/sync/mpi_sync.hpp"

namespace invar::engine {
namespace {

using base::kPsPerS;

std::int64_t ps(double seconds) { return static_cast<std::int64_t>(seconds * kPsPerS); }

class Accuracy {
 public:
  explicit Accuracy(ClockSetting& setting) : setting_(setting) {}

  // By turns, so that a slow moment of the machine does not hit one of them only.
  void add_trials() {
    for (std::uint32_t i = 1; i <= setting_.spec().repetitions; ++i) {
      for (const clock::Settings& settings : setting_.algorithms()) add_trial(settings, i);
    }
  }

  // When the ranks leave a barrier without clocks, each after the first one. Between clocks that
  // differ mesh says it, to within the bounds that ping-pongs give.
  void add_barriers() {
    std::optional<TrackedMesh> mesh;
    if (!setting_.one_clock()) mesh.emplace(setting_, clock::parse_algorithm("mesh", ""));
    const auto now_ps = [&] {
      return mesh ? mesh->model().to_reference_ps(setting_.clock().now_ps())
                  : setting_.clock().real_ps();
    };
    dissemination_barrier(setting_.world());  // the first one connects
    for (std::uint32_t i = 1; i <= setting_.spec().repetitions; ++i) {
      MPI_Barrier(setting_.world());
      const std::int64_t entry_ps = now_ps();
      dissemination_barrier(setting_.world());
      const std::int64_t exit_ps = now_ps();
      std::int64_t first_ps = 0;
      MPI_Allreduce(&exit_ps, &first_ps, 1, MPI_INT64_T, MPI_MIN, setting_.world());
      const double seconds = setting_.largest(static_cast<double>(exit_ps - entry_ps) / kPsPerS);
      Observation seen;
      if (mesh) seen.half_width_ns = setting_.observe(setting_.clock().real_ps()).half_width_ns;
      add_row(std::string(record::kNoAlgorithm), i, seconds, 0, seen,
              static_cast<double>(exit_ps - first_ps) / 1000, 0, std::nullopt);
    }
  }

  [[nodiscard]] const std::string& csv() const { return csv_; }

  // Once, because it takes as long as the last error is away.
  void add_tracked(const clock::Settings& settings) {
    MPI_Barrier(setting_.world());
    const std::int64_t begin_ps = setting_.clock().real_ps();
    TrackedMesh mesh(setting_, settings);
    const std::int64_t own_end_ps = setting_.clock().real_ps();
    const double seconds = setting_.largest(static_cast<double>(own_end_ps - begin_ps) / kPsPerS);
    const std::int64_t end_ps = setting_.latest_ps(own_end_ps);
    const double interval_s = setting_.spec().interval_s;
    double next_s = interval_s;
    const auto track = [&] {
      setting_.sleep_until(end_ps + ps(next_s));
      mesh.track();
      next_s += interval_s;
    };
    std::vector<double> times_s = setting_.spec().after_s;
    std::sort(times_s.begin(), times_s.end());
    std::vector<Observation> seen;
    std::vector<double> predicted_ns;
    std::vector<double> predicted_stated_ns;
    for (const double after_s : times_s) {
      while (next_s <= after_s) track();
      seen.push_back(setting_.observe(end_ps + ps(after_s)));
      predicted_ns.push_back(
          seen.back().error_ns(mesh.model().to_reference_ps(seen.back().local_ps)));
      predicted_stated_ns.push_back(mesh.stated().half_width_ps(seen.back().local_ps) / 1000);
    }
    // What is smoothed lies between two trackings.
    track();
    const double share = setting_.largest(mesh.busy_s()) / (next_s - interval_s);
    const clock::SmoothedClock smoothed = mesh.smoothed();
    for (std::size_t i = 0; i < seen.size(); ++i) {
      add_row(settings.text() + " tracked", 1, seconds, times_s[i], seen[i], predicted_ns[i], share,
              predicted_stated_ns[i]);
    }
    for (std::size_t i = 0; i < seen.size(); ++i) {
      // A moment before the first look lies outside the smoothed clock.
      const auto reading = smoothed.at(seen[i].local_ps);
      add_row(settings.text() + " smoothed", 1, seconds, times_s[i], seen[i],
              seen[i].error_ns(reading ? reading->reference_ps
                                       : mesh.model().to_reference_ps(seen[i].local_ps)),
              share,
              (reading ? clock::kHalfWidthSigmas * reading->sigma_ps
                       : mesh.stated().half_width_ps(seen[i].local_ps)) /
                  1000);
    }
  }

 private:
  // stated_ns: what the clock says that its error is at most, with 95 %; all ranks have one, or
  // none has.
  void add_row(const std::string& algorithm, std::uint32_t repetition, double seconds,
               double after_s, const Observation& seen, double error_ns, double share,
               std::optional<double> stated_ns) {
    const double mine[3] = {error_ns, seen.half_width_ns, stated_ns.value_or(0)};
    const std::vector<double> all = setting_.gather(mine);
    for (std::size_t rank = 0; 3 * rank < all.size(); ++rank) {
      csv_ += algorithm + ',' + std::to_string(repetition) + ',' + base::shortest_text(seconds) +
              ',' + base::shortest_text(after_s) + ',' + std::to_string(rank) + ',' +
              base::shortest_text(all[3 * rank]) + ',' + base::shortest_text(all[3 * rank + 1]) +
              ',' + base::shortest_text(share) + ',' +
              (stated_ns ? base::shortest_text(all[3 * rank + 2]) : std::string()) + '\n';
    }
  }

  void add_trial(const clock::Settings& settings, std::uint32_t repetition) {
    MPI_Barrier(setting_.world());
    const std::int64_t begin_ps = setting_.clock().real_ps();
    const clock::Synchronised clocks = clock::synchronise(setting_.link(), settings);
    const std::int64_t own_end_ps = setting_.clock().real_ps();
    const double seconds = setting_.largest(static_cast<double>(own_end_ps - begin_ps) / kPsPerS);
    const std::int64_t end_ps = setting_.latest_ps(own_end_ps);
    const clock::Model& model = clocks.models[setting_.rank()];
    for (const double after_s : setting_.spec().after_s) {
      // Where the truth is known, nobody has to wait for that moment: a model says what it says.
      const Observation seen = setting_.observe(end_ps + ps(after_s));
      std::optional<double> stated_ns;
      if (clocks.stated) {
        stated_ns = (*clocks.stated)[setting_.rank()].half_width_ps(seen.local_ps) / 1000;
      }
      add_row(settings.text(), repetition, seconds, after_s, seen,
              seen.error_ns(model.to_reference_ps(seen.local_ps)), 0, stated_ns);
    }
  }

  ClockSetting& setting_;
  std::string csv_ = record::raw_header(record::kRawAccuracy);
};

}  // namespace

std::string clock_accuracy(ClockSetting& setting) {
  Accuracy accuracy(setting);
  accuracy.add_trials();
  if (const auto mesh = setting.mesh()) accuracy.add_tracked(*mesh);
  return accuracy.csv();
}

std::string clock_pareto(ClockSetting& setting) {
  Accuracy accuracy(setting);
  accuracy.add_barriers();
  accuracy.add_trials();
  return accuracy.csv();
}

std::string clock_scaling(ClockSetting& setting) {
  Accuracy accuracy(setting);
  accuracy.add_trials();
  return accuracy.csv();
}

}  // namespace invar::engine
