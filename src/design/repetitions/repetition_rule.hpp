// When repetitions of a cell are enough, as `invar nrep` and `repetitions = { predict = ... }` are
// told. Data; src/stats computes (docs/methods.md, "How many repetitions").
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace invar::design {

// As stats::RunningQuantity. A row of kRepetitionMethods each.
enum class RepetitionMethod : std::uint8_t { kRse, kCovMean, kCovMedian, kInvar };
constexpr std::size_t kRepetitionMethods = 4;

struct RepetitionMethodInfo {
  RepetitionMethod method;
  std::string_view name;   // in `predict` and --method: "cov-mean"
  std::string_view key;    // that has its threshold: "cov-mean"
  std::string_view words;  // what has to be small: "COV of the last means"
  double threshold;        // the usual one
  std::uint32_t window;    // the usual one; 0: the quantity has none
};

// In the order of the enumeration.
std::span<const RepetitionMethodInfo> repetition_methods();

// A quantity must be below `threshold`.
struct RepetitionLimit {
  bool asked = false;        // else it is only told
  double threshold = 0;      // in (0, 1)
  std::uint32_t window = 0;  // of 2 or more; 0: the quantity has none
  bool operator==(const RepetitionLimit&) const = default;
};

// Every method's usual limit, none of them asked for.
std::array<RepetitionLimit, kRepetitionMethods> usual_limits();

// Beyond it nobody hopes that a thousand more would help.
constexpr std::uint64_t kMostPredicted = 100'000;

// The least of min, min + step, ... and max at which all that are asked for are below their
// thresholds at once. Numbers are repetitions of a launch.
struct RepetitionRule {
  std::array<RepetitionLimit, kRepetitionMethods> limits = usual_limits();
  std::uint32_t min = 20;  // at least 1
  std::uint32_t max = 1000;
  std::uint32_t step = 10;  // at least 1

  [[nodiscard]] const RepetitionLimit& limit(RepetitionMethod method) const {
    return limits[static_cast<std::size_t>(method)];
  }
  // The numbers at which it looks, ascending: at least one.
  [[nodiscard]] std::vector<std::size_t> numbers() const;
  bool operator==(const RepetitionRule&) const = default;
};

// Where nothing was said: the half-width of the median's interval alone.
RepetitionRule usual_rule();

// What is wrong with what a key says.
struct RuleComplaint {
  std::string key;
  std::string what;
  std::string remedy;
};

// `predict`, the key of every method's threshold, `range`.
std::vector<std::string> rule_keys();

// Takes what one key says into the rule: `predict` "rse,cov-mean", a threshold "0.025" or "2.5%",
// with its window "0.01:20", `range` "20:1000:10". Returns everything that is wrong with it; the
// rule is left alone where something is.
std::vector<RuleComplaint> read_rule_key(std::string_view key, std::string_view text,
                                         RepetitionRule& rule);

// What is wrong with the keys together: a window that the range never fills, no method.
std::vector<RuleComplaint> rule_conflicts(const RepetitionRule& rule);

// All keys and what they say, so that it reads as the same rule.
std::vector<std::pair<std::string, std::string>> rule_words(const RepetitionRule& rule);

// Repetitions of each of `rounds` visits that a launch needs for so many in all.
constexpr std::uint32_t share_of_a_visit(std::uint64_t repetitions, std::uint32_t rounds) {
  return static_cast<std::uint32_t>((repetitions + rounds - 1) / rounds);
}

}  // namespace invar::design
