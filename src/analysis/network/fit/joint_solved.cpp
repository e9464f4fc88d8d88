#include "analysis/network/fit/joint_solved.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace invar::analysis {
namespace {

// Two slopes count as different only with this confidence.
constexpr double kSurelyOthers = 0.99;

// A size of a train, and what its two ranks are busy with.
struct BusySize {
  JointSum gap = {};
  std::vector<JointSum> overheads = {};

  // Share of the gap that is beyond the slower rank's overhead.
  [[nodiscard]] double idle_share(std::span<const double> unknowns) const {
    double busy_ns = 0;
    for (const JointSum& one : overheads) busy_ns = std::max(busy_ns, one.value(unknowns));
    const double gap_ns = gap.value(unknowns);
    return gap_ns > 0 ? (gap_ns - busy_ns) / gap_ns : 0;
  }
};

std::vector<BusySize> busy_sizes(const JointFit& fit, const JointPoints& points,
                                 const GapPart& part) {
  std::vector<BusySize> sizes;
  for (const SeriesPoint& point : points.gap) {
    if (point.held_out || !part.sizes.contains(point.size_bytes)) continue;
    const std::optional<JointSum> gap = fit.gap(point.size_bytes);
    if (!gap) continue;
    BusySize size{.gap = *gap};
    if (const auto send = fit.send(point.size_bytes)) size.overheads.push_back(*send);
    if (!fit.lacks_receive(part.range)) {
      if (const auto receive = fit.late_receive(point.size_bytes)) {
        size.overheads.push_back(*receive);
      }
    }
    if (!size.overheads.empty()) sizes.push_back(std::move(size));
  }
  return sizes;
}

// Over the sizes of the part a further message takes no longer, beyond the smallest effect, than
// the slower one of both ranks is busy with it.
bool is_busy(const SolvedJoint& solved, const GapPart& part) {
  const std::vector<BusySize> sizes = busy_sizes(solved.fit(), solved.question().points, part);
  if (sizes.empty()) return false;
  const ModelEstimate idle = solved.estimate([&](std::span<const double> unknowns) {
    double sum = 0;
    for (const BusySize& size : sizes) sum += size.idle_share(unknowns);
    return sum / static_cast<double>(sizes.size());
  });
  const double low = idle.interval ? idle.interval->low : idle.value;
  return low <= solved.question().min_effect;
}

bool same_slopes(const SolvedJoint& solved, std::size_t train, std::size_t wire) {
  const ModelEstimate difference = solved.estimate(
      [&](std::span<const double> unknowns) { return unknowns[train] - unknowns[wire]; },
      kSurelyOthers);
  if (difference.interval) return difference.interval->low <= 0 && difference.interval->high >= 0;
  return std::abs(difference.value) <=
         solved.question().min_effect * solved.solution()->unknowns[train];
}

}  // namespace

SolvedJoint::SolvedJoint(const JointQuestion& question, JointShape shape)
    : question_(&question), fit_(std::move(shape)), solution_(fit_.solve(question.points)) {
  if (!solution_) return;
  for (const JointPoints& points : question.resampled) {
    if (std::optional<JointSolution> one = fit_.solve(points)) {
      resampled_.push_back(std::move(*one));
    }
  }
}

ModelEstimate SolvedJoint::estimate(double value, std::span<const double> resampled,
                                    std::size_t groups) const {
  return resampled_estimate(value, resampled, groups, question_->confidence);
}

ModelEstimate SolvedJoint::estimate(
    const std::function<double(std::span<const double> unknowns)>& value,
    std::optional<double> confidence) const {
  std::vector<double> resampled;
  resampled.reserve(resampled_.size());
  for (const JointSolution& one : resampled_) resampled.push_back(value(one.unknowns));
  return resampled_estimate(value(solution_->unknowns), resampled, question_->groups,
                            confidence.value_or(question_->confidence));
}

JudgedGaps judge_gaps(const SolvedJoint& solved) {
  JudgedGaps judged{.shape = solved.fit().shape()};
  for (std::size_t i = 0; i < judged.shape.gap_parts.size(); ++i) {
    GapPart& part = judged.shape.gap_parts[i];
    const bool busy = is_busy(solved, part);
    judged.busy.push_back(busy);
    const auto train = solved.fit().column({.term = JointTerm::kGap, .index = i, .per_byte = true});
    const auto wire =
        solved.fit().column({.term = JointTerm::kWire, .index = part.range, .per_byte = true});
    part.shares_gap = !busy && train && wire && same_slopes(solved, *train, *wire);
  }
  return judged;
}

}  // namespace invar::analysis
