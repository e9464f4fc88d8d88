#include "group/steps.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace invar::group {
namespace {

constexpr double kLeastRetries = 16;

}  // namespace

std::uint32_t measured_capacity(const record::PlanRow& row, const StepLimits& limits) {
  const auto repetitions = static_cast<double>(row.repetitions);
  double wanted = std::ceil(repetitions * limits.retry_cap);
  // A few repetitions may all be lost by chance.
  if (limits.retry_cap > 1) wanted = std::max(wanted, repetitions + kLeastRetries);
  return static_cast<std::uint32_t>(wanted);
}

std::uint32_t visit_capacity(const record::PlanRow& row, const StepLimits& limits) {
  return limits.warmup_repetitions + measured_capacity(row, limits);
}

Steps make_steps(std::span<const record::PlanRow> rows, std::span<const std::string> arms,
                 const StepLimits& limits) {
  Steps result;
  const auto arm_count = static_cast<std::uint32_t>(arms.size());
  std::vector<std::uint32_t> filled(arms.size(), 0);
  const auto all_arms = [&](StepKind kind) {
    for (std::uint32_t arm = 0; arm < arm_count; ++arm) {
      result.steps.push_back({.kind = kind, .arm = arm});
    }
  };
  const auto flush = [&] {
    for (std::uint32_t& repetitions : filled) {
      result.segment_capacity = std::max(result.segment_capacity, repetitions);
      repetitions = 0;
    }
    all_arms(StepKind::kFlush);
  };
  all_arms(StepKind::kPrepare);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto arm = std::find(arms.begin(), arms.end(), rows[i].arm);
    if (arm == arms.end()) {
      throw std::invalid_argument("arm '" + rows[i].arm + "' takes no part in this group");
    }
    const auto index = static_cast<std::uint32_t>(arm - arms.begin());
    result.steps.push_back(
        {.kind = StepKind::kVisit, .arm = index, .row = static_cast<std::uint32_t>(i)});
    filled[index] += visit_capacity(rows[i], limits);
    const bool block_ends = i + 1 == rows.size() || rows[i + 1].block != rows[i].block ||
                            rows[i + 1].round != rows[i].round;
    const bool full = *std::max_element(filled.begin(), filled.end()) >= limits.segment_repetitions;
    if (!block_ends || i + 1 == rows.size()) continue;
    if (full) {
      flush();
    } else if (limits.track) {
      all_arms(StepKind::kTrack);
    }
  }
  flush();
  return result;
}

}  // namespace invar::group
