// What the timed region itself costs: the engine's own timing loop around the operation `empty`,
// against two clock reads with nothing between them, in turns. Prints one line a block: mean of the
// one and of the other, in ticks; then the clock's rate.
#include <mpi.h>

#include <cstdint>
#include <cstdio>
#include <vector>

#include "clock/calibration.hpp"
#include "engine/timed/delay.hpp"
#include "engine/timed/timing_loop.hpp"
#include "ops/catalogue.hpp"

namespace {

constexpr std::uint32_t kBlock = 500;
constexpr int kBlocks = 2000;  // 10^6 samples of each

struct Countdown {
  std::uint32_t left;
  bool wait(std::uint16_t& /*flags*/) { return left-- > 0; }
  void note_error() {}
};

// Two reads, stored as the loop stores them.
template <typename Clock>
void reads_only(Clock clock, std::int64_t* begin, std::int64_t* end) {
  for (std::uint32_t i = 0; i < kBlock; ++i) {
    begin[i] = clock.now();
    end[i] = clock.now();
  }
}

double mean(const std::vector<std::int64_t>& begin, const std::vector<std::int64_t>& end) {
  std::int64_t sum = 0;
  for (std::uint32_t i = 0; i < kBlock; ++i) sum += end[i] - begin[i];
  return static_cast<double>(sum) / kBlock;
}

}  // namespace

int main() {
  namespace clock = invar::clock;
  const invar::ops::Operation& empty = *invar::ops::find_operation("empty");
  invar::ops::Call call;
  std::vector<std::int64_t> begin(kBlock);
  std::vector<std::int64_t> end(kBlock);
  std::vector<std::uint16_t> flags(kBlock + 1);
  const clock::Bracket first = clock::bracketed_read(clock::TscClock{});
  for (int block = 0; block < kBlocks; ++block) {
    double with_call = 0;
    double without = 0;
    for (int half = 0; half < 2; ++half) {
      // ABBA, so that a slow drift is in both.
      if ((block + half) % 2 == 0) {
        Countdown sync{kBlock};
        invar::engine::timing_loop(
            clock::TscClock{}, sync, empty, call, invar::engine::NoDelay{},
            {.begin = begin.data(), .end = end.data(), .flags = flags.data()},
            invar::engine::NothingAround{});
        with_call = mean(begin, end);
      } else {
        reads_only(clock::TscClock{}, begin.data(), end.data());
        without = mean(begin, end);
      }
    }
    std::printf("%.4f %.4f\n", with_call, without);
  }
  const clock::Rate rate = clock::rate_between(first, clock::bracketed_read(clock::TscClock{}));
  std::printf("rate %.0f\n", rate.ticks_per_s);
  return 0;
}
