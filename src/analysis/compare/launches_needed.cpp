// Too few launches, and what number would do.
#include <algorithm>
#include <cmath>

#include "analysis/machine/diagnostics.hpp"
#include "analysis/suites/reported.hpp"
#include "analysis/words/words.hpp"
#include "stats/decide/sequential.hpp"
#include "stats/describe/moments.hpp"
#include "stats/test/wilcoxon.hpp"

namespace invar::analysis {
namespace {

// Standard deviation of the log ratio of one launch group; unpaired: of one launch of each.
std::optional<double> sd_of_ratio(const CellVisits& a, const CellVisits& b, Pairing pairing) {
  if (pairing != Pairing::kNone) {
    const PairedDifferences paired = paired_differences(a, b, pairing);
    if (paired.d.size() < 2) return std::nullopt;
    return std::sqrt(std::max(stats::variance(paired.d).value_or(0), paired.variance_floor));
  }
  const std::vector<double> log_a = a.log_medians();
  const std::vector<double> log_b = b.log_medians();
  if (log_a.size() < 2 || log_b.size() < 2) return std::nullopt;
  return std::sqrt(std::max(*stats::variance(log_a), a.variance_floor()) +
                   std::max(*stats::variance(log_b), b.variance_floor()));
}

std::string unit_of(const Contest& contest, Pairing pairing) {
  if (contest.over_sessions) return "session";
  return pairing == Pairing::kNone ? "launch" : "launch group";
}

// How narrow the interval of a log ratio has to be for a verdict: within the smallest effect, or,
// where the question has a direction, as far from its margin as the ratio seems to be. What was
// rounded before stays in it, however many launches there are. Not above 0: no number would do.
double needed_half_width(const Contest& contest, const ComparedCell& row, const Pair& pair,
                         const Rules& rules) {
  const double rounding =
      std::max(visits_of(contest, pair.a).rounding(), visits_of(contest, pair.b).rounding());
  if (!pair.hypothesis.one_sided()) return std::log1p(rules.decision.min_effect) - rounding;
  if (!row.ratio) return 0;
  return std::abs(std::log(*row.ratio) - std::log1p(pair.hypothesis.margin)) - rounding;
}

// Where intervals should come to lie.
std::string goal_text(const Rules& rules) {
  if (rules.guidelines) return "to one side of its rule's bound";
  if (rules.confirms) return "to one side of what is asked of its cell";
  return rules.gate ? "to one side of " + percent_text(*rules.gate)
                    : "within " + percent_text(rules.decision.min_effect);
}

// How a campaign without looks is asked for: as an option of the commands that have it, and in a
// campaign's file.
std::string fixed_words(const Rules& rules) {
  const std::string key = "stopping = \"fixed\"";
  return rules.confirms ? key : "--fixed (in a file " + key + ")";
}

// Words for a single cell. Empty: every launch group has all cells.
std::string of_each_size(const Rules& rules) {
  if (rules.parts == 1) return {};
  return " with each size, of which a group has one in " + std::to_string(rules.parts) + ",";
}

// `reason`: why a sequential campaign ended with something open; may be empty.
std::vector<Warning> invar_warnings(const Contest& contest, std::span<const Pair> pairs,
                                    std::span<const ComparedCell> rows, const Rules& rules,
                                    const std::string& reason, bool& told_reason) {
  std::size_t printed = 0;
  std::size_t undecided = 0;
  std::size_t imprecise = 0;
  std::size_t hopeless = 0;
  std::size_t most_launches = 0;
  std::size_t single = 0;
  std::size_t needed = 0;
  std::size_t without_looks = 0;  // instead of `needed`, if nobody looks in between
  std::string widest;
  // A sequential campaign decides at its last look at the latest.
  const double share = rules.sequential ? stats::kLooks.back().alpha_share : 1;
  const double confidence = 1 - rules.decision.alpha * share;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const ComparedCell& row = rows[i];
    if (!pairs[i].printed || pairs[i].view) continue;
    ++printed;
    most_launches = std::max(most_launches, row.launches);
    single += row.launches == 1 ? 1U : 0U;
    if (row.verdict != stats::Verdict::kUndecided ||
        (!pairs[i].hypothesis.one_sided() && rules.decision.min_effect == 0)) {
      continue;
    }
    ++undecided;
    const auto sd = sd_of_ratio(visits_of(contest, pairs[i].a), visits_of(contest, pairs[i].b),
                                pairing_of(pairs[i], rules.pairing));
    if (!sd) continue;
    const double half_width = needed_half_width(contest, row, pairs[i], rules);
    if (!(half_width > 0)) {  // at the margin, or printed too coarsely: no number would tell
      ++imprecise;
      ++hopeless;
      continue;
    }
    const auto number = stats::groups_needed(*sd, half_width, confidence);
    if (number && *number <= row.launches) continue;  // precise: the difference is near min-effect
    ++imprecise;
    if (!number) {
      ++hopeless;
    } else if (*number > needed) {
      needed = *number;
      without_looks =
          stats::groups_needed(*sd, half_width, 1 - rules.decision.alpha).value_or(*number);
      widest = record::CellTexts(contest.cells)(row.cell);
    }
  }
  std::vector<Warning> warnings;
  const std::string unit = unit_of(contest, rules.pairing);
  if (single > 0 && most_launches > 1) {
    warnings.emplace_back(count_text(single, "comparison") + (single == 1 ? " rests" : " rest") +
                          " on one " + unit +
                          ": no verdict, and an interval of its own blocks, not of " + unit + "s");
  }
  if (rules.sequential && most_launches < stats::kLooks.front().launches) {
    warnings.emplace_back((reason.empty()
                               ? "no look was taken yet: the first one is after "
                               : "no look was taken (" + reason + "): the first one is after ") +
                          count_text(stats::kLooks.front().launches, unit));
    told_reason = !reason.empty();
  } else if (most_launches == 1) {
    warnings.emplace_back(
        "one " + unit + (rules.pairing == Pairing::kNone ? " of each arm" : "") +
        " yields no verdict: at least 2 are needed at all, and 3 to 5 to see large "
        "differences");
  } else if (most_launches == 2) {
    // Two say so little of how launches vary that no number can be named either.
    warnings.emplace_back(two_launches_text(unit));
  } else if (imprecise > 0) {
    std::string text = std::to_string(undecided) + " of " + count_text(printed, "comparison") +
                       " undecided after " + count_text(most_launches, unit) +
                       (reason.empty() ? "; " : " (" + reason + "); ");
    told_reason = !reason.empty();
    // Looks end at their last one: then only a campaign without them brings as many.
    const bool beyond_looks = rules.sequential && needed > stats::kLooks.back().launches;
    const std::string where = goal_text(rules);
    const bool margins = rules.gate || rules.guidelines || rules.confirms;
    const std::string all = hopeless == 0 ? "every interval"
                                          : std::to_string(imprecise - hopeless) + " of " +
                                                count_text(imprecise, "interval");
    text += needed > 0 ? (beyond_looks ? "about " + std::to_string(without_looks) +
                                             ", in a new campaign with " + fixed_words(rules) + ","
                                       : "about " + std::to_string(needed) + of_each_size(rules)) +
                             " would bring " + all + " " + where + " (" + widest +
                             (margins ? " needs most)" : " varies most)")
                       : "no practicable number brings the intervals " + where +
                             (margins ? ", ask for another margin" : ", ask for a larger effect");
    if (needed > 0 && hopeless > 0) {
      text += ", and no practicable number the other" +
              (hopeless == 1 ? std::string(" one") : " " + std::to_string(hopeless));
    }
    warnings.emplace_back(text);
  }
  return warnings;
}

std::vector<Warning> launch_test_warnings(std::span<const Pair> pairs, const Contest& contest,
                                          const Rules& rules) {
  // The t test has no smallest p. That of Kolmogorov and Smirnov is Wilcoxon's: of two samples that
  // do not overlap.
  if (rules.test == design::LaunchTest::kStudent) return {};
  double worst_p = 0;
  std::size_t n = 0;
  std::size_t m = 0;
  for (const Pair& pair : pairs) {
    const std::size_t a = visits_of(contest, pair.a).launches.size();
    const std::size_t b = visits_of(contest, pair.b).launches.size();
    if (!pair.printed || a == 0 || b == 0) continue;
    const double p = stats::rank_sum_min_p(a, b, rules.alternative);
    if (p > worst_p) {
      worst_p = p;
      n = a;
      m = b;
    }
  }
  if (worst_p <= rules.decision.alpha) return {};
  return {"with " + std::to_string(n) + (n == m ? "" : " and " + std::to_string(m)) +
          " launches of the arms " + std::string(design::launch_test_info(rules.test).words) +
          " cannot reach p <= " + number_text(rules.decision.alpha) +
          " whatever the data: at least " +
          std::to_string(stats::launches_needed_rank_sum(rules.decision.alpha, rules.alternative)) +
          " launches of each" + of_each_size(rules) + " are needed"};
}

}  // namespace

