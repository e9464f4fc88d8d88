#include "platform/usual_formulas.hpp"

#include <algorithm>
#include <set>

#include "platform/inversion.hpp"

namespace invar::platform {
namespace {

constexpr double kUsualNsPerS = 1e9;

// Their sections begin at the first size behind a break.
std::uint64_t usual_boundary(double from_bytes) {
  return from_bytes == 0 ? 0 : static_cast<std::uint64_t>(from_bytes) + 1;
}

std::vector<OverheadSection> usual_overheads(const std::vector<Line>& lines) {
  std::vector<OverheadSection> sections;
  sections.reserve(lines.size());
  for (const Line& line : lines) {
    sections.push_back({.above_bytes = usual_boundary(line.from_bytes),
                        .intercept_s = line.intercept_ns / kUsualNsPerS,
                        .slope_s = line.slope_ns / kUsualNsPerS});
  }
  return sections;
}

}  // namespace

SimgridPlatform usual_formulas(const PlatformModel& model) {
  // Thresholds, bandwidths and costs of calls are what they are by any formulas.
  SimgridPlatform platform = invert(model).platform;
  platform.send = usual_overheads(model.send);
  platform.isend = usual_overheads(model.isend);
  platform.receive = usual_overheads(model.receive);
  platform.bandwidth_factor.clear();
  platform.latency_factor.clear();
  const double bandwidth_per_ns = flow_bandwidth_bps(platform) / kUsualNsPerS;
  std::set<double> breaks;
  for (const std::vector<Line>* lines : {&model.half_round_trip, &model.receive}) {
    for (const Line& line : *lines) breaks.insert(line.from_bytes);
  }
  if (platform.detached_bytes > 1 && platform.detached_bytes < kMostBytes) {
    breaks.insert(static_cast<double>(platform.detached_bytes - 1));
  }
  for (const double from_bytes : breaks) {
    const std::uint64_t first = usual_boundary(from_bytes);
    const Line& half = line_at(model.half_round_trip, first);
    const Line& receive = line_at(model.receive, first);
    // Where the sender waits they have no receive overhead.
    const double share = first < platform.detached_bytes ? 1.0 : 0.0;
    const double delay_ns = (2 * half.intercept_ns - share * receive.intercept_ns) / 2;
    const double delay_ns_per_byte = (2 * half.slope_ns - share * receive.slope_ns) / 2;
    platform.bandwidth_factor.push_back(
        {.above_bytes = first,
         .factor = std::min(1.0, 1 / (delay_ns_per_byte * bandwidth_per_ns))});
    platform.latency_factor.push_back(
        {.above_bytes = first, .factor = std::max(1.0, delay_ns / model.latency_ns)});
  }
  return platform;
}

}  // namespace invar::platform
