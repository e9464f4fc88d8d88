// Levels of factors as the texts of columns, in plans and tables, and back: Factor::text and
// Factor::parse for the rows of the table (factors.cpp).
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "base/text.hpp"
#include "record/cell.hpp"

namespace invar::record {

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

// Empty: an operation without a size.
std::string size_column(const Cell& cell);
bool parse_size_column(Cell& cell, std::string_view text);

// "rotating", or a rank.
std::string root_text(const Cell& cell);
bool parse_root(Cell& cell, std::string_view text);

// These are false for a text that is not a level of the factor.
bool parse_sync(Cell& cell, std::string_view text);
bool parse_arrival_column(Cell& cell, std::string_view text);
bool parse_scheme(Cell& cell, std::string_view text);
bool parse_distribution_column(Cell& cell, std::string_view text);
bool parse_placement_column(Cell& cell, std::string_view text);
bool parse_algorithm_column(Cell& cell, std::string_view text);

}  // namespace invar::record
