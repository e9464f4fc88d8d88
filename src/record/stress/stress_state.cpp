#include "record/stress/stress_state.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <string_view>

#include "base/text.hpp"

namespace invar::record {

StressState::StressState(const std::string& path) {
  if (const std::string why = map(path); !why.empty()) {
    lacking_ = path + ": " + why;
  }
  set(stress_word::kPid, static_cast<std::uint64_t>(getpid()));
  word(stress_word::kMagic).store(kStressMagic, std::memory_order_release);
}

std::string StressState::map(const std::string& path) {
  const auto reason = [&](int error) {
    if (descriptor_ >= 0) {
      close(descriptor_);
      unlink(path.c_str());
    }
    descriptor_ = -1;
    return std::string(std::strerror(error));
  };
  descriptor_ = open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
  if (descriptor_ < 0) return reason(errno);
  // Now: where there is no room the first word would end the rank by a signal.
  if (const int error = posix_fallocate(descriptor_, 0, sizeof(StressWords)); error != 0) {
    return reason(error);
  }
  void* const memory =
      mmap(nullptr, sizeof(StressWords), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, 0);
  if (memory == MAP_FAILED) return reason(errno);
  // The descriptor stays open: file systems over a network send what was written when it is closed,
  // as the kernel does for whoever dies.
  words_ = static_cast<std::uint64_t*>(memory);
  return {};
}

StressState::~StressState() {
  if (words_ != own_.data()) munmap(words_, sizeof(StressWords));
  if (descriptor_ >= 0) close(descriptor_);
}

void StressState::set_text(std::size_t first, std::size_t words, const char* text) {
  constexpr std::size_t kBytes = sizeof(std::uint64_t);
  const std::string_view kept = std::string_view(text).substr(0, words * kBytes - 1);
  // A zero ends it, in its last word or as one.
  for (std::size_t at = 0; at <= kept.size(); at += kBytes) {
    std::array<char, kBytes> bytes{};
    kept.copy(bytes.data(), kBytes, at);
    set(first++, std::bit_cast<std::uint64_t>(bytes));
  }
}

void StressState::at_collective(std::uint64_t number, std::uint64_t size_bytes,
                                const std::string& words) {
  // Others may have lain at the same place.
  operation_ = nullptr;
  now({.doing = StressDoing::kCollective,
       .kind = StressKind::kCollectives,
       .message = number,
       .size_bytes = size_bytes,
       .operation = words.c_str()});
  operation_ = nullptr;
}

void StressState::dies(int signal) noexcept {
  const std::uint64_t steps = word(stress_word::kSteps).load(std::memory_order_relaxed);
  const Word time = word(stress_word::kDeathTimeNs);
  // The first word of it counts: abort() may end in exit().
  const bool told = time.load(std::memory_order_relaxed) != 0 &&
                    word(stress_word::kDeathSteps).load(std::memory_order_relaxed) == steps;
  if (told || (signal == 0 && !waits())) return;
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  constexpr std::int64_t kNsOfSecond = 1'000'000'000;
  set(stress_word::kDeathSteps, steps);
  set(stress_word::kDeathSignal, static_cast<std::uint64_t>(signal));
  time.store(static_cast<std::uint64_t>(now.tv_sec * kNsOfSecond + now.tv_nsec),
             std::memory_order_release);
}

std::optional<StressActivity> StressState::activity() const {
  const std::uint64_t before = steps();
  StressWords copy{};
  for (std::size_t i = 0; i < kStressWords; ++i) {
    copy[i] = word(i).load(std::memory_order_relaxed);
  }
  std::atomic_thread_fence(std::memory_order_acquire);
  if (word(stress_word::kSteps).load(std::memory_order_relaxed) != before) return std::nullopt;
  copy[stress_word::kSteps] = before;
  return stress_activity(copy);
}

StressFault StressState::hanging(int rank, double seconds) const {
  const StressActivity now = activity().value_or(StressActivity());
  StressFault fault{.fault = std::string(stress_fault::kHang),
                    .rank = static_cast<std::uint32_t>(rank)};
  const std::string time = base::shortest_text(seconds) + " s";
  switch (now.doing) {
    case StressDoing::kResting:
    case StressDoing::kAgreeing:
      fault.what = "waited " + time + " for the other ranks";
      return fault;
    case StressDoing::kComparing:
      // Those that are in the call know more of it.
      fault.kind = name_of(now.kind);
      fault.what = "waited " + time + " for the other ranks, outside of the call of collective " +
                   std::to_string(now.message) + " (" + now.operation + ")";
      return fault;
    case StressDoing::kSending:
      fault.what = "it did not leave within " + time;
      break;
    case StressDoing::kReceiving:
      fault.what = "it did not come within " + time;
      break;
    case StressDoing::kPosting:
      fault.what = "its receive was not posted within " + time;
      break;
    case StressDoing::kCollective:
      fault.what = "the call did not come to its end within " + time;
      break;
  }
  put_activity(now, fault);
  return fault;
}

}  // namespace invar::record
