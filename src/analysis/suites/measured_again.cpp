#include "analysis/suites/measured_again.hpp"

#include <algorithm>
#include <cstddef>

namespace invar::analysis {
namespace {

constexpr double kSticksOut = 1.1;
constexpr double kBeyondAnEnd = 4;  // bytes

// The points that have passes, and what is kept of them.
class Sweep {
 public:
  Sweep(std::span<const SweptPoint> points, std::vector<KeptPasses>& kept)
      : points_(points), kept_(kept) {
    for (std::size_t i = 0; i < points.size(); ++i) {
      kept_[i].times_ns = points[i].passes_ns;
      if (points[i].passes_ns.empty()) continue;
      curve_.push_back(i);
      least_ns_.push_back(std::ranges::min(points[i].passes_ns));
      most_again_ = std::max(most_again_, points[i].again_ns.size());
    }
  }

  void measure_again() {
    for (std::size_t visit = 0; visit < most_again_; ++visit) {
      bool any = false;
      for (std::size_t at = 0; at < curve_.size(); ++at) any = measure_again(at, visit) || any;
      if (!any) return;
    }
  }

 private:
  [[nodiscard]] double line_ns(std::size_t at) const {
    const bool first = at == 0;
    const bool last = at + 1 == curve_.size();
    const double size = points_[curve_[at]].size;
    const double before = first ? kBeyondAnEnd : size - points_[curve_[at - 1]].size;
    const double behind = last ? kBeyondAnEnd : points_[curve_[at + 1]].size - size;
    const double before_ns = least_ns_[first ? at : at - 1];
    const double behind_ns = least_ns_[last ? at : at + 1];
    return before_ns + before / (before + behind) * (behind_ns - before_ns);
  }

  // Whether it gave a time.
  bool measure_again(std::size_t at, std::size_t visit) {
    const SweptPoint& point = points_[curve_[at]];
    if (!(least_ns_[at] > kSticksOut * line_ns(at))) return false;
    if (visit >= point.again_ns.size() || !point.again_ns[visit]) return false;
    const double time_ns = *point.again_ns[visit];
    kept_[curve_[at]].times_ns.push_back(time_ns);
    ++kept_[curve_[at]].again;
    least_ns_[at] = std::min(least_ns_[at], time_ns);
    return true;
  }

  std::span<const SweptPoint> points_;
  std::vector<KeptPasses>& kept_;
  std::vector<std::size_t> curve_ = {};  // indices of points
  std::vector<double> least_ns_ = {};    // like curve_
  std::size_t most_again_ = 0;
};

}  // namespace

std::vector<KeptPasses> kept_passes(std::span<const SweptPoint> ascending) {
  std::vector<KeptPasses> kept(ascending.size());
  Sweep(ascending, kept).measure_again();
  return kept;
}

}  // namespace invar::analysis
