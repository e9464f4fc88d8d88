#include "record/cell.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <map>
#include <vector>

#include "base/text.hpp"
#include "base/units.hpp"
#include "record/arrival.hpp"
#include "record/placement.hpp"
#include "record/scheme.hpp"

namespace invar::record {
namespace {

template <std::uint32_t Cell::*Member>
std::string number_text(const Cell& cell) {
  return std::to_string(cell.*Member);
}

template <std::uint32_t Cell::*Member>
bool parse_number(Cell& cell, std::string_view text) {
  const auto number = base::parse_u64(text);
  if (!number || *number > std::numeric_limits<std::uint32_t>::max()) return false;
  cell.*Member = static_cast<std::uint32_t>(*number);
  return true;
}

template <std::string Cell::*Member>
std::string word(const Cell& cell) {
  return cell.*Member;
}

template <std::string Cell::*Member>
bool parse_word(Cell& cell, std::string_view text) {
  cell.*Member = text;
  return true;
}

std::string size_column(const Cell& cell) {
  return cell.size_bytes ? std::to_string(*cell.size_bytes) : std::string();
}

bool parse_size_column(Cell& cell, std::string_view text) {
  cell.size_bytes = base::parse_u64(text);
  return text.empty() || cell.size_bytes.has_value();
}

template <std::uint64_t Cell::*Member>
std::string wide_number_text(const Cell& cell) {
  return std::to_string(cell.*Member);
}

template <std::uint64_t Cell::*Member>
bool parse_wide_number(Cell& cell, std::string_view text) {
  const auto number = base::parse_u64(text);
  if (number) cell.*Member = *number;
  return number.has_value();
}

constexpr std::string_view kRotating = "rotating";

std::string root_text(const Cell& cell) {
  return cell.root == kRotatingRoot ? std::string(kRotating) : std::to_string(cell.root);
}

bool parse_root(Cell& cell, std::string_view text) {
  if (text != kRotating) return parse_number<&Cell::root>(cell, text) && cell.root != kRotatingRoot;
  cell.root = kRotatingRoot;
  return true;
}

bool parse_arrival_column(Cell& cell, std::string_view text) {
  cell.arrival = text;
  return parse_arrival(text).has_value();
}

bool parse_scheme(Cell& cell, std::string_view text) {
  cell.scheme = text;
  return text == kOwnScheme || find_scheme(text) != nullptr;
}

bool parse_placement_column(Cell& cell, std::string_view text) {
  cell.placement = text;
  return is_placement(text);
}

constexpr std::array<Factor, 21> kFactors{{
    {"operation", word<&Cell::operation>, parse_word<&Cell::operation>},
    {"size_bytes", size_column, parse_size_column},
    {"ranks", number_text<&Cell::ranks>, parse_number<&Cell::ranks>},
    {"nodes", number_text<&Cell::nodes>, parse_number<&Cell::nodes>},
    {"ppn", number_text<&Cell::ppn>, parse_number<&Cell::ppn>},
    {"mapping", word<&Cell::mapping>, parse_word<&Cell::mapping>},
    {"rank_order", word<&Cell::rank_order>, parse_word<&Cell::rank_order>},
    {"root", root_text, parse_root},
    {"datatype", word<&Cell::datatype>, parse_word<&Cell::datatype>},
    {"reduction", word<&Cell::reduction>, parse_word<&Cell::reduction>},
    {"in_place", word<&Cell::in_place>, parse_word<&Cell::in_place>},
    {"topology", word<&Cell::topology>, parse_word<&Cell::topology>},
    {"cache", word<&Cell::cache>, parse_word<&Cell::cache>},
    {"placement", word<&Cell::placement>, parse_placement_column},
    {"sync", word<&Cell::sync>, parse_word<&Cell::sync>},
    {"arrival", word<&Cell::arrival>, parse_arrival_column},
    {"clock", word<&Cell::clock>, parse_word<&Cell::clock>},
    {"dither_ns", wide_number_text<&Cell::dither_ns>, parse_wide_number<&Cell::dither_ns>},
    {"delay_ns", wide_number_text<&Cell::delay_ns>, parse_wide_number<&Cell::delay_ns>},
    {"scheme", word<&Cell::scheme>, parse_scheme},
    {"family", word<&Cell::family>, parse_word<&Cell::family>},
}};

constexpr const Factor& kFamily = kFactors.back();

// The same levels stand in several families.
bool families_tell_cells_apart(std::span<const Cell> cells) {
  if (std::none_of(cells.begin(), cells.end(), [](const Cell& c) { return !c.family.empty(); })) {
    return false;
  }
  std::map<std::string, const std::string*> family_of;  // by the other levels
  return std::any_of(cells.begin(), cells.end(), [&](const Cell& cell) {
    std::string levels;
    for (const Factor& factor : kFactors) {
      if (&factor != &kFamily) levels += factor.text(cell) + '\n';
    }
    const auto known = family_of.try_emplace(std::move(levels), &cell.family).first;
    return *known->second != cell.family;
  });
}

}  // namespace

std::span<const Factor> factors() { return kFactors; }

std::vector<const Factor*> written_factors(std::span<const Cell> cells) {
  const bool families =
      std::any_of(cells.begin(), cells.end(), [](const Cell& c) { return !c.family.empty(); });
  std::vector<const Factor*> written;
  for (const Factor& factor : kFactors) {
    if (&factor != &kFamily || families) written.push_back(&factor);
  }
  return written;
}

const Factor* find_factor(std::string_view name) {
  const auto found = std::find_if(kFactors.begin(), kFactors.end(),
                                  [&](const Factor& factor) { return factor.name == name; });
  return found == kFactors.end() ? nullptr : &*found;
}

bool Cell::same_levels(const Cell& other) const {
  return std::all_of(kFactors.begin(), kFactors.end(), [&](const Factor& factor) {
    return factor.text(*this) == factor.text(other);
  });
}

bool tells_cells_apart(const Factor& factor, std::span<const Cell> cells) {
  if (factor.name == "operation" || factor.name == "size_bytes") return true;
  if (factor.name == "ppn") return false;  // follows from ranks and nodes
  if (factor.name == kFamily.name) return families_tell_cells_apart(cells);
  // The others follow from the operation where nobody chose them.
  constexpr std::array<std::string_view, 5> kOfOperation{"root", "datatype", "reduction",
                                                         "in_place", "topology"};
  const bool everywhere =
      std::find(kOfOperation.begin(), kOfOperation.end(), factor.name) == kOfOperation.end();
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

// "root 0", "rank order reversed", "dither 1000 ns", "in place".
std::string level_text(const Factor& factor, const Cell& cell) {
  std::string level = factor.text(cell);
  if (factor.name == "in_place") return level == "yes" ? "in place" : "not in place";
  if (factor.name == "dither_ns") return "dither " + level + " ns";
  if (factor.name == "delay_ns") return "planted delay " + level + " ns";
  std::string words(factor.name);
  std::replace(words.begin(), words.end(), '_', ' ');
  return words + ' ' + level;
}

// Levels of all factors that are told wherever they are not the usual ones.
bool told_if_unusual(const Factor& factor, const Cell& cell) {
  static const Cell usual;
  if (factor.name == "in_place") return cell.in_place == "yes";
  constexpr std::array<std::string_view, 9> kNames{"mapping",  "rank_order", "root",
                                                   "topology", "cache",      "placement",
                                                   "arrival",  "delay_ns",   "scheme"};
  return std::find(kNames.begin(), kNames.end(), factor.name) != kNames.end() &&
         factor.text(cell) != factor.text(usual);
}

std::string text_with(const Cell& cell, std::span<const Factor* const> told) {
  std::string text = cell.operation;
  if (cell.size_bytes) text += ", " + base::size_text(*cell.size_bytes);
  text += ", " + base::count_text(cell.ranks, "rank");
  if (cell.nodes > 1) text += " on " + std::to_string(cell.nodes) + " nodes";
  for (const Factor& factor : kFactors) {
    const bool varies = std::find(told.begin(), told.end(), &factor) != told.end();
    if (!varies && !told_if_unusual(factor, cell)) continue;
    if (!factor.text(cell).empty()) text += ", " + level_text(factor, cell);
  }
  return text;
}

std::vector<const Factor*> telling_apart(std::span<const Cell> cells) {
  constexpr std::array<std::string_view, 4> kAlways{"operation", "size_bytes", "ranks", "nodes"};
  std::vector<const Factor*> told;
  for (const Factor& factor : kFactors) {
    const bool always = std::find(kAlways.begin(), kAlways.end(), factor.name) != kAlways.end();
    if (!always && tells_cells_apart(factor, cells)) told.push_back(&factor);
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

}  // namespace invar::record
