#include "clock/pair.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
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

// Weighted straight line y = offset + skew x, x and y relative to the first point.
class Line {
 public:
  Line(std::int64_t at_ps, std::int64_t offset_ps) : at_ps_(at_ps), offset_ps_(offset_ps) {}

  void add(std::int64_t at_ps, std::int64_t offset_ps, double weight) {
    const auto x = static_cast<double>(at_ps - at_ps_);
    const auto y = static_cast<double>(offset_ps - offset_ps_);
    // Running means: sums of squares of 1e12 ps would cancel.
    weight_ += weight;
    const double dx = x - mean_x_;
    mean_x_ += weight / weight_ * dx;
    const double dy = y - mean_y_;
    mean_y_ += weight / weight_ * dy;
    xx_ += weight * dx * (x - mean_x_);
    xy_ += weight * dx * (y - mean_y_);
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
  double weight_ = 0, mean_x_ = 0, mean_y_ = 0, xx_ = 0, xy_ = 0;
};

struct Point {
  double x = 0, y = 0;
};

// Upper hull of points with rising x (Andrew's monotone chain).
std::vector<Point> upper_hull(const std::vector<Point>& points) {
  std::vector<Point> hull;
  for (const Point& p : points) {
    while (hull.size() > 1) {
      const Point& a = hull[hull.size() - 2];
      const Point& b = hull.back();
      if ((b.y - a.y) * (p.x - a.x) > (p.y - a.y) * (b.x - a.x)) break;
      hull.pop_back();
    }
    hull.push_back(p);
  }
  return hull;
}

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
  for (const Offset& point : points) line.add(point.at_ps, point.offset_ps, 1);
  return line.model();
}

Model hull_fit(PingPongs series) {
  need(series.size(), 2, "a line between bounds");
  const std::int64_t at_ps = series[0].local_send_ps;
  const std::int64_t base_ps = series[0].lowest_offset_ps();
  std::vector<Point> low;
  std::vector<Point> high;  // mirrored, so that one hull function does for both
  for (const PingPong& p : series) {
    low.push_back({static_cast<double>(p.local_send_ps - at_ps),
                   static_cast<double>(p.lowest_offset_ps() - base_ps)});
    high.push_back({static_cast<double>(p.local_receive_ps - at_ps),
                    -static_cast<double>(p.highest_offset_ps() - base_ps)});
  }
  low = upper_hull(low);
  high = upper_hull(high);
  // All lines through the gap have slopes between those of the two separating tangents: steepest
  // from a low point on the left to a high point on the right, and the other way round. Hulls
  // have few corners, so all pairs of them cost less than finding the tangents.
  double steepest = std::numeric_limits<double>::infinity();
  double flattest = -std::numeric_limits<double>::infinity();
  for (const Point& l : low) {
    for (const Point& h : high) {
      if (h.x > l.x) steepest = std::min(steepest, (-h.y - l.y) / (h.x - l.x));
      if (h.x < l.x) flattest = std::max(flattest, (-h.y - l.y) / (h.x - l.x));
    }
  }
  if (!std::isfinite(steepest) || !std::isfinite(flattest)) {
    throw std::invalid_argument("a line between bounds needs ping-pongs one after the other");
  }
  const double skew = (steepest + flattest) / 2;
  const double x = (low.front().x + high.back().x) / 2;
  double floor = -std::numeric_limits<double>::infinity();
  double ceiling = std::numeric_limits<double>::infinity();
  for (const Point& l : low) floor = std::max(floor, l.y + skew * (x - l.x));
  for (const Point& h : high) ceiling = std::min(ceiling, -h.y + skew * (x - h.x));
  return {at_ps + std::llround(x), base_ps + std::llround((floor + ceiling) / 2), skew};
}

Model gated_fit(PingPongs series, double base_sigma_ps, double gate_ps) {
  need(series.size(), 2, "a weighted line");
  std::int64_t smallest = std::numeric_limits<std::int64_t>::max();
  const auto width = [](const PingPong& p) { return p.highest_offset_ps() - p.lowest_offset_ps(); };
  for (const PingPong& p : series) smallest = std::min(smallest, width(p));
  Line line(series[0].local_send_ps, series[0].lowest_offset_ps());
  for (const PingPong& p : series) {
    const auto excess = static_cast<double>(width(p) - smallest);
    if (excess > gate_ps) continue;
    const double variance = base_sigma_ps * base_sigma_ps + excess * excess / 4;
    line.add(p.local_send_ps + p.round_trip_ps() / 2, p.lowest_offset_ps() + width(p) / 2,
             1 / std::max(variance, 1.0));
  }
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
