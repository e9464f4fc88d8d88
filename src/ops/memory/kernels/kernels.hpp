// Kernels on memory: loops whose loads and stores are those that they name, neither more nor fewer,
// with any compiler (tests/ops/memory/disassembly_test.py). No MPI, no clock, nothing allocated.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace invar::ops {

enum class WalkKernel : std::uint8_t { kRead, kWrite, kWriteNt, kCopy, kTriad, kCopyNt, kTriadNt };
inline constexpr std::size_t kWalkKernels = 7;

// Whether it stores around the caches.
constexpr bool stores_around(WalkKernel kernel) {
  return kernel == WalkKernel::kWriteNt || kernel == WalkKernel::kCopyNt ||
         kernel == WalkKernel::kTriadNt;
}

// In which order a pass visits its elements.
enum class WalkOrder : std::uint8_t {
  kPacked,         // one behind the other
  kStrided,        // stride_bytes from start to start
  kDrawn,          // any of those of kPacked, independent draws with repetition
  kDrawnStrided,   // any of those of kStrided
  kShuffledPages,  // page after page, all elements of a page in random order
  kLinePerPage,    // one in every page, each time in the next line of a page
};
inline constexpr std::size_t kWalkOrders = 6;

// 1, 2, 4, 8, 16: elements in a turn of the inner loop.
inline constexpr std::array<std::uint32_t, 5> kUnrolls{1, 2, 4, 8, 16};
inline constexpr std::size_t kMostChainsFollowed = 8;
// Pages that orders speak of, and lines in them; whatever pages the memory has.
inline constexpr std::uint64_t kPageOfOrders = 4096;
inline constexpr std::uint64_t kLineOfOrders = 64;

// What `write` and `write_nt` store, in every element.
inline constexpr std::uint64_t kWrittenWord = 0x9d5bc7e3a1f28d64;

// What a kernel is told, and what it leaves behind.
struct KernelOrder {
  const std::byte* from = nullptr;  // read, copy, b of triad
  const std::byte* also = nullptr;  // c of triad
  std::byte* to = nullptr;          // write, copy, a of triad
  std::uint64_t elements = 0;       // of a pass; of kShuffledPages those of one page
  std::uint64_t pages = 0;          // of kShuffledPages
  std::uint64_t stride_bytes = 0;   // packed orders have the width
  std::uint64_t passes = 1;
  std::uint32_t draws = 1;  // state of those that draw; goes on from call to call
  std::uint64_t sum = 0;    // read: of all elements visited, in words of min(width, 8) bytes
  // Chase: where each chain is, and so many loads from there along each of them.
  std::array<const std::byte*, kMostChainsFollowed> heads = {};
  std::uint64_t loads = 0;
};

// Before a loop of a kernel: it is as it stands here, however well a compiler means it. Before one
// of a few turns whose number it knows (at most 16): none is left, whatever the compiler.
#if defined(__clang__)
#define INVAR_AS_IT_STANDS _Pragma("clang loop unroll(disable) vectorize(disable)")
#define INVAR_NO_LOOP _Pragma("clang loop unroll(full)")
#else
#define INVAR_AS_IT_STANDS _Pragma("GCC unroll 1")
#define INVAR_NO_LOOP _Pragma("GCC unroll 16")
#endif

using KernelFunction = void (*)(KernelOrder&);

// Bytes of a load or store that this processor and this compiler have, ascending: at least 4 and 8.
std::span<const std::uint32_t> walk_widths();

// Null where there is none: a width that is not there, or one that stores around the caches where
// compilers have no such store. read: from; write, write_nt: to; copy, copy_nt: to = from; triad,
// triad_nt: to = from + 2 also, in words of min(width, 8) bytes. Where stores_around(), `to` and
// the stride are multiples of the width.
KernelFunction walk_kernel(WalkKernel kernel, std::uint32_t width_bytes, std::uint32_t unroll,
                           WalkOrder order);
bool has_stores_around();

// `chains` 1 to kMostChainsFollowed. An element holds the address of the next one.
KernelFunction chase_kernel(std::uint32_t chains, std::uint32_t unroll);

// The next draw: a linear congruential generator of full period (Numerical Recipes' constants).
// The lowest k bits of 2^k draws in a row are a permutation.
inline constexpr std::uint32_t kDrawFactor = 1664525;
inline constexpr std::uint32_t kDrawTerm = 1013904223;
constexpr std::uint32_t next_draw(std::uint32_t draws) { return draws * kDrawFactor + kDrawTerm; }

// Draw number `Steps` from here on is draws * factor + term: an unrolled loop draws without waiting
// from draw to draw.
template <std::size_t Steps>
struct DrawLeap {
  static constexpr std::uint32_t factor() {
    std::uint32_t product = 1;
    for (std::size_t i = 0; i < Steps; ++i) product *= kDrawFactor;
    return product;
  }
  static constexpr std::uint32_t term() {
    std::uint32_t sum = 0;
    for (std::size_t i = 0; i < Steps; ++i) sum = next_draw(sum);
    return sum;
  }
  static constexpr std::uint32_t of(std::uint32_t draws) { return draws * factor() + term(); }
};

// Where visits of a pass are, in bytes from a buffer's start: what checks go by, written apart from
// the loops.
// Element `draws` of `elements`, for kDrawn and kDrawnStrided.
constexpr std::uint64_t drawn_element(std::uint32_t draws, std::uint64_t elements) {
  return (draws * elements) >> 32U;
}
constexpr std::uint64_t line_in_page(std::uint64_t page) {
  return page * kPageOfOrders + page * kLineOfOrders % kPageOfOrders;
}

// Functions of one width; null where there are none.
using WalkTable =
    std::array<std::array<std::array<KernelFunction, kUnrolls.size()>, kWalkOrders>, kWalkKernels>;
// Those of one file each; all null where the compiler has no such loads.
const WalkTable& walks_of_4();
const WalkTable& walks_of_8();
const WalkTable& walks_of_16();
const WalkTable& walks_of_32();
const WalkTable& walks_of_64();

}  // namespace invar::ops