// t quantile over the root of n: 12.7 / 1.41 of two, 2.78 / 2.24 of five.
std::string two_launches_text(const std::string& unit) {
  const std::string units = unit + (unit.ends_with("ch") ? "es" : "s");
  return "intervals of two " + units +
         " are some seven times as wide as those of five, and say little: take 5 or more, as with "
         "--launches 5";
}

void add_launch_warnings(const Contest& contest, std::span<const Pair> pairs,
                         std::span<const ComparedCell> rows, const Rules& rules,
                         std::vector<Warning>& warnings) {
  if (!rules.no_verdict.empty()) return;
  std::vector<Warning> found;
  if (rules.method == Method::kReported) {
    found = reported_warnings(contest, pairs, std::string(rules.preset->name));
  } else if (rules.method == Method::kLaunchTest) {
    found = launch_test_warnings(pairs, contest, rules);
  } else {
    const auto left_open =
        std::ranges::find_if(warnings, [](const Warning& one) { return !one.left_open.empty(); });
    const std::string reason = left_open == warnings.end() ? std::string() : left_open->left_open;
    bool told_reason = false;
    found = invar_warnings(contest, pairs, rows, rules, reason, told_reason);
    // One remark and one number for one question.
    if (told_reason) warnings.erase(left_open);
  }
  warnings.insert(warnings.end(), found.begin(), found.end());
}

}  // namespace invar::analysis
