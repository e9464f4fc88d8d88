#include "record/algorithms/algorithm_switch.hpp"

#include <charconv>
#include <optional>

#include "base/error.hpp"
#include "base/text.hpp"
#include "record/algorithms/algorithm_level.hpp"

namespace invar::record {
namespace {

constexpr std::string_view kAtMaking = "at-making";
constexpr std::string_view kAtCalls = "at-calls";

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && rest == end ? std::optional(number) : std::nullopt;
}

}  // namespace

std::string switch_text(const AlgorithmSwitch& one) {
  std::string text = one.operation + ' ' + one.level + ' ';
  text += one.at_making ? kAtMaking : kAtCalls;
  for (const auto& [name, number] : one.variables) {
    text += ' ' + name + '=' + std::to_string(number);
  }
  return text;
}

AlgorithmSwitch read_switch(std::string_view text, const std::string& place) {
  const std::vector<std::string_view> words = base::split(text, ' ');
  const auto wrong = [&](const std::string& what) {
    return base::UserError(place, "'" + std::string(text) + "' is not a switch: " + what);
  };
  if (words.size() < 4) throw wrong("it names an operation, a level, when, and variables");
  AlgorithmSwitch one{.operation = std::string(words[0]),
                      .level = std::string(words[1]),
                      .at_making = words[2] == kAtMaking};
  if (one.operation.empty()) throw wrong("there is no operation");
  if (!is_algorithm_level(one.level) || one.level == kAsGivenAlgorithm) {
    throw wrong("'" + one.level + "' is not an algorithm");
  }
  if (!one.at_making && words[2] != kAtCalls) {
    throw wrong("'" + std::string(words[2]) + "' is neither at-making nor at-calls");
  }
  for (std::size_t i = 3; i < words.size(); ++i) {
    const std::size_t equals = words[i].find('=');
    const auto number =
        equals == std::string_view::npos ? std::nullopt : whole_number(words[i].substr(equals + 1));
    if (equals == 0 || !number) {
      throw wrong("'" + std::string(words[i]) + "' is not a variable with a whole number");
    }
    one.variables.emplace_back(words[i].substr(0, equals), *number);
  }
  return one;
}

}  // namespace invar::record
