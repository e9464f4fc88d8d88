// Messages in a sentence: "openmpi: latency 0.214 us [0.210, 0.218], bandwidth 11.8 GB/s [11.6,
// 12.0], half at 8.00 KiB [7.52, 8.61], a step above 4080 B (1.31 times, eager -> rendezvous)".
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

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

std::string bandwidth_clause(const Rate& rate) {
  return "bandwidth " + with_interval(ratio_text(rate.value, rate.interval), " GB/s");
}

// "8.00 KiB [7.52, 8.61]": a size that lies between those that were measured.
std::string between_sizes_text(const HalfSize& half) {
  constexpr std::array<const char*, 4> kUnits{"B", "KiB", "MiB", "GiB"};
  std::size_t unit = 0;
  double factor = 1;
  while (unit + 1 < kUnits.size() && half.bytes / factor >= 1024) {
    factor *= 1024;
    ++unit;
  }
  const double shown = half.bytes / factor;
  const int decimals = unit == 0 || shown >= 100 ? 0 : shown >= 10 ? 1 : 2;
  std::string text = fmt::format("{:.{}f} {}", shown, decimals, kUnits.at(unit));
  if (half.interval) {
    text += fmt::format(" [{:.{}f}, {:.{}f}]", half.interval->low / factor, decimals,
                        half.interval->high / factor, decimals);
  }
  return text;
}

std::string half_clause(const HalfSize& half) {
  if (half.or_less) {
    return "half at " + base::size_text(static_cast<std::uint64_t>(std::llround(half.bytes))) +
           " or less";
  }
  return "half at " + between_sizes_text(half);
}

// "above 4080 B (1.31 times, eager -> rendezvous)"
std::string step_text(const Step& step) {
  const std::string low = base::size_text(step.low_bytes);
  const std::string place = step.high_bytes == step.low_bytes + 1
                                ? "above " + low
                                : "between " + low + " and " + base::size_text(step.high_bytes);
  return place + step_words(step, false);
}

std::string steps_clause(const Steps& steps, const std::vector<std::size_t>& told) {
  if (told.empty()) return "no step found";
  std::vector<std::string> texts;
  texts.reserve(told.size());
  for (const std::size_t i : told) texts.push_back(step_text(steps.steps.at(i)));
  const std::size_t more = texts.size() - std::min(texts.size(), kMostStepsTold);
  texts.resize(texts.size() - more);
  if (more > 0) texts.push_back(std::to_string(more) + " more");
  return (told.size() == 1 ? "a step " : "steps ") + list_text(texts);
}

std::string place_clause(const P2p& found, const MessageSummary& summary) {
  std::vector<std::string> parts;
  if (summary.latency) parts.push_back(latency_clause(summary));
  const PlaceRates& rates = summary.rates;
  if (rates.bandwidth_gb_s) parts.push_back(bandwidth_clause(*rates.bandwidth_gb_s));
  if (rates.half) parts.push_back(half_clause(*rates.half));
  if (summary.steps) parts.push_back(steps_clause(found.steps, *summary.steps));
  return summary.arm + (summary.place.empty() ? "" : " (" + summary.place + ")") + ": " +
         base::join(parts, ", ");
}

}  // namespace

std::string p2p_sentence(const P2p& found) {
  // More ranks than cores: times say when the ranks got their turns.
  if (!found.no_verdict.empty()) {
    return "No figures: " + found.no_verdict +
           "; the tables have times as behaviour alone: " + found.scope + ".";
  }
  std::vector<std::string> clauses;
  for (const MessageSummary& summary : found.summaries) {
    clauses.push_back(place_clause(found, summary));
  }
  if (clauses.empty()) {
    clauses.emplace_back("No latency and no bandwidth: neither ping-pongs nor streams have times");
  }
  const std::size_t more = clauses.size() - std::min(clauses.size(), kMostPlacesTold);
  clauses.resize(clauses.size() - more);
  if (more > 0) clauses.push_back(std::to_string(more) + " more in the table");
  return base::join(clauses, "; ") + ": " + found.scope + ".";
}

}  // namespace invar::analysis
