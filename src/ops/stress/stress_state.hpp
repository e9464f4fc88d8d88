// What this rank does now, for a thread that looks whether it has been waiting for too long
// (engine/stress/stress_watch.hpp): a rank that waits inside of its MPI library cannot tell.
#pragma once

#include <atomic>
#include <cstdint>

#include "record/stress/stress_fault.hpp"
#include "record/stress/stress_order.hpp"

namespace invar::ops {

class StressState {
 public:
  enum class Doing : std::uint8_t {
    kResting,
    kSending,     // waits until a message has left
    kReceiving,   // waits for one
    kCollective,  // is in a call of all ranks
    kAgreeing,    // waits for the others between two parts of the run
  };

  // The message or the collective that comes next. `operation` lives as long as the run.
  void now(Doing doing, record::StressKind kind, std::uint64_t message, std::uint64_t size_bytes,
           int from, int to, const char* operation) {
    doing_.store(doing, std::memory_order_relaxed);
    kind_.store(kind, std::memory_order_relaxed);
    message_.store(message, std::memory_order_relaxed);
    size_bytes_.store(size_bytes, std::memory_order_relaxed);
    from_.store(from, std::memory_order_relaxed);
    to_.store(to, std::memory_order_relaxed);
    operation_.store(operation, std::memory_order_relaxed);
    steps_.fetch_add(1, std::memory_order_release);
  }
  void agrees() { now(Doing::kAgreeing, record::StressKind::kPairs, 0, 0, -1, -1, ""); }
  void rests() { now(Doing::kResting, record::StressKind::kPairs, 0, 0, -1, -1, ""); }

  // Another number whenever something new has begun.
  [[nodiscard]] std::uint64_t steps() const { return steps_.load(std::memory_order_acquire); }
  [[nodiscard]] bool waits() const {
    return doing_.load(std::memory_order_relaxed) != Doing::kResting;
  }
  // What has taken so many seconds, as a fault that this rank tells.
  [[nodiscard]] record::StressFault hanging(int rank, double seconds) const;

 private:
  std::atomic<std::uint64_t> steps_{0};
  std::atomic<Doing> doing_{Doing::kResting};
  std::atomic<record::StressKind> kind_{record::StressKind::kPairs};
  std::atomic<std::uint64_t> message_{0};
  std::atomic<std::uint64_t> size_bytes_{0};
  std::atomic<int> from_{-1};
  std::atomic<int> to_{-1};
  std::atomic<const char*> operation_{""};
};

}  // namespace invar::ops
