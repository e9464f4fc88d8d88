#include "record/arrival.hpp"

#include <array>
#include <cmath>
#include <utility>

#include "base/text.hpp"
#include "base/units.hpp"

namespace invar::record {
namespace {

constexpr double kLatestSeconds = 1;
constexpr double kMostCalls = 1000;
constexpr std::string_view kProbing = ":probing";

constexpr std::array<std::pair<std::string_view, ArrivalPattern>, 4> kPatterns{{
    {"first-late", ArrivalPattern::kFirstLate},
    {"last-late", ArrivalPattern::kLastLate},
    {"linear", ArrivalPattern::kLinear},
    {"random", ArrivalPattern::kRandom},
}};

// Cuts the word off where it is the last one.
bool take_probing(std::string_view& text) {
  if (!text.ends_with(kProbing)) return false;
  text.remove_suffix(kProbing.size());
  return true;
}

}  // namespace

std::optional<double> Arrival::share(std::uint32_t index, std::uint32_t ranks) const {
  switch (pattern) {
    case ArrivalPattern::kNone:
      return 0;
    case ArrivalPattern::kFirstLate:
      return index == 0 ? 1 : 0;
    case ArrivalPattern::kLastLate:
      return index + 1 == ranks ? 1 : 0;
    case ArrivalPattern::kLinear:
      return ranks < 2 ? 0 : static_cast<double>(index) / (ranks - 1);
    case ArrivalPattern::kRandom:
      break;
  }
  return std::nullopt;
}

std::optional<Arrival> parse_arrival(std::string_view text) {
  if (text == "none") return Arrival{};
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  Arrival arrival;
  for (const auto& [name, pattern] : kPatterns) {
    if (name == text.substr(0, colon)) arrival.pattern = pattern;
  }
  std::string_view amplitude = text.substr(colon + 1);
  arrival.probing = take_probing(amplitude);
  const bool calls = amplitude.ends_with('x');
  if (!calls && !amplitude.ends_with("ns")) return std::nullopt;
  amplitude.remove_suffix(calls ? 1 : 2);
  const auto value = base::parse_double(amplitude);
  if (arrival.pattern == ArrivalPattern::kNone || !value || !(*value > 0)) return std::nullopt;
  (calls ? arrival.amplitude_calls : arrival.amplitude_ns) = *value;
  return arrival;
}

LevelText arrival_level(std::string_view written) {
  const std::string complaint = "is '" + std::string(written) + "', no arrival pattern";
  const std::string remedy =
      "write \"none\", or first-late, last-late, linear or random with an amplitude, as in "
      "\"linear:10us\" or \"random:0.5x\" (times a call's own time), or "
      "\"last-late:10us:probing\" (its library is called meanwhile)";
  if (const auto parsed = parse_arrival(written)) {
    if (parsed->amplitude_ns > kLatestSeconds * 1e9 || parsed->amplitude_calls > kMostCalls) {
      return {.complaint = "is later than 1 s or 1000 calls", .remedy = "write a shorter time"};
    }
    return {.text = std::string(written)};
  }
  const std::size_t colon = written.find(':');
  if (colon == std::string_view::npos) return {.complaint = complaint, .remedy = remedy};
  std::string_view amplitude = written.substr(colon + 1);
  const bool probing = take_probing(amplitude);
  const base::Parsed<double> seconds = base::parse_duration_s(amplitude);
  if (!seconds.value) return {.complaint = complaint, .remedy = remedy};
  // Nanoseconds, as the plan has them.
  std::string text = std::string(written.substr(0, colon + 1)) +
                     std::to_string(std::llround(*seconds.value * 1e9)) + "ns";
  if (probing) text += kProbing;
  if (text == written || !parse_arrival(text)) {
    return {.complaint = complaint, .remedy = remedy};
  }
  return arrival_level(text);
}

}  // namespace invar::record
