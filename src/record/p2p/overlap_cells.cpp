#include "record/p2p/overlap_cells.hpp"

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "record/arrival.hpp"
#include "record/p2p/compute_level.hpp"

namespace invar::record {
namespace {

bool computes_nothing(const Cell& cell) { return cell.compute == Cell().compute; }

// By index the family and all levels but what is computed; empty for cells without a family.
std::vector<std::string> calls_of(std::span<const Cell> cells) {
  const Factor* const compute = find_factor("compute");
  std::vector<std::string> calls = levels_but(cells, std::span(&compute, 1));
  for (std::size_t i = 0; i < cells.size(); ++i) {
    calls[i] = cells[i].family.empty() ? std::string() : cells[i].family + '\n' + calls[i];
  }
  return calls;
}

}  // namespace

std::vector<bool> called_in_parts(std::span<const Cell> cells) {
  std::set<std::string_view> families;
  for (const Cell& cell : cells) {
    if (!computes_nothing(cell) && !cell.family.empty()) families.insert(cell.family);
  }
  std::vector<bool> in_parts;
  in_parts.reserve(cells.size());
  for (const Cell& cell : cells) {
    in_parts.push_back(!computes_nothing(cell) || families.count(cell.family) > 0);
  }
  return in_parts;
}

std::vector<std::optional<std::uint32_t>> calls_without_computation(std::span<const Cell> cells) {
  const std::vector<std::string> calls = calls_of(cells);
  std::map<std::string_view, std::uint32_t> plain;
  for (std::uint32_t i = 0; i < cells.size(); ++i) {
    if (computes_nothing(cells[i]) && !calls[i].empty()) plain.try_emplace(calls[i], i);
  }
  std::vector<std::optional<std::uint32_t>> found(cells.size());
  for (std::uint32_t i = 0; i < cells.size(); ++i) {
    if (computes_nothing(cells[i])) {
      found[i] = i;
    } else if (const auto known = plain.find(calls[i]); known != plain.end()) {
      found[i] = known->second;
    }
  }
  return found;
}

bool computes_multiple(const Cell& cell) {
  const auto compute = parse_compute(cell.compute);
  return compute && compute->calls > 0;
}

bool has_multiples(const Cell& cell) {
  const auto arrival = parse_arrival(cell.arrival);
  return (arrival && arrival->amplitude_calls > 0) || computes_multiple(cell);
}

std::vector<OverlapCells> overlap_cells(std::span<const Cell> cells) {
  const std::vector<std::string> calls = calls_of(cells);
  const std::vector<std::optional<std::uint32_t>> plain = calls_without_computation(cells);
  using Level = std::pair<std::string_view, std::string_view>;  // call and computation
  std::map<Level, std::uint32_t> of_level;
  for (std::uint32_t i = 0; i < cells.size(); ++i) {
    of_level.try_emplace(Level(calls[i], cells[i].compute), i);
  }
  std::vector<OverlapCells> found;
  for (std::uint32_t i = 0; i < cells.size(); ++i) {
    const auto compute = parse_compute(cells[i].compute);
    if (!compute || compute->off() || compute->alone || !plain[i]) continue;
    const std::string alone = compute_alone(cells[i].compute);
    const auto computation = of_level.find(Level(calls[i], alone));
    if (computation == of_level.end()) continue;
    found.push_back({.call = *plain[i], .computation = computation->second, .both = i});
  }
  return found;
}

}  // namespace invar::record
