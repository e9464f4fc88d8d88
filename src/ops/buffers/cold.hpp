// Cold caches: what a repetition does before it is synchronised so that its buffers are in no
// cache.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "ops/buffers/memory.hpp"
#include "ops/operation.hpp"

namespace invar::ops {

enum class Cache : std::uint8_t {
  kWarm,
  kFlush,  // the lines of all buffers are written back and thrown out
  kCycle,  // the buffers move on through a region beyond the last-level cache, and wrap
};

// Makes repetitions cold; constant in memory. One per launch, shared by all cells.
class ColdCache {
 public:
  // `largest`: of all cells that cycle. A region is allocated only if one does. Throws UserError
  // where the size of the last-level cache is unknown or the region cannot be had.
  ColdCache(bool cycles, BufferNeed largest, const MemorySpace& space = host_memory());

  // Before every repetition of a visit; `need` and `home` are those of its placement.
  void before_repetition(Cache cache, Call& call, BufferNeed need);
  // Back to where the visit's placement was.
  static void end_visit(Call& call, const Placement& home);

 private:
  struct Release {
    const MemorySpace* space = nullptr;
    std::size_t bytes = 0;
    void operator()(std::byte* memory) const { space->release(memory, bytes); }
  };
  const MemorySpace& space_;
  std::size_t bytes_ = 0;
  std::unique_ptr<std::byte, Release> region_{nullptr, Release{}};
  std::size_t at_ = 0;
};

}  // namespace invar::ops
