#include "analysis/words/pair_clause.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "analysis/words/words.hpp"
#include "base/text.hpp"

namespace invar::analysis {
namespace {

using stats::Verdict;

// More items than this are counted instead of listed.
constexpr std::size_t kMostItems = 7;
constexpr std::size_t kMostArmsNamed = 3;
// Items that are counted: the first ones are named all the same.
constexpr std::size_t kMostNamed = 2;
// Where many factors vary, names are longer than a sentence bears.
constexpr std::size_t kLongestPieces = 100;

// How two arms are spoken of. Everything that depends on whether they are of one campaign, of two
// or of two sides of sessions is here.
class Names {
 public:
  Names(const ComparedCell& row, const Comparison& comparison)
      : a_(row.arm_a),
        b_(row.arm_b),
        kind_(comparison.sessions.empty() ? "campaign" : "sessions"),
        less_(row.of_times() ? "shorter" : "faster"),
        one_of_several_(std::ranges::any_of(comparison.cells, [&](const ComparedCell& other) {
          return other.arm_a != row.arm_a || other.arm_b != row.arm_b;
        })) {
    const std::vector<std::string>& campaigns = comparison.campaigns;
    if (campaigns.size() != 2) return;
    campaign_a_ = campaigns[0];
    campaign_b_ = campaigns[1];
    for (const auto& [label, campaign] : {std::pair(&a_, &campaign_a_), {&b_, &campaign_b_}}) {
      if (label->ends_with("@" + *campaign)) label->resize(label->size() - campaign->size() - 1);
    }
  }

  [[nodiscard]] bool two_campaigns() const { return !campaign_a_.empty(); }

  // "openmpi is 1.1 to 3.2 times faster", and than whom, if there is more than one pair; `first`:
  // A is.
  [[nodiscard]] std::string faster(bool first, const std::string& times) const {
    const std::string how = times + less_;
    if (!two_campaigns()) {
      const std::string than = one_of_several_ ? " than " + (first ? b_ : a_) : std::string();
      return (first ? a_ : b_) + " is " + how + than;
    }
    const std::string& here = first ? campaign_a_ : campaign_b_;
    const std::string& there = first ? campaign_b_ : campaign_a_;
    if (a_ == b_) return a_ + " was " + how + " in " + kind_ + " " + here + " than in " + there;
    return (first ? a_ : b_) + " in " + kind_ + " " + here + " was " + how + " than " +
           (first ? b_ : a_) + " in " + there;
  }

  // A gate says "new is more than 5 % slower than old", "new against old is undecided".
  [[nodiscard]] std::string is_than(const std::string& relation) const {
    if (!two_campaigns()) return b_ + " is " + relation + " than " + a_;
    if (a_ == b_) {
      return a_ + " is " + relation + " in " + kind_ + " " + campaign_b_ + " than in " +
             campaign_a_;
    }
    return b_ + " in " + kind_ + " " + campaign_b_ + " is " + relation + " than " + a_ + " in " +
           campaign_a_;
  }
  [[nodiscard]] std::string against_is(const std::string& what) const {
    if (!two_campaigns()) return b_ + " against " + a_ + " is " + what;
    return b_ + " in " + kind_ + " " + campaign_b_ + " against " + (a_ == b_ ? "" : a_ + " in ") +
           campaign_a_ + " is " + what;
  }

  // The other way round, after that.
  [[nodiscard]] std::string but_slower(const std::string& times) const {
    return two_campaigns() ? ", " + times + "slower " : ", " + b_ + " " + times;
  }

  [[nodiscard]] std::string are_equivalent(const std::string& within) const {
    const std::string how = "equivalent within " + within;
    if (!two_campaigns()) return a_ + " and " + b_ + " are " + how;
    if (a_ == b_) {
      return a_ + " was " + how + " in " + kinds() + " " + campaign_a_ + " and " + campaign_b_;
    }
    return a_ + " in " + kind_ + " " + campaign_a_ + " and " + b_ + " in " + campaign_b_ +
           " were " + how;
  }

  [[nodiscard]] std::string no_difference() const {
    const std::string text = "No difference found ";
    if (!two_campaigns()) return text + "between " + a_ + " and " + b_;
    if (a_ == b_) {
      return text + "for " + a_ + " between " + kinds() + " " + campaign_a_ + " and " + campaign_b_;
    }
    return text + "between " + a_ + " in " + kind_ + " " + campaign_a_ + " and " + b_ + " in " +
           campaign_b_;
  }

