#include "analysis/words/sync_words.hpp"

#include <algorithm>
#include <set>

#include "base/text.hpp"
#include "base/units.hpp"

namespace invar::analysis {
namespace {

std::set<std::uint64_t> amplitudes(std::span<const record::Cell> cells) {
  std::set<std::uint64_t> found;
  for (const record::Cell& cell : cells) found.insert(cell.dither_ns);
  return found;
}

}  // namespace

record::Cell place_of(const record::Cell& cell) {
  record::Cell place = cell;
  place.sync = record::Cell().sync;
  place.dither_ns = record::Cell().dither_ns;
  return place;
}

std::vector<std::vector<std::size_t>> by_place(std::span<const record::Cell> cells) {
  std::vector<std::vector<std::size_t>> places;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const auto known = std::ranges::find_if(places, [&](const std::vector<std::size_t>& place) {
      return place_of(cells[place.front()]).same_levels(place_of(cells[i]));
    });
    if (known == places.end()) {
      places.push_back({i});
    } else {
      known->push_back(i);
    }
  }
  return places;
}

std::string dither_text(const record::Cell& cell) {
  return cell.dither_ns == 0 ? "off" : base::duration_text(static_cast<double>(cell.dither_ns));
}

std::string sync_text(const record::Cell& cell, std::span<const record::Cell> cells) {
  std::set<std::uint64_t> known = amplitudes(cells);
  if (known.size() < 2) return cell.sync;
  if (cell.dither_ns == 0) return cell.sync + " without dither";
  known.erase(0);
  return cell.sync + " with dither" + (known.size() > 1 ? " of " + dither_text(cell) : "");
}

std::vector<std::string> sync_list(std::span<const record::Cell> cells,
                                   const std::vector<bool>& chosen) {
  // A way that is not chosen in one place, and a synchronisation that is not in one way.
  std::set<std::string> refused;
  std::set<std::string> refused_syncs;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (chosen[i]) continue;
    refused.insert(sync_text(cells[i], cells));
    refused_syncs.insert(cells[i].sync);
  }
  std::vector<std::string> names;
  for (const record::Cell& cell : cells) {
    const std::string way = sync_text(cell, cells);
    if (refused.contains(way)) continue;
    const std::string name = refused_syncs.contains(cell.sync) ? way : cell.sync;
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  return names;
}

std::vector<SyncWay> sync_ways(std::span<const record::Cell> cells) {
  std::vector<SyncWay> ways;
  for (const std::vector<std::size_t>& place : by_place(cells)) {
    if (ways.empty()) {
      for (const std::size_t i : place) ways.push_back({.name = sync_text(cells[i], cells)});
    }
    if (place.size() != ways.size()) return {};
    for (SyncWay& way : ways) {
      const auto same = std::ranges::find_if(
          place, [&](std::size_t i) { return sync_text(cells[i], cells) == way.name; });
      if (same == place.end()) return {};
      way.cells.push_back(*same);
    }
  }
  return ways.size() < 2 ? std::vector<SyncWay>{} : ways;
}

}  // namespace invar::analysis
