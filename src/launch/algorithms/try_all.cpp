#include "launch/algorithms/try_all.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "base/text.hpp"

namespace invar::launch {
namespace {

using AnswerJson = nlohmann::json;

std::optional<std::size_t> number_of(const AnswerJson& line, std::size_t tries) {
  const auto number = line.find("try");
  if (number == line.end() || !number->is_number_unsigned()) return std::nullopt;
  const auto value = number->get<std::size_t>();
  return value < tries ? std::optional(value) : std::nullopt;
}

}  // namespace

TriedLines read_tried(std::string_view text, std::size_t tries) {
  TriedLines read{.results = std::vector<std::optional<TryResult>>(tries)};
  for (const std::string_view line : base::split(text, '\n')) {
    const AnswerJson json = AnswerJson::parse(line, nullptr, false);
    if (!json.is_object()) continue;
    const auto number = number_of(json, tries);
    if (!number) continue;
    if (json.contains("begun")) {
      read.begun = number;
      continue;
    }
    const auto failure = json.find("failure");
    if (failure == json.end() || !failure->is_string()) continue;
    TryResult result{.failure = failure->get<std::string>()};
    const auto median = json.find("median_ns");
    if (median != json.end() && median->is_number()) result.median_ns = median->get<double>();
    read.results[*number] = std::move(result);
    if (read.begun == number) read.begun.reset();
  }
  return read;
}

std::vector<TryResult> try_all(const std::vector<record::Try>& tries, const LaunchTries& launch) {
  std::vector<TryResult> results(tries.size());
  std::vector<std::size_t> left(tries.size());
  std::iota(left.begin(), left.end(), std::size_t{0});
  while (!left.empty()) {
    std::vector<record::Try> some;
    some.reserve(left.size());
    for (const std::size_t number : left) some.push_back(tries[number]);
    const TriedLaunch launched = launch(some);
    const TriedLines read = read_tried(launched.tried, some.size());
    std::vector<std::size_t> later;
    const bool hung = launched.problem.starts_with("hung");
    for (std::size_t i = 0; i < left.size(); ++i) {
      if (read.results[i]) {
        results[left[i]] = *read.results[i];
      } else if (read.begun == i && (i == 0 || hung)) {
        results[left[i]].failure =
            hung ? launched.problem
                 : "it ended the launch: " +
                       (launched.problem.empty() ? "without a word" : launched.problem);
      } else {
        later.push_back(left[i]);
      }
    }
    if (later.size() == left.size()) {
      for (const std::size_t number : left) {
        results[number].failure =
            "no launch could try it: " +
            (launched.problem.empty() ? "it wrote nothing" : launched.problem);
      }
      break;
    }
    left = std::move(later);
  }
  return results;
}

std::vector<TryResult> try_all(const ProbePlace& place, std::uint32_t ranks,
                               const std::vector<record::Try>& tries) {
  return try_all(tries, [&](const std::vector<record::Try>& some) {
    const ProbeDir dir(place);
    const auto is_whole = [&](const std::string& text) {
      return std::ranges::all_of(read_tried(text, some.size()).results,
                                 [](const auto& result) { return result.has_value(); });
    };
    TriedLaunch launched;
    launched.problem = run_watched(place, dir, "--try", ranks, some,
                                   {.file = record::kTriedFile, .is_whole = is_whole});
    launched.tried = dir.read(record::kTriedFile);
    return launched;
  });
}

}  // namespace invar::launch
