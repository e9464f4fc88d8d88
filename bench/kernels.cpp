// Kernels on memory (src/ops/memory/kernels) by themselves, beside plain loops that are written
// here alone:
//   bench_kernels linear                  lack of fit of each kernel's times in the passes
//   bench_kernels rate KERNEL WIDTH BYTES [UNROLL PASSES]
//                                         GB/s of the bytes that it names (BYTES: of one array)
//   bench_kernels chase BYTES TURNS       ns a load, ours and a plain chase's, a line a turn
// All on the core that it starts on. Rates and chases are means over one call of a tenth of a
// second, after another one that warms up: what begins and ends a call is not part of that, and
// what the machine does meanwhile meets ours as it meets another program that is timed so.
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

constexpr std::array<const char*, kWalkKernels> kNames{"read",  "write",   "write_nt", "copy",
                                                       "triad", "copy_nt", "triad_nt"};
constexpr std::array<unsigned, kWalkKernels> kArrays{1, 1, 1, 2, 3, 2, 3};
constexpr double kEnoughNs = 20'000;
constexpr double kLongNs = 100e6;
constexpr int kTries = 100;

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

double ns_of(const std::function<void()>& call) {
  const double begin = now_ns();
  call();
  return now_ns() - begin;
}

struct Walked {
  KernelFunction function;
  KernelOrder order;

  [[nodiscard]] double ns(std::uint64_t passes) {
    order.passes = passes;
    return ns_of([&] { function(order); });
  }
};

std::uint64_t passes_of_at_least(Walked& walked, double ns) {
  std::uint64_t passes = 1;
  while (std::min({walked.ns(passes), walked.ns(passes), walked.ns(passes)}) < ns) passes *= 2;
  return passes;
}

// So many that they take about that time.
std::uint64_t passes_of(Walked& walked, double ns) {
  const std::uint64_t some = passes_of_at_least(walked, ns / 20);
  const double each = walked.ns(some) / static_cast<double>(some);
  return std::max<std::uint64_t>(static_cast<std::uint64_t>(ns / each), 1);
}

// Times of n passes against a straight line of least squares, relative to the time: what is left,
// root mean square. The best of several tries, whose numbers of passes are in turns, so that what
// the machine does for a while is in all of them.
double lack_of_fit(Walked& walked) {
  const std::uint64_t unit = passes_of_at_least(walked, kEnoughNs);
  constexpr std::array<std::uint64_t, 5> kTimes{1, 2, 3, 5, 8};
  double n = 0, x = 0, y = 0, xx = 0, xy = 0;
  std::array<double, kTimes.size()> ns{};
  ns.fill(1e300);
  for (int one = 0; one < kTries; ++one) {
    for (std::size_t i = 0; i < kTimes.size(); ++i) {
      ns[i] = std::min(ns[i], walked.ns(unit * kTimes[i]));
    }
  }
  for (std::size_t i = 0; i < kTimes.size(); ++i) {
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
  for (std::size_t kernel = 0; kernel < kWalkKernels; ++kernel) {
    for (const std::uint32_t width : walk_widths()) {
      Walked walked{
          walk_kernel(static_cast<WalkKernel>(kernel), width, 8, WalkOrder::kPacked),
          {.from = a, .also = b, .to = c, .elements = kBytes / width, .stride_bytes = width}};
      if (walked.function == nullptr) continue;
      std::printf("%s %u %.5f\n", kNames[kernel], width, lack_of_fit(walked));
    }
  }
  return 0;
}

// `only` and `passes` 0: of every unrolling, as many passes as take long enough.
int rate(const std::string& name, std::uint32_t width, std::size_t bytes, std::uint32_t only,
         std::uint64_t passes) {
  const auto kernel =
      static_cast<std::size_t>(std::find(kNames.begin(), kNames.end(), name) - kNames.begin());
  if (kernel == kWalkKernels) return 2;
  std::byte* const a = buffer(bytes);
  std::byte* const b = kArrays[kernel] > 2 ? buffer(bytes) : nullptr;
  std::byte* const c = buffer(bytes);
  for (const std::uint32_t unroll : kUnrolls) {
    if (only != 0 && unroll != only) continue;
    Walked walked{
        walk_kernel(static_cast<WalkKernel>(kernel), width, unroll, WalkOrder::kPacked),
        {.from = a, .also = b, .to = c, .elements = bytes / width, .stride_bytes = width}};
    if (walked.function == nullptr) return 3;
    const std::uint64_t many = passes == 0 ? passes_of(walked, kLongNs) : passes;
    static_cast<void>(walked.ns(std::max<std::uint64_t>(many / 10, 1)));  // warms up
    const double ns = walked.ns(many);
    std::printf("%u %.3f %llu\n", unroll,
                static_cast<double>(bytes * kArrays[kernel]) * static_cast<double>(many) / ns,
                static_cast<unsigned long long>(many));
  }
  return 0;
}

// As one writes it without thinking of any of ours.
__attribute__((noinline)) void* plain_chase(void* at, std::uint64_t loads) {
  for (; loads > 0; --loads) at = *static_cast<void**>(at);
  return at;
}

int chase(std::size_t bytes, int turns) {
  std::byte* const memory = buffer(bytes);
  invar::base::Random random(1);
  const ChainOrder chain{.lines = bytes / invar::record::kChainStrideBytes};
  KernelOrder order{.heads = make_chains(memory, chain, random)};
  void* at = memory;
  const std::array<std::function<double(std::uint64_t)>, 2> ways{
      [&](std::uint64_t loads) {
        order.loads = loads;
        return ns_of([&] { chase_kernel(1, 8)(order); });
      },
      [&](std::uint64_t loads) { return ns_of([&] { at = plain_chase(at, loads); }); }};
  // Whole rounds, so that each load of a turn misses what the turn before it missed.
  std::uint64_t loads = chain.lines;
  while (ways[0](loads) < kLongNs / 4) loads *= 2;
  for (int turn = 0; turn < turns; ++turn) {
    std::array<double, 2> ns{};
    for (std::size_t i = 0; i < 2; ++i) {
      const std::size_t way = (i + static_cast<std::size_t>(turn)) % 2;
      ns[way] = ways[way](loads) / static_cast<double>(loads);
    }
    std::printf("%.4f %.4f\n", ns[0], ns[1]);
  }
  return at == nullptr ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  cpu_set_t mine;
  CPU_ZERO(&mine);
  CPU_SET(static_cast<unsigned>(sched_getcpu()), &mine);
  sched_setaffinity(0, sizeof mine, &mine);
  if (words.size() == 1 && words[0] == "linear") return linear();
  const auto number = [&](std::size_t i) { return i < words.size() ? std::stoull(words[i]) : 0; };
  if ((words.size() == 4 || words.size() == 6) && words[0] == "rate") {
    return rate(words[1], static_cast<std::uint32_t>(number(2)), number(3),
                static_cast<std::uint32_t>(number(4)), number(5));
  }
  if (words.size() == 3 && words[0] == "chase") {
    return chase(number(1), static_cast<int>(number(2)));
  }
  std::fprintf(stderr,
               "usage: bench_kernels linear | rate KERNEL WIDTH BYTES [UNROLL PASSES] |\n"
               "       chase BYTES TURNS\n");
  return 2;
}