  // A test with a direction: A is faster (`first`), or slower.
  [[nodiscard]] std::string not_shown(bool first) const {
    const std::string text = "Not shown that ";
    if (two_campaigns()) return text + faster(first, "");
    return text + a_ + " is " + (first ? "faster" : "slower") + " than " + b_;
  }

  [[nodiscard]] std::string took(const std::string& times) const {
    if (!two_campaigns()) return b_ + " took " + times + " times as long as " + a_;
    if (a_ == b_) {
      return a_ + " took " + times + " times as long in " + kind_ + " " + campaign_b_ + " as in " +
             campaign_a_;
    }
    return b_ + " in " + kind_ + " " + campaign_b_ + " took " + times + " times as long as " + a_ +
           " in " + campaign_a_;
  }

  // Between what was found and the rest. Clauses of several pairs are told apart by semicolons.
  [[nodiscard]] bool in_a_list() const { return two_campaigns() || one_of_several_; }
  [[nodiscard]] const char* then() const { return in_a_list() ? ", " : "; "; }

 private:
  [[nodiscard]] std::string kinds() const { return kind_ == "campaign" ? "campaigns" : kind_; }

  std::string a_;
  std::string b_;
  std::string kind_;  // of what stands on the sides: "campaign", "sessions"
  std::string less_;  // one takes less time: arms are faster, times shorter
  bool one_of_several_;
  std::string campaign_a_ = {};
  std::string campaign_b_ = {};
};

// One pair of arms over its cells.
class PairClause {
 public:
  PairClause(const std::vector<ComparedCell>& rows, const Comparison& comparison)
      : rows_(rows),
        min_effect_(percent_text(comparison.min_effect)),
        gate_(comparison.gate),
        alternative_(comparison.alternative),
        same_arm_(comparison.same_arm),
        units_(comparison.sessions.empty() ? "launches" : "sessions"),
        names_(rows.front(), comparison) {
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      by_verdict_[rows_[i].verdict.value_or(Verdict::kUndecided)].push_back(i);
    }
  }

  [[nodiscard]] std::string text() const {
    if (std::ranges::all_of(rows_, &ComparedCell::this_launch_only)) return one_launch();
    std::vector<record::Cell> cells;
    for (const ComparedCell& row : rows_) cells.push_back(row.cell);
    const CellWords words(cells);
    const Places places(words,
                        {of(Verdict::kFaster), of(Verdict::kSlower), of(Verdict::kEquivalent),
                         of(Verdict::kUndecided), of(Verdict::kViolated), of(Verdict::kHolds)});
    if (gate_) return through_gate(places);
    if (of(Verdict::kFaster).empty() && of(Verdict::kSlower).empty()) {
      return no_difference(places);
    }
    return difference(places);
  }

 private:
  [[nodiscard]] Subset of(Verdict verdict) const {
    const auto found = by_verdict_.find(verdict);
    return found == by_verdict_.end() ? Subset() : found->second;
  }

  [[nodiscard]] std::string one_launch() const {
    std::string text = names_.two_campaigns() ? "One launch each yields no verdict"
                                              : "One launch group yields no verdict";
    double least = 0;
    double most = 0;
    for (const ComparedCell& row : rows_) {
      if (!row.ratio) continue;
      least = least == 0 ? *row.ratio : std::min(least, *row.ratio);
      most = std::max(most, *row.ratio);
    }
    if (most == 0) return text;
    std::string times = ratio_words(least);
    if (times != ratio_words(most)) times += " to " + ratio_words(most);
    return text + (names_.two_campaigns() ? "; " : "; in it ") + names_.took(times);
  }

  // "equivalent within 2 % for 4 KiB, undecided for 64 KiB"
  [[nodiscard]] std::string rest(const Places& places) const {
    std::vector<std::string> parts;
    if (!of(Verdict::kEquivalent).empty()) {
      parts.push_back("equivalent within " + min_effect_ + " " +
                      places.of(of(Verdict::kEquivalent)));
    }
    if (!of(Verdict::kUndecided).empty()) {
      parts.push_back((one_sided() ? "not shown " : "undecided ") +
                      places.of(of(Verdict::kUndecided)));
    }
    return list_text(parts, ", ");
  }

  // What is found where nothing is may be a difference in the other direction.
  [[nodiscard]] bool one_sided() const { return alternative_ != stats::Alternative::kTwoSided; }

