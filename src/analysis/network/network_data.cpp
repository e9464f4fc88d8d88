#include "analysis/network/network_data.hpp"

#include <algorithm>

namespace invar::analysis {

const DataSeries* NetworkData::find(const SeriesKey& key) const {
  const auto found = std::ranges::find(series, key, &DataSeries::key);
  return found == series.end() || found->observations.empty() ? nullptr : &*found;
}

}  // namespace invar::analysis
