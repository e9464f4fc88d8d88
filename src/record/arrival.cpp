#include "record/arrival.hpp"

#include <array>
#include <utility>

#include "record/amount.hpp"

namespace invar::record {
namespace {

constexpr std::string_view kNobodyLate = "none";
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
  if (text == kNobodyLate) return Arrival{};
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  Arrival arrival;
  for (const auto& [name, pattern] : kPatterns) {
    if (name == text.substr(0, colon)) arrival.pattern = pattern;
  }
  std::string_view amplitude = text.substr(colon + 1);
  arrival.probing = take_probing(amplitude);
  const auto amount = parse_amount(amplitude);
  if (arrival.pattern == ArrivalPattern::kNone || !amount) return std::nullopt;
  arrival.amplitude_ns = amount->ns;
  arrival.amplitude_calls = amount->calls;
  return arrival;
}

LevelText arrival_level(std::string_view written) {
  if (written == kNobodyLate) return {.text = std::string(written)};
  LevelText none{
      .complaint = "is '" + std::string(written) + "', no arrival pattern",
      .remedy =
          "write \"none\", or first-late, last-late, linear or random with an amplitude, as in "
          "\"linear:10us\" or \"random:0.5x\" (times a call's own time), or "
          "\"last-late:10us:probing\" (its library is called meanwhile)"};
  const std::size_t colon = written.find(':');
  if (colon == std::string_view::npos) return none;
  std::string_view amplitude = written.substr(colon + 1);
  const bool probing = take_probing(amplitude);
  const auto planned = planned_amount(amplitude);
  if (!planned) return none;
  std::string text = std::string(written.substr(0, colon + 1)) + *planned;
  if (probing) text += kProbing;
  if (!parse_arrival(text)) return none;
  if (parse_amount(*planned)->too_long()) {
    return {.complaint = "is later than 1 s or 1000 calls", .remedy = "write a shorter time"};
  }
  return {.text = std::move(text)};
}

}  // namespace invar::record
