#include "analysis/pairs/pair_directions.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "analysis/p2p/directions.hpp"

namespace invar::analysis {
namespace {

// Indices into PairTimes::places.
struct BothPlaces {
  std::size_t there = 0;
  std::size_t back = 0;
};

std::vector<BothPlaces> both_places(const store::Data& data, const PatternCells& row,
                                    const std::vector<PairPlace>& places) {
  std::vector<std::size_t> there;
  std::vector<std::size_t> back;
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (!std::ranges::binary_search(row.cells, places[i].cell)) continue;
    const bool goes_back = pattern_of_cell(data, data.cells[places[i].cell]).back;
    (goes_back ? back : there).push_back(i);
  }
  std::vector<BothPlaces> both;
  for (const std::size_t i : there) {
    const record::RankPair& pair = places[i].pair;
    const auto reverse = std::ranges::find_if(back, [&](std::size_t other) {
      return places[other].pair == record::RankPair{pair.to, pair.from};
    });
    if (reverse != back.end()) both.push_back({.there = i, .back = *reverse});
  }
  return both;
}

// A pair's visits in one arm, in both directions.
struct BothVisited {
  const CellVisits& there;
  const CellVisits& back;
  double apart_ns = 0;
};

class RowOfPairs {
 public:
  RowOfPairs(const MeasuredPairs& measured, const std::vector<BothPlaces>& both)
      : decision_(measured.rules.decision) {
    const PairTimes& pairs = measured.pairs;
    for (const BothPlaces& places : both) {
      const double apart_ns =
          std::max(pairs.places[places.there].clocks_ns, pairs.places[places.back].clocks_ns);
      for (const std::uint32_t arm : measured.arms) {
        const CellVisits& there = pairs.table[places.there][arm];
        const CellVisits& back = pairs.table[places.back][arm];
        if (!there.empty() && !back.empty()) visited_.push_back({there, back, apart_ns});
        lacks_some_ = lacks_some_ || there.empty() != back.empty();
      }
    }
  }

  // By as much as anybody asks for, a pair's time in one direction may be the clocks'.
  // Some arm has one direction alone, of which no mean can be made.
  [[nodiscard]] bool lacks_some() const { return lacks_some_; }
  [[nodiscard]] bool clocks_matter() const {
    return std::ranges::any_of(visited_, [this](const BothVisited& both) {
      const double least_ns = std::min(both.there.typical_ns(), both.back.typical_ns());
      return kOffsetsInDifference * both.apart_ns > decision_.min_effect * least_ns;
    });
  }
  // Bonferroni: of many pairs one would differ by chance.
  [[nodiscard]] bool any_differ() const {
    const double confidence = 1 - decision_.alpha / static_cast<double>(visited_.size());
    return std::ranges::any_of(visited_, [&](const BothVisited& both) {
      const DirectionsDiffer differ = there_less_back(both.there, both.back, both.apart_ns);
      return !differ.values.empty() &&
             is_told(differ, mean_over_groups(differ.values, differ.floor, confidence));
    });
  }

 private:
  stats::DecisionRule decision_;
  std::vector<BothVisited> visited_ = {};
  bool lacks_some_ = false;
};

}  // namespace

void join_directions(const store::Data& data, std::span<const PatternCells> rows,
                     MeasuredPairs& measured) {
  PairTimes& pairs = measured.pairs;
  std::vector<std::size_t> joined;
  for (const PatternCells& row : rows) {
    const std::vector<BothPlaces> both = both_places(data, row, pairs.places);
    const RowOfPairs whole(measured, both);
    if (whole.lacks_some() || !whole.clocks_matter() || whole.any_differ()) continue;
    for (const BothPlaces& places : both) {
      for (const std::uint32_t arm : measured.arms) {
        CellVisits& there = pairs.table[places.there][arm];
        there = mean_of_directions(there, pairs.table[places.back][arm]);
      }
      PairPlace& place = pairs.places[places.there];
      place.both_ways = true;
      place.clocks_ns = std::max(place.clocks_ns, pairs.places[places.back].clocks_ns);
      joined.push_back(places.back);
    }
  }
  std::ranges::sort(joined, std::greater<>());
  for (const std::size_t place : joined) {
    pairs.places.erase(pairs.places.begin() + static_cast<std::ptrdiff_t>(place));
    pairs.table.erase(pairs.table.begin() + static_cast<std::ptrdiff_t>(place));
  }
}

}  // namespace invar::analysis
