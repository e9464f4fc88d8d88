// The faults that this rank has found, in a file of its own: written at once, because the launch
// may end with them.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "record/record_file.hpp"
#include "record/stress/stress_fault.hpp"

namespace invar::engine {

class StressFound {
 public:
  // There is no file before the first fault.
  explicit StressFound(std::string path) : path_(std::move(path)) {}

  // From any thread. What comes behind the first few is counted and not written: where one message
  // is wrong thousands may be. Throws std::runtime_error where it cannot be written.
  void add(const record::StressFault& fault);
  [[nodiscard]] std::size_t count() const;

 private:
  mutable std::mutex mutex_ = {};
  std::string path_;
  std::unique_ptr<record::RecordFile> file_ = {};
  std::size_t count_ = 0;
};

}  // namespace invar::engine