  [[nodiscard]] std::string no_difference(const Places& places) const {
    if (one_sided()) {
      return names_.not_shown(alternative_ == stats::Alternative::kLess) + " in " +
             count_text(rows_.size(), "cell");
    }
    if (of(Verdict::kUndecided).empty() && !same_arm_) {
      return names_.are_equivalent(min_effect_) + " " + places.of(of(Verdict::kEquivalent));
    }
    const std::string text = names_.no_difference() + " in " + count_text(rows_.size(), "cell");
    const std::string found = what_instead(places);
    return names_.in_a_list() ? text + " (" + found + ")" : text + "; " + found;
  }

  [[nodiscard]] std::string what_instead(const Places& places) const {
    const std::string all = rows_.size() == 1 ? "" : "all ";
    if (of(Verdict::kUndecided).empty()) return all + "equivalent within " + min_effect_;
    if (of(Verdict::kEquivalent).empty()) return all + "undecided, " + what_would_help();
    return rest(places);
  }

  // No number of launches tells more than a program prints.
  [[nodiscard]] std::string what_would_help() const {
    const bool coarse = std::ranges::all_of(of(Verdict::kUndecided), [&](std::size_t i) {
      return rows_[i].ratio && rows_[i].rounding > 0 &&
             std::abs(std::log(*rows_[i].ratio)) <= rows_[i].rounding;
    });
    return coarse ? "nearer than the steps in which programs print"
                  : std::string("take more ") + units_;
  }

  // "new is more than 5 % slower than old (1.1 to 1.3 times as long) for 8 B, at most 5 % slower
  // for 4 KiB, undecided for 64 KiB"
  [[nodiscard]] std::string through_gate(const Places& places) const {
    std::vector<std::string> parts;
    const std::string margin = percent_text(*gate_) + " slower";
    const auto add = [&](Verdict verdict, const std::string& relation, bool takes) {
      const Subset found = of(verdict);
      if (found.empty()) return;
      std::string how = relation;
      if (parts.empty()) how = takes ? names_.is_than(relation) : names_.against_is(relation);
      if (verdict == Verdict::kViolated) how += " (" + times_as_long(found) + ")";
      parts.push_back(how + " " + places.of(found));
    };
    add(Verdict::kViolated, "more than " + margin, true);
    add(Verdict::kHolds, "at most " + margin, true);
    add(Verdict::kUndecided, "undecided", false);
    std::string text = list_text(parts, ", ");
    if (same_arm_ && !of(Verdict::kViolated).empty()) text += ", although both are the same arm";
    return text;
  }

  // "1.1 to 1.3 times as long"
  [[nodiscard]] std::string times_as_long(const Subset& cells) const {
    std::vector<double> times;
    for (const std::size_t i : cells) {
      if (rows_[i].ratio) times.push_back(*rows_[i].ratio);
    }
    return times.empty() ? "longer" : times_words(times) + " as long";
  }

  [[nodiscard]] std::string difference(const Places& places) const {
    const Subset faster = of(Verdict::kFaster);
    const Subset slower = of(Verdict::kSlower);
    std::string text;
    std::vector<double> weights;
    for (const ComparedCell& row : rows_) {
      weights.push_back(row.ratio ? std::abs(std::log(*row.ratio)) : 0);
    }
    if (!faster.empty()) {
      text = names_.faster(true, times_of(faster)) + " " + places.of(faster, weights);
    }
    if (!slower.empty()) {
      text += faster.empty() ? names_.faster(false, times_of(slower)) + " "
                             : names_.but_slower(times_of(slower));
      text += places.of(slower, weights);
    }
    const std::string others = rest(places);
    if (!others.empty()) text += names_.then() + others;
    if (same_arm_) text += ", although both are the same arm";
    return text;
  }

  // "1.1 to 3.2 times ": how much less time the faster one takes in these cells.
  [[nodiscard]] std::string times_of(const Subset& cells) const {
    std::vector<double> times;
    for (const std::size_t i : cells) {
      if (rows_[i].ratio) times.push_back(std::max(*rows_[i].ratio, 1 / *rows_[i].ratio));
    }
    return times.empty() ? std::string() : times_words(times) + " ";
  }

  const std::vector<ComparedCell>& rows_;
  std::string min_effect_;
  std::optional<double> gate_;
  stats::Alternative alternative_;
  bool same_arm_;
  const char* units_;
  Names names_;
  std::map<Verdict, Subset> by_verdict_ = {};
};

}  // namespace

Places::Places(const CellWords& words, const std::vector<Subset>& subsets) : words_(words) {
  std::size_t items = 0;
  for (const Subset& subset : subsets) {
    if (subset.size() < words.count()) items += words.items(subset).size();
  }
  counted_ = items > kMostItems;
}

