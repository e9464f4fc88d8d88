// mesh over a minute: its first model, the prediction from the last tracking (what starts
// repetitions) and the smoothed clock (what results use).
#include <algorithm>
#include <cmath>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "engine/clocks/tracked_mesh.hpp"
#include "engine/experiments/clock_experiments.hpp"

namespace invar::engine {
namespace {

using base::kPsPerS;
// Exact errors cost nothing; measured ones take ping-pongs with every rank.
constexpr double kKnownStepS = 0.01;
constexpr double kMeasuredStepS = 0.2;

}  // namespace

std::string clock_tracking(ClockSetting& setting) {
  const auto settings = setting.mesh();
  if (!settings) throw base::UserError("clocks.spec", "tracking needs mesh");
  const double interval_s = setting.spec().interval_s;
  const double step_s =
      setting.one_clock() ? kKnownStepS : std::min(kMeasuredStepS, interval_s / 2);
  TrackedMesh mesh(setting, *settings);
  const clock::Model first = mesh.model();
  const std::int64_t begin_ps = setting.latest_ps(setting.clock().real_ps());
  const auto at_ps = [&](double seconds) {
    return begin_ps + static_cast<std::int64_t>(seconds * kPsPerS);
  };
  std::vector<Observation> seen;
  // seconds, untracked, predicted, smoothed, sigma, half width: what all ranks agree on is the
  // largest.
  constexpr std::size_t kColumns = 6;
  std::vector<double> rows;
  const auto epochs = static_cast<int>(std::floor(setting.spec().duration_s / interval_s + 1e-9));
  for (int epoch = 1; epoch <= epochs; ++epoch) {
    for (int i = 0;; ++i) {
      const double seconds = (epoch - 1) * interval_s + i * step_s;
      if (seconds >= epoch * interval_s - 1e-9) break;
      const Observation now = setting.observe(at_ps(seconds));
      const auto error_ns = [&](const clock::Model& model) {
        return std::abs(now.error_ns(model.to_reference_ps(now.local_ps)));
      };
      seen.push_back(now);
      rows.insert(rows.end(),
                  {seconds, error_ns(first), error_ns(mesh.model()), 0, 0, now.half_width_ns});
    }
    setting.sleep_until(at_ps(epoch * interval_s));
    mesh.track();
  }
  const clock::SmoothedClock smoothed = mesh.smoothed();
  for (std::size_t i = 0; i < seen.size(); ++i) {
    const auto reading = smoothed.at(seen[i].local_ps);
    if (!reading) continue;
    rows[kColumns * i + 3] = std::abs(seen[i].error_ns(reading->reference_ps));
    rows[kColumns * i + 4] = reading->sigma_ps / 1000;
  }
  std::vector<double> all(rows.size());
  MPI_Reduce(rows.data(), all.data(), static_cast<int>(rows.size()), MPI_DOUBLE, MPI_MAX, 0,
             setting.world());
  const double share = setting.largest(mesh.busy_s()) / (epochs * interval_s);
  std::string csv = record::raw_header(record::kRawTracking);
  for (std::size_t i = 0; i < seen.size(); ++i) {
    for (std::size_t column = 0; column < kColumns; ++column) {
      csv += base::shortest_text(all[kColumns * i + column]) + ',';
    }
    csv += base::shortest_text(share) + '\n';
  }
  return csv;
}

}  // namespace invar::engine
