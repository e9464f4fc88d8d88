#include "design/repetitions/repetition_rule.hpp"

#include <algorithm>
#include <optional>

#include "base/text.hpp"
#include "base/units.hpp"

namespace invar::design {
namespace {

// Thresholds and window: paper 003, figure 2; of the interval where absolute times are settled
// (stats::kSettledHalfWidth).
constexpr std::array<RepetitionMethodInfo, kRepetitionMethods> kMethods{{
    {RepetitionMethod::kRse, "rse", "rse", "relative standard error of the mean", 0.025, 0},
    {RepetitionMethod::kCovMean, "cov-mean", "cov-mean", "COV of running means", 0.01, 20},
    {RepetitionMethod::kCovMedian, "cov-median", "cov-median", "COV of running medians", 0.01, 20},
    {RepetitionMethod::kInvar, "invar", "half-width", "half-width of the median's interval", 0.015,
     0},
}};

constexpr std::uint32_t kLeastWindow = 2;

std::vector<std::string> method_words() {
  std::vector<std::string> names;
  names.reserve(kMethods.size());
  for (const RepetitionMethodInfo& info : kMethods) names.emplace_back(info.name);
  return names;
}

std::vector<RuleComplaint> read_predict(const std::string& key, std::string_view text,
                                        RepetitionRule& rule) {
  RepetitionRule read = rule;
  for (RepetitionLimit& limit : read.limits) limit.asked = false;
  std::vector<RuleComplaint> complaints;
  for (const std::string_view part : base::split(text, ',')) {
    const std::string word(base::trim(part));
    const auto* const found = std::ranges::find(kMethods, word, &RepetitionMethodInfo::name);
    if (found == kMethods.end()) {
      complaints.push_back(
          {key, "there is no method '" + word + "'", base::did_you_mean(word, method_words())});
      continue;
    }
    bool& asked = read.limits[static_cast<std::size_t>(found->method)].asked;
    if (asked) complaints.push_back({key, "'" + word + "' is named twice", "name it once"});
    asked = true;
  }
  if (complaints.empty()) rule = read;
  return complaints;
}

// "0.025", "2.5%".
std::optional<double> share_in(std::string_view text) {
  return text.ends_with('%') ? base::parse_percent(text).value : base::parse_double(text);
}

std::string example_of(const RepetitionMethodInfo& info) {
  return base::shortest_text(info.threshold) +
         (info.window > 0 ? ":" + std::to_string(info.window) : "");
}

std::vector<RuleComplaint> read_limit(const RepetitionMethodInfo& info, std::string_view text,
                                      RepetitionRule& rule) {
  const std::string key(info.key);
  const std::string quoted = "'" + std::string(text) + "'";
  std::vector<RuleComplaint> complaints;
  const auto complain = [&](std::string what, std::string remedy) {
    complaints.push_back({key, std::move(what), std::move(remedy)});
  };
  const std::size_t colon = text.find(':');
  const bool has_window = colon != std::string_view::npos;
  const std::string_view share_text = base::trim(text.substr(0, colon));
  RepetitionLimit limit = rule.limit(info.method);
  if (const std::optional<double> share = share_in(share_text); !share) {
    complain(quoted + " has no threshold", "write a share, as in " + example_of(info));
  } else if (!(*share > 0)) {
    complain("a threshold of " + std::string(share_text) + " is never met",
             "write a share above 0, as in " + example_of(info));
  } else if (!(*share < 1)) {
    complain("a threshold of " + std::string(share_text) + " is 100 % or more",
             "write a share below 1, as in " + example_of(info));
  } else {
    limit.threshold = *share;
  }
  if (has_window != (info.window > 0)) {
    complain(
        has_window ? "the " + std::string(info.words) + " has no window"
                   : quoted + " names no window",
        (has_window ? "write the threshold alone, as in " : "write it behind a colon, as in ") +
            example_of(info));
  } else if (has_window) {
    const base::Parsed<std::uint64_t> window =
        base::parse_count(base::trim(text.substr(colon + 1)));
    if (!window.value) {
      complain("its window: " + window.error, "write a whole number, as in " + example_of(info));
    } else if (*window.value < kLeastWindow || *window.value > kMostPredicted) {
      complain("a window of " + std::to_string(*window.value) + " is none",
               "write " + std::to_string(kLeastWindow) + " to " + std::to_string(kMostPredicted) +
                   ", as in " + example_of(info));
    } else {
      limit.window = static_cast<std::uint32_t>(*window.value);
    }
  }
  if (complaints.empty()) rule.limits[static_cast<std::size_t>(info.method)] = limit;
  return complaints;
}

std::vector<RuleComplaint> read_range(const std::string& key, std::string_view text,
                                      RepetitionRule& rule) {
  const std::string form = "write min:max:step, as in 20:1000:10";
  const std::vector<std::string_view> parts = base::split(text, ':');
  if (parts.size() != 3) return {{key, "'" + std::string(text) + "' is not a range", form}};
  std::vector<RuleComplaint> complaints;
  std::array<std::uint32_t, 3> numbers{};
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const base::Parsed<std::uint64_t> number = base::parse_count(base::trim(parts[i]));
    if (!number.value) {
      complaints.push_back({key, number.error, form});
    } else if (*number.value == 0 || *number.value > kMostPredicted) {
      complaints.push_back({key, std::to_string(*number.value) + " is not a number of repetitions",
                            "write 1 to " + std::to_string(kMostPredicted)});
    } else {
      numbers[i] = static_cast<std::uint32_t>(*number.value);
    }
  }
  if (complaints.empty() && numbers[0] > numbers[1]) {
    complaints.push_back({key,
                          "its min " + std::to_string(numbers[0]) + " is above its max " +
                              std::to_string(numbers[1]),
                          "swap them"});
  }
  if (!complaints.empty()) return complaints;
  rule.min = numbers[0];
  rule.max = numbers[1];
  rule.step = numbers[2];
  return {};
}

}  // namespace

