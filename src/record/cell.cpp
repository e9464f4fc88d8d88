#include "record/cell.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "base/text.hpp"
#include "base/units.hpp"

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

constexpr std::array<Factor, 7> kFactors{{
    {"operation", word<&Cell::operation>, parse_word<&Cell::operation>},
    {"size_bytes", size_column, parse_size_column},
    {"ranks", number_text<&Cell::ranks>, parse_number<&Cell::ranks>},
    {"nodes", number_text<&Cell::nodes>, parse_number<&Cell::nodes>},
    {"root", number_text<&Cell::root>, parse_number<&Cell::root>},
    {"datatype", word<&Cell::datatype>, parse_word<&Cell::datatype>},
    {"reduction", word<&Cell::reduction>, parse_word<&Cell::reduction>},
}};

}  // namespace

std::span<const Factor> factors() { return kFactors; }

bool Cell::same_levels(const Cell& other) const {
  return std::all_of(kFactors.begin(), kFactors.end(), [&](const Factor& factor) {
    return factor.text(*this) == factor.text(other);
  });
}

bool tells_cells_apart(const Factor& factor, std::span<const Cell> cells) {
  if (factor.name == "operation" || factor.name == "size_bytes") return true;
  const bool everywhere = factor.name == "ranks" || factor.name == "nodes";
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

std::string cell_text(const Cell& cell) {
  std::string text = cell.operation;
  if (cell.size_bytes) text += ", " + base::size_text(*cell.size_bytes);
  return text + ", " + base::count_text(cell.ranks, "rank");
}

}  // namespace invar::record
