#include "design/plan/adaptive_places.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "design/factors/sizes.hpp"
#include "record/factors.hpp"

namespace invar::design {
namespace {

// The block has cells with this one's levels. Those of factors that its operation does not have say
// nothing of it (a window beside ping-pongs).
bool is_of_block(const CellsBlock& block, const record::Cell& cell,
                 const record::OperationInfo& info) {
  if (cell.scheme != record::kOwnScheme) return false;
  if (std::ranges::find(block.operations, cell.operation) == block.operations.end()) return false;
  return std::ranges::all_of(block.levels, [&](const auto& written) {
    const record::Factor& factor = *record::find_factor_by_key(written.first);
    if (factor.applies != nullptr && !factor.applies(info)) return true;
    return std::ranges::any_of(written.second, [&](const std::string& level) {
      std::vector<std::string> all{level};
      if (factor.expand != nullptr) all = factor.expand(level, cell.ranks);
      return std::ranges::any_of(all, [&](const std::string& one) {
        record::Cell with = cell;
        return factor.parse(with, one) && factor.text(with) == factor.text(cell);
      });
    });
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
        if (!is_of_block(block, first, resolved.operation(first.operation))) continue;
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

std::vector<Conflict> adaptive_place_conflicts(const Campaign& campaign,
                                               const ResolvedCells& resolved) {
  std::vector<Conflict> found;
  for (const AdaptivePlace& place : adaptive_places(campaign, resolved)) {
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
  return found;
}

}  // namespace invar::design
