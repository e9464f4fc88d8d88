#include "clock/pair.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace invar::clock {
namespace {

void need(std::size_t count, std::size_t least, const char* what) {
  if (count < least) {
    throw std::invalid_argument(std::string(what) + " needs at least " + std::to_string(least) +
                                (least == 1 ? " ping-pong" : " points"));
  }
}

// Straight line y = offset + skew x, x and y relative to the first point.
class Line {
 public:
  Line(std::int64_t at_ps, std::int64_t offset_ps) : at_ps_(at_ps), offset_ps_(offset_ps) {}

  void add(std::int64_t at_ps, std::int64_t offset_ps) {
    const auto x = static_cast<double>(at_ps - at_ps_);
    const auto y = static_cast<double>(offset_ps - offset_ps_);
    // Running means: sums of squares of 1e12 ps would cancel.
    count_ += 1;
    const double dx = x - mean_x_;
    mean_x_ += dx / count_;
    const double dy = y - mean_y_;
    mean_y_ += dy / count_;
    xx_ += dx * (x - mean_x_);
    xy_ += dx * (y - mean_y_);
  }

  [[nodiscard]] Model model() const {
    if (!(xx_ > 0)) throw std::invalid_argument("a clock's line needs two different times");
    const double skew = xy_ / xx_;
    const std::int64_t x = std::llround(mean_x_);
    return {at_ps_ + x,
            offset_ps_ + std::llround(mean_y_ + skew * (static_cast<double>(x) - mean_x_)), skew};
  }

 private:
  std::int64_t at_ps_, offset_ps_;
  double count_ = 0, mean_x_ = 0, mean_y_ = 0, xx_ = 0, xy_ = 0;
};

}  // namespace

double mean_round_trip_ps(PingPongs series) {
  need(series.size(), 1, "a round trip");
  std::vector<std::int64_t> trips;
  trips.reserve(series.size());
  for (const PingPong& p : series) trips.push_back(p.round_trip_ps());
  std::sort(trips.begin(), trips.end());
  const auto limit = 1.5 * static_cast<double>(trips[(trips.size() - 1) * 3 / 4]);
  double sum = 0;
  double count = 0;
  for (const std::int64_t trip : trips) {
    if (static_cast<double>(trip) > limit && count > 0) break;
    sum += static_cast<double>(trip);
    count += 1;
  }
  return sum / count;
}

Offset median_offset(PingPongs series, double round_trip_ps) {
  need(series.size(), 1, "a median offset");
  std::vector<Offset> all;
  all.reserve(series.size());
  for (const PingPong& p : series) {
    const std::int64_t remote_ps =
        p.remote_receive_ps + (p.remote_send_ps - p.remote_receive_ps) / 2;
    all.push_back({p.local_receive_ps, p.local_receive_ps - remote_ps});
  }
  const auto middle = all.begin() + static_cast<std::ptrdiff_t>((all.size() - 1) / 2);
  std::nth_element(all.begin(), middle, all.end(),
                   [](const Offset& a, const Offset& b) { return a.offset_ps < b.offset_ps; });
  return {middle->at_ps, middle->offset_ps - std::llround(round_trip_ps / 2)};
}

Offset bounded_offset(PingPongs series) {
  need(series.size(), 1, "a bounded offset");
  const Burst burst = summarise(series);
  return {burst.middle_at_ps(), burst.lowest_ps + (burst.highest_ps - burst.lowest_ps) / 2};
}

Offset smallest_trip_offset(PingPongs series) {
  need(series.size(), 1, "a smallest round trip");
  const PingPong& best = *std::min_element(
      series.begin(), series.end(),
      [](const PingPong& a, const PingPong& b) { return a.round_trip_ps() < b.round_trip_ps(); });
  const std::int64_t low = best.lowest_offset_ps();
  return {best.local_receive_ps, low + (best.highest_offset_ps() - low) / 2};
}

Model least_squares(std::span<const Offset> points) {
  need(points.size(), 2, "a line of offsets");
  Line line(points[0].at_ps, points[0].offset_ps);
  for (const Offset& point : points) line.add(point.at_ps, point.offset_ps);
  return line.model();
}

Burst::Bounds Burst::bounds(std::int64_t at_ps, double skew, std::int64_t base_ps) const {
  const double low =
      static_cast<double>(lowest_ps - base_ps) + skew * static_cast<double>(at_ps - lowest_at_ps);
  const double high =
      static_cast<double>(highest_ps - base_ps) + skew * static_cast<double>(at_ps - highest_at_ps);
  return {(low + high) / 2, high - low};
}

Burst summarise(PingPongs series) {
  need(series.size(), 1, "a burst");
  Burst burst{series[0].local_send_ps, series[0].lowest_offset_ps(), series[0].local_receive_ps,
              series[0].highest_offset_ps(), 0};
  for (const PingPong& p : series) {
    if (p.lowest_offset_ps() > burst.lowest_ps) {
      burst.lowest_ps = p.lowest_offset_ps();
      burst.lowest_at_ps = p.local_send_ps;
    }
    if (p.highest_offset_ps() < burst.highest_ps) {
      burst.highest_ps = p.highest_offset_ps();
      burst.highest_at_ps = p.local_receive_ps;
    }
  }
  burst.count = static_cast<std::uint32_t>(series.size());
  return burst;
}

}  // namespace invar::clock