std::string Places::of(const Subset& subset) const {
  const std::vector<std::string> items = words_.items(subset);
  if (subset.size() == words_.count() && items.size() > 2) {
    return "in all " + count_text(subset.size(), "cell");
  }
  if (counted_) return "in " + words_.counted(subset);
  return "for " + list_text(items);
}

std::string Places::of(const Subset& subset, const std::vector<double>& weights) const {
  if (!counted_ || subset.size() == words_.count()) return of(subset);
  return "in " + std::to_string(subset.size()) + " of " + count_text(words_.count(), "cell") +
         named_pieces(weighed_pieces(words_, subset, weights), kMostNamed);
}

std::vector<WeighedPiece> weighed_pieces(const CellWords& words, const Subset& subset,
                                         const std::vector<double>& weights) {
  std::vector<WeighedPiece> found;
  for (CellWords::Piece& piece : words.pieces(subset)) {
    double weight = 0;
    for (const std::size_t cell : piece.cells) weight += weights.at(cell);
    found.push_back({.words = std::move(piece.words), .weight = weight});
  }
  std::ranges::stable_sort(found, std::greater(), &WeighedPiece::weight);
  return found;
}

std::string named_pieces(const std::vector<WeighedPiece>& pieces, std::size_t most) {
  std::vector<std::string> names;
  std::size_t length = 0;
  for (const WeighedPiece& piece : pieces) {
    length += piece.words.size();
    if (names.size() == most || length > kLongestPieces) break;
    names.push_back(piece.words);
  }
  if (names.empty()) return {};
  if (names.size() < pieces.size()) names.emplace_back("...");
  return " (" + base::join(names, ", ") + ")";
}

std::string pair_words(const std::vector<ComparedCell>& rows, const Comparison& comparison) {
  return PairClause(rows, comparison).text();
}

std::string gate_of_several(const std::vector<std::vector<ComparedCell>>& pairs,
                            const Comparison& comparison) {
  std::vector<record::Cell> cells;
  const auto place_of_row = [&](const ComparedCell& row) {
    const auto known = std::ranges::find_if(
        cells, [&](const record::Cell& cell) { return cell.same_levels(row.cell); });
    return static_cast<std::size_t>(known - cells.begin());
  };
  for (const std::vector<ComparedCell>& rows : pairs) {
    for (const ComparedCell& row : rows) {
      if (place_of_row(row) == cells.size()) cells.push_back(row.cell);
    }
  }
  std::size_t all = 0;
  std::size_t passed = 0;
  std::vector<double> times;
  std::vector<Subset> failed(pairs.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    for (const ComparedCell& row : pairs[i]) {
      ++all;
      passed += row.verdict == Verdict::kHolds ? 1U : 0U;
      if (row.verdict != Verdict::kViolated) continue;
      failed[i].push_back(place_of_row(row));
      if (row.ratio) times.push_back(*row.ratio);
    }
    std::ranges::sort(failed[i]);
  }
  const std::string& first = pairs.front().front().arm_a;
  const bool one_reference = std::ranges::all_of(
      pairs, [&](const std::vector<ComparedCell>& rows) { return rows.front().arm_a == first; });
  const std::string margin = percent_text(*comparison.gate) + " slower than " +
                             (one_reference ? first : std::string("its reference"));
  std::size_t failures = 0;
  for (const Subset& subset : failed) failures += subset.size();
  const std::size_t undecided = all - failures - passed;
  const std::string open = undecided > 0 ? "; " + std::to_string(undecided) + " undecided" : "";
  // Every arm is compared in every cell.
  const std::string one = comparison.against.empty() ? "arm" : "level";
  const std::string comparisons = count_text(all, "comparison");
  if (failures == 0) {
    return (undecided == 0 ? "In all " : "In " + std::to_string(passed) + " of ") + comparisons +
           " the " + one + " is at most " + margin + open;
  }
  const CellWords words(cells);
  const Places places(words, failed);
  std::vector<std::string> names;
  std::size_t more = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (failed[i].empty()) continue;
    if (names.size() < kMostArmsNamed) {
      names.push_back(pairs[i].front().arm_b + " " + places.of(failed[i]));
    } else {
      ++more;
    }
  }
  const std::string list = more == 0
                               ? list_text(names)
                               : base::join(names, ", ") + " and " + std::to_string(more) + " more";
  return "In " + std::to_string(failures) + " of " + comparisons + (one == "arm" ? " an " : " a ") +
         one + " is more than " + margin +
         (times.empty() ? std::string() : " (" + times_words(times) + " as long)") + ": " + list +
         open + (comparison.same_arm ? ", although all are the same arm" : "");
}

}  // namespace invar::analysis