std::span<const RepetitionMethodInfo> repetition_methods() { return kMethods; }

std::array<RepetitionLimit, kRepetitionMethods> usual_limits() {
  std::array<RepetitionLimit, kRepetitionMethods> limits{};
  for (std::size_t i = 0; i < limits.size(); ++i) {
    limits[i] = {.threshold = kMethods[i].threshold, .window = kMethods[i].window};
  }
  return limits;
}

RepetitionRule usual_rule() {
  RepetitionRule rule;
  rule.limits[static_cast<std::size_t>(RepetitionMethod::kInvar)].asked = true;
  return rule;
}

std::vector<std::size_t> RepetitionRule::numbers() const {
  std::vector<std::size_t> all;
  all.reserve((max - min) / step + 2);
  for (std::size_t n = min; n < max; n += step) all.push_back(n);
  all.push_back(max);
  return all;
}

std::vector<std::string> rule_keys() {
  std::vector<std::string> keys{"predict"};
  for (const RepetitionMethodInfo& info : kMethods) keys.emplace_back(info.key);
  keys.emplace_back("range");
  return keys;
}

std::vector<RuleComplaint> read_rule_key(std::string_view key, std::string_view text,
                                         RepetitionRule& rule) {
  const auto* const method = std::ranges::find(kMethods, key, &RepetitionMethodInfo::key);
  if (method != kMethods.end()) return read_limit(*method, text, rule);
  if (key == "range") return read_range(std::string(key), text, rule);
  return read_predict(std::string(key), text, rule);
}

std::vector<RuleComplaint> rule_conflicts(const RepetitionRule& rule) {
  std::vector<RuleComplaint> complaints;
  bool any = false;
  for (const RepetitionMethodInfo& info : kMethods) {
    const RepetitionLimit& limit = rule.limit(info.method);
    any = any || limit.asked;
    // The usual window of a method that nobody asked for bothers nobody.
    if (limit.window <= rule.max || (!limit.asked && limit.window == info.window)) continue;
    complaints.push_back({std::string(info.key),
                          "a window of " + std::to_string(limit.window) +
                              " is never filled by at most " + std::to_string(rule.max) +
                              " repetitions",
                          "write a smaller window, or a range that goes further"});
  }
  if (!any) {
    complaints.push_back({"predict", "no method is named",
                          "write one or several of " + base::join(method_words(), ", ")});
  }
  return complaints;
}

std::vector<std::pair<std::string, std::string>> rule_words(const RepetitionRule& rule) {
  std::vector<std::string> asked;
  for (const RepetitionMethodInfo& info : kMethods) {
    if (rule.limit(info.method).asked) asked.emplace_back(info.name);
  }
  std::vector<std::pair<std::string, std::string>> words{{"predict", base::join(asked, ",")}};
  for (const RepetitionMethodInfo& info : kMethods) {
    const RepetitionLimit& limit = rule.limit(info.method);
    words.emplace_back(info.key, base::shortest_text(limit.threshold) +
                                     (info.window > 0 ? ":" + std::to_string(limit.window) : ""));
  }
  words.emplace_back("range", std::to_string(rule.min) + ":" + std::to_string(rule.max) + ":" +
                                  std::to_string(rule.step));
  return words;
}

}  // namespace invar::design
