// What the kernel counts against a process while it measures; read outside the timed region.
#pragma once

#include <cstdint>
#include <optional>

namespace invar::engine {

// Involuntary switches and run delay of this thread.
class ThreadStatistics {
 public:
  ThreadStatistics();
  ThreadStatistics(const ThreadStatistics&) = delete;
  ThreadStatistics& operator=(const ThreadStatistics&) = delete;
  ~ThreadStatistics();

  struct Reading {
    std::uint64_t involuntary_switches = 0;
    std::uint64_t run_delay_ns = 0;
  };
  [[nodiscard]] Reading read() const;

 private:
  int schedstat_;
};

// Time that the hypervisor took from all CPUs since boot, in clock ticks of the kernel (/proc/stat,
// eighth number of the first line). One for a launch: whichever visit reads next gets what passed.
class StealCounter {
 public:
  StealCounter();
  StealCounter(const StealCounter&) = delete;
  StealCounter& operator=(const StealCounter&) = delete;
  ~StealCounter();

  // Since the call before; none at the first call, or where the kernel does not tell.
  std::optional<std::uint64_t> since_last();

 private:
  int stat_;
  std::optional<std::uint64_t> last_ = {};
};

}  // namespace invar::engine
