// A network's model: pieces of lines, thresholds, parameters, and how well they hold. From plain
// numbers alone (docs/methods.md, "The network model").
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/network/fit/checks.hpp"
#include "analysis/network/fit/delayed_trains.hpp"
#include "analysis/network/fit/detectors.hpp"
#include "analysis/network/fit/known_places.hpp"
#include "analysis/network/fit/parameters.hpp"
#include "analysis/network/fit/series_pieces.hpp"
#include "analysis/network/fit/shared_bandwidth.hpp"

namespace invar::analysis {

struct ModelOptions {
  double confidence = 0.95;
  double min_effect = 0.02;
  // Where pieces end, of the analyst's own, for all series: they win. Empty: they are looked for.
  std::vector<double> breaks_bytes = {};
  // What thresholds and breaks should be known to; none: nobody asked for anything.
  std::optional<NearestSizes> nearest = {};
  std::size_t resamples = 399;
  std::uint64_t seed = 1;
};

// What a call without messages costs.
struct CallCost {
  std::string operation = {};  // "wtime"
  std::string call = {};       // "MPI_Wtime"
  ModelEstimate time_ns = {};
  std::size_t groups = 0;
};

struct NetworkModel {
  std::string arm = {};
  std::string place = {};
  std::optional<double> reading_ns = {};  // NetworkData's, like the next
  double step_ns = 0;
  bool launches = true;
  bool inside_host = false;
  std::size_t groups = 0;
  std::vector<ModelSeries> series = {};  // by key, trains and gaps among them
  Threshold detached = {};
  Threshold async = {};
  JointParameters joint = {};
  HeldOut held_out = {};
  std::optional<LatenessControl> control = {};  // none: not measured
  std::optional<DelayedOverhead> delayed = {};  // none: not measured, or no o_s is known
  std::vector<SlowStretch> stretches = {};
  std::vector<DetectorRun> detectors = {};
  std::vector<CallCost> costs = {};
  SharedBandwidth shared = {};  // without points: not measured
  // What it cannot say: no intervals, nothing that was held out. Also warnings.
  std::vector<std::string> lacking = {};
  std::vector<std::string> loose = {};  // loosely_known(): also a warning
  std::vector<Warning> warnings = {};

  // Null: it has none.
  [[nodiscard]] const ModelSeries* find(SeriesKind kind) const;
};

// Throws UserError with every fault: breaks that are out of order or outside of the data, pieces
// between them with fewer than 3 sizes, round trips of too few sizes.
NetworkModel network_model(const NetworkData& data, const ModelOptions& options = {});

}  // namespace invar::analysis
