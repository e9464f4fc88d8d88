#include "analysis/words/best_clause.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>

#include "analysis/words/pair_clause.hpp"
#include "analysis/words/where.hpp"
#include "analysis/words/words.hpp"

namespace invar::analysis {
namespace {

// A longer list is not read: then cells are counted.
constexpr std::size_t kLongestList = 250;
// Where cells are counted: so many winners are named, with so many pieces of all their cells.
constexpr std::size_t kMostWinners = 3;
constexpr std::size_t kMostPieces = 4;

// Arms that cannot be told from each other and are the fastest in these cells.
struct Winners {
  std::vector<std::string> arms = {};
  Subset cells = {};
  std::vector<double> ahead = {};  // of the next, where that is known
  double weight = 0;
};

class BestClause {
 public:
  BestClause(const Comparison& comparison, const std::vector<BestArms>& entries)
      : sides_(sides_of(comparison)), arms_(comparison.against.empty()) {
    for (std::size_t i = 0; i < entries.size(); ++i) add(i, entries[i]);
  }

  [[nodiscard]] std::string text() const {
    if (winners_.empty()) {
      return "No difference found between " + list_text(sides_) + " in " +
             count_text(tied_.size(), "cell");
    }
    std::vector<Subset> subsets;
    for (const Winners& one : winners_) subsets.push_back(one.cells);
    subsets.push_back(tied_);
    const CellWords words(cells_);
    const Places places(words, subsets);
    const std::string begin =
        "Of " + (arms_ ? std::to_string(sides_.size()) + " arms "
                       : "the " + std::to_string(sides_.size()) + " compared ");
    std::vector<std::string> parts;
    for (const Winners& one : winners_) {
      parts.push_back(who(one, parts.empty()) + " " + places.of(one.cells));
    }
    std::string text = begin + list_text(parts, ", ");
    if (!tied_.empty()) text += "; no difference found " + places.of(tied_);
    return places.counted() || text.size() > kLongestList ? begin + most(words) : text;
  }

 private:
  void add(std::size_t index, const BestArms& best) {
    cells_.push_back(best.cell);
    weights_.push_back(best.ahead ? std::log(*best.ahead) : 0);
    // No arm can be told from any other.
    if (best.arms.size() == best.contenders) {
      tied_.push_back(index);
      return;
    }
    auto known = std::ranges::find(winners_, best.arms, &Winners::arms);
    if (known == winners_.end()) {
      winners_.push_back({.arms = best.arms});
      known = std::prev(winners_.end());
    }
    known->cells.push_back(index);
    if (best.ahead) known->ahead.push_back(*best.ahead);
    known->weight += weights_.back();
  }

  // "mpich is 1.2 to 1.8 times faster than the next", and after the first one "openmpi 1.3 times".
  static std::string who(const Winners& one, bool first) {
    const std::string times = one.ahead.empty() ? "" : times_words(one.ahead);
    std::string text = list_text(one.arms, " or ");
    if (first) text += " is";
    if (!times.empty()) text += " " + times;
    return first ? text + " faster than the next" : text;
  }

  // Those who matter most: the sum of what they are ahead, which many cells make large, and much.
  [[nodiscard]] std::string most(const CellWords& words) const {
    std::vector<Winners> sorted = winners_;
    std::ranges::stable_sort(sorted, std::greater(), &Winners::weight);
    const std::size_t told = std::min(kMostWinners, sorted.size());
    std::vector<std::vector<WeighedPiece>> pieces;
    for (std::size_t i = 0; i < told; ++i) {
      pieces.push_back(weighed_pieces(words, sorted[i].cells, weights_));
    }
    const std::vector<std::size_t> named = share_out(pieces);
    std::vector<std::string> parts;
    std::size_t left = cells_.size() - tied_.size();
    for (std::size_t i = 0; i < told; ++i) {
      const std::size_t count = sorted[i].cells.size();
      parts.push_back(who(sorted[i], i == 0) + " in " + std::to_string(count) +
                      (i == 0 ? " of " + count_text(cells_.size(), "cell") : "") +
                      named_pieces(pieces[i], named[i]));
      left -= count;
    }
    std::vector<std::string> rest;
    if (left > 0) rest.push_back("others in " + std::to_string(left));
    if (!tied_.empty()) rest.push_back("no difference found in " + std::to_string(tied_.size()));
    std::string text = list_text(parts, ", ");
    if (!rest.empty()) text += "; " + list_text(rest, ", ");
    return text + "; see the table";
  }

  // How many pieces of each are named: the largest of every one, and then whichever weighs most.
  static std::vector<std::size_t> share_out(const std::vector<std::vector<WeighedPiece>>& pieces) {
    std::vector<std::size_t> named(pieces.size(), 1);
    for (std::size_t count = pieces.size(); count < kMostPieces; ++count) {
      std::size_t next = pieces.size();
      double heaviest = -1;
      for (std::size_t i = 0; i < pieces.size(); ++i) {
        if (named[i] == pieces[i].size() || pieces[i][named[i]].weight <= heaviest) continue;
        heaviest = pieces[i][named[i]].weight;
        next = i;
      }
      if (next == pieces.size()) break;
      ++named[next];
    }
    return named;
  }

  std::vector<std::string> sides_;
  bool arms_;
  std::vector<record::Cell> cells_ = {};
  std::vector<double> weights_ = {};
  std::vector<Winners> winners_ = {};
  Subset tied_ = {};
};

}  // namespace

std::string best_words(const Comparison& comparison, const std::vector<BestArms>& entries) {
  return BestClause(comparison, entries).text();
}

}  // namespace invar::analysis
