// Looks from a thread whether the rank has been waiting for too long. It calls no MPI, so that the
// library needs no support for threads.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

#include "engine/stress/stress_found.hpp"
#include "record/stress/stress_state.hpp"

namespace invar::engine {

class StressWatch {
 public:
  // What takes longer is told, and ends the rank, and with it the launch. All outlive the watch.
  StressWatch(const record::StressState& state, StressFound& found, int rank, double patience_s);
  StressWatch(const StressWatch&) = delete;
  StressWatch& operator=(const StressWatch&) = delete;
  ~StressWatch();

 private:
  void look();

  const record::StressState& state_;
  StressFound& found_;
  int rank_;
  double patience_s_;
  std::mutex mutex_ = {};
  std::condition_variable changed_ = {};
  bool over_ = false;
  std::thread thread_ = {};  // last: it uses the others
};

}  // namespace invar::engine
