// References beside memory kernels, the same in every visit: the core's clock by dependent
// additions, and dependent loads in the first cache and beyond all of them. One rank has no other
// canary.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/random.hpp"
#include "host/facts.hpp"
#include "ops/buffers/memory.hpp"
#include "ops/memory/kernels/chains.hpp"
#include "ops/memory/kernels/kernels.hpp"

namespace invar::engine {

// What a rank measured, in ticks of so many steps; 0: not measured.
struct ReferenceTicks {
  std::int64_t adds = 0;
  std::int64_t l1_loads = 0;
  std::int64_t beyond_loads = 0;
};

constexpr std::uint64_t kReferenceAdds = 4096;
constexpr std::uint64_t kReferenceL1Loads = 1024;
constexpr std::uint64_t kReferenceBeyondLoads = 256;

// So many dependent additions; a multiple of 8.
[[gnu::always_inline]] inline void run_additions(std::uint64_t count) {
  std::uint64_t value = count;
  for (std::uint64_t left = count; left > 0; left -= 8) {
    // One by one, or they would be one addition of eight times as much.
#define INVAR_ONE_ADDITION \
  value += count;          \
  asm volatile("" : "+r"(value))
    INVAR_ONE_ADDITION;
    INVAR_ONE_ADDITION;
    INVAR_ONE_ADDITION;
    INVAR_ONE_ADDITION;
    INVAR_ONE_ADDITION;
    INVAR_ONE_ADDITION;
    INVAR_ONE_ADDITION;
    INVAR_ONE_ADDITION;
#undef INVAR_ONE_ADDITION
  }
}

// The memory that is chased; one a launch, of a rank that takes references.
class Reference {
 public:
  // Nothing beyond the caches where nobody tells how large they are. Throws CommandError where
  // there is not enough memory.
  explicit Reference(const ops::MemorySpace& space = ops::host_memory()) : space_(space) {
    base::Random random(kSeed);
    l1_.emplace_chain(space_, kL1Bytes, random);
    const host::Number cache = host::last_level_cache_bytes();
    if (cache) beyond_.emplace_chain(space_, kCaches * *cache, random);
  }
  Reference(const Reference&) = delete;
  Reference& operator=(const Reference&) = delete;
  ~Reference() {
    l1_.release(space_);
    beyond_.release(space_);
  }

  // Below a millisecond. What lies in the caches is left there, but for a few hundred lines.
  template <typename Clock>
  ReferenceTicks measure(Clock clock) {
    ReferenceTicks ticks;
    if (beyond_.memory != nullptr) {
      // The chain goes on where it was: none of these lines was met lately.
      std::array<std::int64_t, 3> tries{};
      for (std::int64_t& one : tries) one = timed(clock, beyond_, kReferenceBeyondLoads);
      std::sort(tries.begin(), tries.end());
      ticks.beyond_loads = tries[1];
    }
    static_cast<void>(timed(clock, l1_, kReferenceL1Loads));  // into the cache
    ticks.l1_loads = shortest([&] { return timed(clock, l1_, kReferenceL1Loads); });
    ticks.adds = shortest([&] {
      const std::int64_t before = clock.now();
      run_additions(kReferenceAdds);
      return clock.now() - before;
    });
    return ticks;
  }

 private:
  struct Chain {
    std::byte* memory = nullptr;
    std::size_t bytes = 0;
    ops::KernelOrder order = {};

    void emplace_chain(const ops::MemorySpace& space, std::size_t asked, base::Random& random) {
      const std::size_t page = space.page_bytes();
      bytes = (asked + page - 1) / page * page;
      memory = space.allocate(bytes);
      const ops::ChainOrder chain{.lines = bytes / record::kChainStrideBytes};
      order.heads = ops::make_chains(memory, chain, random);
    }
    void release(const ops::MemorySpace& space) const {
      if (memory != nullptr) space.release(memory, bytes);
    }
  };

  template <typename Clock>
  static std::int64_t timed(Clock clock, Chain& chain, std::uint64_t loads) {
    static const ops::KernelFunction chase = ops::chase_kernel(1, 8);
    chain.order.loads = loads;
    const std::int64_t before = clock.now();
    chase(chain.order);
    return clock.now() - before;
  }

  // What is left of it without interrupts.
  template <typename Measure>
  static std::int64_t shortest(Measure measure) {
    std::int64_t least = measure();
    for (int i = 1; i < kTries; ++i) least = std::min(least, measure());
    return least;
  }

  static constexpr std::uint64_t kSeed = 0x7265666572;  // "refer"
  static constexpr std::size_t kL1Bytes = 16'384;
  static constexpr std::size_t kCaches = 4;
  static constexpr int kTries = 5;

  const ops::MemorySpace& space_;
  Chain l1_ = {};
  Chain beyond_ = {};
};

}  // namespace invar::engine
