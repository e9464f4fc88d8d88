// Messages in a sentence: "openmpi: latency 0.214 us [0.210, 0.218], bandwidth 11.8 GB/s [11.6,
// 12.0] at 64 KiB (9.21 at 4 MiB), half at 6.02 KiB [4.00, 8.00], a step above 4080 B (1.31 times,
// eager -> rendezvous)".
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "analysis/p2p/p2p.hpp"
#include "analysis/words/numbers.hpp"
#include "analysis/words/words.hpp"
#include "base/text.hpp"
#include "base/units.hpp"

namespace invar::analysis {
namespace {

// Whoever asks for many arms or places at once reads the table.
constexpr std::size_t kMostPlacesTold = 4;
constexpr std::size_t kMostStepsTold = 3;
// Up to here messages are small enough that nobody has to be told their size.
constexpr std::uint64_t kSmallMessage = 8;

std::string with_interval(const EstimateText& text, const std::string& unit = {}) {
  return text.estimate + unit + (text.interval.empty() ? "" : " " + text.interval);
}

std::string latency_clause(const MessageSummary& summary) {
  std::string text = "latency " + with_interval(time_text(*summary.latency));
  if (summary.latency_bytes > kSmallMessage) {
    text += " (" + base::size_text(summary.latency_bytes) + ")";
  }
  return text;
}

std::string bandwidth_clause(const PlaceRates& rates) {
  const Rate& most = *rates.bandwidth_gb_s;
  std::string text = std::string(rates.ping_pongs ? "ping-pong " : "") + "bandwidth " +
                     with_interval(ratio_text(most.value, most.interval), " GB/s") + " at " +
                     base::size_text(rates.bandwidth_bytes);
  if (rates.longest_gb_s && rates.longest_bytes != rates.bandwidth_bytes) {
    const Rate& longest = *rates.longest_gb_s;
    text += " (" + ratio_text(longest.value, longest.interval).estimate + " at " +
            base::size_text(rates.longest_bytes) + ")";
  }
  return text;
}

std::string half_clause(const HalfSize& half) {
  return "half " + std::string(half.is_bracket() ? "" : "at ") + half_words(half);
}

// "above 4080 B (1.31 times, eager -> rendezvous)"
std::string step_text(const Step& step) {
  const std::string low = base::size_text(step.low_bytes);
  const std::string place = step.high_bytes == step.low_bytes + 1
                                ? "above " + low
                                : "between " + low + " and " + base::size_text(step.high_bytes);
  return place + step_words(step);
}

// The highest ones where there are many, in the order of their sizes.
std::string steps_clause(std::vector<Step> told) {
  if (told.empty()) return "no step found";
  const std::size_t more = told.size() - std::min(told.size(), kMostStepsTold);
  const bool one = told.size() == 1;
  std::ranges::stable_sort(told, std::greater<>(),
                           [](const Step& step) { return std::abs(std::log(step.height)); });
  told.resize(told.size() - more);
  std::ranges::stable_sort(told, {}, &Step::low_bytes);
  std::vector<std::string> texts;
  texts.reserve(told.size());
  for (const Step& step : told) texts.push_back(step_text(step));
  if (more > 0) texts.push_back(std::to_string(more) + " more");
  return (one ? "a step " : "steps ") + list_text(texts);
}

std::string place_clause(const MessageSummary& summary) {
  std::vector<std::string> parts;
  if (summary.latency) parts.push_back(latency_clause(summary));
  const PlaceRates& rates = summary.rates;
  if (rates.bandwidth_gb_s) parts.push_back(bandwidth_clause(rates));
  if (rates.half) parts.push_back(half_clause(*rates.half));
  if (summary.steps) parts.push_back(steps_clause(*summary.steps));
  if (!summary.steps_not_judged.empty()) {
    parts.push_back("steps not judged (" + summary.steps_not_judged + ")");
  }
  return summary.arm + (summary.place.empty() ? "" : " (" + summary.place + ")") + ": " +
         base::join(parts, ", ");
}

// The one with the most visits beside the reference; null: of none there are figures.
const Regime* largest_elsewhere(const P2p& found) {
  const Regime* largest = nullptr;
  for (const Regime& regime : found.regimes.found) {
    const bool told = std::ranges::any_of(found.elsewhere, [&](const MessageSummary& summary) {
      return summary.regime == regime.name;
    });
    if (told && (largest == nullptr || largest->share < regime.share)) largest = &regime;
  }
  return largest;
}

// "0.353 us (openmpi)"
std::string elsewhere_text(const MessageSummary& summary) {
  const PlaceRates& rates = summary.rates;
  return (summary.latency ? time_text(*summary.latency).estimate
                          : ratio_text(rates.bandwidth_gb_s->value, {}).estimate + " GB/s") +
         " (" + summary.arm + (summary.place.empty() ? "" : ", " + summary.place) + ")";
}

// " In another regime of the machine, canary 0.511 us (34 % of visits), latency is ...": where the
// answer's own holds so few visits that whoever measures once more may meet it.
std::string elsewhere_sentence(const P2p& found) {
  constexpr double kNearlyAll = 0.9;
  if (!found.reference || !found.reference->split || found.reference->share >= kNearlyAll) {
    return {};
  }
  const Regime* const regime = largest_elsewhere(found);
  if (regime == nullptr) {
    return " Other regimes of the machine, of which too few launch groups are to be told, may "
           "have other times.";
  }
  std::vector<std::string> latencies;
  std::vector<std::string> rates;
  for (const MessageSummary& summary : found.elsewhere) {
    if (summary.regime != regime->name) continue;
    (summary.latency ? latencies : rates).push_back(elsewhere_text(summary));
  }
  const std::string what = latencies.empty() ? "bandwidth is " : "latency is ";
  return " In another regime of the machine, " + regime->name + " (" + percent_text(regime->share) +
         " of visits), " + what +
         base::first_items(latencies.empty() ? rates : latencies, kMostPlacesTold, ", ") +
         "; see --regimes.";
}

// In one unit, whose name the first one has.
struct SizeUnit {
  const char* name = "B";
  double bytes = 1;
};

SizeUnit size_unit(double bytes) {
  constexpr std::array<const char*, 4> kUnits{"B", "KiB", "MiB", "GiB"};
  std::size_t unit = 0;
  double factor = 1;
  while (unit + 1 < kUnits.size() && bytes / factor >= 1024) {
    factor *= 1024;
    ++unit;
  }
  return {kUnits.at(unit), factor};
}

// "6.02 KiB [4.00, 8.00]": a size that lies between those that were measured.
std::string between_sizes_text(const HalfSize& half) {
  const SizeUnit unit = size_unit(half.bytes);
  const double shown = half.bytes / unit.bytes;
  const int decimals = unit.bytes == 1 || shown >= 100 ? 0 : shown >= 10 ? 1 : 2;
  std::string text = fmt::format("{:.{}f} {}", shown, decimals, unit.name);
  if (half.interval && says_nothing(*half.interval)) {
    text += " -";
  } else if (half.interval) {
    text += fmt::format(" [{:.{}f}, {:.{}f}]", half.interval->low / unit.bytes, decimals,
                        half.interval->high / unit.bytes, decimals);
  }
  return text;
}

std::string measured_size_text(double bytes) {
  return base::size_text(static_cast<std::uint64_t>(std::llround(bytes)));
}

// "from 4 KiB to 16 KiB"
std::string lost_text(const SizeRange& range) {
  const std::string low = base::size_text(range.low_bytes);
  if (range.to_the_end) return "from " + low + " on";
  if (range.low_bytes == range.high_bytes) return "at " + low;
  return "from " + low + " to " + base::size_text(range.high_bytes);
}

}  // namespace

std::string half_words(const HalfSize& half) {
  std::string text;
  if (half.or_less) {
    text = measured_size_text(half.bytes) + " or less";
  } else if (half.is_bracket()) {
    text = "between " + measured_size_text(half.low_bytes) + " and " +
           measured_size_text(half.high_bytes);
  } else {
    text = between_sizes_text(half);
  }
  if (half.lost.empty()) return text;
  std::vector<std::string> ranges;
  ranges.reserve(half.lost.size());
  for (const SizeRange& range : half.lost) ranges.push_back(lost_text(range));
  return text + ", lost again " + list_text(ranges);
}

std::string p2p_sentence(const P2p& found) {
  // More ranks than cores: times say when the ranks got their turns.
  if (!found.no_verdict.empty()) {
    return "No figures: " + found.no_verdict +
           "; the tables have times as behaviour alone: " + found.scope + ".";
  }
  std::vector<std::string> clauses;
  for (const MessageSummary& summary : found.summaries) {
    clauses.push_back(place_clause(summary));
  }
  if (clauses.empty()) {
    clauses.emplace_back("No latency and no bandwidth: neither ping-pongs nor streams have times");
  }
  const std::size_t more = clauses.size() - std::min(clauses.size(), kMostPlacesTold);
  clauses.resize(clauses.size() - more);
  if (more > 0) clauses.push_back(std::to_string(more) + " more in the table");
  return base::join(clauses, "; ") + ": " + found.scope + "." + elsewhere_sentence(found);
}

}  // namespace invar::analysis
