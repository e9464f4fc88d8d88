#include "tuning/probes/forced_arms.hpp"

#include <algorithm>
#include <stdexcept>

namespace invar::tuning {

std::vector<ForcedBatch> forced_batches(std::span<const ForcedArm> arms, std::size_t most) {
  if (most == 0) throw std::invalid_argument("a batch of no arms");
  std::vector<std::string> operations;
  for (const ForcedArm& arm : arms) {
    if (std::ranges::find(operations, arm.operation) == operations.end()) {
      operations.push_back(arm.operation);
    }
  }
  std::vector<ForcedBatch> batches;
  for (const std::string& operation : operations) {
    std::vector<const ForcedArm*> own;
    own.reserve(arms.size());
    for (const ForcedArm& arm : arms) {
      if (arm.operation == operation) own.push_back(&arm);
    }
    const std::size_t count = (own.size() + most - 1) / most;
    for (std::size_t i = 0; i < count; ++i) {
      ForcedBatch& batch = batches.emplace_back();
      const std::size_t end = (i + 1) * own.size() / count;
      for (std::size_t k = i * own.size() / count; k < end; ++k) batch.push_back(*own[k]);
    }
  }
  return batches;
}

std::string forced_label(const ForcedArm& arm) {
  std::string label = arm.operation + '-' + arm.candidate.name;
  if (arm.candidate.fanout != 0) label += "-fanout-" + std::to_string(arm.candidate.fanout);
  if (arm.candidate.segment_bytes != 0) {
    label += "-segment-" + std::to_string(arm.candidate.segment_bytes);
  }
  return label;
}

}  // namespace invar::tuning
