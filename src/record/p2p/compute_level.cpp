#include "record/p2p/compute_level.hpp"

#include "record/amount.hpp"

namespace invar::record {
namespace {

constexpr std::string_view kNoComputation = "off";
constexpr std::string_view kAlone = "only:";

}  // namespace

std::optional<Compute> parse_compute(std::string_view text) {
  if (text == kNoComputation) return Compute{};
  const bool alone = text.starts_with(kAlone);
  const auto amount = parse_amount(alone ? text.substr(kAlone.size()) : text);
  if (!amount) return std::nullopt;
  return Compute{.ns = amount->ns, .calls = amount->calls, .alone = alone};
}

LevelText compute_level(std::string_view written) {
  if (written == kNoComputation) return {.text = std::string(written)};
  const bool alone = written.starts_with(kAlone);
  const auto planned = planned_amount(alone ? written.substr(kAlone.size()) : written);
  if (!planned) {
    return {.complaint = "is '" + std::string(written) + "', no amount of computation",
            .remedy =
                "write \"off\", a time as in \"10us\", or times a call's own "
                "time as in \"0.5x\""};
  }
  if (parse_amount(*planned)->too_long()) {
    return {.complaint = "is longer than 1 s or 1000 calls", .remedy = "write a shorter time"};
  }
  return {.text = (alone ? std::string(kAlone) : std::string()) + *planned};
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
