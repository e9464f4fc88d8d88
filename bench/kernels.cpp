// Kernels on memory (src/ops/memory/kernels) by themselves, beside plain loops that are written
// here alone:
//   bench_kernels linear                     worst lack of fit of all kernels' times in the passes
//   bench_kernels rate KERNEL WIDTH BYTES    GB/s of the bytes that it names (BYTES: of one array)
//   bench_kernels chase BYTES                ns a load, ours and a plain chase's
// Every number is of a difference between two numbers of passes, the best of several tries, on one
// core.
#include <sched.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "ops/memory/kernels/chains.hpp"
#include "ops/memory/kernels/kernels.hpp"

namespace {

using namespace invar::ops;  // NOLINT

constexpr std::array<const char*, kWalkKernels> kNames{"read", "write", "write_nt", "copy",
                                                       "triad"};
constexpr std::array<unsigned, kWalkKernels> kArrays{1, 1, 1, 2, 3};
constexpr double kEnoughNs = 20'000;
constexpr int kTries = 15;

double now_ns() {
  return static_cast<double>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                 std::chrono::steady_clock::now().time_since_epoch())
                                 .count());
}

// Touched, and at another line of its page for every buffer, so that none is another one's alias.
std::byte* buffer(std::size_t bytes) {
  static std::size_t line = 0;
  const std::size_t all = bytes + 8192;
  void* const memory =
      mmap(nullptr, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) std::abort();
  std::memset(memory, 1, all);
  line = (line + 21) % 64;
  return static_cast<std::byte*>(memory) + line * 64;
}

double best_ns(const std::function<void()>& call, int tries = kTries) {
  double best = 1e300;
  for (int i = 0; i < tries; ++i) {
    const double begin = now_ns();
    call();
    best = std::min(best, now_ns() - begin);
  }
  return best;
}

struct Walked {
  KernelFunction function;
  KernelOrder order;

  [[nodiscard]] double ns(std::uint64_t passes, int tries = kTries) {
    order.passes = passes;
    return best_ns([&] { function(order); }, tries);
  }
};

std::uint64_t enough_passes(Walked& walked) {
  std::uint64_t passes = 1;
  while (walked.ns(passes, 3) < kEnoughNs) passes *= 2;
  return passes;
}

// Times of n passes against a straight line of least squares, relative to the time: what is left,
// root mean square.
double lack_of_fit(Walked& walked) {
  const std::uint64_t unit = enough_passes(walked);
  constexpr std::array<std::uint64_t, 5> kTimes{1, 2, 3, 5, 8};
  double n = 0, x = 0, y = 0, xx = 0, xy = 0;
  std::array<double, kTimes.size()> ns{};
  for (std::size_t i = 0; i < kTimes.size(); ++i) {
    ns[i] = walked.ns(unit * kTimes[i]);
    // Weights by the time itself: what counts is the share of it.
    const double weight = 1 / (ns[i] * ns[i]);
    const auto passes = static_cast<double>(unit * kTimes[i]);
    n += weight, x += weight * passes, y += weight * ns[i];
    xx += weight * passes * passes, xy += weight * passes * ns[i];
  }
  const double slope = (n * xy - x * y) / (n * xx - x * x);
  const double start = (y - slope * x) / n;
  double left = 0;
  for (std::size_t i = 0; i < kTimes.size(); ++i) {
    const double fitted = start + slope * static_cast<double>(unit * kTimes[i]);
    left += (ns[i] / fitted - 1) * (ns[i] / fitted - 1);
  }
  return std::sqrt(left / (kTimes.size() - 2));
}

