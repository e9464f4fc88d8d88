#include "platform/predicted.hpp"

#include <algorithm>

namespace invar::platform {

double overhead_s(const std::vector<OverheadSection>& sections, std::uint64_t size_bytes) {
  if (sections.empty()) return 0;
  const OverheadSection* holds = &sections.front();
  for (const OverheadSection& section : sections) {
    if (size_bytes > section.above_bytes) holds = &section;
  }
  return std::max(0.0, holds->intercept_s + holds->slope_s * static_cast<double>(size_bytes));
}

double factor_at(const std::vector<FactorSection>& sections, std::uint64_t size_bytes) {
  double factor = 1;
  for (const FactorSection& section : sections) {
    if (size_bytes + kEnvelopeBytes > section.above_bytes) factor = section.factor;
  }
  return factor;
}

std::optional<double> wire_s(const SimgridPlatform& platform, std::uint64_t size_bytes) {
  const double bandwidth =
      flow_bandwidth_bps(platform) * factor_at(platform.bandwidth_factor, size_bytes);
  if (!(bandwidth > 0)) return std::nullopt;
  // A negative factor is 0.
  const double latency =
      platform.latency_s * std::max(0.0, factor_at(platform.latency_factor, size_bytes));
  return latency + static_cast<double>(size_bytes + kEnvelopeBytes) / bandwidth;
}

std::optional<double> predicted_half_round_trip_s(const SimgridPlatform& platform,
                                                  std::uint64_t size_bytes) {
  const std::optional<double> wire = wire_s(platform, size_bytes);
  if (!wire || size_bytes >= platform.detached_bytes) return wire;
  return overhead_s(platform.send, size_bytes) + *wire + overhead_s(platform.receive, size_bytes);
}

std::optional<double> predicted_send_s(const SimgridPlatform& platform, std::uint64_t size_bytes) {
  if (size_bytes < platform.detached_bytes) return overhead_s(platform.send, size_bytes);
  return wire_s(platform, size_bytes);
}

}  // namespace invar::platform
