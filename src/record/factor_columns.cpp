#include "record/factor_columns.hpp"

#include "record/algorithms/algorithm_level.hpp"
#include "record/arrival.hpp"
#include "record/operation/distribution.hpp"
#include "record/placement.hpp"
#include "record/scheme.hpp"
#include "record/synchronisation.hpp"

namespace invar::record {
namespace {

constexpr std::string_view kRotating = "rotating";

}  // namespace

std::string size_column(const Cell& cell) {
  return cell.size_bytes ? std::to_string(*cell.size_bytes) : std::string();
}

bool parse_size_column(Cell& cell, std::string_view text) {
  cell.size_bytes = base::parse_u64(text);
  return text.empty() || cell.size_bytes.has_value();
}

std::string root_text(const Cell& cell) {
  return cell.root == kRotatingRoot ? std::string(kRotating) : std::to_string(cell.root);
}

bool parse_root(Cell& cell, std::string_view text) {
  if (text != kRotating) return parse_number<&Cell::root>(cell, text) && cell.root != kRotatingRoot;
  cell.root = kRotatingRoot;
  return true;
}

bool parse_sync(Cell& cell, std::string_view text) {
  cell.sync = text;
  return find_synchronisation(text) != nullptr;
}

bool parse_arrival_column(Cell& cell, std::string_view text) {
  cell.arrival = text;
  return parse_arrival(text).has_value();
}

bool parse_scheme(Cell& cell, std::string_view text) {
  cell.scheme = text;
  return text == kOwnScheme || find_scheme(text) != nullptr;
}

bool parse_distribution_column(Cell& cell, std::string_view text) {
  cell.distribution = text;
  return parse_distribution(text).has_value();
}

bool parse_placement_column(Cell& cell, std::string_view text) {
  cell.placement = text;
  return is_placement(text);
}

bool parse_algorithm_column(Cell& cell, std::string_view text) {
  cell.algorithm = text;
  return is_algorithm_level(text);
}

}  // namespace invar::record
