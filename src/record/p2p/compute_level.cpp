#include "record/p2p/compute_level.hpp"

#include <cmath>

#include "base/text.hpp"
#include "base/units.hpp"

namespace invar::record {
namespace {

constexpr double kLongestNs = 1e9;
constexpr double kMostCallsComputed = 1000;
constexpr std::string_view kNoComputation = "off";
constexpr std::string_view kAlone = "only:";

}  // namespace

std::optional<Compute> parse_compute(std::string_view text) {
  if (text == kNoComputation) return Compute{};
  Compute compute{.alone = text.starts_with(kAlone)};
  std::string_view amount = compute.alone ? text.substr(kAlone.size()) : text;
  const bool calls = amount.ends_with('x');
  if (!calls && !amount.ends_with("ns")) return std::nullopt;
  amount.remove_suffix(calls ? 1 : 2);
  const auto value = base::parse_double(amount);
  if (!value || !(*value > 0)) return std::nullopt;
  (calls ? compute.calls : compute.ns) = *value;
  return compute;
}

LevelText compute_level(std::string_view written) {
  const LevelText none{.complaint = "is '" + std::string(written) + "', no amount of computation",
                       .remedy =
                           "write \"off\", a time as in \"10us\", or times a call's own "
                           "time as in \"0.5x\""};
  if (const auto parsed = parse_compute(written)) {
    if (parsed->ns > kLongestNs || parsed->calls > kMostCallsComputed) {
      return {.complaint = "is longer than 1 s or 1000 calls", .remedy = "write a shorter time"};
    }
    return {.text = std::string(written)};
  }
  const bool alone = written.starts_with(kAlone);
  const std::string_view amount = alone ? written.substr(kAlone.size()) : written;
  const base::Parsed<double> seconds = base::parse_duration_s(amount);
  if (!seconds.value) return none;
  // Nanoseconds, as the plan has them.
  const std::string text = (alone ? std::string(kAlone) : std::string()) +
                           std::to_string(std::llround(*seconds.value * 1e9)) + "ns";
  if (text == written || !parse_compute(text)) return none;
  return compute_level(text);
}

std::string compute_alone(std::string_view level) {
  return std::string(kAlone) + std::string(level);
}

std::vector<std::string> expand_compute(std::string_view level, std::uint32_t /*ranks*/) {
  std::vector<std::string> levels{std::string(level)};
  const auto compute = parse_compute(level);
  if (compute && !compute->off() && !compute->alone) {
    levels.push_back(compute_alone(level));
  }
  return levels;
}

}  // namespace invar::record
