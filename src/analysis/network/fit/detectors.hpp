// What other tools' rules call changes of protocol, on the same times (stats/peers): to lay beside
// the pieces.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analysis/network/fit/series_pieces.hpp"

namespace invar::analysis {

// One rule on what it looks at.
struct DetectorRun {
  std::string detector = {};  // "NetGauge", "PLogP", "LoOgGP"
  std::string of = {};        // "gap", "send", ...: what it looks at
  std::size_t sizes = 0;      // that it saw
  // Between these sizes, both of which it saw; ascending.
  std::vector<ByteRange> changes = {};
  std::string missing = {};  // why it could not be asked; empty: it was
};

// NetGauge's of trains, PLogP's of overheads and gaps together, LoOgGP's of each alone.
std::vector<DetectorRun> detector_runs(std::span<const ModelSeries> series);

}  // namespace invar::analysis
