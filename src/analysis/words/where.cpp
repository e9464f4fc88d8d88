#include "analysis/words/where.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "analysis/words/words.hpp"
#include "base/units.hpp"

namespace invar::analysis {
namespace {

constexpr std::size_t kFewestForRange = 3;
// More text than this about where something holds is not read.
constexpr std::size_t kLongestNames = 100;

// "allreduce with 4 ranks and datatype int32": the operation, and what else varies.
std::string family_name(const record::Cell& cell, const std::vector<record::Cell>& cells) {
  std::string name = cell.operation;
  std::vector<std::string> others;
  for (const record::Factor& factor : record::factors()) {
    using enum record::FactorRole;
    if (factor.role == kSubject) continue;
    if (!record::tells_cells_apart(factor, cells)) continue;
    const std::string level = factor.text(cell);
    if (level.empty()) continue;
    if (factor.role == kRanks || factor.role == kNodes) {
      const std::string_view one = factor.name.substr(0, factor.name.size() - 1);
      others.push_back(level + " " + std::string(level == "1" ? one : factor.name));
    } else {
      others.push_back(std::string(factor.name) + " " + level);
    }
  }
  if (!others.empty()) name += " with " + list_text(others);
  return name;
}

std::string size_words(const record::Cell& cell) {
  return cell.size_bytes ? base::size_text(*cell.size_bytes) : cell.operation;
}

}  // namespace

CellWords::CellWords(const std::vector<record::Cell>& cells) : cells_(cells) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    const std::string name = family_name(cells_[i], cells_);
    auto known = std::ranges::find(families_, name, &Family::name);
    if (known == families_.end()) {
      families_.push_back({.name = name});
      known = std::prev(families_.end());
    }
    known->cells.push_back(i);
  }
  for (Family& family : families_) {
    std::ranges::stable_sort(family.cells, {}, [&](std::size_t i) { return cells_[i].size_bytes; });
    sizes_vary_ = sizes_vary_ || family.cells.size() > 1;
  }
  // Families of one size each may still differ in it.
  for (const record::Cell& cell : cells_) {
    sizes_vary_ = sizes_vary_ || (cell.size_bytes && cells_.front().size_bytes &&
                                  cell.size_bytes != cells_.front().size_bytes);
  }
}

std::vector<bool> CellWords::chosen(const std::vector<std::size_t>& subset) const {
  std::vector<bool> in(cells_.size(), false);
  for (const std::size_t index : subset) in[index] = true;
  return in;
}

std::vector<std::vector<std::size_t>> CellWords::runs(const Family& family,
                                                      const std::vector<bool>& in) {
  std::vector<std::vector<std::size_t>> found;
  bool open = false;
  for (const std::size_t cell : family.cells) {
    if (in[cell] && !open) found.emplace_back();
    if (in[cell]) found.back().push_back(cell);
    open = in[cell];
  }
  return found;
}

std::vector<std::string> CellWords::run_words(const std::vector<std::size_t>& run) const {
  if (run.size() >= kFewestForRange) {
    return {size_words(cells_[run.front()]) + " to " + size_words(cells_[run.back()])};
  }
  std::vector<std::string> words;
  for (const std::size_t cell : run) words.push_back(size_words(cells_[cell]));
  return words;
}

std::vector<std::string> CellWords::ranges(const Family& family,
                                           const std::vector<bool>& in) const {
  std::vector<std::string> words;
  for (const std::vector<std::size_t>& run : runs(family, in)) {
    for (std::string& word : run_words(run)) words.push_back(std::move(word));
  }
  return words;
}

std::vector<CellWords::Piece> CellWords::pieces(const std::vector<std::size_t>& subset) const {
  const std::vector<bool> in = chosen(subset);
  std::vector<Piece> found;
  for (const Family& family : families_) {
    const bool sized = cells_[family.cells.front()].size_bytes.has_value() && sizes_vary_;
    for (std::vector<std::size_t>& run : runs(family, in)) {
      const std::string sizes = list_text(run_words(run));
      std::string words = sizes;
      if (families_.size() > 1) {
        const bool whole = run.size() == family.cells.size() && run.size() > 1;
        const bool plain = family.name.find(' ') == std::string::npos;
        words = whole    ? "all of " + family.name
                : !sized ? family.name
                : plain  ? family.name + " " + sizes
                         : sizes + " of " + family.name;
      }
      found.push_back({.words = std::move(words), .cells = std::move(run)});
    }
  }
  return found;
}

std::vector<std::string> CellWords::items(const std::vector<std::size_t>& subset) const {
  const std::vector<bool> in = chosen(subset);
  if (families_.size() == 1) return ranges(families_.front(), in);
  const auto whole = [&](const Family& family) {
    return std::ranges::all_of(family.cells, [&](std::size_t i) { return in[i]; });
  };
  const auto touched = [&](const Family& family) {
    return std::ranges::any_of(family.cells, [&](std::size_t i) { return in[i]; });
  };
  // A list of whole families needs no sizes.
  const bool plain = std::ranges::all_of(
      families_, [&](const Family& family) { return whole(family) || !touched(family); });
  std::vector<std::string> words;
  for (const Family& family : families_) {
    if (!touched(family)) continue;
    std::string word = family.name;
    const bool sized = cells_[family.cells.front()].size_bytes.has_value();
    if (sized && sizes_vary_ && !plain) {
      const bool all = whole(family) && family.cells.size() > 1;
      std::string sizes;
      for (const std::string& range : ranges(family, in)) {
        sizes += (sizes.empty() ? "" : ", ") + range;
      }
      word += " (" + (all ? "all sizes" : sizes) + ")";
    }
    words.push_back(std::move(word));
  }
  return words;
}

std::string CellWords::counted(const std::vector<std::size_t>& subset) const {
  const std::vector<bool> in = chosen(subset);
  std::vector<std::string> whole;
  for (const Family& family : families_) {
    if (std::ranges::all_of(family.cells, [&](std::size_t i) { return in[i]; })) {
      whole.push_back(family.name);
    }
  }
  std::string text =
      std::to_string(subset.size()) + " of " + std::to_string(cells_.size()) + " cells";
  if (families_.size() > 1 && !whole.empty() && whole.size() < families_.size()) {
    const std::string names = list_text(whole);
    if (names.size() <= kLongestNames) text += " (all of " + names + ")";
  }
  return text;
}

}  // namespace invar::analysis
