#include "record/cell.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <stdexcept>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/text.hpp"
#include "base/units.hpp"

namespace invar::record {
bool Cell::same_levels(const Cell& other) const {
  const std::span<const Factor> all = factors();
  return std::all_of(all.begin(), all.end(), [&](const Factor& factor) {
    return factor.text(*this) == factor.text(other);
  });
}

std::optional<std::size_t> counterpart(const Cell& wanted, std::span<const Cell> own,
                                       std::span<const Cell> cells) {
  const auto place_of = [&](const auto& same) {
    return static_cast<std::size_t>(std::ranges::find_if(cells, same) - cells.begin());
  };
  const auto equal = place_of([&](const Cell& cell) { return cell.same_levels(wanted); });
  if (equal < cells.size()) return equal;
  const auto but_for_family = [&](Cell cell) {
    cell.family = wanted.family;
    return cell.same_levels(wanted);
  };
  const bool mutual = std::ranges::count_if(own, but_for_family) == 1 &&
                      std::ranges::count_if(cells, but_for_family) == 1;
  if (!mutual) return std::nullopt;
  return place_of(but_for_family);
}

Cell cell_of_absent_levels(std::uint32_t id) {
  Cell cell{.id = id};
  for (const Factor& factor : factors()) {
    if (factor.absent && !factor.parse(cell, *factor.absent)) {
      throw std::logic_error("an absent level that its factor cannot read");
    }
  }
  return cell;
}

std::vector<const Factor*> written_factors(std::span<const Cell> cells) {
  std::vector<const Factor*> written;
  for (const Factor& factor : factors()) {
    const bool differs =
        !factor.always_written && std::any_of(cells.begin(), cells.end(), [&](const Cell& cell) {
          return factor.text(cell) != factor.absent;
        });
    if (factor.always_written || differs) written.push_back(&factor);
  }
  return written;
}

namespace {

// The same levels stand in several families.
bool families_tell_cells_apart(std::span<const Cell> cells) {
  if (std::none_of(cells.begin(), cells.end(), [](const Cell& c) { return !c.family.empty(); })) {
    return false;
  }
  std::map<std::string, const std::string*> family_of;  // by the other levels
  return std::any_of(cells.begin(), cells.end(), [&](const Cell& cell) {
    std::string levels;
    for (const Factor& factor : factors()) {
      if (factor.role != FactorRole::kFamily) levels += factor.text(cell) + '\n';
    }
    const auto known = family_of.try_emplace(std::move(levels), &cell.family).first;
    return *known->second != cell.family;
  });
}

}  // namespace

bool tells_cells_apart(const Factor& factor, std::span<const Cell> cells) {
  if (factor.role == FactorRole::kSubject) return true;
  if (factor.role == FactorRole::kDerived) return false;
  if (factor.role == FactorRole::kFamily) return families_tell_cells_apart(cells);
  const bool everywhere = factor.applies == nullptr;
  // The level of the first cell of each operation; few operations, so a list is quick enough.
  std::vector<const Cell*> firsts;
  for (const Cell& cell : cells) {
    const auto first = std::find_if(firsts.begin(), firsts.end(), [&](const Cell* other) {
      return everywhere || other->operation == cell.operation;
    });
    if (first == firsts.end()) {
      firsts.push_back(&cell);
    } else if (factor.text(**first) != factor.text(cell)) {
      return true;
    }
  }
  return false;
}

std::vector<Cell> without_sizes(std::span<const Cell> cells) {
  const bool families = families_tell_cells_apart(cells);
  std::vector<Cell> changed(cells.begin(), cells.end());
  for (Cell& cell : changed) {
    cell.size_bytes.reset();
    if (!families) cell.family.clear();
  }
  return changed;
}

namespace {

bool told_if_unusual(const Factor& factor, const Cell& cell) {
  return factor.silent && factor.text(cell) != *factor.silent;
}

// What a text begins with: cells that have the same are told apart by what follows.
std::string subject_text(const Cell& cell) {
  std::string text = cell.operation;
  if (cell.size_bytes) text += ", " + base::size_text(*cell.size_bytes);
  text += ", " + base::count_text(cell.ranks, "rank");
  if (cell.nodes > 1) text += " on " + std::to_string(cell.nodes) + " nodes";
  return text;
}

std::string text_with(const Cell& cell, std::span<const ToldFactor> told) {
  const std::string subject = subject_text(cell);
  std::string text = subject;
  for (const Factor& factor : factors()) {
    const auto apart = std::find_if(told.begin(), told.end(),
                                    [&](const ToldFactor& one) { return one.factor == &factor; });
    const bool tells = apart != told.end() && (!factor.silent || apart->places.count(subject) > 0);
    if (!tells && !told_if_unusual(factor, cell)) continue;
    if (!factor.text(cell).empty()) text += ", " + level_words(factor, cell);
  }
  return text;
}

std::set<std::string> places_where_varies(const Factor& factor, std::span<const Cell> cells) {
  std::map<std::string, std::string> first;  // level, by subject
  std::set<std::string> places;
  for (const Cell& cell : cells) {
    std::string level = factor.text(cell);
    const auto [known, is_new] = first.try_emplace(subject_text(cell), level);
    if (known->second != level) places.insert(known->first);
  }
  return places;
}

std::vector<ToldFactor> telling_apart(std::span<const Cell> cells) {
  std::vector<ToldFactor> told;
  for (const Factor& factor : factors()) {
    const bool always = factor.role == FactorRole::kSubject || factor.role == FactorRole::kRanks ||
                        factor.role == FactorRole::kNodes;
    if (always || !tells_cells_apart(factor, cells)) continue;
    told.push_back({.factor = &factor});
    if (factor.silent) told.back().places = places_where_varies(factor, cells);
  }
  return told;
}

}  // namespace

std::string cell_text(const Cell& cell) { return text_with(cell, {}); }

CellTexts::CellTexts(std::span<const Cell> cells) : told_(telling_apart(cells)) {
  // Our cells are known without what only the visits of other suites have.
  std::vector<Cell> own;
  std::copy_if(cells.begin(), cells.end(), std::back_inserter(own),
               [](const Cell& cell) { return cell.scheme == kOwnScheme; });
  told_of_own_ = own.size() == cells.size() ? told_ : telling_apart(own);
}

std::string CellTexts::operator()(const Cell& cell) const {
  return text_with(cell, cell.scheme == kOwnScheme ? told_of_own_ : told_);
}

std::vector<std::string> levels_but(std::span<const Cell> cells,
                                    std::span<const Factor* const> apart) {
  std::vector<std::string> texts(cells.size());
  for (const Factor& factor : factors()) {
    // Nor does a family that was made for something else.
    const bool family = factor.role == FactorRole::kFamily;
    const bool counts =
        factor.role != FactorRole::kDerived && (!family || tells_cells_apart(factor, cells));
    if (!counts || std::ranges::find(apart, &factor) != apart.end()) continue;
    std::string first;
    for (const Cell& cell : cells) {
      // No size is none, never another operation's; no family likewise.
      if (first.empty() && factor.role != FactorRole::kSubject && !family) {
        first = factor.text(cell);
      }
    }
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::string level = factor.text(cells[i]);
      texts[i] += (level.empty() ? first : level) + '\n';
    }
  }
  return texts;
}

std::vector<std::uint32_t> reading_order(std::span<const Cell> cells) {
  // Numbers of operations, and of what is alike but for its size, by their first cells.
  std::map<std::string_view, std::size_t> operations;
  std::map<std::string_view, std::size_t> places;
  const std::vector<std::string> others =
      levels_but(cells, std::vector{find_factor("size_bytes"), find_factor("family")});
  using Key = std::tuple<std::size_t, std::size_t, std::optional<std::uint64_t>>;
  std::vector<Key> keys;
  keys.reserve(cells.size());
  for (std::size_t i = 0; i < cells.size(); ++i) {
    keys.emplace_back(operations.try_emplace(cells[i].operation, operations.size()).first->second,
                      places.try_emplace(others[i], places.size()).first->second,
                      cells[i].size_bytes);
  }
  std::vector<std::uint32_t> order(cells.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return keys[a] < keys[b]; });
  return order;
}

}  // namespace invar::record
