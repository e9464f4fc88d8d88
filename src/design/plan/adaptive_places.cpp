#include "design/plan/adaptive_places.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "base/units.hpp"
#include "design/factors/sizes.hpp"
#include "record/factors.hpp"

namespace invar::design {
namespace {

// Some of these levels stand for the one that the cell has.
bool is_level_of(const record::Factor& factor, const std::vector<std::string>& levels,
                 const record::Cell& cell) {
  return std::ranges::any_of(levels, [&](const std::string& level) {
    std::vector<std::string> all{level};
    if (factor.expand != nullptr) all = factor.expand(level, cell.ranks);
    return std::ranges::any_of(all, [&](const std::string& one) {
      record::Cell with = cell;
      return factor.parse(with, one) && factor.text(with) == factor.text(cell);
    });
  });
}

// The level that a cell has of a factor of which its block says nothing (Resolver::levels_for).
bool is_usual(const Campaign& campaign, const record::Factor& factor,
              const record::OperationInfo& info, const record::Cell& cell) {
  if (factor.in_engine) {
    const auto levels = campaign.engine.levels.find(factor.key);
    return levels == campaign.engine.levels.end() || is_level_of(factor, levels->second, cell);
  }
  if (factor.text(cell) == factor.text(record::Cell())) return true;
  const record::LevelText usual =
      factor.of_operation == nullptr ? record::LevelText() : factor.of_operation(info, cell);
  return usual.text && is_level_of(factor, {*usual.text}, cell);
}

// The block has cells with this one's levels. Those of factors that its operation does not have say
// nothing of it (a window beside ping-pongs).
bool is_of_block(const Campaign& campaign, const CellsBlock& block, const record::Cell& cell,
                 const record::OperationInfo& info) {
  if (cell.scheme != record::kOwnScheme) return false;
  if (std::ranges::find(block.operations, cell.operation) == block.operations.end()) return false;
  return std::ranges::all_of(record::factors(), [&](const record::Factor& factor) {
    if (factor.key.empty() || (factor.applies != nullptr && !factor.applies(info))) return true;
    const auto written = block.levels.find(factor.key);
    if (written != block.levels.end()) return is_level_of(factor, written->second, cell);
    // Numbers of ranks that nobody wrote follow from the machine.
    const bool of_team =
        factor.role == record::FactorRole::kRanks || factor.role == record::FactorRole::kNodes ||
        factor.role == record::FactorRole::kDerived || factor.role == record::FactorRole::kSubject;
    return of_team || is_usual(campaign, factor, info, cell);
  });
}

std::uint64_t element_of(const ResolvedCells& resolved, const record::Cell& cell) {
  const record::DatatypeInfo* type = resolved.operation(cell.operation).datatype(cell.datatype);
  return type == nullptr ? 1 : type->size_bytes;
}

// Those of one combination of levels, by it, in the order of their first cells.
std::vector<std::vector<std::uint32_t>> by_levels(const std::vector<record::Cell>& cells) {
  const std::vector<std::string> others =
      record::levels_but(cells, std::vector{record::find_factor("size_bytes")});
  std::map<std::string, std::size_t> places;
  std::vector<std::vector<std::uint32_t>> all;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const auto [place, is_new] = places.try_emplace(others[i], all.size());
    if (is_new) all.emplace_back();
    all[place->second].push_back(static_cast<std::uint32_t>(i));
  }
  return all;
}

}  // namespace

std::vector<AdaptivePlace> adaptive_places(const Campaign& campaign,
                                           const ResolvedCells& resolved) {
  const std::vector<record::Cell>& cells = resolved.cells;
  const std::vector<std::vector<std::uint32_t>> combinations = by_levels(cells);
  std::vector<AdaptivePlace> places;
  for (const CellsBlock& block : campaign.cells) {
    for (const AdaptiveSizes& asked : block.adaptive) {
      for (const std::vector<std::uint32_t>& members : combinations) {
        const record::Cell& first = cells[members.front()];
        if (!is_of_block(campaign, block, first, resolved.operation(first.operation))) continue;
        AdaptivePlace place{.asked = asked, .element_bytes = element_of(resolved, first)};
        std::set<std::uint64_t> sizes;
        for (const std::uint32_t i : members) {
          const std::uint64_t size_bytes = cells[i].size_bytes.value_or(0);
          const bool inside = size_bytes >= asked.low_bytes && size_bytes <= asked.high_bytes;
          if (inside && sizes.insert(size_bytes).second) place.cells.push_back(cells[i].id);
        }
        // The same levels in another block, at sizes of its own, are none of these. An arm may lack
        // a size or two.
        const std::vector<std::uint64_t> begun = first_sizes(asked, place.element_bytes);
        const auto has = std::ranges::count_if(
            begun, [&](std::uint64_t size_bytes) { return sizes.contains(size_bytes); });
        if (2 * static_cast<std::size_t>(has) < begun.size()) continue;
        std::ranges::sort(place.cells, {}, [&](std::uint32_t id) { return cells[id].size_bytes; });
        const bool known = std::ranges::any_of(places, [&](const AdaptivePlace& other) {
          return other.asked == asked && other.cells == place.cells;
        });
        if (!known) places.push_back(std::move(place));
      }
    }
  }
  return places;
}

