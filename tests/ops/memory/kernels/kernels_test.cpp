// What kernels do with every width, order and turn of the inner loop: which elements they visit,
// and with what result, against loops that are written apart from them.
#include "ops/memory/kernels/kernels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <string>
#include <vector>

namespace invar::ops {
namespace {

constexpr std::size_t kMostBytes = 64;
constexpr std::array kOrders{WalkOrder::kPacked,        WalkOrder::kStrided,
                             WalkOrder::kDrawn,         WalkOrder::kDrawnStrided,
                             WalkOrder::kShuffledPages, WalkOrder::kLinePerPage};

// As memory_call.cpp places them, with what is left over at the end of a buffer.
struct Walked {
  std::uint32_t width;
  std::uint32_t unroll;
  WalkOrder order;
  std::uint64_t stride;
  std::uint64_t elements;
  std::uint64_t pages;
  std::uint64_t size_bytes;
};

Walked walked(std::uint32_t width, std::uint32_t unroll, WalkOrder order) {
  const bool strided = order == WalkOrder::kStrided || order == WalkOrder::kDrawnStrided;
  Walked walk{width, unroll, order, strided ? 3 * width : width, 37, 0, 0};
  if (order == WalkOrder::kShuffledPages) {
    walk.pages = 3;
    walk.stride = 2 * width;
    walk.elements = kPageOfOrders / walk.stride;
  }
  if (order == WalkOrder::kLinePerPage) walk.elements = 70;  // past the last line of a page
  walk.size_bytes = order == WalkOrder::kLinePerPage ? walk.elements * kPageOfOrders
                    : walk.pages > 0                 ? walk.pages * kPageOfOrders
                                                     : walk.elements * walk.stride;
  return walk;
}

// Buffers with data that differ everywhere, and room in front and behind.
class Buffer {
 public:
  explicit Buffer(std::uint64_t bytes, std::uint64_t seed) : memory_(bytes + 3 * kMostBytes) {
    for (std::size_t i = 0; i < memory_.size(); ++i) {
      memory_[i] = static_cast<std::byte>((i * 2654435761U + seed * 40503U) >> 7U);
    }
    const auto begin = reinterpret_cast<std::uintptr_t>(memory_.data());
    front_ = (kMostBytes - begin % kMostBytes) % kMostBytes + kMostBytes;
  }
  std::byte* data() { return memory_.data() + front_; }
  [[nodiscard]] const std::vector<std::byte>& all() const { return memory_; }
  [[nodiscard]] std::size_t front() const { return front_; }

