#include "analysis/study/time_axis.hpp"

#include <algorithm>
#include <limits>
#include <vector>

namespace invar::analysis {
namespace {

constexpr double kSecondsPerPs = 1e-12;

struct Extent {
  std::int64_t begin_ps = std::numeric_limits<std::int64_t>::max();
  std::int64_t end_ps = std::numeric_limits<std::int64_t>::min();

  void add(const store::Launch& launch) {
    for (const store::Visit& visit : launch.visits) {
      begin_ps = std::min(begin_ps, visit.line.begin_ps);
      end_ps = std::max(end_ps, visit.line.end_ps);
    }
  }
  [[nodiscard]] bool empty() const { return begin_ps > end_ps; }
};

}  // namespace

TimeAxis::TimeAxis(const store::Data& data, Pairing pairing)
    : overlap_(pairing != Pairing::kLaunches) {
  const auto append = [&](std::uint32_t group, std::uint32_t launch, const Extent& extent) {
    if (extent.empty()) return;
    lines_[{group, launch}] = {.begin_ps = extent.begin_ps, .offset_s = end_s_};
    end_s_ += static_cast<double>(extent.end_ps - extent.begin_ps) * kSecondsPerPs;
  };
  for (const store::Group& group : data.groups) {
    Extent together;
    for (const store::Launch& launch : group.launches) {
      Extent alone;
      (overlap_ ? together : alone).add(launch);
      if (!overlap_) append(group.group, launch.launch, alone);
    }
    if (overlap_) append(group.group, 0, together);
  }
}

const TimeAxis::Line& TimeAxis::line_of(std::uint32_t group, std::uint32_t launch) const {
  return lines_.at({group, overlap_ ? 0 : launch});
}

double TimeAxis::seconds(std::uint32_t group, std::uint32_t launch, std::int64_t time_ps) const {
  const Line& line = line_of(group, launch);
  return line.offset_s + static_cast<double>(time_ps - line.begin_ps) * kSecondsPerPs;
}

std::pair<double, double> TimeAxis::seconds(const Perturbation& stretch) const {
  const Line& line = line_of(stretch.group, stretch.launch);
  const double shift = line.offset_s - static_cast<double>(line.begin_ps) * kSecondsPerPs;
  return {stretch.begin_s + shift, stretch.end_s + shift};
}

}  // namespace invar::analysis