int linear() {
  constexpr std::size_t kBytes = 16'384;
  std::byte* const a = buffer(kBytes);
  std::byte* const b = buffer(kBytes);
  std::byte* const c = buffer(kBytes);
  double worst = 0;
  for (std::size_t kernel = 0; kernel < kWalkKernels; ++kernel) {
    for (const std::uint32_t width : walk_widths()) {
      Walked walked{
          walk_kernel(static_cast<WalkKernel>(kernel), width, 8, WalkOrder::kPacked),
          {.from = a, .also = b, .to = c, .elements = kBytes / width, .stride_bytes = width}};
      if (walked.function == nullptr) continue;
      const double lack = lack_of_fit(walked);
      std::printf("%s %u %.5f\n", kNames[kernel], width, lack);
      worst = std::max(worst, lack);
    }
  }
  std::printf("worst %.5f\n", worst);
  return 0;
}

int rate(const std::string& name, std::uint32_t width, std::size_t bytes) {
  const auto kernel =
      static_cast<std::size_t>(std::find(kNames.begin(), kNames.end(), name) - kNames.begin());
  if (kernel == kWalkKernels) return 2;
  std::byte* const a = buffer(bytes);
  std::byte* const b = kArrays[kernel] > 2 ? buffer(bytes) : nullptr;
  std::byte* const c = buffer(bytes);
  for (const std::uint32_t unroll : kUnrolls) {
    Walked walked{
        walk_kernel(static_cast<WalkKernel>(kernel), width, unroll, WalkOrder::kPacked),
        {.from = a, .also = b, .to = c, .elements = bytes / width, .stride_bytes = width}};
    if (walked.function == nullptr) return 3;
    const std::uint64_t passes = 8 * enough_passes(walked);
    const double pass_ns =
        (walked.ns(2 * passes) - walked.ns(passes)) / static_cast<double>(passes);
    std::printf("unroll %u: %.2f GB/s\n", unroll,
                static_cast<double>(bytes * kArrays[kernel]) / pass_ns);
  }
  return 0;
}

// As one writes it without thinking of any of ours.
__attribute__((noinline)) void* plain_chase(void* at, std::uint64_t loads) {
  for (; loads > 0; --loads) at = *static_cast<void**>(at);
  return at;
}

int chase(std::size_t bytes) {
  std::byte* const memory = buffer(bytes);
  invar::base::Random random(1);
  const ChainOrder chain{.lines = bytes / invar::record::kChainStrideBytes};
  KernelOrder order{.heads = make_chains(memory, chain, random)};
  const std::uint64_t loads = std::max<std::uint64_t>(chain.lines, 20'000);
  void* at = memory;
  double ours = 1e300;
  double plain = 1e300;
  // In turns: both meet the same machine.
  for (int i = 0; i < kTries; ++i) {
    const auto of_ours = [&](std::uint64_t count) {
      order.loads = count;
      return best_ns([&] { chase_kernel(1, 8)(order); }, 3);
    };
    const auto of_plain = [&](std::uint64_t count) {
      return best_ns([&] { at = plain_chase(at, count); }, 3);
    };
    ours = std::min(ours, (of_ours(2 * loads) - of_ours(loads)) / static_cast<double>(loads));
    plain = std::min(plain, (of_plain(2 * loads) - of_plain(loads)) / static_cast<double>(loads));
  }
  std::printf("ours %.3f ns, plain %.3f ns, ratio %.4f%s\n", ours, plain, ours / plain,
              at == nullptr ? " (lost)" : "");
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  cpu_set_t mine;
  CPU_ZERO(&mine);
  CPU_SET(static_cast<unsigned>(sched_getcpu()), &mine);
  sched_setaffinity(0, sizeof mine, &mine);
  if (words.size() == 1 && words[0] == "linear") return linear();
  if (words.size() == 4 && words[0] == "rate") {
    return rate(words[1], static_cast<std::uint32_t>(std::stoul(words[2])), std::stoull(words[3]));
  }
  if (words.size() == 2 && words[0] == "chase") return chase(std::stoull(words[1]));
  std::fprintf(stderr, "usage: bench_kernels linear | rate KERNEL WIDTH BYTES | chase BYTES\n");
  return 2;
}
