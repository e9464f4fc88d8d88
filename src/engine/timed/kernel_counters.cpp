#include "engine/timed/kernel_counters.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <utility>

#include "engine/machine/machine.hpp"

namespace invar::engine {

namespace {

// -1: it cannot be read, or tells of no rank.
int open_counts(const char* path) {
  return Machine::kernel_tells_of_ranks() ? open(path, O_RDONLY | O_CLOEXEC) : -1;
}

}  // namespace

ThreadStatistics::ThreadStatistics() : schedstat_(open_counts("/proc/thread-self/schedstat")) {}

ThreadStatistics::~ThreadStatistics() {
  if (schedstat_ >= 0) close(schedstat_);
}

ThreadStatistics::Reading ThreadStatistics::read() const {
  Reading reading;
  if (!Machine::kernel_tells_of_ranks()) return reading;
  rusage usage{};
  if (getrusage(RUSAGE_THREAD, &usage) == 0) {
    reading.involuntary_switches = static_cast<std::uint64_t>(usage.ru_nivcsw);
  }
  std::array<char, 96> text{};
  // "run_time run_delay timeslices"; absent on kernels without it: 0.
  if (schedstat_ >= 0 && pread(schedstat_, text.data(), text.size() - 1, 0) > 0) {
    char* end = nullptr;
    std::strtoull(text.data(), &end, 10);
    reading.run_delay_ns = std::strtoull(end, nullptr, 10);
  }
  return reading;
}

StealCounter::StealCounter() : stat_(open_counts("/proc/stat")) {}

StealCounter::~StealCounter() {
  if (stat_ >= 0) close(stat_);
}

std::optional<std::uint64_t> StealCounter::since_last() {
  std::array<char, 256> text{};
  if (stat_ < 0 || pread(stat_, text.data(), text.size() - 1, 0) <= 0) return std::nullopt;
  const char* at = text.data();
  while (*at != ' ' && *at != '\0') ++at;
  std::uint64_t steal = 0;
  for (int column = 1; column <= 8; ++column) {
    char* end = nullptr;
    steal = std::strtoull(at, &end, 10);
    if (end == at) return std::nullopt;
    at = end;
  }
  const std::optional<std::uint64_t> before = std::exchange(last_, steal);
  return before ? std::optional(steal - *before) : std::nullopt;
}

}  // namespace invar::engine
