#include "ops/memory/kernels/kernels.hpp"

#include <algorithm>
#include <vector>

namespace invar::ops {
namespace {

struct WalkWidth {
  std::uint32_t bytes;
  const WalkTable& (*walks)();
  bool (*here)();
};

bool always() { return true; }

#if defined(__x86_64__)
bool has_avx2() { return __builtin_cpu_supports("avx2") != 0; }
bool has_avx512() { return __builtin_cpu_supports("avx512f") != 0; }
#else
bool has_avx2() { return false; }
bool has_avx512() { return false; }
#endif

constexpr std::array<WalkWidth, 5> kWalkWidths{{
    {.bytes = 4, .walks = walks_of_4, .here = always},
    {.bytes = 8, .walks = walks_of_8, .here = always},
    {.bytes = 16, .walks = walks_of_16, .here = always},
    {.bytes = 32, .walks = walks_of_32, .here = has_avx2},
    {.bytes = 64, .walks = walks_of_64, .here = has_avx512},
}};

bool is_had(const WalkWidth& width) { return width.walks()[0][0][0] != nullptr && width.here(); }

}  // namespace

std::span<const std::uint32_t> walk_widths() {
  static const std::vector<std::uint32_t> widths = [] {
    std::vector<std::uint32_t> found;
    for (const WalkWidth& width : kWalkWidths) {
      if (is_had(width)) found.push_back(width.bytes);
    }
    return found;
  }();
  return widths;
}

KernelFunction walk_kernel(WalkKernel kernel, std::uint32_t width_bytes, std::uint32_t unroll,
                           WalkOrder order) {
  const auto width = std::ranges::find(kWalkWidths, width_bytes, &WalkWidth::bytes);
  const auto turn = std::ranges::find(kUnrolls, unroll);
  if (width == kWalkWidths.end() || turn == kUnrolls.end() || !is_had(*width)) return nullptr;
  return width->walks()[static_cast<std::size_t>(kernel)][static_cast<std::size_t>(order)]
                       [static_cast<std::size_t>(turn - kUnrolls.begin())];
}

bool has_stores_around() {
  return walk_kernel(WalkKernel::kWriteNt, walk_widths().front(), kUnrolls.front(),
                     WalkOrder::kPacked) != nullptr;
}

}  // namespace invar::ops