namespace {

// What stands in the way of adding cells to families that exist already.
void add_family_conflicts(const Campaign& campaign, const ResolvedCells& resolved,
                          const std::vector<AdaptivePlace>& places, std::vector<Conflict>& found) {
  for (const AdaptivePlace& place : places) {
    const auto in_family = std::ranges::find_if(
        place.cells, [&](std::uint32_t cell) { return !resolved.cells[cell].family.empty(); });
    if (in_family == place.cells.end()) continue;
    const record::Cell& cell = resolved.cells[*in_family];
    const auto family = std::ranges::find(campaign.families, cell.family, &FamilyBlock::name);
    found.push_back({family == campaign.families.end() ? Position{} : family->at,
                     "family '" + cell.family + "' has cells of adaptive sizes (" + cell.operation +
                         "), and those that are added stand in none",
                     "name cells of other blocks, or write a list of sizes"});
  }
}

std::string range_text(const AdaptiveSizes& asked) {
  return base::size_text(asked.low_bytes) + " to " + base::size_text(asked.high_bytes);
}

// Two ranges that share more than an end would choose the same sizes twice, by two tolerances.
void add_overlaps(const Campaign& campaign, const ResolvedCells& resolved,
                  const std::vector<AdaptivePlace>& places, std::vector<Conflict>& found) {
  for (std::size_t i = 0; i < places.size(); ++i) {
    for (std::size_t k = i + 1; k < places.size(); ++k) {
      const auto shared = std::ranges::count_if(places[i].cells, [&](std::uint32_t cell) {
        return std::ranges::find(places[k].cells, cell) != places[k].cells.end();
      });
      if (shared < 2) continue;
      const auto block = std::ranges::find_if(campaign.cells, [&](const CellsBlock& one) {
        return std::ranges::find(one.adaptive, places[k].asked) != one.adaptive.end();
      });
      found.push_back(
          {block == campaign.cells.end() ? Position{} : block->positions.of("size", block->at),
           "adaptive sizes of " + resolved.cells[places[k].cells.front()].operation + " from " +
               range_text(places[i].asked) + " and from " + range_text(places[k].asked) +
               " overlap",
           "write one range, or ranges that share an end at most"});
    }
  }
}

// A level that depends on the size (segments: what is not below the message leaves it whole) cuts
// a curve in two.
void add_settled_levels(const Campaign& campaign, const ResolvedCells& resolved,
                        std::vector<Conflict>& found) {
  for (const CellsBlock& block : campaign.cells) {
    if (block.adaptive.empty()) continue;
    for (const record::Factor& factor : record::factors()) {
      if (factor.settle == nullptr) continue;
      const auto written = block.levels.find(factor.key);
      if (written == block.levels.end()) continue;
      for (const std::string& operation : block.operations) {
        const record::OperationInfo& info = resolved.operation(operation);
        if (factor.applies != nullptr && !factor.applies(info)) continue;
        if (is_level_of(factor, written->second, record::Cell()) && written->second.size() == 1) {
          continue;
        }
        found.push_back({block.positions.of(factor.key, block.at),
                         "the level of '" + std::string(factor.key) + "' depends on the size (" +
                             operation + "), and adaptive sizes are chosen on one curve",
                         "leave '" + std::string(factor.key) + "' out, or write a list of sizes"});
      }
    }
  }
}

}  // namespace

std::vector<Conflict> adaptive_place_conflicts(const Campaign& campaign,
                                               const ResolvedCells& resolved) {
  std::vector<Conflict> found;
  const std::vector<AdaptivePlace> places = adaptive_places(campaign, resolved);
  add_family_conflicts(campaign, resolved, places, found);
  add_overlaps(campaign, resolved, places, found);
  add_settled_levels(campaign, resolved, found);
  return found;
}

}  // namespace invar::design
