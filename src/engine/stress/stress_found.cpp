#include "engine/stress/stress_found.hpp"

namespace invar::engine {
namespace {

constexpr std::size_t kMostWrittenFaults = 16;

}  // namespace

void StressFound::add(const record::StressFault& fault) {
  const std::lock_guard lock(mutex_);
  if (++count_ > kMostWrittenFaults) return;
  if (!file_) file_ = std::make_unique<record::RecordFile>(path_);
  const std::string line = record::stress_fault_json(fault) + '\n';
  file_->append(line.data(), line.size());
  file_->sync();
}

std::size_t StressFound::count() const {
  const std::lock_guard lock(mutex_);
  return count_;
}

}  // namespace invar::engine