 private:
  std::vector<std::byte> memory_;
  std::size_t front_ = 0;
};

std::uint64_t word_of(const std::byte* at, std::size_t bytes) {
  std::uint64_t word = 0;
  std::memcpy(&word, at, bytes);
  return word;
}

// Every visit of so many passes, in their order.
std::vector<std::uint64_t> visits(const Walked& walk, std::uint64_t passes, std::uint32_t draws) {
  std::vector<std::uint64_t> all;
  for (std::uint64_t pass = 0; pass < passes; ++pass) {
    for (std::uint64_t page = 0; page < std::max<std::uint64_t>(walk.pages, 1); ++page) {
      for (std::uint64_t i = 0; i < walk.elements; ++i) {
        std::uint64_t element = i;
        draws = next_draw(draws);
        if (walk.order == WalkOrder::kDrawn || walk.order == WalkOrder::kDrawnStrided) {
          element = (std::uint64_t{draws} * walk.elements) >> 32U;
        } else if (walk.order == WalkOrder::kShuffledPages) {
          element = draws % walk.elements;
        }
        all.push_back(walk.order == WalkOrder::kLinePerPage
                          ? i * kPageOfOrders + i % 64 * kLineOfOrders
                          : page * kPageOfOrders + element * walk.stride);
      }
    }
  }
  return all;
}

template <typename Test>
void with_every_walk(WalkKernel kernel, Test test) {
  int tested = 0;
  for (const std::uint32_t width : walk_widths()) {
    for (const std::uint32_t unroll : kUnrolls) {
      for (const WalkOrder order : kOrders) {
        const KernelFunction function = walk_kernel(kernel, width, unroll, order);
        if (function == nullptr) continue;
        SCOPED_TRACE("width " + std::to_string(width) + ", unroll " + std::to_string(unroll) +
                     ", order " + std::to_string(static_cast<int>(order)));
        test(function, walked(width, unroll, order));
        ++tested;
      }
    }
  }
  if (!stores_around(kernel) || has_stores_around()) {
    EXPECT_EQ(tested, walk_widths().size() * kUnrolls.size() * kOrders.size());
  }
}

KernelOrder ordered(const Walked& walk) {
  return {.elements = walk.elements,
          .pages = walk.pages,
          .stride_bytes = walk.stride,
          .passes = 3,
          .draws = 12345};
}

TEST(Kernels, ReadAddsUpWhatItVisits) {
  with_every_walk(WalkKernel::kRead, [](KernelFunction read, const Walked& walk) {
    Buffer from(walk.size_bytes, 1);
    KernelOrder order = ordered(walk);
    order.from = from.data();
    const std::size_t word = std::min<std::size_t>(walk.width, 8);
    std::uint64_t sum = 0;
    for (const std::uint64_t at : visits(walk, order.passes, order.draws)) {
      for (std::size_t i = 0; i < walk.width; i += word) sum += word_of(from.data() + at + i, word);
    }
    read(order);
    EXPECT_EQ(order.sum, word == 4 ? static_cast<std::uint32_t>(sum) : sum);
  });
}

TEST(Kernels, DrawsGoOnFromCallToCall) {
  Buffer from(4096, 1);
  KernelOrder twice{
      .from = from.data(), .elements = 100, .stride_bytes = 8, .passes = 2, .draws = 7};
  KernelOrder once = twice;
  once.passes = 1;
  const KernelFunction read = walk_kernel(WalkKernel::kRead, 8, 4, WalkOrder::kDrawn);
  read(twice);
  read(once);
  const std::uint64_t first = once.sum;
  read(once);
  EXPECT_EQ(twice.sum, first + once.sum);
  EXPECT_EQ(twice.draws, once.draws);
}

// What a kernel stores into `to`, word by word, for the visits alone; nothing else changes.
template <typename Stored>
void expect_stored(KernelFunction function, const Walked& walk, Stored stored) {
  Buffer from(walk.size_bytes, 1);
  Buffer also(walk.size_bytes, 2);
  Buffer to(walk.size_bytes, 3);
  std::vector<std::byte> expected = to.all();
  KernelOrder order = ordered(walk);
  order.from = from.data();
  order.also = also.data();
  order.to = to.data();
  const std::size_t word = std::min<std::size_t>(walk.width, 8);
  for (const std::uint64_t at : visits(walk, order.passes, order.draws)) {
    for (std::size_t i = 0; i < walk.width; i += word) {
      const std::uint64_t value =
          stored(word_of(from.data() + at + i, word), word_of(also.data() + at + i, word));
      std::memcpy(&expected[to.front() + at + i], &value, word);
    }
  }
  const std::vector<std::byte> from_before = from.all();
  const std::vector<std::byte> also_before = also.all();
  function(order);
  EXPECT_TRUE(to.all() == expected);
  EXPECT_TRUE(from.all() == from_before);
  EXPECT_TRUE(also.all() == also_before);
}

TEST(Kernels, WriteStoresOneWordEverywhereItVisits) {
  for (const WalkKernel kernel : {WalkKernel::kWrite, WalkKernel::kWriteNt}) {
    with_every_walk(kernel, [](KernelFunction write, const Walked& walk) {
      expect_stored(write, walk, [](std::uint64_t, std::uint64_t) { return kWrittenWord; });
    });
  }
}

TEST(Kernels, CopyStoresWhatItReads) {
  for (const WalkKernel kernel : {WalkKernel::kCopy, WalkKernel::kCopyNt}) {
    with_every_walk(kernel, [](KernelFunction copy, const Walked& walk) {
      expect_stored(copy, walk, [](std::uint64_t from, std::uint64_t) { return from; });
    });
  }
}

TEST(Kernels, TriadAddsTwiceTheThirdArray) {
  for (const WalkKernel kernel : {WalkKernel::kTriad, WalkKernel::kTriadNt}) {
    with_every_walk(kernel, [](KernelFunction triad, const Walked& walk) {
      expect_stored(triad, walk, [](std::uint64_t b, std::uint64_t c) { return b + 2 * c; });
    });
  }
}

// All elements of a page once, whatever the state that it begins with.
TEST(Kernels, ShuffledPagesVisitEveryElementOnce) {
  for (const std::uint32_t draws : {0U, 1U, 99U, 4'000'000'000U}) {
    const Walked walk{4, 1, WalkOrder::kShuffledPages, 8, 512, 5, 5 * kPageOfOrders};
    std::map<std::uint64_t, int> times;
    for (const std::uint64_t at : visits(walk, 1, draws)) ++times[at];
    EXPECT_EQ(times.size(), 5 * 512);
  }
}

TEST(Kernels, NoElementsAreNoVisits) {
  for (const WalkOrder order : kOrders) {
    KernelOrder nothing{.elements = 0, .stride_bytes = 8, .passes = 5};
    walk_kernel(WalkKernel::kRead, 8, 8, order)(nothing);
    EXPECT_EQ(nothing.sum, 0);
  }
}

TEST(Kernels, WhatIsNotThereIsNull) {
  EXPECT_EQ(walk_kernel(WalkKernel::kRead, 3, 8, WalkOrder::kPacked), nullptr);
  EXPECT_EQ(walk_kernel(WalkKernel::kRead, 8, 3, WalkOrder::kPacked), nullptr);
  EXPECT_EQ(chase_kernel(0, 8), nullptr);
  EXPECT_EQ(chase_kernel(kMostChainsFollowed + 1, 8), nullptr);
  EXPECT_EQ(chase_kernel(1, 5), nullptr);
}

}  // namespace
}  // namespace invar::ops
