// What this rank does now: for a thread that looks whether it has been waiting for too long
// (engine/stress/stress_watch.hpp), and for the launcher, if the rank is ended inside of its MPI
// library. Neither is told by the rank itself.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "record/stress/stress_activity.hpp"
#include "record/stress/stress_fault.hpp"
#include "record/stress/stress_order.hpp"

namespace invar::record {

// A message or a collective. Texts that lie at the same place are taken for the same: each stays as
// it is as long as the run.
struct StressNow {
  StressDoing doing = StressDoing::kResting;
  StressKind kind = StressKind::kPairs;
  std::uint64_t message = 0;
  std::uint64_t size_bytes = 0;
  int from = -1;
  int to = -1;
  const char* operation = "";
  const char* pattern = "";
};

class StressState {
 public:
  // In the file `path`, which is made anew. Where that cannot be, in this process alone, and
  // lacking() says why.
  explicit StressState(const std::string& path);
  StressState(const StressState&) = delete;
  StressState& operator=(const StressState&) = delete;
  ~StressState();

  // Empty: nothing is lacking.
  [[nodiscard]] const std::string& lacking() const { return lacking_; }

  // What follows is called by one thread, before every message: about a million times a second.
  void now(const StressNow& next) {
    begin();
    set_doing(next.doing);
    set(stress_word::kKind, static_cast<std::uint64_t>(next.kind));
    set(stress_word::kMessage, next.message);
    set(stress_word::kSizeBytes, next.size_bytes);
    set(stress_word::kFrom, 1 + static_cast<std::uint64_t>(next.from));
    set(stress_word::kTo, 1 + static_cast<std::uint64_t>(next.to));
    if (next.operation != operation_) {
      operation_ = next.operation;
      set_text(kStressOperation, kStressOperationWords, next.operation);
    }
    if (next.pattern != pattern_) {
      pattern_ = next.pattern;
      set_text(stress_word::kPattern, kStressPatternWords, pattern_);
    }
    end();
  }
  // A collective, in words that may go again.
  void at_collective(std::uint64_t number, std::uint64_t size_bytes, const std::string& words);
  // All else stays.
  void goes_on(StressDoing doing) {
    begin();
    set_doing(doing);
    end();
  }
  // Before the part of that number.
  void agrees(std::uint64_t part) {
    begin();
    set_doing(StressDoing::kAgreeing);
    set(stress_word::kPart, part);
    end();
  }
  void rests() { goes_on(StressDoing::kResting); }

  // From a signal's handler, or at exit (0): it dies with what it does now.
  void dies(int signal) noexcept;

  // From any thread.

  // Another number whenever something new has begun.
  [[nodiscard]] std::uint64_t steps() const {
    return word(stress_word::kSteps).load(std::memory_order_acquire);
  }
  [[nodiscard]] bool waits() const {
    return word(stress_word::kDoing).load(std::memory_order_relaxed) !=
           static_cast<std::uint64_t>(StressDoing::kResting);
  }
  // Nothing while it is written.
  [[nodiscard]] std::optional<StressActivity> activity() const;
  // What has taken so many seconds, as a fault that this rank tells.
  [[nodiscard]] StressFault hanging(int rank, double seconds) const;

 private:
  using Word = std::atomic_ref<std::uint64_t>;

  [[nodiscard]] Word word(std::size_t at) const { return Word(words_[at]); }
  void set(std::size_t at, std::uint64_t value) {
    word(at).store(value, std::memory_order_relaxed);
  }
  void set_doing(StressDoing doing) { set(stress_word::kDoing, static_cast<std::uint64_t>(doing)); }
  void set_text(std::size_t first, std::size_t words, const char* text);
  // Whoever sees something of what is written between these sees an odd number, or another one at
  // the end (Boehm, Can Seqlocks Get Along With Programming Language Memory Models?, MSPC 2012).
  void begin() {
    set(stress_word::kSteps, word(stress_word::kSteps).load(std::memory_order_relaxed) + 1);
    std::atomic_thread_fence(std::memory_order_release);
  }
  void end() {
    const Word steps = word(stress_word::kSteps);
    steps.store(steps.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }
  // Empty: it is mapped.
  [[nodiscard]] std::string map(const std::string& path);

  StressWords own_ = {};
  std::uint64_t* words_ = own_.data();  // kStressWords of them
  int descriptor_ = -1;
  std::string lacking_ = {};
  const char* operation_ = nullptr;
  const char* pattern_ = nullptr;
};

static_assert(std::atomic_ref<std::uint64_t>::is_always_lock_free);

}  // namespace invar::record
