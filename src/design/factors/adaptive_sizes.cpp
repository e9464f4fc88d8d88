#include "design/factors/adaptive_sizes.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "base/units.hpp"
#include "design/campaign/gate.hpp"
#include "design/factors/sizes.hpp"

namespace invar::design {
namespace {

constexpr std::array<std::pair<RefinementRule, std::string_view>, 4> kRules{
    {{RefinementRule::kInvar, "invar"},
     {RefinementRule::kSkampi, "skampi"},
     {RefinementRule::kMpptest, "mpptest"},
     {RefinementRule::kBreaks, "breaks"}}};

constexpr double kLeastTolerance = 0.001;

std::optional<Complaint> separation_complaint(const AdaptiveSizes& asked) {
  if (asked.separation_share < 1) return std::nullopt;
  return Complaint{"adaptive sizes that are " + percent_words(asked.separation_share) +
                       " of their size apart cannot be halved",
                   "write a separation below 100%, or in bytes"};
}

bool has_breaks(const CellsBlock& block) {
  return std::ranges::any_of(block.adaptive, [](const AdaptiveSizes& asked) {
    return asked.rule == RefinementRule::kBreaks;
  });
}

// A fit needs sizes before any can be added to it, and groups that count as every other one.
void add_break_conflicts(const Campaign& campaign, std::vector<Conflict>& found) {
  for (const CellsBlock& block : campaign.cells) {
    if (!has_breaks(block)) continue;
    const auto add = [&](const std::string& what, const std::string& remedy) {
      found.push_back({block.positions.of("size", block.at), what, remedy});
    };
    if (block.sizes_bytes.empty() && block.random_sizes.empty()) {
      add("rule = \"breaks\" adds sizes where the fit of others breaks, and the block has no "
          "others",
          "write some beside it, as in size = [{ loguniform = [\"1\", \"1MiB\"], count = 100 }, "
          "{ adaptive = ... }]");
    }
    const bool others = std::ranges::any_of(campaign.cells, [](const CellsBlock& one) {
      return !one.adaptive.empty() && !has_breaks(one);
    });
    const bool beside = std::ranges::any_of(block.adaptive, [](const AdaptiveSizes& asked) {
      return asked.rule != RefinementRule::kBreaks;
    });
    if (others || beside) {
      add("after the other rules fresh launch groups judge the sizes, and after rule = \"breaks\" "
          "all groups do",
          "write the same rule everywhere, or two campaigns");
    }
  }
}

}  // namespace

std::string_view rule_word(RefinementRule rule) {
  return kRules.at(static_cast<std::size_t>(rule)).second;
}

std::optional<RefinementRule> parse_rule(std::string_view word) {
  for (const auto& [rule, name] : kRules) {
    if (name == word) return rule;
  }
  return std::nullopt;
}

std::vector<std::string> rule_words() {
  std::vector<std::string> words;
  words.reserve(kRules.size());
  for (const auto& [rule, name] : kRules) words.emplace_back(name);
  return words;
}

std::optional<Complaint> adaptive_complaint(const AdaptiveSizes& asked) {
  if (asked.low_bytes >= asked.high_bytes) {
    return Complaint{"adaptive sizes begin at " + base::size_text(asked.low_bytes) +
                         " and end at " + base::size_text(asked.high_bytes) +
                         ": nothing lies between",
                     "write two sizes, the smaller one first"};
  }
  if (asked.rule == RefinementRule::kBreaks) return separation_complaint(asked);
  const std::size_t first = first_sizes(asked, 1).size();
  if (first < kLeastFirstSizes) {
    return Complaint{"adaptive sizes from " + base::size_text(asked.low_bytes) + " to " +
                         base::size_text(asked.high_bytes) + " have no size between both ends",
                     "write a list of sizes"};
  }
  if (!(asked.tolerance >= kLeastTolerance)) {
    return Complaint{"a tolerance of " + percent_words(asked.tolerance) +
                         " of adaptive sizes is below what any clock tells",
                     "write " + percent_words(kLeastTolerance) + " or more, as in 5%"};
  }
  if (!(asked.tolerance < 1)) {
    return Complaint{
        "a tolerance of " + percent_words(asked.tolerance) + " of adaptive sizes is 100% or more",
        "write what may deviate from a straight line, as in 5%"};
  }
  if (auto complaint = separation_complaint(asked)) return complaint;
  if (asked.most < first) {
    return Complaint{"adaptive sizes begin with " + std::to_string(first) +
                         ", and there may be at most " + std::to_string(asked.most),
                     "write max = " + std::to_string(2 * first) + " or more, or a shorter range"};
  }
  return std::nullopt;
}

std::string adaptive_toml(const AdaptiveSizes& asked) {
  std::string text = "{ adaptive = [" + std::to_string(asked.low_bytes) + ", " +
                     std::to_string(asked.high_bytes) + "]";
  if (asked.rule != RefinementRule::kBreaks) {
    text += ", tolerance = \"" + percent_words(asked.tolerance) + '"';
  }
  if (asked.separation_bytes > 0)
    text += ", separation = " + std::to_string(asked.separation_bytes);
  if (asked.separation_share > 0) {
    text += ", separation = \"" + percent_words(asked.separation_share) + '"';
  }
  return text + ", max = " + std::to_string(asked.most) + ", rule = \"" +
         std::string(rule_word(asked.rule)) + "\" }";
}

bool has_adaptive_sizes(const Campaign& campaign) {
  return std::ranges::any_of(campaign.cells,
                             [](const CellsBlock& block) { return !block.adaptive.empty(); });
}

bool adds_at_breaks(const Campaign& campaign) {
  return std::ranges::any_of(campaign.cells, has_breaks);
}

std::vector<Conflict> adaptive_conflicts(const Campaign& campaign) {
  const auto block = std::ranges::find_if(
      campaign.cells, [](const CellsBlock& one) { return !one.adaptive.empty(); });
  if (block == campaign.cells.end()) return {};
  std::vector<Conflict> found;
  const auto add = [&](const std::string& what, const std::string& remedy) {
    found.push_back({block->positions.of("size", block->at), what, remedy});
  };
  const std::string or_a_list = ", or write a list of sizes";
  if (campaign.stopping == Stopping::kLooks) {
    add("sizes are added while the campaign runs, and with stopping = \"looks\" cells are left out "
        "meanwhile",
        "use stopping = \"fixed\"" + or_a_list);
  }
  if (campaign.has_program()) {
    add("sizes are added where our own measurement shows a bend or a step, and a program is run as "
        "it is",
        "leave the programs out" + or_a_list);
  }
  if (!campaign.analysis.presets.empty()) {
    add("the visits of other suites are planned beforehand, and sizes are added while the campaign "
        "runs",
        "leave presets out" + or_a_list);
  }
  if (campaign.prediction) {
    add("repetitions are predicted from the pilot group, which does not measure the sizes that are "
        "added later",
        "write a number of repetitions" + or_a_list);
  }
  if (!campaign.together.empty()) {
    const std::string key = campaign.analysis.against.empty() ? "together" : "against";
    add("'" + key + "' puts cells into families, and those that are added stand in none",
        "leave '" + key + "' out" + or_a_list);
  }
  const Question question = campaign.analysis.question;
  if (question != Question::kCompare && question != Question::kShow && question != Question::kP2p &&
      question != Question::kNetwork) {
    add("question = \"" + std::string(to_string(question)) +
            "\" asks about cells that are known beforehand, and sizes are added while the campaign "
            "runs",
        "use question = \"compare\"" + or_a_list);
  }
  add_break_conflicts(campaign, found);
  return found;
}

}  // namespace invar::design
